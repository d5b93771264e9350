/* A host of the tree (runtime/tree/host.h) that has nothing more to give and knows nothing of
 * stacks. */
#ifndef TARE_TESTS_SUPPORT_PLAIN_HOST_H
#define TARE_TESTS_SUPPORT_PLAIN_HOST_H

#include "runtime/tree/host.h"

static inline bool host_grow(struct tare_thread_file *self, enum accumulate_area area)
{
	(void)self, (void)area;
	return false;
}

static inline bool host_loses_ends(uint64_t key)
{
	(void)key;
	return false;
}

static inline enum stacks_sign host_stack_sign(const struct tare_thread_file *self,
					       const struct accumulate_event *event,
					       struct stacks_signs *signs)
{
	(void)self, (void)event, (void)signs;
	return STACKS_UNKNOWN;
}

static inline bool host_called_by(const struct accumulate_event *event, uint64_t stub)
{
	(void)event, (void)stub;
	return false;
}

static inline bool host_is_own_stack(const struct tare_thread_file *self, uint64_t sp)
{
	(void)self, (void)sp;
	return false;
}

static inline bool host_trace_grow(struct tare_thread_file *self)
{
	(void)self;
	return false;
}

static inline uint64_t host_trace_next(struct tare_thread_file *self)
{
	(void)self;
	return 0;
}

/* A test copies it and puts its own answers in. */
static const struct accumulate_host plain_host = {.grow = host_grow,
						  .loses_ends = host_loses_ends,
						  .stack_sign = host_stack_sign,
						  .called_by = host_called_by,
						  .is_own_stack = host_is_own_stack,
						  .trace_grow = host_trace_grow,
						  .trace_next = host_trace_next};

#endif
