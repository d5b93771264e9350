/*
 * A thread's file: made at its first probe, grown when full, completed at its end. What belongs to
 * the thread but to no reader lies in private memory, reused by later threads.
 *
 * Refuses to record a thread whose file cannot be made; it is counted in the process file.
 */
#include "runtime/thread.h"

#include "runtime/budget.h"
#include "runtime/bytes.h"
#include "runtime/control.h"
#include "runtime/files.h"
#include "runtime/kernel.h"
#include "runtime/loaded.h"
#include "runtime/memory.h"
#include "runtime/os_flag.h"
#include "runtime/process.h"
#include "runtime/reserve.h"
#include "runtime/trace.h"
#include "runtime/trace_file.h"

#include <sys/mman.h>

#define PAGE_BYTES	 4096ULL
#define GROWTH_MIN_BYTES 8192ULL
#define GROWTH_MAX_BYTES (1ULL << 20)
#define CHUNK_MIN_BYTES	 32768ULL
/* Files of the reserve have a further chunk from the start: their threads may not map memory. */
#define SPARE_NODES	   16384ULL
#define SPARE_NODES_BACKED 512ULL
#define SPARE_BYTES	   (SPARE_NODES * sizeof(struct tare_node))
#define SPARE_BACKED_BYTES (SPARE_NODES_BACKED * sizeof(struct tare_node))
#define BIRTH_FAILED	   (~0ULL) /* value of state_birth: no later probe tries again */

static const uint64_t element_bytes[TARE_CHUNK_KINDS] = {
	[TARE_CHUNK_NODES] = sizeof(struct tare_node),
	[TARE_CHUNK_OS] = sizeof(struct tare_os_record),
	[TARE_CHUNK_MARKS] = 1,
	[TARE_CHUNK_NAMES] = 1,
};

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
	if (area == ACCUMULATE_NODES)
		refused =
			kind_grow(self, TARE_CHUNK_NODES, TARE_THREAD_NODES_MAX, &self->node_limit);
	else
		refused = kind_grow(self, TARE_CHUNK_OS, TARE_THREAD_OS_MAX, &self->os_limit);
	*full = refused != 0;
	if (area == ACCUMULATE_NODES || refused != TARE_LIMIT_NODES)
		self->limits |= refused;
	return !refused;
}

/* ---- the file ---- */

static uint64_t file_bytes_max(void)
{
	return 2 * (budget_nodes() * sizeof(struct tare_node) +
		    TARE_THREAD_OS_MAX * sizeof(struct tare_os_record)) +
	       (64ULL << 20);
}

static void file_unmap(const struct tare_thread_file *self, struct state_private *private_state)
{
	uint64_t bytes = TARE_THREAD_FIRST_BYTES;

	for (uint64_t i = 2; i < self->chunk_count; i++)
		kernel_call(SYS_munmap, self->chunks[i].run_addr, chunk_bytes(&self->chunks[i]));
	bytes += pages_of((self->node_limit - TARE_THREAD_FIRST_NODES) * sizeof(struct tare_node));
	bytes += pages_of((self->os_limit - TARE_THREAD_FIRST_OS) * sizeof(struct tare_os_record));
	bytes += pages_of(self->marks_limit) + pages_of(self->names_limit);
	budget_give_file(bytes, true);
	kernel_call(SYS_munmap, private_state->file_last, PAGE_BYTES);
	kernel_call(SYS_munmap, self->run_addr, TARE_THREAD_FIRST_BYTES);
	private_state->file_addr = 0;
	private_state->file_last = 0;
}

uint64_t thread_file_spare(const char *name)
{
	const struct files_size size = {
		.file_bytes = file_bytes_max() + SPARE_BYTES,
		.mapped_bytes = TARE_THREAD_FIRST_BYTES + SPARE_BYTES + PAGE_BYTES,
		.backed_bytes = TARE_THREAD_FIRST_BYTES + SPARE_BACKED_BYTES,
		.heirs = FILES_INHERITED};
	uint32_t limits;

	return files_create(name, &size, &limits);
}

static struct tare_thread_file *spare_take(void)
{
	struct tare_thread_file *self = (struct tare_thread_file *)reserve_take(RESERVE_THREAD);

