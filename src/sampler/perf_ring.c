/*
 * The reader's side of the protocol in linux/perf_event.h: data_head is read with acquire,
 * data_tail written with release once a record has been used. A record's own length is not believed
 * beyond what the kernel has published.
 */
#include "sampler/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORD_BYTES_MAX = 65536 }; /* the length has 16 bits */

static struct perf_event_mmap_page *header_of(const struct perf_ring *ring)
{
	return ring->map;
}

static const unsigned char *data_of(const struct perf_ring *ring)
{
	return (const unsigned char *)ring->map + sysconf(_SC_PAGESIZE);
}

bool perf_ring_open(struct perf_ring *ring, int fd, size_t pages, struct error *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page * (pages + 1), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return error_set_errno(err, errno,
				       "cannot map a ring of %zu KiB for samples; the limit is in "
				       "/proc/sys/kernel/perf_event_mlock_kb",
				       page * pages / 1024);
	*ring = (struct perf_ring){
		.map = map, .data_bytes = page * pages, .copy = mem_alloc(RECORD_BYTES_MAX)};
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
		return data_of(ring) + at;
	memcpy(ring->copy, data_of(ring) + at, first);
	memcpy(ring->copy + first, data_of(ring), size - first);
	return ring->copy;
}

const void *perf_ring_next(struct perf_ring *ring, size_t *size_bytes)
{
	const struct perf_event_mmap_page *header = header_of(ring);
	const uint64_t head = __atomic_load_n(&header->data_head, __ATOMIC_ACQUIRE);
	const uint64_t left = head - header->data_tail;
	struct perf_event_header record;

	if (left < sizeof(record) || left > ring->data_bytes)
		return NULL;
	memcpy(&record, piece(ring, header->data_tail, sizeof(record)), sizeof(record));
	if (record.size < sizeof(record) || record.size > left)
		return NULL;
	*size_bytes = record.size;
	return piece(ring, header->data_tail, record.size);
}

void perf_ring_consume(struct perf_ring *ring, size_t size_bytes)
{
	struct perf_event_mmap_page *header = header_of(ring);

	__atomic_store_n(&header->data_tail, header->data_tail + size_bytes, __ATOMIC_RELEASE);
}
