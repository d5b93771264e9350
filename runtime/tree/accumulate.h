/*
 * accumulate: from events to the call tree of one thread (docs/explanation/data-values.md, 1 and
 * 2).
 *
 * Pure arithmetic on struct tare_thread_file: no system calls, no clock, no libc, so that it runs
 * in the target's probes and, fed with explicit events, in the tests.
 *
 * The state is the tree of nodes, one per (caller's node, function) and, where that is asked for,
 * call site, in which the calls in progress
 * are the nodes from `top` to the root. The thread's clock runs with the TSC, less the cost of the
 * probes: now = ticks - lost. A call's times are differences of it (abi/session_files.h), so no
 * interval is added up on its own, and one that was shorter than the cost assumed for its probe is
 * made good by the others of its function: times are signed. So at any time: the sum of
 * elapsed_ticks over all nodes is the sum of `child` over the calls in progress, and with their
 * exclusive time so far it is now_ticks.
 *
 * The handlers of probes_fast.S do the same for the usual course of events, on the same state.
 *
 * Invariant that they live on: os_inclusive and os_exclusive are zero in a node that is not in
 * progress; one in progress for which they are not is marked TARE_CALL_SPECIAL.
 */
#ifndef TARE_RUNTIME_TREE_ACCUMULATE_H
#define TARE_RUNTIME_TREE_ACCUMULATE_H

#include "abi/session_files.h"
#include "runtime/base/index.h"
#include "runtime/tree/stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In tare_node.stub: some stub reported it, whose module may be gone. */
#define NODE_STUB_FORGOTTEN 1ULL

/* Areas of a thread file that grow. */
enum accumulate_area { ACCUMULATE_NODES, ACCUMULATE_OS, ACCUMULATE_WAITS, ACCUMULATE_AREAS };

/* What belongs to a thread's file but to no reader. */
struct accumulate_local {
	struct accumulate_index nodes; /* by (parent, key, call site) */
	struct accumulate_index os;    /* by what they are of */
	struct accumulate_index names; /* the host's: of objects, by their bytes */
	struct accumulate_index path;  /* recursion.c: the functions in the chain from path_end */
	uint64_t path_end;	       /* run address of a node; 0: the root's */
	bool path_given_up;	       /* there was no memory for it */
	uint64_t chain_steps;	       /* nodes looked at on behalf of recursion, for diagnosis */
	uint64_t deeper;	       /* calls in progress for which there was no node */
	uint32_t hand;		       /* number of the node at which folding looked last */
	uint32_t bereft;	       /* number of a node that has lost its last callee to it */
	uint64_t barren;	       /* nodes the hand has passed since it met one to fold */
	uint32_t folded_count;	       /* folded nodes */
	uint32_t os_free;	       /* 1 + number of a record not in use, 0: there is none */
	uint32_t os_free_count;
	bool full[ACCUMULATE_AREAS]; /* the host's: areas that cannot grow */
	uint32_t max_depth;	     /* calls that are kept apart, 0: all; set after the init */
	bool call_sites;	     /* calls are told apart by event.call_site; the same */
	uint64_t beyond_sp;	     /* frame sp of the last CALL that was too deep */
	/* Calls with frames there or above may have begun unseen, as their function was only
	   counted then; 0: none. Set by the host. */
	uint64_t unseen_above;
	bool some_are_counted; /* the host's: some functions tell no begin and end of calls */
	uint64_t floor_ticks;  /* the clock when the OS was seen at work last; it stays above */
	uint64_t trace_ticks;  /* TSC of the event at work, for the event log */
	/* The host's: where the log is mapped, and whether the mapping moves on with it. */
	uint64_t trace_window, trace_window_bytes;
	bool trace_moves;
	bool trace_silent; /* what changes is not for the log */
	struct stacks_local stacks;
};

