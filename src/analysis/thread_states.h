/*
 * thread_states: what a thread did over time: it ran, could have run, or was blocked.
 *
 * The profile tells in which intervals a thread was switched, and how long it waited in each
 * (profile/ wait_record.h). Where in an interval that was is not known: a blocked thread waits
 * last, as a system call is mostly what an interval ends with; and intervals that were joined are
 * evenly filled.
 *
 * Of threads that were only sampled, the samples of their waits tell (sampled_states.h): when each
 * wait began and how long it was, one by one.
 */
#ifndef TARE_ANALYSIS_THREAD_STATES_H
#define TARE_ANALYSIS_THREAD_STATES_H

#include "analysis/analysis.h"

/* Ticks of a part of the time. What is left of the part the thread did not live, was tare's, or is
   not known. */
struct thread_state_slice {
	uint64_t cpu, preempted, blocked[WAITINGS];
};

/* Equal parts of a time, in ticks of the session's clock. */
struct thread_state_range {
	uint64_t begin, end;
	uint32_t count;
};

/* A stretch of a thread's life, in ticks of the session's clock, and what it did in it. */
struct thread_state_span {
	uint64_t begin, end;
	struct thread_state_slice states;
	uint64_t waits; /* intervals with a switch; 0: it ran all the time */
	bool unknown;	/* what it did; it has no states */
	const struct analysis_os
		*os; /* that it mostly waited in, of one call path; NULL: not known */
};

/*
 * Tells the spans of a thread (index in analysis->threads) in the order of time, without gaps from
 * its begin to its end. CPU time of all together is that of the thread as reports show it, of
 * threads that were only sampled what waits leave of their life; waits are exact. `known`: the
 * profile says when the thread waited, or that it never did; else nothing is told. False with err
 * where the profile is damaged.
 */
bool thread_states_each(const struct analysis *analysis, uint32_t thread,
			void (*each)(const struct thread_state_span *span, void *context),
			void *context, bool *known, struct error *err);

/*
 * Adds a thread's states to `slices`, one of each part of the range. What lies outside of the range
 * is left out. Parts of one thread add up to the spans' sums exactly, where the range holds them
 * all.
 */
bool thread_states_fill(const struct analysis *analysis, uint32_t thread,
			const struct thread_state_range *range, struct thread_state_slice *slices,
			bool *known, struct error *err);

/* When part `part` begins; that of `count` is the range's end. */
uint64_t thread_state_part_begin(const struct thread_state_range *range, uint64_t part);

/* Leaves of the range what lies between these times, as analysis_time_parse has them; NULL: all. */
bool thread_states_range(const struct analysis *analysis, const char *from, const char *to,
			 struct thread_state_range *range, struct error *err);

/* Leaves of a span what lies in the range, whose count is of no matter; false: nothing does. */
bool thread_state_clip(struct thread_state_span *span, const struct thread_state_range *range);

/* Whether the profile says of any thread when it waited. */
bool thread_states_any(const struct analysis *analysis);

#endif
