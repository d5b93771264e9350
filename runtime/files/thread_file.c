/*
 * A thread's file: made, grown when full, unmapped. Areas grow by chunks, which never move; the
 * page behind the last one is mapped too, and what follows is mapped by mremap of it.
 */
#include "runtime/files/thread_file.h"

#include "runtime/base/budget.h"
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/base/reserve.h"
#include "runtime/files/process.h"

#define PAGE_BYTES	 4096ULL
#define GROWTH_MIN_BYTES 8192ULL
#define GROWTH_MAX_BYTES (1ULL << 20)
#define CHUNK_MIN_BYTES	 32768ULL
/* Files of the reserve have a further chunk from the start: their threads may not map memory. */
static const struct {
	uint32_t nodes, backed;
} spares[RESERVE_KINDS] = {
	[RESERVE_THREAD] = {16384, 512},
	[RESERVE_SMALL_THREAD] = {2048, 64},
};

static const uint64_t element_bytes[] = {
	[TARE_CHUNK_NODES] = sizeof(struct tare_node),
	[TARE_CHUNK_OS] = sizeof(struct tare_os_record),
	[TARE_CHUNK_MARKS] = 1,
	[TARE_CHUNK_NAMES] = 1,
	[TARE_CHUNK_WAITS] = sizeof(struct tare_wait),
};
_Static_assert(sizeof(element_bytes) / sizeof(element_bytes[0]) == TARE_CHUNK_KINDS,
	       "one entry per value");

/* ---- growth ---- */

