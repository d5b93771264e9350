/*
 * The timers' signal is a real-time signal that the program does not use, from the last one
 * downwards: SIGPROF stays the program's. Before any system call of the program that looks at that
 * signal's handler or sets it, all timers are given up and the signal is as it was. The runtime
 * then makes that call itself, where it can, and the timers come back behind it, else at the next
 * one; with another signal if the program now uses this one.
 *
 * Emulators handle all real-time signals. Then it is SIGURG, unless that is used, too: it is
 * ignored by default, as one is that somebody else sends, though a call that waits may end by it;
 * and hardly any program uses it (Go preempts its threads by it for the same reasons).
 *
 * The program may block all signals, for a thread's whole life. The mask is taken as it sets it,
 * and the one signal let through at once where the call lets no other through, else at the next
 * system call; it is not seen in masks that the program sets itself, only missing where it asks for
 * the mask.
 *
 * Refuses signals below FIRST, which C libraries use themselves.
 */
#include "runtime/timer/timer_thread.h"

#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/files/process.h"

#include <asm/errno.h>

#define FIRST		40
#define LAST		64
#define URGENT		23 /* SIGURG */
#define SA_SIGINFO	4UL
#define SA_RESTORER	0x04000000UL
#define SA_ONSTACK	0x08000000UL
#define SA_RESTART	0x10000000UL
#define HANDLER_DEFAULT 0
#define HANDLER_IGNORE	1
#define SIG_BLOCK	0
#define SIG_UNBLOCK	1
#define SIG_SETMASK	2

struct kernel_action {
	uint64_t handler, flags, restorer, mask;
};

static uint64_t bit_of(int32_t number)
{
	return 1ULL << (number - 1);
}

static bool action_set(int32_t number, const struct kernel_action *action,
		       struct kernel_action *before)
{
	return kernel_call(SYS_rt_sigaction, number, action, before, sizeof(action->mask)) == 0;
}

static bool is_free(int32_t number)
{
	struct kernel_action now;

	return action_set(number, NULL, &now) && now.handler == HANDLER_DEFAULT;
}

static int32_t find_free(void)
{
	for (int32_t number = LAST; number >= FIRST; number--)
		if (is_free(number))
			return number;
	return is_free(URGENT) ? URGENT : 0;
}

bool timer_signal_take(void)
{
	const struct kernel_action ours = {.handler = (uint64_t)timer_entry,
					   .flags = SA_SIGINFO | SA_RESTORER | SA_ONSTACK |
						    SA_RESTART,
					   .restorer = (uint64_t)timer_restore,
					   .mask = ~0ULL};
	const int32_t number = find_free();

	timer_state.none_is_free = !number;
	if (!number || !action_set(number, &ours, NULL))
		return false;
	timer_state.signal = number;
	return true;
}

void timer_signal_give(void)
{
	const struct kernel_action ignore = {.handler = HANDLER_IGNORE};
	const struct kernel_action usual = {.handler = HANDLER_DEFAULT};
	const int32_t number = timer_state.signal;

	/* ignoring it drops what is pending anywhere */
	action_set(number, &ignore, NULL);
	action_set(number, &usual, NULL);
	timer_state.signal = 0;
}

bool timer_signal_blocks_only(const struct probes_registers *registers)
{
	uint64_t now, set;

	if (!registers->rsi || registers->rdi == SIG_BLOCK)
		return registers->rsi;
	if (registers->rdi != SIG_SETMASK || registers->r10 != sizeof(set) ||
	    kernel_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, &now, sizeof(now)) != 0)
		return false;
	now &= ~bit_of(timer_state.signal);
	return !now ||
	       (memory_ask(&set, registers->rsi, sizeof(set)) == sizeof(set) && !(now & ~set));
}

void timer_signal_unblock(void)
{
	const uint64_t set = timer_state.signal ? bit_of(timer_state.signal) : 0;

	if (set)
		kernel_call(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, sizeof(set));
}

void timer_foreign(int32_t number)
{
	const struct kernel_action usual = {.handler = HANDLER_DEFAULT};

	if (number == URGENT)
		return;
	action_set(number, &usual, NULL);
	kernel_call(SYS_tgkill, kernel_pid(), kernel_tid(), number);
}
