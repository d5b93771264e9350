/*
 * sample_stacks: the samples of the event shown by their stacks of addresses, and which functions
 * and lines stand at each address.
 */
#ifndef TARE_ANALYSIS_SAMPLE_STACKS_H
#define TARE_ANALYSIS_SAMPLE_STACKS_H

#include "analysis/analysis.h"

/*
 * Samples of one thread with one stack (its id; 0: nothing of it could be read). `truncated`: of
 * them, where that is known, the stack goes on beyond its outermost frame.
 */
struct sample_value {
	uint32_t thread, stack;
	uint64_t samples, weight, truncated, squares; /* see struct profile_stack_value */
};

struct sample_values vec_of(struct sample_value);

/*
 * Appends all samples of the event with that id, in no order, and adds to *truncated how many of
 * them have stacks that do not reach their root. Free `values` in any case.
 */
bool sample_values_load(const struct analysis *analysis, struct profile *profile, int64_t event,
			struct sample_values *values, uint64_t *truncated, struct error *err);
/*
 * The same, with those apart that were taken while no clock of their thread was read: before it
 * passed a probe, or as it passed none. Files before version 10 know of the latter alone.
 */
bool sample_values_load_apart(const struct analysis *analysis, struct profile *profile,
			      int64_t event, struct sample_values *clocked,
			      struct sample_values *unclocked, struct error *err);
/* The id of the event of that name; 0: there is none. */
int64_t analysis_event_id(const struct profile *profile, const char *name);
/* Whether a stack of off-cpu waits for work, time, or the end of threads and processes. */
bool analysis_stack_is_idle(const struct analysis *analysis, int64_t stack);
/* Session ticks of what samples weigh, where that is a time. */
uint64_t analysis_ticks_of_ns(const struct analysis *analysis, uint64_t ns);
/* By thread, then by stack. */
int sample_values_compare(const void *a, const void *b);
void sample_values_sort(struct sample_values *values);
/*
 * What stands at each location, by its id less one: elements first[i] to first[i + 1] of `at`, any
 * numbers below `count`. The last of them is the one that executes where the location does.
 */
struct location_places {
	uint32_t *first;
	struct vec_of(uint32_t) at;
	uint32_t count;
};

/* Of the selected threads and the time asked for, by thread, then by stack. */
struct analysis_sample_stacks {
	struct sample_values values;
	/* Elements are functions, outermost first: that whose code it is, then what was inlined
	   there if that was asked for. Lines without a function's name are not among them. */
	struct location_places functions;
	/* The lines of each location, as analysis_lines_of_locations has them. */
	uint32_t *first_line;
};

#endif
