/*
 * estimate: CPU time of functions whose calls are counted, not timed, from the samples of the same
 * recording (docs/explanation/data-values.md, 8). Private to analysis.
 *
 *   estimate.c        what is known of functions; thread by thread; the new tree for the old one
 *   estimate_unseen.c calls by code without probes
 *   estimate_paths.c  stacks of samples ─▶ paths of functions, as instrumentation has them
 *   estimate_check.c  the thread's clock beside what its samples stand for
 *   estimate_share.c  which functions the clock decides; the thread's CPU time among the paths
 *   estimate_tree.c   the new tree's nodes
 *   estimate_calls.c  what was counted ─▶ onto these paths
 *   estimate_place.c  what was timed ─▶ onto these paths
 *
 * Instrumentation sees calls of timed functions only: what a counted function calls stands below
 * its nearest timed caller. The stacks have them all. So the tree is made anew from the stacks, and
 * the timed nodes, with their calls, waits and OS time, find their places in it.
 */
#ifndef TARE_ANALYSIS_ESTIMATE_H
#define TARE_ANALYSIS_ESTIMATE_H

#include "analysis/aliases.h"
#include "analysis/private.h"
#include "analysis/sample_stacks.h"
#include "analysis/share.h"

#define ESTIMATE_CANDIDATES 64 /* of a path, at most */

/* What a process's samples and counters say of a function. */
enum estimate_traits {
	ESTIMATE_COUNTED = 1, /* there were calls that the clock did not see */
	ESTIMATE_TIMED = 2,   /* there were calls that it saw */
	ESTIMATE_KNOWN = 4,   /* it has a copy: its entry is seen */
};

/* Samples of stacks that end at a node. */
struct estimate_samples {
	uint64_t samples, squares;
	wide weight;
	wide kernel[TARE_OS_CAUSES]; /* of it, by why the kernel ran */
};

/* What stands beside each node of the new tree. */
struct estimate_path {
	uint32_t territory; /* the innermost function there that is only timed; NONE: the root */
	/* Nodes of the old tree that may be the innermost timed call here, by the likelier first:
	   elements of estimate.candidates. */
	uint32_t first_candidate, candidate_count;
	/* Taken while the thread's clock was read, and before or behind. */
	struct estimate_samples clocked, unclocked;
	wide inclusive; /* weight of both, and of all below */
};

/* Where a stack leads: what its next frame inwards continues. */
struct estimate_position {
	uint32_t thread; /* that came by last, and which of its samples: see position_of */
	uint32_t node;
	bool in_runtime, in_kernel;
	enum tare_os_cause cause; /* in the kernel: why */
};

/* The paths that a timed node may be, as lists. */
struct estimate_match {
	uint32_t path, next; /* next: ANALYSIS_NONE at the end */
};

/* Calls of a function that counters have seen in a thread. */
struct estimate_counted {
	uint32_t thread, function;
	uint64_t calls, cost_ticks;
};

/* One thread's function: by its clock, and by the samples. */
struct estimate_tally {
	uint64_t cpu_ticks, error_ticks;
	uint64_t kernel_ticks; /* of cpu_ticks at most, which may not have been sampled */
	wide own, territory;   /* weight of samples in it; of those in it and in counted callees */
	struct share cost;     /* what counters and dormant probes took of it, among its paths */
	bool by_clock;
};

