/*
 * The records of perf record -z: one stream of zstd, cut into pieces anywhere. Each piece gives the
 * records that end in it.
 */
#ifndef TARE_SAMPLER_PERF_UNPACK_H
#define TARE_SAMPLER_PERF_UNPACK_H

#include "base/base.h"

struct perf_unpack;

struct perf_unpack *perf_unpack_new(void);
void perf_unpack_free(struct perf_unpack *unpack);

/*
 * Unpacks `size` bytes and hands out the bytes that have come of them; `take` returns how many it
 * has used up, the rest comes again in front of the next ones. False where the stream is damaged:
 * nothing can be got out of it then any more.
 */
bool perf_unpack_add(struct perf_unpack *unpack, const void *bytes, size_t size,
		     size_t (*take)(void *context, const unsigned char *bytes, size_t size),
		     void *context);
/* Bytes that have come and were not used up: of a record that is cut off. */
size_t perf_unpack_rest(const struct perf_unpack *unpack);

#endif
