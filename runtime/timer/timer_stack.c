/*
 * The stack on which the kernel puts the signal's frame, some thousand bytes of registers: never
 * one that may be too small for it. A thread without a signal stack gets one of ours, so that its
 * own stack, a coroutine's or a small thread's, is not touched; it is taken away before the program
 * asks or registers one. On a signal stack of the program's the handler runs as well, if it has
 * room, and is no other thread's, too: programs whose handlers only tell of their end have one for
 * all threads (Varnish). Such threads get one of ours as well.
 *
 * Refuses to sample a thread while its signal stack is too small. While the program's own handlers
 * run on theirs, the signal waits: two frames might be too many.
 */
#include "runtime/timer/timer_thread.h"

#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"

#include <cpuid.h>
#include <linux/time_types.h>

#define SS_ONSTACK    1
#define SS_DISABLE    2
#define SA_ONSTACK    0x08000000UL
#define FRAMES_BYTES  65536ULL /* as far up the stack as the C library's own structs are */
#define BESIDES_BYTES 512ULL   /* what timer_entry uses, and the kernel's alignment */
#define FEATURES_ASK  0x1022   /* arch_prctl: ARCH_GET_XCOMP_PERM */
#define XSAVE_LEAF    0xd
#define XSAVE_LEGACY  576 /* bytes of x87, SSE and the header */

struct kernel_action {
	uint64_t handler, flags, restorer, mask;
};

/* Processor time of a thread of this process (CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED). */
static uint64_t cpu_ns(int32_t tid)
{
	struct __kernel_timespec now = {0};

	kernel_call(SYS_clock_gettime, (long)((~(uint32_t)tid << 3) | 6), &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Bytes of the area for these features in the standard format: to the end of the last one. */
static uint64_t xsave_bytes(uint64_t features)
{
	uint64_t bytes = XSAVE_LEGACY;

	for (uint32_t i = 2; i < 63; i++) {
		uint32_t size = 0, offset = 0, flags, unused;
		if (!(features >> i & 1))
			continue;
		__cpuid_count(XSAVE_LEAF, i, size, offset, flags, unused);
		if ((uint64_t)offset + size > bytes)
			bytes = (uint64_t)offset + size;
	}
	return bytes;
}

/*
 * The kernel says at first how large frames are with all of the processor's features. It stores
 * those that the process may use: without AMX, which has to be asked for, 3 KB of 11. Who asks
 * later is refused while a signal stack of the process has no room for it.
 */
static void frame_settle(void)
{
	uint64_t permitted = 0;
	uint32_t all = 0, unused;

	timer_state.frame_is_exact = true;
	if (kernel_call(SYS_arch_prctl, FEATURES_ASK, &permitted) || !permitted)
		return;
	__cpuid_count(XSAVE_LEAF, 0, unused, all, unused, unused);
	const uint64_t bytes = xsave_bytes(permitted);
	if (bytes < all && all - bytes < timer_state.frame_bytes)
		timer_state.frame_bytes -= all - bytes;
}

/* What is wanted of the processor takes a virtual machine long: only where it matters. */
static bool is_small(const struct timer_stack *stack)
{
	if (!stack->size_bytes || stack->size_bytes >= timer_state.frame_bytes + BESIDES_BYTES)
		return false;
	if (!timer_state.frame_is_exact)
		frame_settle();
	return stack->size_bytes < timer_state.frame_bytes + BESIDES_BYTES;
}

/* The slot whose stack of ours it is: a forked child has its parent thread's. NULL: none. */
static const struct timer_thread *owner_of(const struct timer_stack *stack)
{
	for (uint32_t i = 0; i < TIMER_THREADS_MAX && timer_threads[i]; i++)
		if (stack->start == (uint64_t)timer_threads[i]->signal_stack)
			return timer_threads[i];
	return NULL;
}

static bool overlap(const struct timer_stack *one, const struct timer_stack *other)
{
	return one->size_bytes && other->size_bytes &&
	       (one->start - other->start < other->size_bytes ||
		other->start - one->start < one->size_bytes);
}

/*
 * Has another thread the program's stack as well? It shall look at it again then. Each thread says
 * what it has before it asks: so of two one sees it, and the signal comes to one of them at most.
 */
static bool is_shared(const struct timer_thread *self)
{
	bool shared = false;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < TIMER_THREADS_MAX && timer_threads[i]; i++) {
		struct timer_thread *other = timer_threads[i];

		if (other == self || !other->used ||
		    !overlap(&self->program_stack, &other->program_stack))
			continue;
		shared = true;
		if (!other->stack_is_own)
			other->stack_stale = true;
	}
	return shared;
}

static void stack_become_unfit(struct timer_thread *self)
{
	if (!self->stack_is_unfit)
		self->unsampled_begin_ns = cpu_ns(self->tid);
	self->stack_is_unfit = true;
	timer_disarm(self);
}

void timer_stack_account(struct timer_thread *thread)
{
	if (!thread->stack_is_unfit)
		return;
	const uint64_t now_ns = cpu_ns(thread->tid), ns = now_ns - thread->unsampled_begin_ns;

	if (ns < timer_state.period_ns) /* from the probe of a call to behind it: no sample's */
		return;
	thread->file->unsampled_ns += ns;
	thread->unsampled_begin_ns = now_ns;
}

static void stack_become_fit(struct timer_thread *self)
{
	timer_stack_account(self);
	self->stack_is_unfit = false;
}

/* What the kernel's struct says; a stack that is none has no bytes. */
static struct timer_stack stack_in(const struct timer_stack *kernel)
{
	const struct timer_stack none = {.flags = SS_DISABLE};

	return kernel->flags & SS_DISABLE ? none : *kernel;
}

void timer_stack_take(struct timer_thread *self)
{
	const struct timer_stack own = {.start = (uint64_t)self->signal_stack,
					.size_bytes = sizeof(self->signal_stack)};
	struct timer_stack now;

	self->stack_stale = false;
	self->stack_is_own = false;
	if (kernel_call(SYS_sigaltstack, 0, &now))
		now = (struct timer_stack){0};
	const struct timer_thread *owner = owner_of(&now);

	self->program_stack = owner ? owner->program_stack : stack_in(&now);
	const bool shared = is_shared(self);
	if (owner || shared || !self->program_stack.size_bytes)
		self->stack_is_own = kernel_call(SYS_sigaltstack, &own, 0) == 0;
	if (!self->stack_is_own && (shared || is_small(&self->program_stack)))
		stack_become_unfit(self);
	else
		stack_become_fit(self);
}

void timer_stack_notice(struct timer_thread *self, const struct probes_registers *registers)
{
	struct timer_stack wanted;

	if (self->stack_is_own)
		kernel_call(SYS_sigaltstack, &self->program_stack, 0);
	self->stack_is_own = false;
	self->stack_stale = true;
	if (registers->rdi &&
	    memory_read(&wanted, registers->rdi, sizeof(wanted)) == sizeof(wanted))
		self->program_stack = stack_in(&wanted);
	if (is_small(&self->program_stack) || is_shared(self))
		stack_become_unfit(self);
}

/* The C library passes a struct of its own. */
void timer_stack_spare(const struct probes_registers *registers)
{
	struct kernel_action *action = (struct kernel_action *)registers->rsi;

	if (registers->rsi - (uint64_t)registers < FRAMES_BYTES && action->flags & SA_ONSTACK)
		action->mask |= 1ULL << (timer_state.signal - 1);
}
