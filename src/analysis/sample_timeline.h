/* sample_timeline: the samples of the event shown over the session's time. */
#ifndef TARE_ANALYSIS_SAMPLE_TIMELINE_H
#define TARE_ANALYSIS_SAMPLE_TIMELINE_H

#include "analysis/analysis.h"

/* What was sampled in one of equal parts of the time. A wait counts where it began, and weighs in
   each part what it has of it. */
struct analysis_bin {
	uint64_t samples, weight;
};

/*
 * Adds the samples of the selected threads to `count` bins from the session's begin to its end.
 * `known`: whether the profile says when its samples were taken.
 */
bool analysis_timeline(const struct analysis *analysis, struct analysis_bin *bins, uint32_t count,
		       bool *known, struct error *err);

/* What was sampled on a call path in one of the bins. */
struct analysis_time {
	uint32_t bin, node;
	uint64_t samples, weight;
};

struct analysis_times vec_of(struct analysis_time);

/*
 * The samples that the nodes have, by bin, then by node. Needs analysis_options.times. Nothing
 * where the profile does not say when its samples were taken, where only a part of the time was
 * asked for, and where there would be more than `most`.
 */
bool analysis_times(const struct analysis *analysis, uint32_t count, size_t most,
		    struct analysis_times *times, struct error *err);

#endif
