/*
 * Threads and their timers. What is done with a slot of the table is done under one lock, with all
 * signals blocked; the handler takes no lock, and its thread cannot be within one.
 *
 * Refuses to sample more threads at once than the table holds, or than the kernel has timers for
 * (RLIMIT_SIGPENDING): they are counted as lost.
 */
#include "runtime/timer/timer_thread.h"

#include "runtime/base/budget.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/own_place.h"
#include "runtime/base/spin.h"
#include "runtime/files/process.h"
#include "runtime/process/birth.h"

#include <linux/ptrace.h>
#include <sys/mman.h>

#define TICK_NS_USUAL	  4000000
#define PERIOD_NS_MIN	  100000
#define CLOCK_COARSE	  6 /* CLOCK_MONOTONIC_COARSE: its resolution is the tick */
#define TIMER_SELF	  ((struct timer_thread *)1) /* timer_self of a thread that has none */
#define FRAME_BYTES_USUAL 4096
#define STACK_MAX	  (64ULL << 20) /* as far as a thread's stack may reach below its pointer */

/* The calling thread's slot, and the process for which it was found: it outlives a fork. */
static _Thread_local struct timer_thread *timer_self;
static _Thread_local uint64_t timer_process;

/* ---- slots ---- */

static struct timer_thread *slot_map(uint32_t index)
{
	const long map = own_place_map(sizeof(struct timer_thread), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	if (map < 0 && map > -4096)
		return NULL;
	struct timer_thread *thread = (struct timer_thread *)map;

	thread->index = index;
	thread->stack_high = (uint64_t)(thread->stack + sizeof(thread->stack));
	return thread;
}

/* The thread's own; it has one already where its thread-local storage has been made anew. */
static struct timer_thread *slot_take(int32_t tid)
{
	struct timer_thread *unused = NULL;

	for (uint32_t i = 0; i < TIMER_THREADS_MAX; i++) {
		struct timer_thread *thread = timer_threads[i];

		if (!thread) {
			if (!unused)
				timer_threads[i] = unused = slot_map(i);
			break;
		}
		if (thread->used && thread->tid == tid)
			return thread;
		if (!thread->used && !unused)
			unused = thread;
	}
	return unused;
}

static uint64_t stack_end_of(int32_t tid)
{
	const uint64_t sp = (uint64_t)__builtin_frame_address(0);
	const uint64_t pointer = (uint64_t)__builtin_thread_pointer();

	if (tid == process_pid())
		return timer_state.first_stack_end;
	return pointer - sp < STACK_MAX ? pointer : 0;
}

static bool slot_begin(struct timer_thread *thread, int32_t tid, uint32_t *limits)
{
	thread->tid = tid;
	thread->mask_stale = false;
	thread->random = kernel_ticks() | 1;
	timer_tick_begin(&thread->tick, timer_state.tick_ns);
	thread->probe = (struct timer_probe){0};
	thread->call = (struct timer_call){0};
	thread->walker.stack_end = stack_end_of(tid);
	*limits = TARE_LIMIT_SYSTEM;
	if (!timer_file_begin(thread, limits))
		return false;
	thread->used = 1;
	thread->stack_is_unfit = false;
	timer_stack_take(thread);
	*limits = TARE_LIMIT_SYSTEM;
	if (!timer_state.signal || thread->stack_is_unfit || timer_arm(thread))
		return true;
	thread->used = 0;
	timer_file_end(thread);
	return false;
}

static struct timer_thread *thread_make(void)
{
	const int32_t tid = kernel_tid();
	uint32_t limits = TARE_LIMIT_THREADS;

	if (tid <= 0 || !spin_lock(&timer_state.lock))
		return TIMER_SELF;
	struct timer_thread *thread = slot_take(tid);

