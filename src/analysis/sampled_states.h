/*
 * sampled_states: what a thread did over time, from the samples of its waits: those of the events
 * off-cpu and preempted, each of which is a wait and weighs its time. Between them it ran. Private
 * to analysis; see thread_states.h.
 */
#ifndef TARE_ANALYSIS_SAMPLED_STATES_H
#define TARE_ANALYSIS_SAMPLED_STATES_H

#include "analysis/thread_states.h"

/* Whether the profile has both, with their times. */
bool sampled_states_any(const struct analysis *analysis);

/*
 * As thread_states_each. Where the recording is of processes that it found running, nothing is
 * known of a thread before its first sample: that is a span without states. Two chunks of samples
 * are in memory at a time.
 */
bool sampled_states_each(const struct analysis *analysis, uint32_t thread,
			 void (*each)(const struct thread_state_span *span, void *context),
			 void *context, bool *known, struct error *err);

#endif
