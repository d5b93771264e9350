/* What the files of analysis share among themselves. */
#ifndef TARE_ANALYSIS_PRIVATE_H
#define TARE_ANALYSIS_PRIVATE_H

#include "analysis/analysis.h"
#include "analysis/demangle.h"

/* An empty set of values: zeroes, and ranges without a call. */
struct analysis_values analysis_values_zero(void);
/*
 * What is known of the calls in a sum of some of a function's paths, before the values of `path`
 * are added: where a part was shared out by samples the sum is about right, and no bound.
 */
void analysis_calls_join(struct analysis_values *to, const struct analysis_values *path);
/*
 * Adds everything but the inclusive values, which depend on where the node stands. The sum's
 * histogram is of the arena.
 */
void analysis_values_add_exclusive(struct arena *arena, struct analysis_values *to,
				   const struct analysis_values *from);
/* The same without the histogram. */
void analysis_values_add_amounts(struct analysis_values *to, const struct analysis_values *from);
void analysis_values_add_inclusive(struct analysis_values *to, const struct analysis_values *from);
void analysis_values_subtract_inclusive(struct analysis_values *to,
					const struct analysis_values *from);
/* Of the inclusive values, what is exclusive. */
void analysis_values_add_own(struct analysis_values *values);
void analysis_values_subtract_own(struct analysis_values *values);
/* Adds the exclusive times and samples of callees that become part of `to`, but not their calls. */
void analysis_values_absorb(struct analysis_values *to, const struct analysis_values *from);

/* histogram.c: adds to *to, which may be NULL. */
void analysis_histogram_add(struct arena *arena, struct analysis_histogram **to,
			    const struct analysis_histogram *from);
/* The lengths of calls that the node's row has. */
void analysis_node_lengths(struct analysis *analysis, uint32_t node,
			   const struct profile_lengths *lengths);
/* Reads those of the nodes, which have been loaded, where they have rows of their own. */
bool analysis_load_histograms(struct analysis *analysis, struct profile *profile,
			      struct error *err);

/* not_followed.c: after the numbers of the processes are summed. */
void analysis_sum_unfollowed(struct analysis *analysis);
/* identity.c: fills modules and functions. */
void analysis_load_identities(struct analysis *analysis, bool keep_mangled);
/*
 * tree_load.c: what a node's exclusive times are, and its OS time by cause. A killed target can
 * leave more OS time than time: the excess goes, last cause first.
 */
void analysis_values_measure(struct analysis_values *values, const struct profile_node *row,
			     uint64_t *inconsistent);
/* counted.c: reads the rows of counters; after the tree, their calls become those of functions. */
bool analysis_read_counted(struct analysis *analysis, struct profile *profile, struct error *err);
void analysis_add_counted(struct analysis *analysis);
/* A folded node's function among keys of nodes: numbers of functions are below it. */
#define ANALYSIS_FOLDED (1U << 31)
/* tree_load.c: fills nodes and every value. */
bool analysis_load_tree(struct analysis *analysis, struct profile *profile, struct error *err);
/* The node and those below it in depth-first order, which needs no stack: before and after their
 * children.
 */
struct analysis_visitor {
	void (*enter)(uint32_t node, void *context);
	void (*leave)(uint32_t node, void *context);
	void *context;
};
void analysis_walk(const struct analysis *analysis, uint32_t root,
		   const struct analysis_visitor *visitor);
/* Of nodes with exclusive values: subtree totals, levels, and lists of children. */
void analysis_link_nodes(struct analysis *analysis);
/* Adds the values of all nodes to those of functions and modules. */
void analysis_sum_functions(struct analysis *analysis);
/* shown_values.c: which method and event; fails where the profile has not what is asked for. */
bool analysis_choose(struct analysis *analysis, struct profile *profile,
		     const struct analysis_options *options, struct error *err);
/* my_code.c: which modules are the system's. */
bool analysis_choose_mine(struct analysis *analysis, const struct analysis_options *options,
			  struct error *err);
/* reshape.c: my code, of the nodes of calls or samples before they are linked. */
void analysis_hide_system(struct analysis *analysis, bool of_calls);
/* The root and recursion of the tree shown, once all is there. */
bool analysis_reshape(struct analysis *analysis, const struct analysis_options *options,
		      struct error *err);
/* samples.c: samples of the event; of the method shown their call paths, too. */
bool analysis_load_samples(struct analysis *analysis, struct profile *profile,
			   const struct analysis_options *options, struct error *err);
void analysis_free_sample_stacks(struct analysis *analysis);
/* samples_charged.c: of the nodes of samples, once they are linked and the functions' calls are
 * known. */
