/*
 * The event log of a thread (--trace): what its call tree was made from, in order. It has a file of
 * its own, trace.<pid>.<tid>.<n>, with the thread file's `trace_tid` and `trace_number`;
 * `trace_slots` chunks of `trace_chunk_bytes` each. A chunk is a struct tare_trace_chunk and
 * records behind it; it can be read without those before it. A ring uses its chunks again, the one
 * with the oldest records first.
 *
 * A record is
 *
 *   tag      1 byte    kind | (time bytes - 1) << 3 | (value bytes - 1) << 6
 *   time     1-8       ticks (TSC) since the record before, in the thread; modulo 2^64
 *   value    1-4       of kinds that have one (TARE_TRACE_VALUED); little-endian, as time is
 *   extra    8 or 12   STACK: 12, notes: TARE_TRACE_NOTE_MARK 8
 *
 * so that a probe can write it with three stores and without a branch. Nodes are named by their
 * index. The time is that of the clock, not of the thread's own: what probes cost is in it.
 */
#ifndef TARE_ABI_TRACE_H
#define TARE_ABI_TRACE_H

#include "abi/session_files.h"

#define TARE_TRACE_RECORD_MAX 25 /* bytes */
#define TARE_TRACE_CHUNK_MAX  (1ULL << 20)
#define TARE_TRACE_UNKNOWN    0xffffffffU /* as a value: a call of a function not known */

enum tare_trace_kind {
	TARE_TRACE_NONE,    /* no record: the bytes were never written */
	TARE_TRACE_ENTER,   /* a call begins; value: its node */
	TARE_TRACE_LEAVE,   /* the innermost call ends */
	TARE_TRACE_UNWOUND, /* so it does, left by control flow */
	TARE_TRACE_JOIN,    /* the innermost call turns out to be of the node `value` */
	/* From here on the innermost call is that of the node `value`, within those of its node's
	   callers, and within it so many folded ones as `extra` says in 4 bytes; the time is the
	   TSC that follows in 8. After a probe that was left halfway, and when a thread goes on
	   with another stack. */
	TARE_TRACE_STACK,
	TARE_TRACE_NOTE,   /* value: enum tare_trace_note in TARE_TRACE_NOTE_BITS, argument above */
	TARE_TRACE_FOLDED, /* a call begins whose path is not kept; value: its node */
};

#define TARE_TRACE_VALUED                                                                          \
	(1U << TARE_TRACE_ENTER | 1U << TARE_TRACE_JOIN | 1U << TARE_TRACE_STACK |                 \
	 1U << TARE_TRACE_NOTE | 1U << TARE_TRACE_FOLDED)

enum tare_trace_note {
	/* The interval that ends here has an OS event. Argument: cause in 3 bits, above them the
	   number of the system call + 1, or 0. What ended the interval follows with time 0. */
	TARE_TRACE_NOTE_OS,
	TARE_TRACE_NOTE_MARK, /* a mark; extra: its number */
	TARE_TRACE_NOTE_OFF,  /* the thread is not recorded from here on, and again */
	TARE_TRACE_NOTE_ON,   /* from here on; a STACK record follows */
	TARE_TRACE_NOTES
};

#define TARE_TRACE_NOTE_BITS  3
#define TARE_TRACE_CAUSE_BITS 3

_Static_assert(TARE_TRACE_NOTES <= 1 << TARE_TRACE_NOTE_BITS &&
		       TARE_OS_CAUSES <= 1 << TARE_TRACE_CAUSE_BITS,
	       "notes and causes have room in a record");

struct tare_trace_chunk {
	uint64_t sequence;   /* from 1 on, in the order of time; 0: nothing was written here */
	uint64_t ticks;	     /* time that its first record counts from */
	uint64_t events;     /* records in all chunks before this one */
	uint32_t used_bytes; /* this struct included. Of the current chunk 0: see trace_next */
	/* As in STACK, before its first record: */
	uint32_t node;
	uint32_t folded;
	uint32_t reserved;
};

_Static_assert(sizeof(struct tare_trace_chunk) == 40, "shared layout");

#endif
