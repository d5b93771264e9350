/*
 * signal_cost: what the kernel takes for one sample by a timer of the program's (abi/timer.h), from
 * the thread that it meets: less the handler, which knows its own time.
 */
#ifndef TARE_SAMPLER_SIGNAL_COST_H
#define TARE_SAMPLER_SIGNAL_COST_H

#include <stdint.h>

/* Nanoseconds of the thread's CPU clock; 0 where it could not be measured. */
struct signal_cost {
	uint64_t timer_ns;  /* a timer's interrupt of its own, and the signal to which it leads */
	uint64_t signal_ns; /* the signal alone: the kernel's tick interrupts anyway */
};

/*
 * Measures both in some 10 ms of the calling thread (clock_gaps.h), with a real-time signal that
 * has no handler before and is left as it was.
 */
struct signal_cost signal_cost_measure(void);

#endif
