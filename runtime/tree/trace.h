/*
 * trace: what is appended to a thread's event log (abi/trace.h), beside the tree. The handlers of
 * probes_fast.S write the usual records themselves; all others come from here. Without a log every
 * function returns at once.
 *
 * Pure, as accumulate is: memory comes from the host (host.h).
 */
#ifndef TARE_RUNTIME_TREE_TRACE_H
#define TARE_RUNTIME_TREE_TRACE_H

#include "abi/trace.h"
#include "runtime/tree/accumulate.h"

/* No record begins nearer than this to the end of its room: the handlers' stores are wide. */
#define TRACE_ROOM_BYTES 32

/* Begins the log of a thread with a tree; trace_chunk_bytes is set, else there will be none. */
void trace_begin(struct tare_thread_file *self, uint64_t ticks);

/* The time of the records that follow. */
static inline void trace_clock(const struct tare_thread_file *self, uint64_t ticks)
{
	((struct accumulate_local *)self->local)->trace_ticks = ticks;
}

/*
 * A call of the node begins; the top call ends, or becomes one of the node. Before `top` changes:
 * a chunk that begins with the record names the calls before it.
 */
void trace_call_begin(struct tare_thread_file *self, struct tare_node *node);
void trace_call_end(struct tare_thread_file *self, bool unwound);
void trace_call_join(struct tare_thread_file *self, struct tare_node *node);

/* The calls in progress are others than the records say. */
void trace_stack(struct tare_thread_file *self);

void trace_os(struct tare_thread_file *self, const struct accumulate_event *event);
/* TARE_TRACE_NOTE_OFF and _ON. */
void trace_state(struct tare_thread_file *self, bool on);

#endif
