/* One ring buffer of perf_event_open: records in the order in which one processor wrote them. */
#ifndef TARE_SAMPLER_PERF_RING_H
#define TARE_SAMPLER_PERF_RING_H

#include "base/base.h"

struct perf_ring {
	void *map; /* NULL: not open */
	const unsigned char *data;
	size_t data_bytes;
	uint64_t head, tail; /* what was published when it was looked at, what is used up */
	unsigned char *copy; /* for a record that goes over the end of the ring */
};

/* Maps `data_bytes` (a power of two) of records of an event's descriptor; false with errno. */
bool perf_ring_open(struct perf_ring *ring, int fd, size_t data_bytes);
void perf_ring_close(struct perf_ring *ring);

/* Bytes of records that wait to be consumed. */
static inline uint64_t perf_ring_filled(const struct perf_ring *ring)
{
	return ring->head - ring->tail;
}

/* Looks how far the kernel has got: what it publishes later is for the next time. */
void perf_ring_look(struct perf_ring *ring);
/*
 * The next record, whole, with its length; NULL if there is none. It is valid until
 * perf_ring_consume, which gives its room back to the kernel.
 */
const void *perf_ring_next(struct perf_ring *ring, size_t *size_bytes);
void perf_ring_consume(struct perf_ring *ring, size_t size_bytes);

#endif
