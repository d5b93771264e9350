/*
 * host: what the tree asks of its surroundings: the runtime's other rooms, or a test. So the tree
 * needs nothing above it.
 */
#ifndef TARE_RUNTIME_TREE_HOST_H
#define TARE_RUNTIME_TREE_HOST_H

#include "runtime/tree/accumulate.h"

struct accumulate_host {
	/*
	 * Raises node_limit or os_limit and adds a chunk where that needs one; false when there is
	 * no more room, for good.
	 */
	bool (*grow)(struct tare_thread_file *self, enum accumulate_area area);
	/* Have the probes of function `key` been switched off, or are they just being so? */
	bool (*loses_ends)(uint64_t key);
	/* What the stack itself tells of an event. */
	enum stacks_sign (*stack_sign)(const struct tare_thread_file *self,
				       const struct accumulate_event *event,
				       struct stacks_signs *signs);
	/* Was the function that begins called by the code whose ENTER stub is `stub`? */
	bool (*called_by)(const struct accumulate_event *event, uint64_t stub);
	/* Is `sp` on the stack that was made for the calling thread? */
	bool (*is_own_stack)(const struct tare_thread_file *self, uint64_t sp);
	/* More room in the log's chunk: raises trace_end; false when the chunk ends here. */
	bool (*trace_grow)(struct tare_thread_file *self);
	/*
	 * The run address of the log's chunk to be written next, with room for its header and some
	 * records, and sets trace_slots and trace_end. May be that of the current one, or of an
	 * older one, whose records are then lost. 0 where there is none at all.
	 */
	uint64_t (*trace_next)(struct tare_thread_file *self);
};

/* Set once, before the first tree. */
extern const struct accumulate_host *accumulate_host;

#endif
