/*
 * Room for the event log. A ring is mapped as a whole. A full log is mapped chunk by chunk: the
 * mapping grows by one, and its first half is given up, which needs no file descriptor. Storage
 * comes in steps, so that a thread with few events takes little.
 *
 *   full:  | written ... | chunk |  ─mremap─▶  | chunk | next |  ─munmap─▶  | next |
 *
 * Refuses nothing: where storage ends, a ring becomes smaller, and a full log writes its last
 * chunk again and again. What is then lost shows in the count of events.
 */
#include "runtime/files/trace_file.h"

#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/tree/trace.h"

#include <sys/mman.h>

#define CHUNK_BYTES	(256ULL << 10)
#define CHUNK_BYTES_MIN 4096ULL
#define RING_CHUNKS	8
#define FULL_BYTES	(1ULL << 40)

static bool is_full_log(void)
{
	return state_session.settings.trace_bytes == TARE_TRACE_FULL;
}

static uint64_t chunk_bytes(void)
{
	const uint64_t wanted = state_session.settings.trace_bytes / RING_CHUNKS & ~4095ULL;

	if (wanted < CHUNK_BYTES_MIN)
		return CHUNK_BYTES_MIN;
	return wanted < CHUNK_BYTES ? wanted : CHUNK_BYTES;
}

/* Of the mapping. */
static uint64_t window_bytes(void)
{
	const uint64_t chunk = chunk_bytes(), wanted = state_session.settings.trace_bytes;

	if (is_full_log() || wanted < chunk)
		return chunk;
	return wanted / chunk * chunk;
}

/* Sets up the first chunk. */
static void first_chunk(struct tare_thread_file *self, struct accumulate_local *local, uint64_t map)
{
	local->trace_window = map;
	local->trace_window_bytes = window_bytes();
	local->trace_moves = is_full_log();
	self->trace_slots = 1;
	self->trace_end = map + CHUNK_BYTES_MIN - TRACE_ROOM_BYTES;
}

void trace_file_make(struct tare_thread_file *self, struct accumulate_local *local)
{
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};
	uint32_t limits;
	uint64_t number = 0;
	const struct files_size size = {.file_bytes = is_full_log() ? FULL_BYTES : window_bytes(),
					.mapped_bytes = window_bytes(),
					.backed_bytes =
						CHUNK_BYTES_MIN, /* few events need no more */
					.number = &number};

	if (!state_session.settings.trace_bytes)
		return;
	bytes_put(&text, "trace.");
	bytes_put_number(&text, (uint64_t)self->pid);
	bytes_put(&text, ".");
	bytes_put_number(&text, (uint64_t)self->tid);
	self->trace_chunk_bytes = chunk_bytes();
	self->trace_limit_bytes = is_full_log() ? 0 : state_session.settings.trace_bytes;
	const uint64_t map = files_create(name, &size, &limits);

	self->trace_number = (uint32_t)number;
	self->trace_tid = self->tid;
	if (map)
		first_chunk(self, local, map);
	else
		self->limits |= limits;
}

void trace_file_end(const struct accumulate_local *local)
{
	if (local->trace_window)
		kernel_call(SYS_munmap, local->trace_window, local->trace_window_bytes);
}

static struct accumulate_local *local_of(const struct tare_thread_file *self)
{
	return (struct accumulate_local *)self->local;
}

static void room_end(struct tare_thread_file *self, uint64_t end)
{
	self->trace_end = end - TRACE_ROOM_BYTES;
}

static bool back(struct tare_thread_file *self, uint64_t addr, uint64_t size_bytes)
{
	const uint32_t refused = files_back(addr, size_bytes);

	self->limits |= refused;
	return !refused;
}

bool trace_file_grow(struct tare_thread_file *self)
{
	const uint64_t end = self->trace_chunk + self->trace_chunk_bytes;
	const uint64_t backed = self->trace_end + TRACE_ROOM_BYTES;
	uint64_t more = backed - self->trace_chunk;

	if (more > end - backed)
		more = end - backed;
	if (!more || !back(self, backed, more))
		return false;
	room_end(self, backed + more);
	return true;
}

/* Storage for a chunk that was not used before. The first may stay the only one; others fill. */
static bool chunk_back(struct tare_thread_file *self, uint64_t start)
{
	if (!back(self, start, self->trace_chunk_bytes))
		return false;
	room_end(self, start + self->trace_chunk_bytes);
	self->trace_slots++;
	return true;
}

static uint64_t full_next(struct tare_thread_file *self, struct accumulate_local *local)
{
	const uint64_t size = self->trace_chunk_bytes;
	const uint64_t end = self->trace_end + TRACE_ROOM_BYTES;

	if (end != self->trace_chunk + size)
		return self->trace_chunk; /* there is no storage */
	const long moved =
		kernel_call(SYS_mremap, local->trace_window, size, 2 * size, MREMAP_MAYMOVE, 0);
	if (moved < 0 && moved > -4096)
		return self->trace_chunk;
	const uint64_t next = (uint64_t)moved + size;

	if (chunk_back(self, next)) {
		kernel_call(SYS_munmap, moved, size);
		local->trace_window = next;
		return next;
	}
	kernel_call(SYS_munmap, next, size);
	local->trace_window = (uint64_t)moved;
	room_end(self, (uint64_t)moved + size);
	return (uint64_t)moved;
}

static uint64_t ring_next(struct tare_thread_file *self, struct accumulate_local *local)
{
	const uint64_t size = self->trace_chunk_bytes;
	const uint64_t used_end = local->trace_window + self->trace_slots * size;
	uint64_t next = self->trace_chunk + size;

	if (self->trace_end + TRACE_ROOM_BYTES != next)
		return self->trace_chunk; /* the first, and there is no storage for more of it */
	if (next == used_end && next < local->trace_window + local->trace_window_bytes &&
	    chunk_back(self, next))
		return next;
	if (next >= used_end)
		next = local->trace_window;
	room_end(self, next + size);
	return next;
}

uint64_t trace_file_next(struct tare_thread_file *self)
{
	struct accumulate_local *local = local_of(self);

	if (!self->trace_chunk)
		return local->trace_window;
	return local->trace_moves ? full_next(self, local) : ring_next(self, local);
}
