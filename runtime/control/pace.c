/*
 * The pace of a thread is the mean of what it was before and what is measured, so that one
 * measurement that was disturbed changes little.
 *
 * Refuses paces beyond a quarter and four times the calibrated one: that is no processor's.
 */
#include "runtime/control/pace.h"

#include "runtime/base/kernel.h"

#define TIMES	     3
#define FOLLOW_TICKS (1ULL << 23) /* some milliseconds */

/* In pace_work.S. */
void pace_work(void);

uint64_t pace_measure(void)
{
	uint64_t least = UINT64_MAX;

	pace_work();
	for (int i = 0; i < TIMES; i++) {
		const uint64_t begin = kernel_ticks();

		pace_work();
		const uint64_t ticks = kernel_ticks() - begin;

		least = ticks < least ? ticks : least;
	}
	return least;
}

uint32_t pace_cost(uint64_t cost_ticks, uint64_t calibrated_pace, uint64_t pace)
{
	if (calibrated_pace && pace >= calibrated_pace / TARE_PACE_CHANGE_MAX &&
	    pace <= calibrated_pace * TARE_PACE_CHANGE_MAX)
		cost_ticks = (cost_ticks * pace + calibrated_pace / 2) / calibrated_pace;
	return cost_ticks < TARE_PROBE_TICKS_MAX ? (uint32_t)cost_ticks : TARE_PROBE_TICKS_MAX;
}

static void pace_set(struct tare_thread_file *self, struct state_private *private_state,
		     uint64_t pace)
{
	private_state->pace = pace;
	private_state->pace_ticks = kernel_ticks();
	for (int kind = 0; kind < TARE_EVENT_KINDS; kind++)
		self->cost_ticks[kind] = pace_cost(state_session.cost_ticks[kind],
						   state_session.calibration.pace, pace);
}

void pace_begin(struct tare_thread_file *self, struct state_private *private_state)
{
	pace_set(self, private_state, pace_measure());
}

void pace_follow(struct tare_thread_file *self, struct state_private *private_state, uint64_t ticks)
{
	if (ticks - private_state->pace_ticks >= FOLLOW_TICKS)
		pace_set(self, private_state, (private_state->pace + pace_measure()) / 2);
}
