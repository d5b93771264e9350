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
 * The inline functions are the probes' fast path: each either applies the whole event and returns
 * true, or changes nothing and returns false; then accumulate_event applies it, whatever it is.
 *
 * Invariant the fast path lives on: above the top frame, the fields os_inclusive, os_exclusive,
 * pending and by_call of all frames are zero.
 */
#ifndef TARE_RUNTIME_ACCUMULATE_H
#define TARE_RUNTIME_ACCUMULATE_H

#include "abi/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/*
 * In the target, what the probes call out of line keeps every register itself, so that the fast
 * path saves only what it uses.
 */
#ifdef TARE_IN_TARGET
#define KEEPS_REGISTERS __attribute__((no_caller_saved_registers, noinline))
#else
#define KEEPS_REGISTERS __attribute__((noinline))
#endif

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

/* What belongs to a thread's arena but to no reader. */
struct accumulate_local {
	struct accumulate_index nodes; /* by (parent, key) */
	struct accumulate_index os;    /* by all but count and ticks */
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

/* Areas of a thread file that grow. */
enum accumulate_area {
	ACCUMULATE_FRAMES,
	ACCUMULATE_NODES,
	ACCUMULATE_OS,
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
 * Opens a frame of `key` that stood open in the parent process at fork; `sp` is its stored sp, with
 * the pending bit. Time is charged to it; its end is no call.
 */
void accumulate_inherit(struct tare_thread_file *self, uint64_t key, uint64_t sp);

/* The child of `parent` for `key`, or NULL. Makes it the parent's last child. */
KEEPS_REGISTERS struct tare_node *accumulate_find(const struct tare_thread_file *self,
						  struct tare_node *parent, uint64_t key);

/* Widens the node's extremes by one call without OS time. */
KEEPS_REGISTERS void accumulate_widen(struct tare_node *node, uint64_t inclusive,
				      uint64_t exclusive);

static inline struct tare_frame *accumulate_frame(uint64_t run_addr)
{
	return (struct tare_frame *)run_addr;
}

static inline struct tare_node *accumulate_node(uint64_t run_addr)
{
	return (struct tare_node *)run_addr;
}

/* Charges the interval to `top` and begins a frame above it; everything has been checked. */
static inline void accumulate_push(struct tare_thread_file *self, struct tare_frame *top,
				   const struct tare_node *node, uint64_t sp,
				   const struct accumulate_event *event)
{
	struct tare_frame *frame = top + 1;
	const uint64_t delta = event->ticks - self->last_ticks;
	const uint64_t now = self->now_ticks + delta;

	self->last_ticks = event->ticks + event->cost_ticks;
	self->now_ticks = now;
	top->exclusive += delta;
	frame->node = (uint64_t)node;
	frame->sp = sp;
	frame->start = now;
	frame->exclusive = 0;
	self->top = (uint64_t)frame;
}

/* The child that the event's frame will have; NULL when there is none yet, or no frame for it. */
static inline struct tare_node *accumulate_child(const struct tare_thread_file *self,
						 const struct tare_frame *top,
						 const struct accumulate_event *event)
{
	struct tare_node *node = accumulate_node(top->node);
	struct tare_node *child = accumulate_node(node->last_child);

	if (UNLIKELY((uint64_t)(top + 1) >= self->frame_limit))
		return NULL;
	if (LIKELY(child->key == event->key))
		return child;
	return accumulate_find(self, node, event->key);
}

/* ENTER where a call is pending: its function reports itself, once more through a pointer. */
static inline bool accumulate_join(struct tare_thread_file *self, struct tare_frame *top,
				   const struct accumulate_event *event)
{
	struct tare_node *node = accumulate_node(top->node);
	const uint64_t delta = event->ticks - self->last_ticks;

	if (top->sp != (event->sp | ACCUMULATE_PENDING) || top->pending != ACCUMULATE_ANY_SITE ||
	    top->os_exclusive)
		return false;
	if (node->key != event->key) {
		node = accumulate_node(node->alias);
		if (node->key != event->key)
			return false;
		top->node = (uint64_t)node;
	}
	top->sp = event->sp;
	top->pending = 0;
	top->exclusive += delta;
	self->last_ticks = event->ticks + event->cost_ticks;
	self->now_ticks += delta;
	return true;
}

static inline bool accumulate_enter(struct tare_thread_file *self,
				    const struct accumulate_event *event)
{
	struct tare_frame *top = accumulate_frame(self->top);

	if (UNLIKELY((int64_t)(event->ticks - self->last_ticks) < 0))
		return false;
	if (UNLIKELY(top->sp <= (event->sp | ACCUMULATE_PENDING)))
		return accumulate_join(self, top, event);
	const struct tare_node *child = accumulate_child(self, top, event);
	if (UNLIKELY(!child))
		return false;
	accumulate_push(self, top, child, event->sp, event);
	return true;
}

static inline bool accumulate_call(struct tare_thread_file *self,
				   const struct accumulate_event *event)
{
	struct tare_frame *top = accumulate_frame(self->top);

	if (UNLIKELY((int64_t)(event->ticks - self->last_ticks) < 0 ||
		     top->sp <= (event->sp | ACCUMULATE_PENDING)))
		return false;
	const struct tare_node *child = accumulate_child(self, top, event);
	if (UNLIKELY(!child))
		return false;
	top[1].pending = event->site;
	top[1].by_call = ACCUMULATE_BY_CALL;
	accumulate_push(self, top, child, event->sp | ACCUMULATE_PENDING, event);
	return true;
}

/* Charges the interval to the top frame, which had no OS time, and ends it. */
static inline void accumulate_pop(struct tare_thread_file *self, struct tare_frame *top,
				  const struct accumulate_event *event)
{
	struct tare_node *node = accumulate_node(top->node);
	const uint64_t delta = event->ticks - self->last_ticks;
	const uint64_t exclusive = top->exclusive + delta;
	const uint64_t now = self->now_ticks + delta;
	const uint64_t inclusive = now - top->start;

	self->last_ticks = event->ticks + event->cost_ticks;
	self->now_ticks = now;
	node->calls++;
	node->elapsed_ticks += exclusive;
	/* application <= elapsed for each call, so these two bounds are the inner ones */
	if (UNLIKELY(inclusive < node->elapsed_inclusive_min ||
		     inclusive > node->application_inclusive_max ||
		     exclusive < node->elapsed_exclusive_min ||
		     exclusive > node->application_exclusive_max))
		accumulate_widen(node, inclusive, exclusive);
	self->top = (uint64_t)(top - 1);
}

static inline bool accumulate_leave(struct tare_thread_file *self,
				    const struct accumulate_event *event)
{
	struct tare_frame *top = accumulate_frame(self->top);

	if (UNLIKELY((int64_t)(event->ticks - self->last_ticks) < 0 || top->sp != event->sp ||
		     top->os_inclusive))
		return false;
	if (UNLIKELY(top->by_call)) {
		if (top->by_call & ACCUMULATE_INHERITED)
			return false;
		accumulate_node(top->node)->calls_by_call++;
		top->by_call = 0;
	}
	accumulate_pop(self, top, event);
	return true;
}

static inline bool accumulate_return(struct tare_thread_file *self,
				     const struct accumulate_event *event)
{
	struct tare_frame *top = accumulate_frame(self->top);
	const uint64_t delta = event->ticks - self->last_ticks;

	if (UNLIKELY((int64_t)delta < 0))
		return false;
	if (top->sp > (event->sp | ACCUMULATE_PENDING)) { /* the callee has left by itself */
		top->exclusive += delta;
		self->last_ticks = event->ticks + event->cost_ticks;
		self->now_ticks += delta;
		return true;
	}
	if (UNLIKELY(top->sp != (event->sp | ACCUMULATE_PENDING) || top->os_inclusive ||
		     top->by_call & ACCUMULATE_INHERITED))
		return false;
	accumulate_node(top->node)->calls_by_call++;
	top->by_call = 0;
	top->pending = 0;
	accumulate_pop(self, top, event);
	return true;
}

#endif
