/*
 * The reader's side of the protocol in linux/perf_event.h: data_head is read with acquire,
 * data_tail written with release once a record has been used. A record's own length is not believed
 * beyond what the kernel has published.
 */
#include "sampler/perf_ring.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORD_BYTES_MAX = 65536 }; /* the length has 16 bits */

static struct perf_event_mmap_page *header_of(const struct perf_ring *ring)
{
	return ring->map;
}

bool perf_ring_open(struct perf_ring *ring, int fd, size_t data_bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return false;
	*ring = (struct perf_ring){.map = map,
				   .data = (const unsigned char *)map + page,
				   .data_bytes = data_bytes,
				   .copy = mem_alloc(RECORD_BYTES_MAX)};
	return true;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->map)
		munmap(ring->map, ring->data_bytes + (size_t)sysconf(_SC_PAGESIZE));
	free(ring->copy);
	*ring = (struct perf_ring){0};
}

/* `size` bytes at `position`, in one piece. */
static const void *piece(struct perf_ring *ring, uint64_t position, size_t size)
{
	const size_t at = position & (ring->data_bytes - 1);
	const size_t first = ring->data_bytes - at;

	if (size <= first)
		return ring->data + at;
	memcpy(ring->copy, ring->data + at, first);
	memcpy(ring->copy + first, ring->data, size - first);
	return ring->copy;
}

void perf_ring_look(struct perf_ring *ring)
{
	ring->head = __atomic_load_n(&header_of(ring)->data_head, __ATOMIC_ACQUIRE);
}

const void *perf_ring_next(struct perf_ring *ring, size_t *size_bytes)
{
	const uint64_t left = ring->head - ring->tail;
	struct perf_event_header record;

	if (left < sizeof(record) || left > ring->data_bytes)
		return NULL;
	memcpy(&record, piece(ring, ring->tail, sizeof(record)), sizeof(record));
	if (record.size < sizeof(record) || record.size > left)
		return NULL;
	*size_bytes = record.size;
	return piece(ring, ring->tail, record.size);
}

void perf_ring_consume(struct perf_ring *ring, size_t size_bytes)
{
	ring->tail += size_bytes;
	__atomic_store_n(&header_of(ring)->data_tail, ring->tail, __ATOMIC_RELEASE);
}
