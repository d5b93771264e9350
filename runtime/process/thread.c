/*
 * A thread's recording begins at its first probe and is completed at its end. What belongs to the
 * thread but to no reader lies in private memory, reused by later threads.
 *
 * Refuses to record a thread whose file cannot be made; it is counted in the process file.
 */
#include "runtime/process/thread.h"

#include "runtime/base/budget.h"
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/reserve.h"
#include "runtime/control/adapt.h"
#include "runtime/control/arming.h"
#include "runtime/control/control.h"
#include "runtime/control/pace.h"
#include "runtime/files/counters.h"
#include "runtime/files/process.h"
#include "runtime/files/thread_file.h"
#include "runtime/files/trace_file.h"
#include "runtime/os/holders.h"
#include "runtime/os/loaded.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/calls.h"
#include "runtime/tree/gate.h"
#include "runtime/tree/trace.h"

#include <sys/mman.h>

#define BIRTH_FAILED (~0ULL)	  /* value of state_birth: no later probe tries again */
#define UNREADY_MAX  (1ULL << 20) /* probes that look in vain */

/* Files that this process has made for threads. */
static uint64_t files_made;

void thread_forked(void)
{
	files_made = 0;
}

/* Probes of a static executable that have met no thread-local storage, and are paused for that. */
static uint64_t unready_met;
static bool unready_paused;

/*
 * Where it goes on and on there may never be any. Such a probe takes a hundred times what it does
 * else, so only those of system calls go on to look; and where they are switched on from outside,
 * for as many more.
 */
static void note_unready(void)
{
	process_note_ready(false);
	if (++unready_met % UNREADY_MAX == 0)
		unready_paused |= arming_pause(true);
}

static void note_ready(void)
{
	process_note_ready(true);
	if (unready_paused && !control_is_paused())
		unready_paused = !arming_pause(false);
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
	accumulate_reset(&private_state->local);
	private_state->file_addr = 0;
}

/* In a forked child the calling thread's is there already, with the parent's tree. */
static struct state_private *private_make(void)
{
	struct state_private *private_state = state_private;

	if (private_state) {
		accumulate_fini(&private_state->local);
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
	adapt_begin(&private_state->adapt);
	thread_read_name(self);
	state_private = private_state;
	os_flag_begin(self, private_state);
	pace_begin(self, private_state);
	const uint64_t first_begin = self->begin_ticks;

	self->begin_ticks = kernel_ticks();
	accumulate_continue(self, self->begin_ticks);
	trace_clock(self, self->begin_ticks);
	trace_stack(self);
	control_begin_thread(self, state_birth);
	self->begin_ticks = first_begin;
	counters_name(first_begin);
	holders_note_thread(self, private_state);
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
	struct tare_thread_file *self = thread_file_make(process_pid(), kernel_tid(), limits);

	if (!self) {
		state_private = NULL;
		process_private_give(private_state);
		return NULL;
	}
	__atomic_add_fetch(&files_made, 1, __ATOMIC_RELAXED);
	private_state->file_addr = self->run_addr;
	private_state->file_process = process_begin_ticks();
	private_state->file_end = TARE_THREAD_FIRST_BYTES + thread_file_spare_bytes(self);
	private_state->file_last = self->run_addr + private_state->file_end;
	accumulate_init(self, &private_state->local, kernel_ticks());
	adapt_begin(&private_state->adapt);
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
	pace_begin(self, private_state);
	note_ready();
	accumulate_begin(self, kernel_ticks());
	control_begin_thread(self, state_birth);
	private_state->file_addr = self->run_addr;
	counters_name(self->begin_ticks);
	holders_note_thread(self, private_state);
	return self;
}

bool thread_begin(uint64_t sp)
{
	if (state_birth && sp < state_birth)
		return false; /* in a signal handler during the birth, or it has failed */
	if (state_session.start_pointer == (uint64_t)__builtin_thread_pointer()) {
		note_unready();
		return false;
	}
	const uint64_t mask = kernel_signals_block();

	if (state_thread == &state_unborn) { /* no handler has just done it */
		state_birth = sp;
		state_barrier();
		if (kernel_tid() != process_pid())
			memory_note_threads();
		counters_enter();
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

struct tare_thread_file *thread_own(uint64_t sp)
{
	return state_thread != &state_unborn || thread_begin(sp) ? state_thread : NULL;
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
	const uint64_t count = top->depth;

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

	if (self->gate && self->gate != GATE_OFF)
		return; /* a probe is at work below: its thread ends from a signal handler */
	self->gate = event.sp;
	state_barrier();
	os_flag_collect(self, state_private, &event);
	if (control_admits(self, &event))
		calls_charge(self, &event);
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
	counters_leave();
	stacks_thread_end(self);
	state_thread = &state_unborn;
	state_private = NULL;
	state_barrier();
	if (!file_is_shared()) {
		trace_file_end(&private_state->local);
		accumulate_reset(&private_state->local);
		if (process_thread_gone(private_state))
			thread_file_unmap(self, private_state);
		private_state->file_last = 0;
		private_state->file_process = 0;
	}
	process_private_give(private_state);
}