	if (!self)
		return NULL;
	accumulate_place(self, budget_nodes());
	self->chunks[self->chunk_count++] =
		(struct tare_chunk){.kind = TARE_CHUNK_NODES,
				    .first = TARE_THREAD_FIRST_NODES,
				    .count = SPARE_NODES,
				    .file_offset = TARE_THREAD_FIRST_BYTES,
				    .run_addr = self->run_addr + TARE_THREAD_FIRST_BYTES};
	self->node_limit += SPARE_NODES_BACKED;
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
		return spare_take();
	accumulate_place(self, budget_nodes());
	return self;
}

static struct tare_thread_file *file_make(int32_t pid, int32_t tid, uint32_t *limits)
{
	struct tare_thread_file *self = file_find(pid, tid, limits);

	if (!self)
		return NULL;
	self->abi = TARE_ARENA_ABI;
	self->pid = pid;
	self->tid = tid < 0 ? 0 : tid; /* it may be forbidden to ask */
	self->process_begin_ticks = process_begin_ticks();
	return self;
}

/* In a forked child the calling thread's private memory is there already, with the parent's tree.
 */
/* Files that this process has made for threads. */
static uint64_t files_made;

void thread_forked(void)
{
	files_made = 0;
}

static bool file_is_shared(void)
{
	const uint64_t most = state_session.settings.max_threads;

	return __atomic_load_n(&files_made, __ATOMIC_RELAXED) >= (most ? most : TARE_THREADS_USUAL);
}

/* What an ended thread of this process, or of its parent before a fork, has left. */
static void private_clear(struct state_private *private_state)
{
	if (private_state->file_addr && private_state->file_process == process_begin_ticks())
		return;
	accumulate_fini(&private_state->local);
	private_state->local = (struct accumulate_local){0};
	private_state->file_addr = 0;
}

static struct state_private *private_make(void)
{
	struct state_private *private_state = state_private;

	if (private_state) {
		accumulate_fini(&private_state->local);
		private_state->local = (struct accumulate_local){0};
		return private_state;
	}
	private_state = process_private_take();
	if (private_state) {
		private_clear(private_state);
		return private_state;
	}
	private_state = memory_map(sizeof(*private_state));
	if (private_state)
		process_private_made(private_state);
	return private_state;
}

static void calls_inherit(struct tare_thread_file *self, struct state_private *private_state)
{
	for (uint64_t i = 0; i < private_state->open_call_count; i++)
		accumulate_inherit(self, &private_state->open_calls[i].callee,
				   private_state->open_calls[i].sp);
	private_state->open_call_count = 0;
}

/* The file of an ended thread becomes this one's too: the tree and the clock go on. */
static struct tare_thread_file *file_continue(struct state_private *private_state)
{
	struct tare_thread_file *self = (struct tare_thread_file *)private_state->file_addr;

	self->tid = kernel_tid();
	self->threads_before++;
	self->limits |= TARE_LIMIT_THREADS;
	self->end_ticks = 0;
	self->flags &= ~(uint32_t)TARE_THREAD_ENDED;
	private_state->adapt = (struct adapt_local){0};
	thread_read_name(self);
	state_private = private_state;
	os_flag_begin(self, private_state);
	const uint64_t first_begin = self->begin_ticks;

	self->begin_ticks = kernel_ticks();
	accumulate_continue(self, self->begin_ticks);
	trace_clock(self, self->begin_ticks);
	trace_stack(self);
	control_begin_thread(self, state_birth);
	self->begin_ticks = first_begin;
	return self;
}

/* Makes the file, with signals blocked: their handlers' probes would be lost. */
static struct tare_thread_file *file_begin(uint32_t *limits)
{
	struct state_private *private_state = private_make();

	*limits = TARE_LIMIT_MEMORY;
	if (!private_state)
		return NULL;
	if (!state_private && private_state->file_addr)
		return file_continue(private_state);
	struct tare_thread_file *self = file_make(process_pid(), kernel_tid(), limits);

