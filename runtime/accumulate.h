/*
 * accumulate: from events to the call tree of one thread (docs: data-values, "Instrumentation").
 *
 * Pure arithmetic on struct tare_thread_file: no system calls, no clock, no libc, so that it runs
 * in the target's probes and, fed with explicit events, in the tests.
 *
 * The state is two structures: the tree of nodes, one per (parent, function), and a stack of open
 * frames. An interval is charged to the top frame's `exclusive`; a frame's inclusive time is the
 * thread's clock now less the clock at its begin; both reach the node when the frame ends. So at
 * any time: sum of exclusive over nodes and open frames == now_ticks.
 *
 * The handlers of probes_fast.S do the same for the usual course of events, on the same state.
 *
 * Invariant that they live on: above the top frame, the fields os_inclusive, os_exclusive,
 * pending and by_call of all frames are zero.
 */
#ifndef TARE_RUNTIME_ACCUMULATE_H
#define TARE_RUNTIME_ACCUMULATE_H

#include "abi/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACCUMULATE_PENDING   1ULL /* bit of tare_frame.sp */
#define ACCUMULATE_ANY_SITE  1ULL /* value of tare_frame.pending without an arming byte */
#define ACCUMULATE_BY_CALL   1ULL /* bits of tare_frame.by_call */
#define ACCUMULATE_INHERITED 2ULL
#define ACCUMULATE_NODE_ROOT 0U
#define ACCUMULATE_NODE_LAST 1U /* the folded node that is always there */

/* Open addressing, linear probing. A slot is tag << 32 | index; 0 is free. */
struct accumulate_index {
	uint64_t *slots;
	uint64_t slot_count; /* a power of two, or 0 */
	uint64_t used;
};

/* Areas of a thread file that grow. */
enum accumulate_area { ACCUMULATE_FRAMES, ACCUMULATE_NODES, ACCUMULATE_OS, ACCUMULATE_AREAS };

/* What belongs to a thread's arena but to no reader. */
struct accumulate_local {
	struct accumulate_index nodes; /* by (parent, key) */
	struct accumulate_index os;    /* by all but count and ticks */
	uint64_t deeper;	       /* calls in progress for which there was no frame */
	bool full[ACCUMULATE_AREAS];   /* the host's: areas that cannot grow */
};

struct accumulate_event {
	enum tare_event_kind kind;
	uint64_t ticks;
	uint64_t cost_ticks; /* of this probe, in the interval that it begins */
	uint64_t sp;	     /* frame sp */
	uint64_t key;	     /* ENTER, CALL: function or call target */
	uint64_t site;	     /* CALL: run address of the arming byte, or ACCUMULATE_ANY_SITE */
	bool os;	     /* an OS event lies in the interval that ends here */
	enum tare_os_cause os_cause;
	uint16_t syscall_number;
	uint64_t syscall_object;
};

/*
 * Supplied by the surroundings: raise frame_limit, node_limit or os_limit; false when there is no
 * more room, for good. And zeroed private memory, NULL when there is none.
 */
bool accumulate_host_grow(struct tare_thread_file *self, enum accumulate_area area);
void *accumulate_host_map(size_t size_bytes);
void accumulate_host_unmap(void *memory, size_t size_bytes);

/*
 * Starts an empty tree at `ticks` in a thread file whose limits and run_addr are set and whose
 * memory up to them is zero. Sets self->local.
 */
void accumulate_init(struct tare_thread_file *self, struct accumulate_local *local, uint64_t ticks);

/* Frees what accumulate_local holds. */
void accumulate_fini(struct accumulate_local *local);

/* Applies one event of any kind. */
void accumulate_event(struct tare_thread_file *self, const struct accumulate_event *event);

/* Charges the interval that ends at `ticks` to the top frame, without an event. */
void accumulate_charge(struct tare_thread_file *self, const struct accumulate_event *event);

/*
 * After a probe was left halfway for good (siglongjmp from a signal handler): restores that the
 * clock is the sum of what has been charged, and what holds for the frames above the top.
 */
void accumulate_repair(struct tare_thread_file *self);

/*
 * Opens a frame of `key` that stood open in the parent process at fork; `sp` is its stored sp, with
 * the pending bit. Time is charged to it; its end is no call.
 */
void accumulate_inherit(struct tare_thread_file *self, uint64_t key, uint64_t sp);

/* The child of `parent` for `key`, or NULL. Makes it the parent's last child. */
struct tare_node *accumulate_find(const struct tare_thread_file *self, struct tare_node *parent,
				  uint64_t key);

static inline struct tare_frame *accumulate_frame(uint64_t run_addr)
{
	return (struct tare_frame *)run_addr;
}

static inline struct tare_node *accumulate_node(uint64_t run_addr)
{
	return (struct tare_node *)run_addr;
}

#endif
