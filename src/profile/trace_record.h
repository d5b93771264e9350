/* Records of an event log (abi/trace.h), read as untrusted bytes, and written. */
#ifndef TARE_PROFILE_TRACE_RECORD_H
#define TARE_PROFILE_TRACE_RECORD_H

#include "abi/trace.h"
#include "base/base.h"

struct trace_record {
	enum tare_trace_kind kind;
	uint64_t delta;	 /* ticks since the record before; wraps */
	uint32_t value;	 /* of the kinds that have one, else 0 */
	uint32_t folded; /* STACK */
	uint64_t ticks;	 /* STACK: the time, which delta is not */
	int64_t mark;	 /* NOTE of a mark */
};

struct trace_cursor {
	const unsigned char *at, *end;
};

/* 1: a record was read; 0: there are no more; -1: what follows is none, or is cut off. */
int trace_record_read(struct trace_cursor *cursor, struct trace_record *record);

/* Appends the record in its shortest form. */
void trace_record_write(struct byte_vec *out, const struct trace_record *record);

/* Of a NOTE. */
enum tare_trace_note trace_record_note(const struct trace_record *record);
/* Of a NOTE_OS; -1: no system call, or not known which. */
enum tare_os_cause trace_record_cause(const struct trace_record *record);
int trace_record_syscall(const struct trace_record *record);

/* The time after the record, where it was `ticks` before. */
static inline uint64_t trace_record_clock(const struct trace_record *record, uint64_t ticks)
{
	return record->kind == TARE_TRACE_STACK ? record->ticks : ticks + record->delta;
}

#endif
