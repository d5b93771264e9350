/*
 * interrupt_cost: what the interrupt of one sample takes from the thread that it meets.
 *
 * The kernel charges it to that thread. On a machine of its own it is a few microseconds, in a
 * virtual machine 15 to 60. So it is measured where the recording was made: this thread reads the
 * clock all the time and is sampled meanwhile (clock_gaps.h).
 */
#ifndef TARE_SAMPLER_INTERRUPT_COST_H
#define TARE_SAMPLER_INTERRUPT_COST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Measures it for cpu-clock, in some 10 ms of the calling thread: nanoseconds of its CPU clock. The
 * stack's copy is not part of it, nor what an interrupt does to caches. 0 where it cannot be
 * measured.
 */
uint64_t interrupt_cost_ns(bool kernel);

#endif
