/*
 * calls: calls in progress, begun and ended on the thread's tree; for accumulate.c and stacks.c.
 */
#ifndef TARE_RUNTIME_TREE_CALLS_H
#define TARE_RUNTIME_TREE_CALLS_H

#include "runtime/tree/context.h"
#include "runtime/tree/stack_table.h"

/* A node's sp without marks. */
static inline uint64_t calls_place_of(const struct tare_node *node)
{
	return (node->sp + TARE_CALL_MARKS) & ~TARE_CALL_MARKS;
}

/* The same of a frame; those of a stack that is not aligned do not fall together. */
static inline uint64_t calls_place_at(uint64_t sp)
{
	return (sp & ~TARE_CALL_MARKS) - TARE_CALL_BELOW;
}

static inline uint64_t calls_marks_of(const struct tare_node *node)
{
	return calls_place_of(node) - node->sp;
}

/* How a call ends. */
enum call_ending {
	CALL_RETURNS,
	CALL_UNWOUND,
	CALL_CUT, /* while collection was off, or unseen: nobody knows when */
};

/* Begins a call at frame sp `sp`, with marks; NULL when there is no node for it. */
struct tare_node *calls_begin(struct tare_thread_file *self, const struct accumulate_callee *callee,
			      uint64_t sp, uint64_t marks);

/* Ends the top call, which is not the root, at the present clock. */
void calls_end(struct tare_thread_file *self, enum call_ending how);

/* Charges the interval that ends at `ticks` to the top call, without an event. */
void calls_charge(struct tare_thread_file *self, const struct accumulate_event *event);

/*
 * Counts the event's system call as one of the top call's, without time: of several in an interval
 * the last one has it, unless the interval's time is of another cause.
 */
void calls_note_syscall(struct tare_thread_file *self, const struct accumulate_event *event);

/*
 * Ends the top call, which is not the root and is either another's or will never report its end,
 * with the last event. It keeps its time and is counted nowhere.
 */
void calls_abandon(struct tare_thread_file *self);

/* Makes the end of the call in progress `node` take the general path. */
void calls_watch(const struct tare_thread_file *self, struct tare_node *node);

/*
 * Is the top call as deep as calls are kept apart (--max-depth)? Those that it makes have no node;
 * their time is its own.
 */
bool calls_is_deepest(const struct tare_thread_file *self);

/* Takes the top call, which is not the root, off its node; its times are added to the frame's. */
void calls_take_off(struct tare_thread_file *self, struct stack_frame *frame);

/* Puts a call on a node under the top; false when there is none. */
bool calls_put_on(struct tare_thread_file *self, struct stack_frame *frame);

#endif
