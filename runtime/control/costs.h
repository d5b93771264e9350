/*
 * costs: what a thread has worked, what its probes have taken beside that, and how long calls were.
 */
#ifndef TARE_RUNTIME_CONTROL_COSTS_H
#define TARE_RUNTIME_CONTROL_COSTS_H

#include "runtime/control/sums.h"
#include "runtime/files/self.h"

/* Nothing where a clock is a little below what it was: a wait is known before the interval that it
   is in. */
uint64_t costs_between(uint64_t then, uint64_t now);

/* What calibration found for the two probes of a call. */
uint64_t costs_pair_ticks(void);

/* The thread's costs up to now. */
struct costs_mark costs_now(const struct tare_thread_file *self);

/* Those since `then`, and the work in all. */
struct sums_work costs_since(const struct tare_thread_file *self, const struct costs_mark *then);

/* Of one node: its calls, and the exclusive time of those that have ended, without waits. */
struct adapt_sum costs_of_node(const struct tare_thread_file *self, const struct tare_node *node);

#endif
