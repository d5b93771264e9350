/*
 * A thread's file: made at its first probe, grown when full, completed at its end. What belongs to
 * the thread but to no reader lies in private memory, reused by later threads.
 *
 * Refuses to record a thread whose file cannot be made; it is counted in the process file.
 */
#include "runtime/thread.h"

#include "runtime/bytes.h"
#include "runtime/files.h"
#include "runtime/kernel.h"
#include "runtime/os_flag.h"
#include "runtime/process.h"
#include "runtime/reserve.h"

#include <sys/mman.h>

#define FIRST_NODES_BYTES 32768ULL
#define FIRST_OS_BYTES	  8192ULL
#define GROWTH_MIN_BYTES  8192ULL
#define GROWTH_MAX_BYTES  (1ULL << 20)
#define BIRTH_FAILED	  (~0ULL) /* value of state_birth: no later probe tries again */

static const struct files_part first_parts[] = {{0, TARE_THREAD_NODES_OFFSET + FIRST_NODES_BYTES},
						{TARE_THREAD_OS_OFFSET, FIRST_OS_BYTES},
						{0, 0}};

void *accumulate_host_map(size_t size_bytes)
{
	const long map = kernel_call(SYS_mmap, 0, size_bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return map < 0 && map > -4096 ? NULL : (void *)map;
}

void accumulate_host_unmap(void *memory, size_t size_bytes)
{
	kernel_call(SYS_munmap, memory, size_bytes);
}

/*
 * Doubles what is backed of an area, in steps of GROWTH_MIN_BYTES to GROWTH_MAX_BYTES. Returns the
 * new size. An area that could not grow once is not tried again: each try would cost the target
 * time.
 */
static uint64_t area_grow(bool *full, uint64_t start, uint64_t used_bytes, uint64_t max_bytes)
{
	uint64_t more = used_bytes;

	if (more < GROWTH_MIN_BYTES)
		more = GROWTH_MIN_BYTES;
	if (more > GROWTH_MAX_BYTES)
		more = GROWTH_MAX_BYTES;
	if (more > max_bytes - used_bytes)
		more = max_bytes - used_bytes;
	if (*full || !more || !files_back(start + used_bytes, more)) {
		*full = true;
		return used_bytes;
	}
	return used_bytes + more;
}

bool accumulate_host_grow(struct tare_thread_file *self, enum accumulate_area area)
{
	bool *full = &((struct accumulate_local *)self->local)->full[area];
	uint64_t before, after;

	switch (area) {
	case ACCUMULATE_NODES:
		before = self->node_limit * sizeof(struct tare_node);
		after = area_grow(full, self->run_addr + TARE_THREAD_NODES_OFFSET, before,
				  TARE_THREAD_NODES_MAX * sizeof(struct tare_node));
		self->node_limit = after / sizeof(struct tare_node);
		return after > before;
	case ACCUMULATE_TEMPORARY:
		before = self->temporary_limit * sizeof(struct tare_node);
		after = area_grow(full, self->run_addr + TARE_THREAD_TEMPORARY_OFFSET, before,
				  TARE_THREAD_TEMPORARY_MAX * sizeof(struct tare_node));
		self->temporary_limit = after / sizeof(struct tare_node);
		return after > before;
	case ACCUMULATE_OS:
		before = self->os_limit * sizeof(struct tare_os_record);
		after = area_grow(full, self->run_addr + TARE_THREAD_OS_OFFSET, before,
				  TARE_THREAD_OS_MAX * sizeof(struct tare_os_record));
		self->os_limit = after / sizeof(struct tare_os_record);
		return after > before;
	case ACCUMULATE_AREAS:
		break;
	}
	return false;
}

uint64_t thread_file_spare(const char *name)
{
	return files_create(name, TARE_THREAD_FILE_BYTES, first_parts, FILES_INHERITED);
}

static uint64_t file_create(int32_t pid, int32_t tid)
{
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};

	bytes_put(&text, "thread.");
	bytes_put_number(&text, (uint64_t)pid);
	bytes_put(&text, ".");
	bytes_put_number(&text, tid < 0 ? 0 : (uint64_t)tid);
	const uint64_t map =
		files_create(name, TARE_THREAD_FILE_BYTES, first_parts, FILES_NOT_INHERITED);

	return map ? map : reserve_take(RESERVE_THREAD);
}

