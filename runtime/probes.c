/*
 * The probes. Each handler is a straight line around one rdtsc; whatever is not usual goes to
 * probe_general: first probe of a thread or forked child, OS flag raised, new context, lost stack.
 *
 *   stub ── call *slot ──▶ handler: thread born? gate open? ──no──▶ probe_general
 *                             │ gate = sp; t = rdtsc; OS flag? ──yes─▶      │
 *                             │ accumulate_<kind> ──declined──────────▶     │
 *                             ▼                                             ▼
 *                           gate = 0 ◀──────────────────────────────────────┘
 *
 * The gate: a signal handler may run at any instruction here, and its code has probes. Those find
 * the gate closed and drop their event (counted). When their stack lies above the gate's, the
 * probe that closed it was left by siglongjmp and will not go on.
 */
#include "runtime/probes.h"

#include "runtime/exec.h"
#include "runtime/kernel.h"
#include "runtime/os_flag.h"
#include "runtime/process.h"
#include "runtime/thread.h"

#include <linux/sched.h>

#define GATE_OFF       ~0ULL
#define NOPL_BYTES     7 /* 0f 1f 80 disp32 */
#define FLAG_DIRECTION 0x400ULL
#define HANDLER	       __attribute__((no_caller_saved_registers, aligned(64)))

/* The address that the nopl at `at` carries. */
static inline uint64_t nopl_addr(uint64_t at)
{
	return at + NOPL_BYTES + (uint64_t)(int64_t) * (const int32_t *)(at + 3);
}

static void event_general(struct tare_thread_file *self, struct accumulate_event *event)
{
	os_flag_collect(self, state_private, event);
	accumulate_event(self, event);
	const uint64_t spent = os_flag_settle(self, state_private) - event->ticks;

	if ((int64_t)spent < 0)
		return;
	self->own_ticks += spent;
	self->last_ticks += spent;
}

/* Code that runs with the direction flag set is no place where functions begin or end, but may. */
static inline uint64_t direction_clear(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; pop %0; cld" : "=r"(flags)::"memory");
	return flags;
}

static inline void direction_restore(uint64_t flags)
{
	if (UNLIKELY(flags & FLAG_DIRECTION))
		__asm__ volatile("std" ::: "memory");
}

static void probe_work(struct accumulate_event *event)
{
	if (!state_process.rseq_offset && !process_begin())
		return;
	if (!state_thread && !thread_begin(event->sp))
		return;
	struct tare_thread_file *self = state_thread;

	if (self->gate == GATE_OFF)
		return;
	if (self->gate > event->sp) {
		self->dropped++;
		return;
	}
	self->gate = event->sp;
	state_barrier();
	if (!event->ticks)
		event->ticks = kernel_ticks();
	event->cost_ticks = state_session.cost_ticks[event->kind];
	event_general(self, event);
	state_barrier();
	self->gate = 0;
}

/* `ticks` 0: not yet read. */
__attribute__((no_caller_saved_registers, noinline, cold)) static void
probe_general(uint64_t ticks, uint64_t sp, uint64_t key, uint64_t site, uint64_t kind)
{
	const uint64_t flags = direction_clear();
	struct accumulate_event event = {.kind = (enum tare_event_kind)kind,
					 .ticks = ticks,
					 .sp = sp,
					 .key = key,
					 .site = site};

	probe_work(&event);
	direction_restore(flags);
}

/* One probe of a kind known at compile time. */
static inline __attribute__((always_inline)) void probe(enum tare_event_kind kind, uint64_t sp,
							uint64_t key, uint64_t site)
{
	struct tare_thread_file *self = state_thread;
	const uint64_t rseq_offset = state_process.rseq_offset;

	if (UNLIKELY(!self || !rseq_offset || self->gate)) {
		probe_general(0, sp, key, site, kind);
		return;
	}
	self->gate = sp;
	state_barrier();
	const struct accumulate_event event = {.kind = kind,
					       .ticks = kernel_ticks(),
					       .cost_ticks = state_session.cost_ticks[kind],
					       .sp = sp,
					       .key = key,
					       .site = site};
	bool done = os_flag_word(rseq_offset) == os_flag_armed() &&
		    os_flag_selector() == state_process.selector;

	if (LIKELY(done)) {
		if (kind == TARE_EVENT_ENTER)
			done = accumulate_enter(self, &event);
		else if (kind == TARE_EVENT_LEAVE)
			done = accumulate_leave(self, &event);
		else if (kind == TARE_EVENT_CALL)
			done = accumulate_call(self, &event);
		else
			done = accumulate_return(self, &event);
	}
	if (UNLIKELY(!done)) {
		probe_general(event.ticks, sp, key, site, kind);
		return;
	}
	state_barrier();
	self->gate = 0;
}

