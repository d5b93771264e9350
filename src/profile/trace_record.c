/* Reading and writing records. Refuses tags of no kind, notes of no kind, and cut-off records. */
#include "profile/trace_record.h"

#include <string.h>

enum { STACK_EXTRA_BYTES = 12, MARK_EXTRA_BYTES = 8 };

static uint64_t number_read(const unsigned char *at, size_t size)
{
	uint64_t number = 0;

	for (size_t i = size; i-- > 0;)
		number = number << 8 | at[i];
	return number;
}

static size_t extra_bytes(const struct trace_record *record)
{
	if (record->kind == TARE_TRACE_STACK)
		return STACK_EXTRA_BYTES;
	if (record->kind == TARE_TRACE_NOTE && trace_record_note(record) == TARE_TRACE_NOTE_MARK)
		return MARK_EXTRA_BYTES;
	return 0;
}

static bool note_is_valid(const struct trace_record *record)
{
	const enum tare_trace_note note = trace_record_note(record);

	return note < TARE_TRACE_NOTES &&
	       (note != TARE_TRACE_NOTE_OS || trace_record_cause(record) < TARE_OS_CAUSES);
}

int trace_record_read(struct trace_cursor *cursor, struct trace_record *record)
{
	const size_t room = (size_t)(cursor->end - cursor->at);
	const unsigned char *at = cursor->at;

	if (!room)
		return 0;
	const unsigned tag = *at++;
	const size_t time_bytes = (tag >> 3 & 7) + 1;

	*record = (struct trace_record){.kind = (enum tare_trace_kind)(tag & 7)};
	const bool valued = TARE_TRACE_VALUED >> record->kind & 1;
	const size_t value_bytes = valued ? (size_t)(tag >> 6) + 1 : 0;

	if (record->kind == TARE_TRACE_NONE || (!valued && tag >> 6) ||
	    room < 1 + time_bytes + value_bytes)
		return -1;
	record->delta = number_read(at, time_bytes);
	at += time_bytes;
	record->value = (uint32_t)number_read(at, value_bytes);
	at += value_bytes;
	if (record->kind == TARE_TRACE_NOTE && !note_is_valid(record))
		return -1;
	const size_t extra = extra_bytes(record);

	if ((size_t)(cursor->end - at) < extra)
		return -1;
	if (record->kind == TARE_TRACE_STACK) {
		record->folded = (uint32_t)number_read(at, 4);
		record->ticks = number_read(at + 4, 8);
	} else if (extra) {
		record->mark = (int64_t)number_read(at, 8);
	}
	cursor->at = at + extra;
	return 1;
}

/* Returns the number of bytes. */
static size_t number_write(unsigned char *at, uint64_t number)
{
	size_t size = 0;

	do {
		at[size++] = (unsigned char)number;
		number >>= 8;
	} while (number);
	return size;
}

static void fixed_write(unsigned char *at, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (unsigned char)(number >> 8 * i);
}

void trace_record_write(struct byte_vec *out, const struct trace_record *record)
{
	unsigned char bytes[TARE_TRACE_RECORD_MAX];
	const size_t time_bytes = number_write(bytes + 1, record->delta);
	size_t size = 1 + time_bytes, value_bytes = 1;

	if (TARE_TRACE_VALUED >> record->kind & 1) {
		value_bytes = number_write(bytes + size, record->value);
		size += value_bytes;
	}
	bytes[0] = (unsigned char)(record->kind | (time_bytes - 1) << 3 | (value_bytes - 1) << 6);
	const size_t extra = extra_bytes(record);

	if (record->kind == TARE_TRACE_STACK) {
		fixed_write(bytes + size, record->folded, 4);
		fixed_write(bytes + size + 4, record->ticks, 8);
	} else if (extra) {
		fixed_write(bytes + size, (uint64_t)record->mark, extra);
	}
	put_bytes(out, bytes, size + extra);
}

enum tare_trace_note trace_record_note(const struct trace_record *record)
{
	return (enum tare_trace_note)(record->value & ((1U << TARE_TRACE_NOTE_BITS) - 1));
}

enum tare_os_cause trace_record_cause(const struct trace_record *record)
{
	return (enum tare_os_cause)(record->value >> TARE_TRACE_NOTE_BITS &
				    ((1U << TARE_TRACE_CAUSE_BITS) - 1));
}

int trace_record_syscall(const struct trace_record *record)
{
	const uint32_t number =
		record->value >> (TARE_TRACE_NOTE_BITS + TARE_TRACE_CAUSE_BITS) & 0xffff;

	return (int)number - 1;
}
