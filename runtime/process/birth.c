/*
 * Refuses to record a process whose file cannot be made: all its probes then return at once.
 */
#include "runtime/process/birth.h"

#include "runtime/base/arming_lock.h"
#include "runtime/base/budget.h"
#include "runtime/base/kernel.h"
#include "runtime/control/adapt.h"
#include "runtime/control/control.h"
#include "runtime/files/counters.h"
#include "runtime/files/process.h"
#include "runtime/process/thread.h"

/* What a forked child has of its parent, but is not its own. */
static void forget_parents(void)
{
	arming_unlock();
	budget_forked();
	thread_forked();
	if (state_session.started)
		stack_table_fork();
}

/* The first probe of the process, with signals blocked. */
static bool begin_first(void)
{
	uint32_t expected = STATE_BEGUN_NOT;

	if (!__atomic_compare_exchange_n(&state_process.begun, &expected, STATE_BEGUN_IN_WORK,
					 false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return expected == STATE_BEGUN_DONE;
	forget_parents();
	state_process.selector = state_session.selector;
	const bool made = process_make();

	counters_begin_process(made, made ? process_pid() : 0, made ? process_begin_ticks() : 0);
	if (made)
		adapt_begin_process();
	if (state_session.started) {
		state_thread = &state_unborn;
		state_birth = 0;
	}
	state_session.started = true;
	control_begin_process(made ? process_control() : NULL);
	__atomic_store_n(&state_process.begun, made ? STATE_BEGUN_DONE : STATE_BEGUN_REFUSED,
			 __ATOMIC_RELEASE);
	if (made)
		__atomic_store_n(&state_process.rseq_offset, state_session.rseq_offset,
				 __ATOMIC_RELEASE);
	return made;
}

bool process_begin(void)
{
	const uint32_t begun = __atomic_load_n(&state_process.begun, __ATOMIC_ACQUIRE);

	if (!state_session.active || begun != STATE_BEGUN_NOT)
		return state_session.active && begun == STATE_BEGUN_DONE;
	const uint64_t mask = kernel_signals_block();
	const bool made = begin_first();

	kernel_signals_restore(mask);
	return made;
}
