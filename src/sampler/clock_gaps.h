/*
 * clock_gaps: when a thread that does nothing but read the clock did not get to do so. Private to
 * the sampler.
 *
 *   readings   | | | | | | |            | | | | | | | | |
 *   moment                      ▲
 *                           └── gap ──┘
 *
 * Gaps without one of the moments at hand are other interrupts, which meet plain runs, too. In the
 * long ones another thread had the processor.
 */
#ifndef TARE_SAMPLER_CLOCK_GAPS_H
#define TARE_SAMPLER_CLOCK_GAPS_H

#include "base/base.h"

#define CLOCK_GAPS_MAX 4096

/* Between two readings of the clock, nanoseconds. */
struct clock_gap {
	uint64_t begin_ns, end_ns;
};

struct clock_gaps {
	struct clock_gap gaps[CLOCK_GAPS_MAX]; /* in order of time */
	size_t count;
	uint64_t outside_ns, short_ns; /* between gaps, and in those that are not long */
	uint64_t cpu_ns;	       /* that the thread's CPU clock has advanced by */
};

/* CLOCK_MONOTONIC, as the gaps have it. */
uint64_t clock_gaps_now_ns(void);

/* Reads the clock for so long. *gaps is empty before. */
void clock_gaps_find(struct clock_gaps *gaps, uint64_t span_ns);

/*
 * How long the gaps are that moments fall into, all in order of time: the lower quartile, as a
 * disturbance only makes a gap longer; 0 where they are too few. As far as the kernel charges the
 * thread's CPU clock for gaps: some kernels stop it in interrupts.
 */
uint64_t clock_gaps_cost(const struct clock_gaps *gaps, const uint64_t *moments_ns, size_t count);

/* The lower quartile of lengths, which it sorts; 0 where they are too few. */
uint64_t clock_gaps_quartile(uint64_t *lengths_ns, size_t count);

#endif
