/*
 * timer_tick: how much time a tick of the kernel stands for that meets the thread.
 *
 * Ticks come at fixed times, and meet a thread once in so much of its processor time: where it runs
 * at any moment, once in the time from tick to tick. Where it waits or shares the processor, what
 * the scheduler does is done at ticks, too: one that is given the processor at a tick, and waits
 * before it would be met, is met less often. So each tick stands for the time between ticks that
 * meet the thread, by its own clock: not for that just before it, which would be that of what came
 * before, but for the mean: of all while they are few, then the last ones have most in it. What
 * that leaves of the thread's time, or takes too much of it, is spread over those that follow.
 */
#ifndef TARE_RUNTIME_TIMER_TIMER_TICK_H
#define TARE_RUNTIME_TIMER_TIMER_TICK_H

#include <stdbool.h>
#include <stdint.h>

struct timer_tick {
	uint64_t cpu_ns;   /* of the thread, at the last one; 0: not known */
	uint64_t off_mark; /* then (control.h) */
	/* Where it was not sampled between them, and where it was. */
	struct timer_mean {
		int64_t ns;	 /* of its time up to one, the mean */
		int64_t count;	 /* of which; at most TICK_MEMORY */
		int64_t owed_ns; /* what they have not stood for so far; below 0: too much */
	} mean[2];
};

/* What the kernel's own ticks are from each other; before the thread's first one. */
void timer_tick_begin(struct timer_tick *tick, uint64_t tick_ns);

/*
 * A tick meets the calling thread. How many units of time it stands for; rounded by chance, so that
 * they are right in the mean, and at most TARE_TIMER_PERIODS_MAX. Time in which collection was off
 * is left out.
 */
uint32_t timer_tick_meets(struct timer_tick *tick, bool was_sampled_between, uint64_t unit_ns,
			  uint64_t *random);

#endif
