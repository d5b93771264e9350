/*
 * Waits of threads: from the sample at which the kernel took a processor from a thread, and the
 * record of that switch, to the record that it runs again.
 *
 *   sample (stack) ── SWITCH out (blocked, or preempted) ── … ── SWITCH in: one wait
 *
 * What a thread waits for at the end counts until the end.
 */
#ifndef TARE_SAMPLER_SWITCH_WAITS_H
#define TARE_SAMPLER_SWITCH_WAITS_H

#include "sampler/sampler.h"
#include "sampler/sched_text.h"

struct waits;

/* Waits are told to `sink` as samples of the events of these kinds among `events`. */
struct waits *waits_new(const struct event *events, size_t event_count,
			const struct sched_text *scheduler, const struct sampler_sink *sink,
			struct sampler_counts *counts);
void waits_free(struct waits *waits);

/* The sample of a thread that is about to be switched out. */
void waits_sample(struct waits *waits, const struct sampler_sample *sample);
/* SWITCH or SWITCH_CPU_WIDE of a thread of `process`. */
void waits_switch(struct waits *waits, const struct process *process,
		  const struct perf_record *record);
/* Whether the thread is known to wait; whoever wakes it then ends the wait. */
bool waits_goes_on(const struct waits *waits, uint32_t tid);
void waits_waken(struct waits *waits, uint32_t tid, const struct sampler_waker *from);
/* The last thread of a process ends: each thread of its parent that waits for a child does so no
 * longer, and one of those that wait for signals. */
void waits_child_ends(struct waits *waits, uint32_t parent_pid, const struct sampler_waker *child);
/*
 * From now on not each switch has a sample: a wait without one gets the stack of another one of its
 * thread that was about as long, and is counted as borrowed.
 */
void waits_thin(struct waits *waits);
/* The thread executes another program: its stacks are gone. */
void waits_forget(struct waits *waits, uint32_t tid);
/*
 * FORK: a thread begins; its number may be that of an earlier one. Until it runs for the first time
 * it could run, and has no stack; of one that had begun before the recording that is not known.
 * `process`: its own; NULL: nothing is told of it.
 */
void waits_begin(struct waits *waits, const struct process *process,
		 const struct perf_record *record);
/* A thread has ended. */
void waits_end(struct waits *waits, uint32_t tid);
/* All that wait are told, as if they ran again at `time`. */
void waits_finish(struct waits *waits, uint64_t time);

#endif
