/*
 * waker_stacks: waits by where they were and by where they were ended, stack beside stack.
 */
#ifndef TARE_ANALYSIS_WAKER_STACKS_H
#define TARE_ANALYSIS_WAKER_STACKS_H

#include "analysis/analysis.h"
#include "profile/profile.h"

/* Waits of a thread with one stack that one and the same ended. */
struct waker_stacks {
	uint32_t thread;
	int64_t stack;			 /* 0: nothing of it could be read */
	const struct profile_wake *wake; /* thread 0: an interrupt. NULL: nobody was seen to */
	uint32_t row; /* of analysis.wakers; ANALYSIS_NONE: of none, as the profile is damaged */
	uint64_t waits, ns, longest_ns; /* longest 0: not known */
};

/*
 * Tells all waits of the event off-cpu of the selected threads: first those whose end was seen,
 * in the order of the profile, then the rest of each stack. Rows are valid during the call only.
 * Where `each` returns false that is the last one.
 */
bool analysis_each_waker_stacks(const struct analysis *analysis,
				bool (*each)(const struct waker_stacks *row, void *context),
				void *context, struct error *err);

/* False, with err: the profile does not say who ended waits, and what would. */
bool analysis_no_wakers(const struct analysis *analysis, struct error *err);

#endif
