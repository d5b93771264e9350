/* sample_stream: the samples of the event shown, one after the other. */
#ifndef TARE_ANALYSIS_SAMPLE_STREAM_H
#define TARE_ANALYSIS_SAMPLE_STREAM_H

#include "analysis/analysis.h"

struct analysis_sample {
	uint32_t thread, node; /* indexes */
	uint64_t ticks;	       /* since the session's begin */
	uint64_t weight;       /* in the event's unit */
};

/* False stops. */
typedef bool analysis_sample_callback(const struct analysis_sample *sample, void *context);

/*
 * Calls `each` for the samples from from_ticks to to_ticks (0: the end), thread by thread, those of
 * a thread in the order of time. Needs analysis_options.times without a range, and samples as the
 * method shown. Keeps none of them. Fails with ERROR_NOT_FOUND where the profile does not say when
 * its samples were taken.
 */
bool analysis_each_sample(const struct analysis *analysis, uint64_t from_ticks, uint64_t to_ticks,
			  analysis_sample_callback *each, void *context, struct error *err);

#endif