static struct tare_thread_file *file_make(int32_t pid, int32_t tid)
{
	const uint64_t map = file_create(pid, tid);
	if (!map)
		return NULL;
	struct tare_thread_file *self = (struct tare_thread_file *)map;

	self->abi = TARE_ARENA_ABI;
	self->pid = pid;
	self->tid = tid < 0 ? 0 : tid; /* it may be forbidden to ask */
	self->process_begin_ticks = process_begin_ticks();
	self->run_addr = map;
	self->node_limit = FIRST_NODES_BYTES / sizeof(struct tare_node);
	self->os_limit = FIRST_OS_BYTES / sizeof(struct tare_os_record);
	return self;
}

/* In a forked child the calling thread's private memory is there already, with the parent's tree.
 */
static struct state_private *private_make(void)
{
	struct state_private *private_state = state_private;

	if (private_state) {
		accumulate_fini(&private_state->local);
		private_state->local = (struct accumulate_local){0};
		return private_state;
	}
	private_state = process_private_take();
	if (!private_state)
		private_state = accumulate_host_map(sizeof(*private_state));
	return private_state;
}

static void calls_inherit(struct tare_thread_file *self, struct state_private *private_state)
{
	for (uint64_t i = 0; i < private_state->open_call_count; i++)
		accumulate_inherit(self, private_state->open_calls[i].key,
				   private_state->open_calls[i].sp);
	private_state->open_call_count = 0;
}

/* Makes the file, with signals blocked: their handlers' probes would be lost. */
static struct tare_thread_file *file_begin(void)
{
	struct state_private *private_state = private_make();
	struct tare_thread_file *self =
		private_state ? file_make(process_pid(), kernel_tid()) : NULL;

	if (!self)
		return NULL;
	private_state->file_addr = self->run_addr;
	accumulate_init(self, &private_state->local, kernel_ticks());
	private_state->adapt = (struct adapt_local){0};
	calls_inherit(self, private_state);
	kernel_call(SYS_prctl, 16 /* PR_GET_NAME */, self->name);
	state_private = private_state;
	self->magic = TARE_THREAD_MAGIC;
	os_flag_begin(self, private_state);
	process_note_ready(true);
	accumulate_begin(self, kernel_ticks());
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
		struct tare_thread_file *self = file_begin();
		if (self)
			state_thread = self;
		else
			process_thread_lost();
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
	struct state_open_call *calls = accumulate_host_map(room * sizeof(*calls));

	if (!calls)
		return false;
	if (private_state->open_calls)
		accumulate_host_unmap(private_state->open_calls,
				      private_state->open_call_room * sizeof(*calls));
	private_state->open_calls = calls;
	private_state->open_call_room = room;
	return true;
}

void thread_note_calls(const struct tare_thread_file *self)
{
	const struct tare_node *root =
		(const struct tare_node *)(self->run_addr + TARE_THREAD_NODES_OFFSET);
	const struct tare_node *top = (const struct tare_node *)self->top;
	uint64_t count = 0;

	for (const struct tare_node *node = top; node != root; node = caller_of(node))
		count++;
	if (!calls_reserve(state_private, count))
		return;
	uint64_t at = count;

	for (const struct tare_node *node = top; node != root; node = caller_of(node))
		state_private->open_calls[--at] =
			(struct state_open_call){.key = node->key, .sp = node->sp};
	state_private->open_call_count = count;
}

void thread_complete(struct tare_thread_file *self)
{
	struct accumulate_event event = {.ticks = kernel_ticks()};

	if (self->gate)
		return; /* a probe is at work below: its thread ends from a signal handler */
	self->gate = (uint64_t)__builtin_frame_address(0);
	state_barrier();
	os_flag_collect(self, state_private, &event);
	accumulate_charge(self, &event);
	self->end_ticks = event.ticks;
	self->flags |= TARE_THREAD_ENDED;
	state_barrier();
	self->gate = 0;
}

void thread_end(struct tare_thread_file *self)
{
	struct state_private *private_state = state_private;

	thread_complete(self);
	state_thread = &state_unborn;
	state_private = NULL;
	state_barrier();
	accumulate_fini(&private_state->local);
	private_state->local = (struct accumulate_local){0};
	kernel_call(SYS_munmap, self->run_addr, TARE_THREAD_FILE_BYTES);
	private_state->file_addr = 0;
	process_private_give(private_state);
}
