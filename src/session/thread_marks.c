/*
 * Marks of a thread. Refuses a record that leaves the area or is too short: what follows it cannot
 * be found. One that a killed thread had not finished is passed over.
 */
#include "session/thread_part.h"

#include <string.h>

static void take_record(struct thread_file *thread, const struct tare_mark_record *record,
			const char *text, size_t room)
{
	const size_t length = strnlen(text, room);

	if (record->kind == TARE_MARK_UNFINISHED)
		return;
	if (length == room || length >= TARE_MARK_TEXT_BYTES || record->ticks >> 62 ||
	    record->kind > TARE_MARK_THREAD_NAME) {
		thread->damaged++;
		return;
	}
	if (record->kind == TARE_MARK_THREAD_NAME) {
		free(thread->given_name);
		thread->given_name = mem_strdup(text);
		return;
	}
	const struct thread_file_mark mark = {
		.ticks = record->ticks, .id = record->id, .text = mem_strdup(text)};
	vec_push(&thread->marks, mark);
}

void marks_read(struct thread_file *thread, const struct thread_file_source *source)
{
	uint64_t size = thread->header.marks_bytes, at = 0;

	if (size > TARE_THREAD_MARKS_BYTES) {
		size = TARE_THREAD_MARKS_BYTES;
		thread->damaged++;
	}
	if (!size)
		return;
	char *bytes = mem_zalloc(size);
	const size_t have = thread_file_read_kind(thread, source, TARE_CHUNK_MARKS, size, bytes);

	while (have - at > sizeof(struct tare_mark_record)) {
		struct tare_mark_record record;
		memcpy(&record, bytes + at, sizeof(record));
		if (!record.size_bytes)
			break;
		if (record.size_bytes <= sizeof(record) || record.size_bytes % 8 ||
		    record.size_bytes > have - at) {
			thread->damaged++;
			break;
		}
		take_record(thread, &record, bytes + at + sizeof(record),
			    record.size_bytes - sizeof(record));
		at += record.size_bytes;
	}
	free(bytes);
}
