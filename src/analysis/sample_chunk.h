/* sample_chunk: samples in the order of time, as a chunk has them. Private to analysis. */
#ifndef TARE_ANALYSIS_SAMPLE_CHUNK_H
#define TARE_ANALYSIS_SAMPLE_CHUNK_H

#include "analysis/private.h"

struct sample {
	int64_t thread; /* id */
	uint64_t ticks, stack, weight;
};

typedef void sample_callback(const struct sample *sample, void *context);

struct sample_chunk {
	int64_t id;
	struct profile_sample_chunk row;
};

/* For vec_sort: by thread, then by time. */
int sample_chunk_compare(const void *a, const void *b);

/* Calls `each` for the samples of the chunk. False with err where it is damaged. */
bool analysis_read_samples(struct profile *profile, const struct sample_chunk *chunk,
			   sample_callback *each, void *context, struct error *err);

#endif
