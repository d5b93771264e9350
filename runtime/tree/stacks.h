/*
 * stacks: which stack a thread is on, and what becomes of the calls in progress when it goes to
 * another: a fiber's, a coroutine's, a context's (docs/explanation/programs.md, "Other stacks").
 *
 * A call in progress is its node, and a node is in progress once at most. So when a thread leaves a
 * stack, the calls on it are taken off their nodes and set aside, with the time they have had;
 * their time stands still. When a thread, this or another, comes back to the stack, they are put
 * on nodes of its own tree, and end there. Their callers are those on the same stack: the calls of
 * a new stack hang from the root.
 *
 * A signal handler's own stack is another matter: what runs there belongs to what was interrupted,
 * so it is nested, as is the stack of a child that shares the memory until it executes (vfork).
 *
 * Nobody says where a stack begins and ends. What is known is its extent so far: from the lowest
 * to the highest frame seen. Events outside of it reach stacks_follow, by comparisons with the
 * root's sp and the thread's stack_low.
 */
#ifndef TARE_RUNTIME_TREE_STACKS_H
#define TARE_RUNTIME_TREE_STACKS_H

#include "runtime/tree/stack_table.h"

#define STACKS_NEAR_BYTES 8192ULL      /* nearer than that to its extent is the same stack */
#define STACKS_OWN_BYTES  (8ULL << 20) /* of a thread's own stack */
#define STACKS_NESTED_MAX 4

struct accumulate_event;

/* A stack that a nested one has interrupted. */
struct stacks_outer {
	struct stack_extent extent;
	uint64_t floor; /* run address of the node that was at the top */
};

/* Of one thread, in struct accumulate_local. */
struct stacks_local {
	struct stack_extent now;
	struct stack_saved *saved; /* its record, if it has been left before */
	uint64_t carried;	   /* of the calls there, outermost first: still in progress */
	bool opened;		   /* the thread has had events */
	bool arrived;		   /* the event at work is the first since a switch */
	uint64_t own_base;	   /* where the thread's own stack was seen first, or 0 */
	struct stacks_outer outer[STACKS_NESTED_MAX];
	uint64_t nested;
	bool held; /* a call begins on the nested stack: those that end before do not leave it */
	struct stack_extent child; /* stack given to a vfork-like child */
};

/* What the stack itself tells of an event (stack_signs.c, and the tests). */
enum stacks_sign {
	STACKS_UNKNOWN,
	STACKS_SIGNAL, /* a signal handler on the stack it interrupted */
	STACKS_NESTED  /* on a signal handler's own stack, or a vfork-like child's */
};

struct stacks_signs {
	struct stack_extent extent; /* STACKS_NESTED */
	uint64_t interrupted;	    /* sp of what the handler interrupted; 0: unknown */
};

/* Before any event. */
void stacks_init(struct tare_thread_file *self);

/* The thread has a call in progress at `place` that no event has told of. */
void stacks_take_in(struct tare_thread_file *self, uint64_t place);

/* Goes to the stack of the event, if it is not the present one. */
void stacks_follow(struct tare_thread_file *self, struct accumulate_event *event);

/*
 * Did a probe that was at work at `gate` end for good, if an event comes at `sp`? Not if that is a
 * signal handler's.
 */
bool stacks_abandoned(const struct tare_thread_file *self, uint64_t gate, uint64_t sp);

/* The thread ends: its present stack is nobody's. */
void stacks_thread_end(struct tare_thread_file *self);

/* The process ends: calls that were set aside end as unwound, in this thread. */
void stacks_process_end(struct tare_thread_file *self);

/* ---- for accumulate.c ---- */

/*
 * Is the LEAVE at `sp` that of the function which switched stacks? What it leaves, below all calls
 * here, was begun on the other stack.
 */
bool stacks_is_arrival(const struct tare_thread_file *self, uint64_t sp);

#endif
