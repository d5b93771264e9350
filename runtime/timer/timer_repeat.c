/*
 * A system call that a timer's signal has ended is made again, where the kernel does not do that by
 * itself: the program must not see that signal.
 *
 * The signal may also come behind a handler of the program that has ended the call: a handler that
 * blocks all signals keeps it waiting, and behind that the registers are the same. A call that were
 * made again then might wait for what has been. So what is made again is
 *
 *   - a call in which the thread has not waited, or hardly: timers of its processor
 *     time pass only while it runs, so what ends its waiting is somebody else's. A
 *     handler that runs before the thread waits might have run before the call;
 *   - and that, where it changes the signal mask, began with no signal that it would let through:
 *     such a one ends it in any case.
 *
 * Refuses to make calls again that may have had an effect, or that code without a probe has made.
 */
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/timer/timer_thread.h"

#include <asm/errno.h>
#include <sys/resource.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

#define BRIEF_TICKS 50000 /* some 20 µs, of a call without a mask */

/* Those that end with EINTR after any handler, and have done nothing then. */
static bool may_begin_again(uint64_t number)
{
	switch (number) {
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_futex:
	case SYS_futex_waitv:
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
	case SYS_msgrcv:
	case SYS_msgsnd:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_io_getevents:
	case SYS_accept:
	case SYS_accept4:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_read:
	case SYS_readv:
	case SYS_mq_timedreceive:
	case SYS_mq_timedsend:
		return true;
	default:
		return false;
	}
}

/* Of the mask for the time of the call; 0: it has none. */
static uint64_t mask_addr(const struct probes_registers *registers)
{
	uint64_t addr = 0;

	switch (registers->rax) {
	case SYS_rt_sigsuspend:
		return registers->rdi;
	case SYS_ppoll:
		return registers->r10;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return registers->r8;
	case SYS_pselect6: /* its address, and its size */
		return registers->r9 && memory_read(&addr, registers->r9, sizeof(addr)) ==
						sizeof(addr)
			       ? addr
			       : 0;
	default:
		return 0;
	}
}

/* `from`: of the call's mask. */
static bool lets_signal_through(uint64_t from)
{
	uint64_t mask, pending = 0;

	if (!from || memory_read(&mask, from, sizeof(mask)) != sizeof(mask))
		return false;
	if (kernel_call(SYS_rt_sigpending, &pending, sizeof(pending)))
		return true;
	if (timer_state.signal)
		pending &= ~(UINT64_C(1) << (timer_state.signal - 1));
	return pending & ~mask;
}

/* Calls that are often made without waiting: to ask would cost them much. */
static bool is_worth_asking(const struct probes_registers *registers)
{
	switch (registers->rax) {
	case SYS_futex:
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
		return false;
	case SYS_poll:
		return registers->rdx;
	case SYS_epoll_wait:
		return registers->r10;
	default:
		return true;
	}
}

/* How often the thread has waited; false: the kernel may not be asked. */
static bool waits_read(uint64_t *waits)
{
	struct rusage usage = {0};

	if (kernel_call(SYS_getrusage, RUSAGE_THREAD, &usage))
		return false;
	*waits = (uint64_t)usage.ru_nvcsw;
	return true;
}

void timer_repeat_note(struct timer_thread *self, const struct probes_registers *registers)
{
	struct timer_call *call = &self->call;
	uint64_t mask;

	*call = (struct timer_call){.number = registers->rax,
				    .rdi = registers->rdi,
				    .rsi = registers->rsi,
				    .rdx = registers->rdx};
	if (!may_begin_again(call->number))
		return;
	mask = mask_addr(registers);
	call->may_repeat = !lets_signal_through(mask);
	if (!call->may_repeat)
		return;
	call->waits_known = is_worth_asking(registers) && waits_read(&call->waits);
	call->brief_until = mask ? 0 : kernel_ticks() + BRIEF_TICKS;
}

static bool has_waited(const struct timer_call *call)
{
	uint64_t waits;

	if (kernel_ticks() < call->brief_until)
		return false;
	return !call->waits_known || !waits_read(&waits) || waits != call->waits;
}

/* Behind a system call instruction, rcx is where it returned to. */
bool timer_is_interrupted(const struct timer_context *context)
{
	return context->rax == (uint64_t)-EINTR && context->rcx == context->rip;
}

bool timer_repeat(struct timer_thread *self, struct timer_context *context)
{
	const struct timer_call *call = &self->call;

	if (!call->may_repeat || call->rdi != context->rdi || call->rsi != context->rsi ||
	    call->rdx != context->rdx || !timer_is_syscall(context->rip - SYSCALL_BYTES) ||
	    has_waited(call))
		return false;
	context->rip -= SYSCALL_BYTES;
	context->rax = call->number;
	self->file->restarted++;
	return true;
}