struct accumulate_event {
	enum tare_event_kind kind;
	uint64_t ticks;
	uint64_t cost_ticks;  /* of this probe, in the interval that it begins */
	uint64_t sp;	      /* frame sp */
	uint64_t key;	      /* ENTER, CALL: function or call target */
	uint64_t stub;	      /* ENTER, direct CALL: see tare_node.stub */
	uint64_t site;	      /* CALL of a known target: run address of the arming byte, or 0 */
	uint64_t arm;	      /* CALL: the same, whatever is called */
	uint64_t return_addr; /* ENTER: where the function will return to, or 0 */
	uint64_t call_site;   /* ENTER, CALL: see tare_node.call_site; always given */
	bool landing;	      /* RETURN: an exception has come out of the call */
	bool os;	      /* an OS event lies in the interval that ends here */
	enum tare_os_cause os_cause; /* of what the thread was on the CPU for of it */
	/* What it waited in the interval; not more than that is counted. */
	uint64_t blocked_ticks, preempted_ticks;
	uint16_t syscall_number;
	uint64_t syscall_object;
	uint32_t syscall_name;
	struct tare_holder syscall_holder; /* see tare_os_record.holder */
};

/* Lays out a file of TARE_THREAD_FIRST_BYTES, zero and mapped at `self`. */
void accumulate_place(struct tare_thread_file *self, uint64_t node_max);

/*
 * Starts an empty tree at `ticks` in a thread file whose limits, chunks and run_addr are set and
 * whose memory up to them is zero. Sets self->local.
 */
void accumulate_init(struct tare_thread_file *self, struct accumulate_local *local, uint64_t ticks);

/* Lets the clock go on from `ticks`, which becomes the thread's begin. */
void accumulate_begin(struct tare_thread_file *self, uint64_t ticks);

/*
 * Goes on with the tree of a thread that has ended: ends what it left in progress, as unwound, and
 * lets the clock go on from `ticks`.
 */
void accumulate_continue(struct tare_thread_file *self, uint64_t ticks);

/* Makes room for `count` more nodes and OS records as long as that is possible. */
void accumulate_reserve(struct tare_thread_file *self, uint64_t count);

/* Frees what accumulate_local holds; it is zero then. */
void accumulate_fini(struct accumulate_local *local);

/* The same, but that small tables stay for the next thread: memory that comes and goes makes all
   processors of the process stop for it. */
void accumulate_reset(struct accumulate_local *local);

/* Applies one event of any kind. */
void accumulate_event(struct tare_thread_file *self, const struct accumulate_event *event);

/* Does the event end the call at the top, and no other? */
bool accumulate_ends_top(const struct tare_thread_file *self, const struct accumulate_event *event);

/*
 * After a probe was left halfway for good (siglongjmp from a signal handler): restores that the
 * times of the nodes are those of the calls in progress; what the two differ by is the top's.
 */
void accumulate_repair(struct tare_thread_file *self);

/*
 * Collection was off, and `event` is the first one after it. Calls in progress that have ended
 * meanwhile are cut: their time so far stays. Whether one is the same as before says `stands`, from
 * the address of its return address and the value that was there when collection was switched
 * off, which has been put into node->stub for the time. Calls inside of one that does not stand
 * are cut as well.
 */
typedef bool accumulate_stands(uint64_t slot_addr, uint64_t return_addr);
void accumulate_resume(struct tare_thread_file *self, const struct accumulate_event *event,
		       accumulate_stands *stands);

/*
 * Begins a call that stood open in the parent process at fork; `sp` is its stored sp, with marks.
 * Time is charged to it; its end is no call.
 */
void accumulate_inherit(struct tare_thread_file *self, const struct accumulate_callee *callee,
			uint64_t sp);

/* The child of `parent` for that callee, or NULL. Makes it the parent's last child. */
struct tare_node *accumulate_find(const struct tare_thread_file *self, struct tare_node *parent,
				  uint64_t key, uint64_t call_site);

#endif