	if (thread && !thread->used && !slot_begin(thread, tid, &limits))
		thread = NULL;
	spin_unlock(&timer_state.lock);
	if (!thread)
		process_thread_lost(limits);
	return thread ? thread : TIMER_SELF;
}

/* A forked child has none of its parent's timers, threads and files. */
static void forked(void)
{
	for (uint32_t i = 0; i < TIMER_THREADS_MAX && timer_threads[i]; i++) {
		timer_threads[i]->used = 0;
		timer_threads[i]->has_timer = false;
		timer_threads[i]->between = (struct timer_between){0};
		timer_threads[i]->file = NULL;
	}
	timer_state.lock = 0;
	timer_map_forked();
}

static void each_used(void (*each)(struct timer_thread *thread))
{
	for (uint32_t i = 0; i < TIMER_THREADS_MAX && timer_threads[i]; i++)
		if (timer_threads[i]->used)
			each(timer_threads[i]);
}

/* Without timers no thread has the signal pending: none is there to be met by the program. */
static void withdraw(void)
{
	const uint64_t mask = kernel_signals_block();

	if (spin_lock(&timer_state.lock)) {
		each_used(timer_disarm);
		if (timer_state.signal)
			timer_signal_give();
		spin_unlock(&timer_state.lock);
	}
	kernel_signals_restore(mask);
}

/*
 * A tracer would see the signal, and some end then (rr). Of a process that is traced nothing is
 * recorded from its next execve on, so what is not sampled is little; else it counts as lost.
 */
static void hide(void)
{
	withdraw();
	timer_state.period_ns = 0;
	timer_state.hidden = true;
}

static bool process_known(void)
{
	if (state_process.timers)
		return true;
	if (!process_begin())
		return false;
	forked();
	state_process.timers = process_begin_ticks();
	if (timer_state.may_trace && process_is_forked())
		hide();
	return !timer_state.hidden;
}

static void thread_begin_sampling(void)
{
	const uint64_t mask = kernel_signals_block();

	if (process_known()) {
		timer_self = thread_make();
		timer_process = state_process.timers;
	}
	kernel_signals_restore(mask);
	timer_signal_unblock();
}

/* The calling thread; NULL where it is not sampled. */
static struct timer_thread *thread_known(void)
{
	if (!timer_process || timer_process != state_process.timers)
		thread_begin_sampling();
	return timer_self == TIMER_SELF ? NULL : timer_self;
}

static void thread_end_sampling(struct timer_thread *self)
{
	const uint64_t mask = kernel_signals_block();

	if (spin_lock(&timer_state.lock)) {
		timer_disarm(self);
		timer_stack_account(self);
		timer_file_end(self);
		self->used = 0;
		spin_unlock(&timer_state.lock);
	}
	timer_self = TIMER_SELF;
	kernel_signals_restore(mask);
}

/* ---- the session ---- */

static void note_end(struct timer_thread *thread)
{
	timer_stack_account(thread);
	thread->file->end_ticks = kernel_ticks();
	thread->file->flags |= TARE_TIMER_ENDED;
}

/* Threads may end at the same time. */
static void note_ends(struct timer_thread *self)
{
	const uint64_t mask = kernel_signals_block();

	if (spin_lock(&timer_state.lock)) {
		timer_take_back(self);
		each_used(note_end);
		spin_unlock(&timer_state.lock);
	}
	kernel_signals_restore(mask);
}

static void arm_again(struct timer_thread *thread)
{
	if (!thread->has_timer && !thread->stack_is_unfit && !timer_arm(thread))
		process_thread_lost(TARE_LIMIT_SYSTEM);
}

static void come_back(void)
{
	const uint64_t mask = kernel_signals_block();

	if (spin_lock(&timer_state.lock)) {
		if (!timer_state.signal && timer_signal_take())
			each_used(arm_again);
		spin_unlock(&timer_state.lock);
	}
	kernel_signals_restore(mask);
	timer_signal_unblock();
}

/*
 * The kernel looks at timers of processor time at its tick, and they have always passed then: each
 * tick that meets a thread is a sample, which stands for the time from tick to tick. So a thread
 * has its share of samples however short it runs. Where fewer are asked for, some stand for nothing
 * by chance (timer_tick.h); where more, there are some between ticks.
 */
static void period_settle(void)
{
	struct __kernel_timespec tick = {0};
	uint64_t wanted_ns = timer_state.period_ns;

	kernel_call(SYS_clock_getres, CLOCK_COARSE, &tick);
	const uint64_t tick_ns =
		tick.tv_sec || tick.tv_nsec <= 0 ? TICK_NS_USUAL : (uint64_t)tick.tv_nsec;

	timer_state.tick_ns = tick_ns;
	timer_state.between_mean_ns = 0;
	if (wanted_ns < PERIOD_NS_MIN)
		wanted_ns = PERIOD_NS_MIN;
	const uint64_t periods = (tick_ns + wanted_ns / 2) / wanted_ns;

	if (periods > 1 && periods <= TARE_TIMER_PERIODS_MAX && timer_between_has_clock()) {
		timer_state.between_mean_ns = tick_ns / (periods - 1);
		timer_state.period_ns = tick_ns / periods;
	} else if (wanted_ns < tick_ns) {
		timer_state.period_ns = tick_ns;
	}
}

void timer_begin(const struct timer_surroundings *surroundings)
{
	timer_state.period_ns = state_session.settings.timer_period_ns;
	if (timer_state.period_ns)
		period_settle();
	timer_state.first_stack_end = surroundings->first_stack_end;
	timer_state.vdso = surroundings->vdso;
	timer_state.frame_bytes = surroundings->signal_frame_bytes
					  ? surroundings->signal_frame_bytes
					  : FRAME_BYTES_USUAL;
	if (!timer_state.period_ns || !state_session.active)
		return;
	if (!timer_signal_take()) {
		process_thread_lost(TARE_LIMIT_SYSTEM);
		timer_state.period_ns = 0;
		return;
	}
	thread_known();
}

void timer_stop(void)
{
	if (!timer_state.period_ns)
		return;
	withdraw();
	timer_state.period_ns = 0;
}

static void drop_between(void)
{
	const uint64_t mask = kernel_signals_block();

	timer_state.between_mean_ns = 0;
	if (spin_lock(&timer_state.lock)) {
		each_used(timer_between_drop);
		spin_unlock(&timer_state.lock);
	}
	kernel_signals_restore(mask);
}

/* What has to be given up is given up before: behind the filter there may be no call for it. */
void timer_filter(const struct filter *filter)
{
	if (!timer_state.period_ns)
		return;
	if (!filter_allows(filter, SYS_rt_sigreturn, NULL)) { /* how the handler ends */
		process_thread_lost(TARE_LIMIT_SYSTEM);
		timer_stop();
	} else if (!timer_between_is_allowed(filter)) {
		drop_between();
	}
}

/* ---- the program's system calls ---- */

/* Of this thread, and not of a vfork child in its memory. */
static void call_of_own(struct timer_thread *self, const struct probes_registers *registers)
{
	const uint64_t sp = (uint64_t)registers;

	switch (registers->rax) {
	case SYS_rt_sigaction:
		timer_state.none_is_free &= !registers->rsi;
		if (registers->rdi == (uint64_t)timer_state.signal && kernel_is_tid(self->tid))
			withdraw();
		else if (timer_state.signal && registers->rsi)
			timer_stack_spare(registers);
		break;
	case SYS_ptrace:
		if (registers->rdi == PTRACE_TRACEME && kernel_is_tid(self->tid))
			hide();
		break;
	case SYS_sigaltstack:
		if (kernel_is_tid(self->tid))
			timer_stack_notice(self, registers);
		break;
	case SYS_munmap: /* a thread's last but one */
		if (sp - registers->rdi < registers->rsi && kernel_is_tid(self->tid))
			thread_end_sampling(self);
		break;
	case SYS_exit:
		if (kernel_is_tid(self->tid))
			thread_end_sampling(self);
		break;
	case SYS_exit_group:
		if (kernel_is_tid(self->tid))
			note_ends(self);
		break;
	default:
		break;
	}
}

static void stack_settle(struct timer_thread *self)
{
	timer_stack_take(self);
	if (!self->has_timer && !self->stack_is_unfit)
		timer_arm(self);
}

static bool keeps_mask(uint64_t number)
{
	return number == SYS_execve || number == SYS_execveat || number == SYS_exit ||
	       number == SYS_munmap;
}

static void hidden_syscall(const struct probes_registers *registers)
{
	if (registers->rax == SYS_exit_group && kernel_is_pid(process_pid()))
		process_thread_lost(TARE_LIMIT_SYSTEM);
}

void timer_syscall(const struct probes_registers *registers)
{
	if (timer_state.hidden)
		hidden_syscall(registers);
	if (!timer_state.period_ns)
		return;
	struct timer_thread *self = thread_known();

	if (!self)
		return;
	timer_between_stop(self, registers);
	if (!timer_state.signal && !timer_state.none_is_free && kernel_is_tid(self->tid))
		come_back();
	if (self->mask_stale && !keeps_mask(registers->rax)) {
		self->mask_stale = false;
		timer_signal_unblock();
	}
	if (self->stack_stale && kernel_is_tid(self->tid))
		stack_settle(self);
	timer_repeat_note(self, registers);
	if (registers->rax == SYS_rt_sigprocmask && registers->rsi)
		self->mask_stale = true;
	else
		call_of_own(self, registers);
}

void timer_mapped(uint64_t begin, uint64_t end)
{
	if (timer_state.period_ns)
		timer_map_put_bare(begin, end);
}

/* With a shadow stack a `ret` goes where its call was. Where there is none the instruction does
   nothing. */
static bool has_shadow_stack(void)
{
	uint64_t top = 0;

	__asm__ volatile("rdsspq %0" : "+r"(top));
	return top != 0;
}

/* It has been given back for a call about its handler, and another call may not come for long. */
static bool signal_is_away(const struct probes_registers *registers)
{
	return registers->rax == SYS_rt_sigaction && timer_state.period_ns && !timer_state.signal;
}

static bool is_mask(const struct probes_registers *registers)
{
	return registers->rax == SYS_rt_sigprocmask && timer_state.signal &&
	       timer_signal_blocks_only(registers);
}

/* Its thread may have the timer again behind it, and no other call may come for long, either. */
static bool is_signal_stack(const struct probes_registers *registers)
{
	return registers->rax == SYS_sigaltstack && timer_state.signal;
}

bool timer_makes_call(struct probes_registers *registers)
{
	if ((!is_mask(registers) && !signal_is_away(registers) && !is_signal_stack(registers)) ||
	    has_shadow_stack())
		return false;
	struct timer_thread *self = thread_known();
	const uint64_t call = self && kernel_is_tid(self->tid) ? timer_call_addr(registers) : 0;

	if (!call)
		return false;
	registers->rax = (uint64_t)kernel_call((long)registers->rax, registers->rdi, registers->rsi,
					       registers->rdx, registers->r10);
	registers->rcx = call + SYSCALL_BYTES;
	((uint64_t *)registers)[TIMER_RETURN_WORD] = call + SYSCALL_BYTES;
	if (self->stack_stale)
		stack_settle(self);
	if (!timer_state.signal)
		come_back();
	timer_signal_unblock();
	self->mask_stale = false;
	return true;
}
