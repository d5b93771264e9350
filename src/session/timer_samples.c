/*
 * A file is read in order, a piece at a time: it may be as large as the limit on storage. Refuses
 * headers of another kind or version, and whatever comes behind a record that makes no sense.
 */
#include "session/timer_samples.h"

#include "session/thread_part.h"

#include <string.h>
#include <unistd.h>

#define RECORD_HEAD   sizeof(struct tare_timer_record)
#define GAP_HEAD      8
#define RECORD_MAX    (RECORD_HEAD + TARE_TIMER_FRAMES_MAX * sizeof(uint64_t))
#define PIECE_BYTES   (1ULL << 18)
#define PERIOD_NS_MAX (1ULL << 40)
#define TICKS_MAX     (1ULL << 62)
#define OWN_NS_MAX    (1ULL << 60)

_Static_assert(PIECE_BYTES > 2 * RECORD_MAX, "a record fits");

bool timer_reader_begin(struct timer_reader *reader, int fd, uint64_t size, struct error *err)
{
	struct tare_timer_file *header = &reader->header;

	*reader = (struct timer_reader){.fd = fd, .at = TARE_TIMER_RECORDS};
	if (session_file_read_at(fd, header, sizeof(*header), 0) != sizeof(*header) ||
	    header->magic != TARE_TIMER_MAGIC)
		return error_set(err, ERROR_INPUT, "no file of samples");
	if (header->abi != TARE_TIMER_ABI)
		return error_set(err, ERROR_INPUT, "samples of version %u, not %d", header->abi,
				 TARE_TIMER_ABI);
	if (!header->period_ns || header->period_ns > PERIOD_NS_MAX)
		return error_set(err, ERROR_INPUT, "samples without a period");
	if (header->in_runtime_periods > OWN_NS_MAX / header->period_ns)
		return error_set(err, ERROR_INPUT, "more samples in tare's own code than time");
	header->name[sizeof(header->name) - 1] = 0;
	reader->end = header->used_bytes < size ? header->used_bytes : size;
	reader->damaged = header->used_bytes > size || header->used_bytes % 8;
	reader->bytes = mem_alloc(PIECE_BYTES);
	return true;
}

bool timer_reader_open(struct timer_reader *reader, int dir_fd, const char *name, struct error *err)
{
	uint64_t size;
	const int fd = session_file_open(dir_fd, name, &size, err);

	if (fd < 0)
		return false;
	if (!timer_reader_begin(reader, fd, size, err)) {
		close(fd);
		return error_prefix(err, "%s", name);
	}
	reader->owns_fd = true;
	return true;
}

void timer_reader_close(struct timer_reader *reader)
{
	free(reader->bytes);
	reader->bytes = NULL;
	if (reader->owns_fd)
		close(reader->fd);
}

/* `size` bytes at the place that has been reached; NULL where the file does not have them. */
static const void *need(struct timer_reader *reader, uint64_t size)
{
	if (reader->end < reader->at || reader->end - reader->at < size)
		return NULL;
	if (reader->at < reader->begin || reader->at + size > reader->begin + reader->have) {
		const uint64_t left = reader->end - reader->at;

		reader->begin = reader->at;
		reader->have =
			session_file_read_at(reader->fd, reader->bytes,
					     left < PIECE_BYTES ? left : PIECE_BYTES, reader->at);
		if (reader->have < size)
			return NULL;
	}
	return reader->bytes + (reader->at - reader->begin);
}

static bool stop(struct timer_reader *reader)
{
	reader->damaged++;
	reader->at = reader->end;
	return false;
}

static bool record_is_sane(const struct timer_reader *reader,
			   const struct tare_timer_record *record)
{
	return record->kind == TARE_TIMER_SAMPLE &&
	       record->own + (size_t)record->shared <= TARE_TIMER_FRAMES_MAX &&
	       record->shared <= reader->frame_count && record->periods <= TARE_TIMER_PERIODS_MAX &&
	       record->ticks < TICKS_MAX &&
	       record->size_bytes == RECORD_HEAD + record->own * sizeof(uint64_t);
}

static bool take(struct timer_reader *reader, const struct tare_timer_record *head,
		 struct timer_sample *sample)
{
	struct tare_timer_record record = *head;

	if (!record_is_sane(reader, &record))
		return stop(reader);
	const unsigned char *bytes = need(reader, record.size_bytes);

	if (!bytes)
		return stop(reader);
	memcpy(reader->frames + record.shared, bytes + RECORD_HEAD, record.own * sizeof(uint64_t));
	reader->frame_count = (size_t)record.shared + record.own;
	reader->at += record.size_bytes;
	*sample = (struct timer_sample){.ticks = record.ticks,
					.periods = record.periods,
					.complete = record.complete,
					.frames = reader->frames,
					.count = reader->frame_count,
					.shared = record.shared};
	return true;
}

bool timer_reader_next(struct timer_reader *reader, struct timer_sample *sample)
{
	struct tare_timer_record record = {0};

	while (reader->at < reader->end) {
		const void *bytes = need(reader, GAP_HEAD);

		if (!bytes)
			return stop(reader);
		memcpy(&record, bytes, GAP_HEAD);
		if (record.kind != TARE_TIMER_GAP) {
			bytes = need(reader, RECORD_HEAD);
			if (!bytes)
				return stop(reader);
			memcpy(&record, bytes, RECORD_HEAD);
			return take(reader, &record, sample);
		}
		if (record.size_bytes < GAP_HEAD || record.size_bytes % 8)
			return stop(reader);
		reader->at += record.size_bytes;
	}
	return false;
}