struct estimate {
	struct analysis *analysis;
	int64_t event;		/* whose samples they are */
	double ticks_of_weight; /* their weight, times this, is CPU time */
	double interrupt_ticks; /* that each took of it, at least */
	bool has_kernel;	/* what functions had the kernel do was sampled as theirs, too */
	struct sample_values clocked, unclocked; /* by thread, then by stack */
	const struct profile_stack *stacks;
	const struct profile_location *locations;
	struct estimate_position *positions; /* by stack */
	const struct analysis_aliases *aliases;
	struct vec_of(struct estimate_counted) counted; /* by thread */
	struct map traits;  /* (process, function) → enum estimate_traits */
	struct map untimed; /* (process, function) → counted calls that no thread has timed yet */
	struct map met;	    /* functions that have untimed calls: see estimate_calls.c */
	struct map children;				 /* (old parent, function) → old node */
	__typeof__(((struct analysis *)0)->nodes) nodes; /* the new ones */
	struct vec_of(struct estimate_path) paths;	 /* beside them */
	struct vec_of(uint32_t) candidates;		 /* of the paths, which may share them */
	struct map known;				 /* (parent, function) → new node */
	uint32_t *order, *order_begin; /* old nodes by thread, and where each thread's begin */
	uint32_t *to;		       /* from old to new */
	uint32_t *first_match;	       /* by old node */
	struct vec_of(struct estimate_match) matches;
};

/* Of the samples by thread, those of one. */
struct estimate_range {
	const struct sample_value *begin, *end;
};

/* The thread at hand: its new nodes are [first, nodes.len). */
struct estimate_thread {
	uint32_t index, process;
	struct estimate_range clocked, unclocked;
	uint32_t first;
	wide truncated;	    /* weight of samples whose callers are not all known */
	struct map tallies; /* function → index of `list` */
	struct vec_of(struct estimate_tally) list;
};

/* Of the map of traits. */
uint64_t estimate_key(uint32_t process, uint32_t function);
uint32_t estimate_traits_of(const struct estimate *estimate, uint32_t process, uint32_t function);
void estimate_trait_add(struct estimate *estimate, uint32_t process, uint32_t function,
			uint32_t traits);
/* The function of a stack's innermost frame, the kernel's included; the stack is not empty. */
uint32_t estimate_function_at(const struct estimate *estimate, uint32_t stack);
/* A node of the new tree below `parent`, made where there is none. */
uint32_t estimate_child(struct estimate *estimate, uint32_t parent, uint32_t function, bool folded);
struct estimate_tally *estimate_tally(struct estimate_thread *thread, uint32_t function);

/* The rows of the thread in estimate.counted, from the return to *end. */
size_t estimate_counted_rows(const struct estimate *estimate, uint32_t thread, size_t *end);

/*
 * Functions without a counter of their own that samples have found called by code without probes
 * are counted ones: the clock has not seen all of their calls.
 */
void estimate_find_unseen(struct estimate *estimate);
/* And their calls are at least so many. */
void estimate_mark_unseen(struct estimate *estimate);

/* The event of the samples where these stand for nanoseconds, else NULL. */
const struct profile_event *estimate_event_of_time(const struct estimate *estimate);
/* Makes the thread's root and the paths of its stacks. */
void estimate_build_paths(struct estimate *estimate, struct estimate_thread *thread);
/* Adds to the totals' check; behind the paths, before anything is taken off. */
void estimate_check(const struct estimate *estimate, const struct estimate_thread *thread);
/*
 * Fills the tallies and the CPU time of paths that samples decide. False where there is nothing to
 * go by: the paths have no time then, and all is by clock.
 */
bool estimate_share(struct estimate *estimate, struct estimate_thread *thread);
/*
 * Adds the CPU time that no clock of the thread's has seen, before its first probe, behind its last
 * or as it passed none: that of the samples then.
 */
void estimate_unclocked(struct estimate *estimate, struct estimate_thread *thread);
/* Adds the thread's old nodes; with all of their CPU time unless samples have decided. */
void estimate_place(struct estimate *estimate, struct estimate_thread *thread, bool decided);

/* Adds what counters have seen more of calls than the nodes of the new tree have. */
void estimate_count_calls(struct estimate *estimate, const struct estimate_thread *thread);
/* Once all threads have theirs: calls of functions that only some threads have met are about right.
 */
void estimate_mark_unmet(struct estimate *estimate);

#endif
