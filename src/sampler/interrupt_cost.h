/*
 * interrupt_cost: what the interrupt of one sample takes from the thread that it meets.
 *
 * The kernel charges it to that thread. On a machine of its own it is a few microseconds, in a
 * virtual machine 15 to 60. So it is measured where the recording was made: this thread reads the
 * clock all the time and is sampled meanwhile.
 *
 *   readings   | | | | | | |            | | | | | | | | |
 *   sample                      ▲
 *                           └── gap ──┘
 */
#ifndef TARE_SAMPLER_INTERRUPT_COST_H
#define TARE_SAMPLER_INTERRUPT_COST_H

#include "base/base.h"

/* Between two readings of the clock, nanoseconds. */
struct interrupt_gap {
	uint64_t begin_ns, end_ns;
};

/*
 * How long the gaps are that samples fall into, all in order of time: the lower quartile, as a
 * disturbance only makes a gap longer. 0 where they are too few.
 */
uint64_t interrupt_cost_of(const struct interrupt_gap *gaps, size_t gap_count,
			   const uint64_t *samples_ns, size_t sample_count);

/*
 * Measures it for cpu-clock, in some 10 ms of the calling thread: nanoseconds of its CPU clock,
 * which some kernels stop in interrupts. The stack's copy is not part of it, nor what an interrupt
 * does to caches. 0 where it cannot be measured.
 */
uint64_t interrupt_cost_ns(bool kernel);

#endif
