/*
 * Two measurements of the same: a thread's CPU clock, as its nodes and what was taken off them have
 * it, and what the samples stand for that were taken while it was read, those in tare's own code
 * included. Neither is made from the other, so where they differ, one of them is wrong. Threads of
 * few samples are left out: whether such a thread has one at all is chance.
 */
#include "analysis/estimate.h"

#include <math.h>

#define DIFFERENT_SHARE 0.1
#define DIFFERENT_S	0.1
#define DEVIATIONS	4
#define PERIODS_FEW	20
#define NS_PER_SECOND	1e9

/* Of a sample; 0: of no time. */
static double period_ticks(const struct estimate *estimate)
{
	const struct profile_event *event = estimate_event_of_time(estimate);

	if (!event)
		return 0;
	return (event->frequency ? NS_PER_SECOND / (double)event->frequency
				 : (double)event->period) *
	       estimate->ticks_of_weight;
}

static double clock_of(const struct estimate *estimate, const struct estimate_thread *thread)
{
	const struct analysis_thread *row = &estimate->analysis->threads.data[thread->index];
	const uint32_t *begin = &estimate->order_begin[thread->index];
	double ticks = (double)row->row->overhead_ticks + (double)row->row->own_ticks +
		       (double)row->residual_ticks;

	for (uint32_t i = begin[0]; i < begin[1]; i++)
		ticks += (double)estimate->analysis->nodes.data[estimate->order[i]]
				 .values.amount[CPU_EXCLUSIVE];
	return ticks;
}

void estimate_check(const struct estimate *estimate, const struct estimate_thread *thread)
{
	const struct analysis_thread *row = &estimate->analysis->threads.data[thread->index];
	struct analysis_check *check = &estimate->analysis->totals.check;
	double weight = (double)row->row->weight_in_runtime;
	double samples = (double)row->row->samples_in_runtime, squares = samples;
	const double clock = clock_of(estimate, thread), period = period_ticks(estimate);

	if (!row->selected || estimate->event != 1 || period <= 0)
		return;
	for (size_t i = thread->first; i < estimate->nodes.len; i++) {
		const struct estimate_samples *path = &estimate->paths.data[i].clocked;
		weight += (double)path->weight;
		samples += (double)path->samples;
		squares += (double)path->squares;
	}
	const double ticks = weight * estimate->ticks_of_weight;

	if (fmax(clock, ticks) < PERIODS_FEW * period)
		return;
	check->clock_ticks += clock;
	check->switches_ticks += (double)row->row->switches_ticks;
	check->sample_ticks += ticks;
	check->variance += squares * period * period;
}

bool analysis_check_fails(const struct analysis *analysis)
{
	const struct analysis_check *check = &analysis->totals.check;
	const struct analysis_sample_totals *samples = &analysis->totals.samples;
	const bool any_lost = samples->lost || samples->throttled || samples->unreadable;
	/* Timers of the process pass in what switches took longer; the kernel's do not. */
	const double clock = fmin(fmax(check->sample_ticks, check->clock_ticks),
				  check->clock_ticks + check->switches_ticks);
	const double larger = fmax(clock, check->sample_ticks);
	const double difference = fabs(clock - check->sample_ticks);

	if (any_lost && check->sample_ticks < clock)
		return false;
	return difference > DIFFERENT_SHARE * larger &&
	       difference > DIFFERENT_S * analysis->ticks_per_second &&
	       difference > DEVIATIONS * sqrt(check->variance);
}
