/*
 * Differences of the thread's own clocks.
 *
 * Refuses nothing. What the runtime charges in advance (adapt.c) may not have come yet: a
 * difference is never less than nothing.
 */
#include "runtime/control/costs.h"

#include "runtime/tree/context.h"

uint64_t costs_pair_ticks(void)
{
	return state_session.cost_ticks[TARE_EVENT_ENTER] +
	       state_session.cost_ticks[TARE_EVENT_LEAVE];
}

uint64_t costs_between(uint64_t then, uint64_t now)
{
	return (int64_t)(now - then) > 0 ? now - then : 0;
}

/* Time while collection was off is no work, and is not taken by the runtime either. */
struct costs_mark costs_now(const struct tare_thread_file *self)
{
	return (struct costs_mark){
		.worked_ticks =
			costs_between(self->blocked_ticks + self->preempted_ticks, self->now_ticks),
		.taken_ticks = self->lost_ticks - self->begin_ticks - self->idle_ticks -
			       self->switches_ticks,
		.own_ticks = self->own_ticks,
	};
}

struct sums_work costs_since(const struct tare_thread_file *self, const struct costs_mark *then)
{
	const struct costs_mark now = costs_now(self);

	return (struct sums_work){
		.pair_ticks = costs_pair_ticks(),
		.ratio_percent = state_session.settings.adaptive_percent,
		.worked_ticks = costs_between(then->worked_ticks, now.worked_ticks),
		.worked_ticks_all = now.worked_ticks,
		.taken_ticks = costs_between(then->taken_ticks, now.taken_ticks),
		.own_ticks = costs_between(then->own_ticks, now.own_ticks),
	};
}

/* What the calls that have ended have waited: elapsed_ticks is theirs. */
static uint64_t ended_waits(const struct tare_node *node, const struct context_waits *waits)
{
	const uint64_t all = waits->blocked_ticks + waits->preempted_ticks;

	return all > node->os_exclusive ? all - node->os_exclusive : 0;
}

struct adapt_sum costs_of_node(const struct tare_thread_file *self, const struct tare_node *node)
{
	const struct context_waits waits = context_waits(self, node);

	return (struct adapt_sum){
		.key = node->key,
		.calls = context_calls(node),
		.ticks = node->elapsed_ticks - (int64_t)ended_waits(node, &waits),
		.blocked_ticks = waits.blocked_ticks,
	};
}