static uint64_t pages_of(uint64_t size_bytes)
{
	return (size_bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static uint64_t chunk_bytes(const struct tare_chunk *chunk)
{
	return pages_of(chunk->count * element_bytes[chunk->kind]);
}

/* The last chunk of a kind, or NULL. */
static struct tare_chunk *last_chunk(struct tare_thread_file *self, uint32_t kind)
{
	for (uint64_t i = self->chunk_count; i-- > 0;)
		if (self->chunks[i].kind == kind)
			return &self->chunks[i];
	return NULL;
}

/* A chunk of `wanted` elements; of less where there is not so much address space. */
static struct tare_chunk *chunk_add(struct tare_thread_file *self, uint32_t kind, uint64_t first,
				    uint64_t wanted)
{
	struct state_private *private_state = state_private_of(self);
	struct tare_chunk chunk = {.kind = kind,
				   .first = (uint32_t)first,
				   .count = (uint32_t)wanted,
				   .file_offset = private_state->file_end};

	if (self->chunk_count == TARE_CHUNKS_MAX || !private_state->file_last)
		return NULL;
	while (!(chunk.run_addr = files_extend(private_state->file_last,
					       chunk_bytes(&chunk) + PAGE_BYTES))) {
		chunk.count /= 2;
		if (chunk_bytes(&chunk) < CHUNK_MIN_BYTES)
			return NULL;
	}
	private_state->file_last = chunk.run_addr + chunk_bytes(&chunk);
	private_state->file_end += chunk_bytes(&chunk);
	self->chunks[self->chunk_count] = chunk;
	state_barrier();
	self->chunk_count++;
	return &self->chunks[self->chunk_count - 1];
}

/* A further chunk as large as all before. */
static struct tare_chunk *chunk_follow(struct tare_thread_file *self,
				       const struct tare_chunk *before, uint64_t elements_max)
{
	const uint64_t have = before->first + before->count;
	uint64_t count = CHUNK_MIN_BYTES / element_bytes[before->kind];

	if (count < have)
		count = have;
	if (count > elements_max - have)
		count = elements_max - have;
	return chunk_add(self, before->kind, have, count);
}

uint64_t thread_area(struct tare_thread_file *self, enum tare_chunk_kind kind, uint64_t elements)
{
	const struct tare_chunk *chunk = last_chunk(self, kind);

	if (!chunk)
		chunk = chunk_add(self, kind, 0, elements);
	return chunk && chunk->count == elements ? chunk->run_addr : 0;
}

/* Doubles what is backed of a kind, in steps of GROWTH_MIN_BYTES to GROWTH_MAX_BYTES. */
static uint32_t kind_grow(struct tare_thread_file *self, uint32_t kind, uint64_t elements_max,
			  uint64_t *limit)
{
	struct tare_chunk *chunk = last_chunk(self, kind);
	uint64_t more = *limit * element_bytes[kind] & ~(PAGE_BYTES - 1);

	if (*limit >= elements_max)
		return TARE_LIMIT_NODES;
	if (*limit == chunk->first + chunk->count) {
		chunk = chunk_follow(self, chunk, elements_max);
		if (!chunk)
			return TARE_LIMIT_SYSTEM;
	}
	const uint64_t backed = pages_of((*limit - chunk->first) * element_bytes[kind]);

	if (more < GROWTH_MIN_BYTES)
		more = GROWTH_MIN_BYTES;
	if (more > GROWTH_MAX_BYTES)
		more = GROWTH_MAX_BYTES;
	if (more > chunk_bytes(chunk) - backed)
		more = chunk_bytes(chunk) - backed;
	const uint32_t refused = files_back(chunk->run_addr + backed, more);

	if (refused)
		return refused;
	*limit = chunk->first + (backed + more) / element_bytes[kind];
	if (*limit > chunk->first + chunk->count)
		*limit = chunk->first + chunk->count;
	return 0;
}

/* An area that could not grow once is not tried again: each try would cost the target time. */
bool thread_grow(struct tare_thread_file *self, enum accumulate_area area)
{
	bool *full = &((struct accumulate_local *)self->local)->full[area];
	uint32_t refused;

	if (*full)
		return false;
	switch (area) {
	case ACCUMULATE_NODES:
		refused =
			kind_grow(self, TARE_CHUNK_NODES, TARE_THREAD_NODES_MAX, &self->node_limit);
		break;
	case ACCUMULATE_OS:
		refused = kind_grow(self, TARE_CHUNK_OS, TARE_THREAD_OS_MAX, &self->os_limit);
		break;
	default:
		refused =
			kind_grow(self, TARE_CHUNK_WAITS, TARE_THREAD_WAITS_MAX, &self->wait_limit);
	}
	*full = refused != 0;
	if (area == ACCUMULATE_NODES || refused != TARE_LIMIT_NODES)
		self->limits |= refused;
	return !refused;
}

/* ---- the file ---- */

static uint64_t file_bytes_max(void)
{
	return 2 * (budget_nodes() * sizeof(struct tare_node) +
		    TARE_THREAD_OS_MAX * sizeof(struct tare_os_record) +
		    TARE_THREAD_WAITS_MAX * sizeof(struct tare_wait)) +
	       (64ULL << 20);
}

/*
 * All pieces, those that lie one behind the other at once: each call makes the other processors
 * that run the process forget what was mapped. The first piece, which tells the others, is last.
 */
static void pieces_unmap(const struct tare_thread_file *self, uint64_t last_page)
{
	uint64_t begin = last_page, end = last_page + PAGE_BYTES;

	for (uint64_t i = self->chunk_count; i >= TARE_THREAD_FIRST_CHUNKS; i--) {
		const struct tare_chunk *chunk = &self->chunks[i - 1];
		const bool is_first = i == TARE_THREAD_FIRST_CHUNKS;
		const uint64_t at = is_first ? self->run_addr : chunk->run_addr;
		const uint64_t bytes = is_first ? TARE_THREAD_FIRST_BYTES : chunk_bytes(chunk);

		if (at + bytes != begin) {
			kernel_call(SYS_munmap, begin, end - begin);
			end = at + bytes;
		}
		begin = at;
	}
	kernel_call(SYS_munmap, begin, end - begin);
}

void thread_file_unmap(const struct tare_thread_file *self, struct state_private *private_state)
{
	uint64_t bytes = TARE_THREAD_FIRST_BYTES;

	bytes += pages_of((self->node_limit - TARE_THREAD_FIRST_NODES) * sizeof(struct tare_node));
	bytes += pages_of((self->os_limit - TARE_THREAD_FIRST_OS) * sizeof(struct tare_os_record));
	bytes += pages_of((self->wait_limit - TARE_THREAD_FIRST_WAITS) * sizeof(struct tare_wait));
	bytes += pages_of(self->marks_limit) + pages_of(self->names_limit);
	budget_give_file(bytes, true);
	pieces_unmap(self, private_state->file_last);
	private_state->file_addr = 0;
	private_state->file_last = 0;
}

static uint64_t spare_make(const char *name, enum reserve_kind kind)
{
	const uint64_t bytes = spares[kind].nodes * sizeof(struct tare_node);
	const struct files_size size = {
		.file_bytes = file_bytes_max() + bytes,
		.mapped_bytes = TARE_THREAD_FIRST_BYTES + bytes + PAGE_BYTES,
		.backed_bytes =
			TARE_THREAD_FIRST_BYTES + spares[kind].backed * sizeof(struct tare_node),
		.heirs = FILES_INHERITED};
	uint32_t limits;

	return files_create(name, &size, &limits);
}

uint64_t thread_file_spare(const char *name)
{
	return spare_make(name, RESERVE_THREAD);
}

uint64_t thread_file_spare_small(const char *name)
{
	return spare_make(name, RESERVE_SMALL_THREAD);
}

uint64_t thread_file_spare_bytes(const struct tare_thread_file *self)
{
	return self->chunk_count > TARE_THREAD_FIRST_CHUNKS
		       ? chunk_bytes(&self->chunks[TARE_THREAD_FIRST_CHUNKS])
		       : 0;
}

static struct tare_thread_file *spare_take(enum reserve_kind kind)
{
	struct tare_thread_file *self = (struct tare_thread_file *)reserve_take(kind);

	if (!self)
		return NULL;
	accumulate_place(self, budget_nodes());
	self->chunks[self->chunk_count++] =
		(struct tare_chunk){.kind = TARE_CHUNK_NODES,
				    .first = TARE_THREAD_FIRST_NODES,
				    .count = spares[kind].nodes,
				    .file_offset = TARE_THREAD_FIRST_BYTES,
				    .run_addr = self->run_addr + TARE_THREAD_FIRST_BYTES};
	self->node_limit += spares[kind].backed;
	return self;
}

static struct tare_thread_file *file_find(int32_t pid, int32_t tid, uint32_t *limits)
{
	const struct files_size size = {.file_bytes = file_bytes_max(),
					.mapped_bytes = TARE_THREAD_FIRST_BYTES + PAGE_BYTES,
					.backed_bytes = TARE_THREAD_FIRST_BYTES};
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};

	bytes_put(&text, "thread.");
	bytes_put_number(&text, (uint64_t)pid);
	bytes_put(&text, ".");
	bytes_put_number(&text, tid < 0 ? 0 : (uint64_t)tid);
	struct tare_thread_file *self =
		(struct tare_thread_file *)files_create(name, &size, limits);

	if (!self)
		self = spare_take(RESERVE_THREAD);
	else
		accumulate_place(self, budget_nodes());
	return self ? self : spare_take(RESERVE_SMALL_THREAD);
}

struct tare_thread_file *thread_file_make(int32_t pid, int32_t tid, uint32_t *limits)
{
	struct tare_thread_file *self = file_find(pid, tid, limits);

	if (!self)
		return NULL;
	self->abi = TARE_SESSION_FILES_ABI;
	self->pid = pid;
	self->tid = tid < 0 ? 0 : tid; /* it may be forbidden to ask */
	self->process_begin_ticks = process_begin_ticks();
	return self;
}
