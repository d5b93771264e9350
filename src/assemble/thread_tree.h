/*
 * One thread's calling-context tree made ready for the profile: open calls added to their nodes,
 * OS time split by cause, probe overhead computed, empty nodes dropped, sums checked.
 */
#ifndef TARE_ASSEMBLE_THREAD_TREE_H
#define TARE_ASSEMBLE_THREAD_TREE_H

#include "session/thread_files.h"

/* What a node amounts to, open calls included. */
struct tree_node {
	uint64_t calls; /* ended and in progress */
	uint64_t ended;
	uint64_t calls_by_call; /* of `calls` */
	uint64_t ended_by_call;
	uint64_t elapsed_ticks;
	uint64_t os_ticks[TARE_OS_CAUSES];
	uint64_t overhead_ticks;
	uint64_t given_back_ticks; /* cost that was subtracted beyond the node's time */
	bool reports_enter;	   /* set by the caller before tree_compute_overhead */
	bool keep;
};

struct tree {
	const struct thread_file *thread;	 /* borrowed */
	struct tree_node *nodes;		 /* thread->node_count */
	uint64_t calls;				 /* ended ones of all nodes */
	uint64_t elapsed_ticks;			 /* sum over all nodes */
	uint64_t os_ticks;			 /* sum over all OS records */
	uint64_t blocked_ticks, preempted_ticks; /* of these */
	uint64_t overhead_ticks;		 /* sum, once computed */
	uint64_t given_back_ticks;		 /* sum: by so much the thread's clock is more */
	uint64_t os_cut_ticks;			 /* OS time that exceeded its node's elapsed time */
};

/*
 * Adds up. A call in progress counts as one call and its time belongs to its node, so that a
 * target that was killed keeps its data; calls that a forked child inherited count in the parent.
 */
void tree_init(struct tree *tree, const struct thread_file *thread);
void tree_fini(struct tree *tree);

/*
 * The probe cost that was subtracted from each node's time: every event costs its kind's cost in
 * the interval that it starts. ENTER and CALL start one of their node, LEAVE and RETURN one of the
 * parent. What could not be subtracted is taken off; never below 0.
 */
void tree_compute_overhead(struct tree *tree, const uint64_t cost_ticks[TARE_EVENT_KINDS]);

/* The thread's time: its clock, and what was given back. */
uint64_t tree_clock(const struct tree *tree);

/*
 * Of a thread that went on while it was read: what was read first may not fit what was read last.
 * The thread's totals become the sums of what was read; they are off by no more than happened
 * meanwhile.
 */
void tree_settle(struct tree *tree, struct thread_file *thread);

/* False, with a sentence, where the sums disagree with what the runtime counted. */
bool tree_check_sums(const struct tree *tree, struct error *err);

#endif
