/* Samples in a chunk (struct profile_sample_chunk), read as untrusted bytes, and written. */
#ifndef TARE_PROFILE_SAMPLE_RECORD_H
#define TARE_PROFILE_SAMPLE_RECORD_H

#include "base/base.h"

struct sample_record {
	uint64_t ticks, stack, weight;
};

/*
 * The sample behind `sample`, in its place; before the first it has the chunk's begin, stack and
 * weight 0. False where there is none, or its time lies behind `end_ticks`.
 */
bool sample_record_read(struct byte_reader *reader, uint64_t end_ticks,
			struct sample_record *sample);

/* Appends `sample`, which follows `before`. */
void sample_record_write(struct byte_vec *out, const struct sample_record *before,
			 const struct sample_record *sample);

#endif
