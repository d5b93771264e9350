/*
 * extent: the stack that a thread is on, as far as it was seen, and the calls there that have been
 * continued. What stacks.h says of it; here is what begins and ends of calls need (calls.h).
 */
#ifndef TARE_RUNTIME_TREE_EXTENT_H
#define TARE_RUNTIME_TREE_EXTENT_H

#include "runtime/tree/context.h"

static inline struct stacks_local *extent_stacks(const struct tare_thread_file *self)
{
	return &context_local(self)->stacks;
}

static inline bool extent_has(const struct stack_extent *extent, uint64_t place)
{
	return place >= extent->low && place <= extent->base;
}

/* The present extent has changed: shows it to the handlers. */
void extent_show(struct tare_thread_file *self);

/* The present stack reaches as far as `place`. */
void extent_take_in(struct tare_thread_file *self, uint64_t place);

/* Is `sp` within the extent of the present stack? */
bool extent_is_here(const struct tare_thread_file *self, uint64_t sp);

/* Is `node` the one that a nested stack has interrupted? Its calls there end the general path. */
bool extent_is_floor(const struct tare_thread_file *self, const struct tare_node *node);

/* Goes back to the stack that the nested one has interrupted. */
void extent_nested_end(struct tare_thread_file *self);

/* A call has ended, and the top is its caller: leaves a nested stack with its outermost call. */
void extent_call_ended(struct tare_thread_file *self);

/*
 * Between the two a call begins on the present stack. What it finds there that control has left is
 * ended first, and if that is the outermost call of a nested stack, the stack is not left with it.
 */
void extent_hold(struct tare_thread_file *self);
void extent_release(struct tare_thread_file *self);

/* The call of `node` ends: what it had before its stack was continued; NULL if it was not. */
const struct stack_frame *extent_carried(struct tare_thread_file *self,
					 const struct tare_node *node);

/* The call of `node` is that of `other` now. */
void extent_renamed(struct tare_thread_file *self, const struct tare_node *node,
		    const struct tare_node *other);

#endif
