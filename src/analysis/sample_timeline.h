/* sample_timeline: the samples of the event shown over the session's time. */
#ifndef TARE_ANALYSIS_SAMPLE_TIMELINE_H
#define TARE_ANALYSIS_SAMPLE_TIMELINE_H

#include "analysis/analysis.h"

/* What was sampled in one of equal parts of the time. */
struct analysis_bin {
	uint64_t samples, weight;
};

/*
 * Adds the samples of the selected threads to `count` bins from the session's begin to its end.
 * `known`: whether the profile says when its samples were taken.
 */
bool analysis_timeline(const struct analysis *analysis, struct analysis_bin *bins, uint32_t count,
		       bool *known, struct error *err);

#endif
