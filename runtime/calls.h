/* calls: what accumulate.c does with calls in progress, for stacks.c. */
#ifndef TARE_RUNTIME_CALLS_H
#define TARE_RUNTIME_CALLS_H

#include "runtime/context.h"
#include "runtime/stack_table.h"

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

/* Ends the top call, which is not the root. */
void calls_end(struct tare_thread_file *self, bool unwound);

/* Takes the top call, which is not the root, off its node; its times are added to the frame's. */
void calls_take_off(struct tare_thread_file *self, struct stack_frame *frame);

/* Puts a call on a node under the top; false when there is none. */
bool calls_put_on(struct tare_thread_file *self, struct stack_frame *frame);

#endif