#define FRAME_TOP()	 ((uint64_t)__builtin_dwarf_cfa()) /* rsp before the stub's call */
#define RETURN_ADDRESS() ((uint64_t)__builtin_return_address(0))

/* The five handlers, for stubs that have pushed `pushed` bytes before what abi/module.h shows. */
#define HANDLERS(prefix, pushed)                                                                   \
	HANDLER void prefix##enter(void)                                                           \
	{                                                                                          \
		probe(TARE_EVENT_ENTER, FRAME_TOP() + (pushed), nopl_addr(RETURN_ADDRESS()), 0);   \
	}                                                                                          \
	HANDLER void prefix##leave(void)                                                           \
	{                                                                                          \
		probe(TARE_EVENT_LEAVE, FRAME_TOP() + (pushed), 0, 0);                             \
	}                                                                                          \
	HANDLER void prefix##call(void)                                                            \
	{                                                                                          \
		const uint64_t at = RETURN_ADDRESS();                                              \
                                                                                                   \
		probe(TARE_EVENT_CALL, FRAME_TOP() - 8 + (pushed), nopl_addr(at),                  \
		      nopl_addr(at + NOPL_BYTES));                                                 \
	}                                                                                          \
	HANDLER void prefix##call_indirect(void)                                                   \
	{                                                                                          \
		probe(TARE_EVENT_CALL, FRAME_TOP() + (pushed), *(const uint64_t *)FRAME_TOP(),     \
		      ACCUMULATE_ANY_SITE);                                                        \
	}                                                                                          \
	HANDLER void prefix##return (void)                                                         \
	{                                                                                          \
		probe(TARE_EVENT_RETURN, FRAME_TOP() - 8 + (pushed), 0, 0);                        \
	}

HANDLERS(probes_, 0)
HANDLERS(probes_below_flags_, 8)

static bool forks(const struct probes_registers *registers)
{
	switch (registers->rax) {
	case SYS_fork:
		return true;
	case SYS_clone:
		return !(registers->rdi & CLONE_VM);
	case SYS_clone3: /* struct clone_args begins with the flags; programs probe with NULL */
		return registers->rdi && registers->rsi >= CLONE_ARGS_SIZE_VER0 &&
		       !(*(const uint64_t *)registers->rdi & CLONE_VM);
	default:
		return false;
	}
}

static struct tare_thread_file *thread_alive(void)
{
	return state_process.rseq_offset ? state_thread : NULL;
}

/* Before the system call; an end is noted only by the thread itself, not by its vfork child. */
static void syscall_note(struct tare_thread_file *self, const struct probes_registers *registers)
{
	self->syscalls++;
	self->syscall_number = registers->rax;
	self->syscall_object = registers->rdi;
	*(volatile uint64_t *)self->rseq_word = 0;
	if (forks(registers))
		thread_note_frames(self);
	if (registers->rax != SYS_exit && registers->rax != SYS_exit_group)
		return;
	if (self->tid != kernel_tid())
		return;
	if (registers->rax == SYS_exit_group) {
		thread_complete(self);
		process_complete();
	} else {
		thread_end(self);
	}
}

void probes_syscall_event(const struct probes_registers *registers)
{
	struct tare_thread_file *self = thread_alive();

	if (self)
		syscall_note(self, registers);
	if (registers->rax == SYS_execve || registers->rax == SYS_execveat)
		exec_with_session(self, registers);
}
