/*
 * The stack on which the kernel puts the signal's frame, some thousand bytes of registers: never
 * one that may be too small for it. A thread without a signal stack gets one of ours, so that its
 * own stack, a coroutine's or a small thread's, is not touched; it is taken away before the program
 * asks or registers one. On a signal stack of the program's the handler runs as well, if it has
 * room.
 *
 * Refuses to sample a thread while its signal stack is too small. While the program's own handlers
 * run on theirs, the signal waits: two frames might be too many.
 */
#include "runtime/timer/timer_thread.h"

#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"

#include <linux/time_types.h>

#define SS_ONSTACK    1
#define SS_DISABLE    2
#define SA_ONSTACK    0x08000000UL
#define FRAMES_BYTES  65536ULL /* as far up the stack as the C library's own structs are */
#define BESIDES_BYTES 512ULL   /* what timer_entry uses, and the kernel's alignment */
#define CLOCK_THREAD  3	       /* CLOCK_THREAD_CPUTIME_ID */

struct kernel_stack {
	uint64_t start;
	int32_t flags, reserved;
	uint64_t size_bytes;
};

struct kernel_action {
	uint64_t handler, flags, restorer, mask;
};

static uint64_t cpu_ns(void)
{
	struct __kernel_timespec now = {0};

	kernel_call(SYS_clock_gettime, CLOCK_THREAD, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool is_small(const struct kernel_stack *stack)
{
	return !(stack->flags & SS_DISABLE) &&
	       stack->size_bytes < timer_state.frame_bytes + BESIDES_BYTES;
}

/* One of our slots': a forked child has its parent thread's. */
static bool is_ours(const struct kernel_stack *stack)
{
	for (uint32_t i = 0; i < TIMER_THREADS_MAX && timer_threads[i]; i++)
		if (stack->start == (uint64_t)timer_threads[i]->signal_stack)
			return true;
	return false;
}

static void stack_become_small(struct timer_thread *self)
{
	if (!self->stack_is_small)
		self->unsampled_begin_ns = cpu_ns();
	self->stack_is_small = true;
	timer_disarm(self);
}

static void stack_become_good(struct timer_thread *self)
{
	if (!self->stack_is_small)
		return;
	self->stack_is_small = false;
	self->file->unsampled_ns += cpu_ns() - self->unsampled_begin_ns;
}

void timer_stack_take(struct timer_thread *self)
{
	const struct kernel_stack own = {.start = (uint64_t)self->signal_stack,
					 .size_bytes = sizeof(self->signal_stack)};
	struct kernel_stack now;

	self->stack_stale = false;
	self->stack_is_own = false;
	if (kernel_call(SYS_sigaltstack, 0, &now))
		return;
	if (now.flags & SS_DISABLE || is_ours(&now))
		self->stack_is_own = kernel_call(SYS_sigaltstack, &own, 0) == 0;
	else if (is_small(&now))
		stack_become_small(self);
	if (!is_small(&now) || self->stack_is_own)
		stack_become_good(self);
}

void timer_stack_notice(struct timer_thread *self, const struct probes_registers *registers)
{
	const struct kernel_stack none = {.flags = SS_DISABLE};
	struct kernel_stack wanted;

	if (self->stack_is_own)
		kernel_call(SYS_sigaltstack, &none, 0);
	self->stack_is_own = false;
	self->stack_stale = true;
	if (registers->rdi &&
	    memory_read(&wanted, registers->rdi, sizeof(wanted)) == sizeof(wanted) &&
	    is_small(&wanted))
		stack_become_small(self);
}

/* The C library passes a struct of its own. */
void timer_stack_spare(const struct probes_registers *registers)
{
	struct kernel_action *action = (struct kernel_action *)registers->rsi;

	if (registers->rsi - (uint64_t)registers < FRAMES_BYTES && action->flags & SA_ONSTACK)
		action->mask |= 1ULL << (timer_state.signal - 1);
}