void analysis_charge_samples(struct analysis *analysis);
/* estimate.c: after the residual, before what has folded is shared out. */
bool analysis_estimate(struct analysis *analysis, struct profile *profile, struct error *err);
/* residual.c: before the nodes are linked; and for each node's values afterwards. */
void analysis_correct_residual(struct analysis *analysis);
void analysis_fit_ranges(struct analysis_values *values);
/*
 * folded_nodes.c: adds to a node what its row says of time that has folded. Once all are there and
 * corrected, shares it out: the inclusive values become what they have of it.
 */
void analysis_folded_load(struct analysis_node *node, const struct profile_node *row);
void analysis_share_folded(struct analysis *analysis);
void analysis_folded_sum(struct analysis_folded_time *to, const struct analysis_folded_time *from);
/* Adds to inclusive values. */
void analysis_values_add_folded(struct analysis_values *to,
				const struct analysis_folded_time *time);
/* The inclusive values of a node of a function that does not stand above it. */
void analysis_values_add_outermost(struct analysis_values *values,
				   const struct analysis_node *node);
/* For each node of a thread with a function of `module`; then what the module lacks. */
void analysis_folded_note(struct analysis_folded_time *module, const struct analysis_node *node,
			  bool outermost);
void analysis_folded_add(struct analysis_values *values, struct analysis_folded_time *module);
/* Sums of estimates: not below the exclusive values, not above those of all. */
void analysis_folded_fit(struct analysis_values *values, const struct analysis_values *all);
/* os.c */
bool analysis_load_os(struct analysis *analysis, struct profile *profile, bool keep_mangled,
		      struct error *err);
/* What a row waits for; `idle`: for something to do. */
enum analysis_waiting analysis_waiting_of(const struct analysis_os *os, bool idle);
/* Whether who waits in the call waits for something to do. */
bool analysis_syscall_is_idle(int syscall_number);
/* thread_states.c */
bool analysis_load_waits(struct analysis *analysis, struct profile *profile, struct error *err);
/* sampled_waits.c: after the samples of the event shown */
bool analysis_load_sampled_waits(struct analysis *analysis, struct profile *profile,
				 struct error *err);
/* sampled_states.c: after the samples of the event shown */
bool analysis_load_switches(struct analysis *analysis, struct profile *profile, struct error *err);
void analysis_free_switches(struct analysis *analysis);
/* Whether each of its samples is a time in which a thread did not run, and weighs that. */
bool analysis_event_is_of_waits(const struct profile_event *event);
/* Where a stack waits, or ends a wait. */
struct wait_place {
	uint32_t function, caller; /* ANALYSIS_NONE: not known */
	int syscall_number;	   /* -1: none, or not known */
	bool idle;
};
struct wait_place analysis_wait_place(const struct analysis *analysis, int64_t stack);
/* Waits there, without how often, how long, and who ended them. */
struct analysis_sampled_wait analysis_waits_at(const struct wait_place *place);
/* wakers.c: after both */
bool analysis_load_wakers(struct analysis *analysis, struct profile *profile, struct error *err);
/* More of the same waits. */
void analysis_waits_add(struct analysis_os *sum, const struct analysis_os *os);
/* Of struct analysis_sampled_wait, by descending ticks. */
int analysis_compare_waits(const void *a, const void *b);
/* direct_wakers.c: of analysis->wakers */
void analysis_find_direct_wakers(struct analysis *analysis);
/* waited.c */
bool analysis_load_waited(struct analysis *analysis, struct profile *profile,
			  const struct analysis_options *options, struct error *err);
/* coverage.c */
bool analysis_load_coverage(struct analysis *analysis, struct profile *profile,
			    const struct analysis_options *options, struct error *err);

/* places.c: lines and instructions; the stacks are there. */
void analysis_load_places(struct analysis *analysis, const struct analysis_options *options);
/* Of calls. */
/* executions.c */
bool analysis_load_executions(struct analysis *analysis, struct profile *profile,
			      struct error *err);
void analysis_free_executions(struct analysis *analysis);
/* Gives lines and instructions theirs, and adds lines, and of `code` instructions, that have
   nothing else. */
void analysis_execute_places(struct analysis *analysis, bool code);

bool analysis_load_call_places(struct analysis *analysis, struct profile *profile,
			       const struct analysis_options *options, struct error *err);

/* node_lines.c */
bool analysis_wants_node_lines(const struct analysis_options *options);
/* Of calls, where they have call sites. */
bool analysis_load_call_lines(struct analysis *analysis, struct profile *profile,
			      struct error *err);
void analysis_node_lines_free(struct analysis_node_lines *lines);

/* Node of the profile → index, ANALYSIS_NONE if unknown or not selected. */
uint32_t analysis_node_find(const struct analysis *analysis, int64_t node_id);
/* Which of the profile's nodes it is, in their order; their number if it is none. */
size_t analysis_node_position(const struct analysis *analysis, int64_t node_id);

#endif