	if (!self) {
		state_private = NULL;
		process_private_give(private_state);
		return NULL;
	}
	__atomic_add_fetch(&files_made, 1, __ATOMIC_RELAXED);
	private_state->file_addr = self->run_addr;
	private_state->file_process = process_begin_ticks();
	private_state->file_end =
		TARE_THREAD_FIRST_BYTES + (self->chunk_count > 2 ? SPARE_BYTES : 0);
	private_state->file_last = self->run_addr + private_state->file_end;
	accumulate_init(self, &private_state->local, kernel_ticks());
	private_state->adapt = (struct adapt_local){0};
	private_state->objects = (struct state_objects){0};
	private_state->local.max_depth = state_session.settings.max_depth;
	private_state->local.call_sites = state_session.settings.call_sites != 0;
	calls_inherit(self, private_state);
	trace_file_make(self, &private_state->local);
	trace_begin(self, kernel_ticks());
	thread_read_name(self);
	state_private = private_state;
	self->magic = TARE_THREAD_MAGIC;
	loaded_begin(self, private_state);
	os_flag_begin(self, private_state);
	process_note_ready(true);
	accumulate_begin(self, kernel_ticks());
	control_begin_thread(self, state_birth);
	private_state->file_addr = self->run_addr;
	return self;
}

bool thread_begin(uint64_t sp)
{
	if (state_birth && sp < state_birth)
		return false; /* in a signal handler during the birth, or it has failed */
	if (state_session.start_pointer == (uint64_t)__builtin_thread_pointer()) {
		process_note_ready(false);
		return false;
	}
	const uint64_t mask = kernel_signals_block();

	if (state_thread == &state_unborn) { /* no handler has just done it */
		state_birth = sp;
		state_barrier();
		uint32_t limits;
		struct tare_thread_file *self = file_begin(&limits);
		if (self)
			state_thread = self;
		else
			process_thread_lost(limits);
		state_barrier();
		state_birth = self ? 0 : BIRTH_FAILED;
	}
	kernel_signals_restore(mask);
	return state_thread != &state_unborn;
}

static const struct tare_node *caller_of(const struct tare_node *node)
{
	return (const struct tare_node *)node->parent;
}

static bool calls_reserve(struct state_private *private_state, uint64_t count)
{
	const uint64_t room = count * 2;

	private_state->open_call_count = 0;
	if (count <= private_state->open_call_room)
		return true;
	struct state_open_call *calls = memory_map(room * sizeof(*calls));

	if (!calls)
		return false;
	if (private_state->open_calls)
		memory_unmap(private_state->open_calls,
				      private_state->open_call_room * sizeof(*calls));
	private_state->open_calls = calls;
	private_state->open_call_room = room;
	return true;
}

void thread_note_calls(const struct tare_thread_file *self)
{
	const struct tare_node *root =
		(const struct tare_node *)(self->run_addr + TARE_THREAD_HEADER_BYTES);
	const struct tare_node *top = (const struct tare_node *)self->top;
	uint64_t count = 0;

	for (const struct tare_node *node = top; node != root; node = caller_of(node))
		count++;
	if (!calls_reserve(state_private, count))
		return;
	uint64_t at = count;

	for (const struct tare_node *node = top; node != root; node = caller_of(node))
		state_private->open_calls[--at] =
			(struct state_open_call){{node->key, node->call_site}, node->sp};
	state_private->open_call_count = count;
}

void thread_read_name(struct tare_thread_file *self)
{
	char name[sizeof(self->name)];

	if (!kernel_call(SYS_prctl, 16 /* PR_GET_NAME */, name))
		memcpy(self->name, name, sizeof(name));
}

void thread_complete(struct tare_thread_file *self, bool with_process)
{
	struct accumulate_event event = {.kind = TARE_EVENT_LEAVE,
					 .sp = (uint64_t)__builtin_frame_address(0),
					 .ticks = kernel_ticks()};

	if (self->gate && self->gate != CONTROL_GATE_OFF)
		return; /* a probe is at work below: its thread ends from a signal handler */
	self->gate = event.sp;
	state_barrier();
	os_flag_collect(self, state_private, &event);
	if (control_admits(self, &event))
		accumulate_charge(self, &event);
	if (with_process)
		stacks_process_end(self);
	thread_read_name(self); /* another thread may have given it */
	self->end_ticks = event.ticks;
	self->flags |= TARE_THREAD_ENDED;
	state_barrier();
	self->gate = 0;
}

void thread_end(struct tare_thread_file *self)
{
	struct state_private *private_state = state_private;

	thread_complete(self, false);
	stacks_thread_end(self);
	state_thread = &state_unborn;
	state_private = NULL;
	state_barrier();
	if (!file_is_shared()) {
		trace_file_end(&private_state->local);
		accumulate_fini(&private_state->local);
		private_state->local = (struct accumulate_local){0};
		if (process_thread_gone(private_state))
			file_unmap(self, private_state);
		private_state->file_last = 0;
		private_state->file_process = 0;
	}
	process_private_give(private_state);
}
