/*
 * pace: what this thread's probes cost just now.
 *
 * A processor does not keep its pace: its clock rate changes, and what else runs on the same core,
 * by a third within a second. So does what probes cost, in ticks. Each thread measures now and then
 * how long work like that of a probe takes, and changes the calibrated costs by as much as that
 * has.
 */
#ifndef TARE_RUNTIME_CONTROL_PACE_H
#define TARE_RUNTIME_CONTROL_PACE_H

#include "runtime/files/self.h"

/* Ticks of the work of 16 probes: the least of a few times. Some 2 microseconds. */
uint64_t pace_measure(void);

/* The thread begins: measures, and sets its cost_ticks. */
void pace_begin(struct tare_thread_file *self, struct state_private *private_state);

/* At an OS event of the thread at `ticks`: the same if it was long ago. */
void pace_follow(struct tare_thread_file *self, struct state_private *private_state,
		 uint64_t ticks);

/* A probe's cost by calibration, which found `calibrated_pace`, at another pace. */
uint32_t pace_cost(uint64_t cost_ticks, uint64_t calibrated_pace, uint64_t pace);

#endif
