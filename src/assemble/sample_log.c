/*
 * Writing and reading the log. The writer keeps what the reader will know at the same place (the
 * last time, each thread's last node, the last sample), so that a sample is mostly 5 to 8 bytes.
 * The reader trusts nothing: numbers must be of records before, and it stops at the first byte
 * that is none of its records; what stands before that is good.
 */
#include "assemble/sample_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
	BUFFER_BYTES = 256 << 10,
	TRUNCATED = 1,
	OTHER_THREAD = 2,
	OTHER_EVENT = 4,
	OTHER_WEIGHT = 8,
	COUNTS = sizeof(struct sample_log_counts) / sizeof(uint64_t),
};

/* Numbers of things must stay below this. */
#define NUMBER_END UINT32_MAX

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* ---- writing ---- */

static void put_text(struct sample_log *log, const char *text)
{
	put_bytes(&log->buffer, text, strlen(text) + 1);
}

static void put_time(struct sample_log *log, uint64_t time)
{
	put_uleb(&log->buffer, zigzag((int64_t)(time - log->last_time)));
	log->last_time = time;
}

bool sample_log_create(struct sample_log *log, int session_fd, uint64_t limit_bytes,
		       struct error *err)
{
	*log = (struct sample_log){.limit_bytes = limit_bytes ? limit_bytes : UINT64_MAX};
	log->fd = openat(session_fd, SAMPLE_LOG_NAME,
			 O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (log->fd < 0)
		return error_set_errno(err, errno, "cannot write to the session directory");
	put_text(log, SAMPLE_LOG_MAGIC);
	put_uleb(&log->buffer, SAMPLE_LOG_VERSION);
	return true;
}

void sample_log_flush(struct sample_log *log)
{
	size_t done = 0;

	while (done < log->buffer.len && !log->full) {
		const ssize_t got = write(log->fd, log->buffer.data + done, log->buffer.len - done);

		if (got < 0 && errno == EINTR)
			continue;
		log->full = got <= 0;
		if (got > 0)
			done += (size_t)got;
	}
	log->written_bytes += done;
	log->full |= log->written_bytes >= log->limit_bytes;
	log->buffer.len = 0;
}

/* Whether there is room for another record, which is counted where there is none. */
static bool begin_record(struct sample_log *log, unsigned kind)
{
	if (log->buffer.len >= BUFFER_BYTES)
		sample_log_flush(log);
	if (log->full) {
		log->unwritten++;
		return false;
	}
	put_u8(&log->buffer, kind);
	return true;
}

/* The number of the thing whose record has just been written. */
static uint32_t numbered(struct sample_log *log, enum sample_log_kind kind)
{
	return log->counts_of[kind]++;
}

uint32_t sample_log_put_event(struct sample_log *log, const struct sample_log_event *event)
{
	if (begin_record(log, SAMPLE_LOG_EVENT)) {
		put_uleb(&log->buffer, event->period);
		put_uleb(&log->buffer, event->frequency);
		put_text(log, event->name);
		put_text(log, event->unit);
	}
	return numbered(log, SAMPLE_LOG_EVENT);
}

uint32_t sample_log_put_image(struct sample_log *log, const struct sample_log_image *image)
{
	if (begin_record(log, SAMPLE_LOG_IMAGE)) {
		put_text(log, image->path);
		put_text(log, image->file);
		put_uleb(&log->buffer, image->build_id_bytes);
		put_bytes(&log->buffer, image->build_id, image->build_id_bytes);
	}
	return numbered(log, SAMPLE_LOG_IMAGE);
}

uint32_t sample_log_put_process(struct sample_log *log, const struct sample_log_process *process)
{
	if (begin_record(log, SAMPLE_LOG_PROCESS)) {
		put_uleb(&log->buffer, process->pid);
		put_uleb(&log->buffer, process->parent_pid);
		put_time(log, process->time);
		put_uleb(&log->buffer, process->flags);
		put_text(log, process->name);
	}
	return numbered(log, SAMPLE_LOG_PROCESS);
}

uint32_t sample_log_put_thread(struct sample_log *log, const struct sample_log_thread *thread)
{
	if (begin_record(log, SAMPLE_LOG_THREAD)) {
		put_uleb(&log->buffer, thread->process);
		put_uleb(&log->buffer, thread->tid);
		put_time(log, thread->time);
		put_text(log, thread->name);
	}
	vec_push(&log->last_nodes, 0);
	return numbered(log, SAMPLE_LOG_THREAD);
}

uint32_t sample_log_put_location(struct sample_log *log, const struct sample_log_location *location)
{
	if (begin_record(log, SAMPLE_LOG_LOCATION)) {
		put_uleb(&log->buffer, location->image);
		put_uleb(&log->buffer, location->link_addr);
	}
	return numbered(log, SAMPLE_LOG_LOCATION) + 1;
}

uint32_t sample_log_put_node(struct sample_log *log, const struct sample_log_node *node)
{
	const uint32_t number = log->counts_of[SAMPLE_LOG_NODE] + 1;

	if (begin_record(log, SAMPLE_LOG_NODE)) {
		put_uleb(&log->buffer, number - node->parent);
		put_uleb(&log->buffer, node->location);
	}
	return numbered(log, SAMPLE_LOG_NODE) + 1;
}

void sample_log_put_note(struct sample_log *log, enum sample_log_kind kind,
			 const struct sample_log_note *note)
{
	if (!begin_record(log, kind))
		return;
	put_uleb(&log->buffer, note->of);
	if (kind == SAMPLE_LOG_END)
		put_time(log, note->time);
	else
		put_text(log, note->text);
}

void sample_log_put_sample(struct sample_log *log, const struct sample_log_sample *sample)
{
	const struct sample_log_sample *last = &log->last;
	const unsigned bits = (sample->truncated ? TRUNCATED : 0) |
			      (sample->thread != last->thread ? OTHER_THREAD : 0) |
			      (sample->event != last->event ? OTHER_EVENT : 0) |
			      (sample->weight != last->weight ? OTHER_WEIGHT : 0);
	uint32_t *last_node = &log->last_nodes.data[sample->thread];

	if (!begin_record(log, SAMPLE_LOG_SAMPLE | bits))
		return;
	if (bits & OTHER_THREAD)
		put_uleb(&log->buffer, sample->thread);
	if (bits & OTHER_EVENT)
		put_uleb(&log->buffer, sample->event);
	put_time(log, sample->time);
	put_uleb(&log->buffer, zigzag((int64_t)sample->node - *last_node));
	if (bits & OTHER_WEIGHT)
		put_uleb(&log->buffer, sample->weight);
	*last_node = sample->node;
	log->last = *sample;
}

void sample_log_put_waker(struct sample_log *log, const struct sample_log_waker *waker)
{
	/* Its sample has been counted as unwritten. */
	if (log->full || !begin_record(log, SAMPLE_LOG_WAKER))
		return;
	put_uleb(&log->buffer, waker->thread);
	put_uleb(&log->buffer, waker->node);
	put_time(log, waker->time);
}

void sample_log_put_rank(struct sample_log *log, const struct sample_log_rank *rank)
{
	if (!begin_record(log, SAMPLE_LOG_RANK))
		return;
	put_uleb(&log->buffer, rank->process);
	put_uleb(&log->buffer, rank->rank.launcher);
	put_uleb(&log->buffer, rank->rank.rank);
	put_uleb(&log->buffer, rank->rank.size);
}

void sample_log_put_counts(struct sample_log *log, const struct sample_log_counts *counts)
{
	uint64_t values[COUNTS];

	memcpy(values, counts, sizeof(values));
	if (!begin_record(log, SAMPLE_LOG_COUNTS))
		return;
	for (size_t i = 0; i < COUNTS; i++)
		put_uleb(&log->buffer, values[i]);
}

void sample_log_close(struct sample_log *log)
{
	if (log->fd < 0)
		return;
	sample_log_flush(log);
	close(log->fd);
	vec_fini(&log->buffer);
	vec_fini(&log->last_nodes);
	log->fd = -1;
}

/* ---- reading ---- */

bool sample_log_reader_init(struct sample_log_reader *reader, const void *bytes, size_t size,
			    struct error *err)
{
	*reader = (struct sample_log_reader){.bytes = byte_reader(bytes, size)};
	const char *magic = read_string(&reader->bytes);
	const uint64_t version = read_uleb(&reader->bytes);

	if (reader->bytes.failed || strcmp(magic, SAMPLE_LOG_MAGIC) != 0)
		return error_set(err, ERROR_INPUT, "the file of samples is damaged at its begin");
	if (!version || version > SAMPLE_LOG_VERSION)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"the samples have version %ju, this tare reads version %d; use the tare "
			"that recorded them",
			(uintmax_t)version, SAMPLE_LOG_VERSION);
	return true;
}

void sample_log_reader_fini(struct sample_log_reader *reader)
{
	vec_fini(&reader->last_nodes);
}

static const char *take_text(struct sample_log_reader *reader)
{
	const char *text = read_string(&reader->bytes);

	return text ? text : "";
}

static uint64_t take_time(struct sample_log_reader *reader)
{
	reader->last_time += (uint64_t)unzigzag(read_uleb(&reader->bytes));
	return reader->last_time;
}

/* A number below `end`. */
static uint32_t take_number(struct sample_log_reader *reader, uint64_t end)
{
	const uint64_t number = read_uleb(&reader->bytes);

	if (number >= end)
		reader->bytes.failed = true;
	return reader->bytes.failed ? 0 : (uint32_t)number;
}

/* An amount, of which a profile can hold less than 2^63. */
static uint64_t take_amount(struct sample_log_reader *reader)
{
	const uint64_t amount = read_uleb(&reader->bytes);

	if (amount > INT64_MAX)
		reader->bytes.failed = true;
	return amount;
}

static void take_image(struct sample_log_reader *reader, struct sample_log_image *image)
{
	image->path = take_text(reader);
	image->file = take_text(reader);
	const uint64_t size = read_uleb(&reader->bytes);
	image->build_id = reader->bytes.at;
	image->build_id_bytes = size <= bytes_left(&reader->bytes) ? (size_t)size : 0;
	read_skip(&reader->bytes, size);
}

static void take_thread(struct sample_log_reader *reader, struct sample_log_thread *thread)
{
	thread->process = take_number(reader, reader->counts_of[SAMPLE_LOG_PROCESS]);
	thread->tid = take_number(reader, NUMBER_END);
	thread->time = take_time(reader);
	thread->name = take_text(reader);
	vec_push(&reader->last_nodes, 0);
}

static void take_node(struct sample_log_reader *reader, struct sample_log_node *node)
{
	const uint32_t number = reader->counts_of[SAMPLE_LOG_NODE] + 1;
	const uint32_t difference = take_number(reader, (uint64_t)number + 1);

	node->parent = number - difference;
	node->location = take_number(reader, (uint64_t)reader->counts_of[SAMPLE_LOG_LOCATION] + 1);
	if (!difference || !node->location)
		reader->bytes.failed = true;
}

static void take_sample(struct sample_log_reader *reader, unsigned bits,
			struct sample_log_sample *sample)
{
	*sample = reader->last;
	sample->truncated = bits & TRUNCATED;
	if (bits & OTHER_THREAD)
		sample->thread = take_number(reader, reader->counts_of[SAMPLE_LOG_THREAD]);
	if (bits & OTHER_EVENT)
		sample->event = take_number(reader, reader->counts_of[SAMPLE_LOG_EVENT]);
	sample->time = take_time(reader);
	if (sample->thread >= reader->counts_of[SAMPLE_LOG_THREAD] ||
	    sample->event >= reader->counts_of[SAMPLE_LOG_EVENT]) {
		reader->bytes.failed = true;
		return;
	}
	uint32_t *last_node = &reader->last_nodes.data[sample->thread];
	const uint64_t node = *last_node + (uint64_t)unzigzag(read_uleb(&reader->bytes));
	if (node > reader->counts_of[SAMPLE_LOG_NODE])
		reader->bytes.failed = true;
	if (bits & OTHER_WEIGHT)
		sample->weight = take_amount(reader);
	if (reader->bytes.failed)
		return;
	*last_node = sample->node = (uint32_t)node;
	reader->last = *sample;
}

static void take_note(struct sample_log_reader *reader, enum sample_log_kind kind,
		      struct sample_log_note *note)
{
	const bool of_thread = kind == SAMPLE_LOG_NAME_OF_THREAD || kind == SAMPLE_LOG_END;

	note->of = take_number(
		reader, reader->counts_of[of_thread ? SAMPLE_LOG_THREAD : SAMPLE_LOG_PROCESS]);
	if (kind == SAMPLE_LOG_END)
		note->time = take_time(reader);
	else
		note->text = take_text(reader);
}

static void take_rank(struct sample_log_reader *reader, struct sample_log_rank *rank)
{
	*rank = (struct sample_log_rank){
		.process = take_number(reader, reader->counts_of[SAMPLE_LOG_PROCESS]),
		.rank.launcher = take_number(reader, TARE_LAUNCHERS),
		.rank.rank = take_number(reader, NUMBER_END),
		.rank.size = take_number(reader, NUMBER_END),
	};
}

static void take_counts(struct sample_log_reader *reader, struct sample_log_counts *counts)
{
	uint64_t values[COUNTS];

	for (size_t i = 0; i < COUNTS; i++)
		values[i] = take_amount(reader);
	memcpy(counts, values, sizeof(values));
}

static void take_record(struct sample_log_reader *reader, unsigned kind,
			struct sample_log_record *record)
{
	record->kind = (enum sample_log_kind)kind;
	switch (record->kind) {
	case SAMPLE_LOG_EVENT:
		record->event.period = take_amount(reader);
		record->event.frequency = take_amount(reader);
		record->event.name = take_text(reader);
		record->event.unit = take_text(reader);
		break;
	case SAMPLE_LOG_IMAGE:
		take_image(reader, &record->image);
		break;
	case SAMPLE_LOG_PROCESS:
		record->process.pid = take_number(reader, NUMBER_END);
		record->process.parent_pid = take_number(reader, NUMBER_END);
		record->process.time = take_time(reader);
		record->process.flags = take_number(reader, NUMBER_END);
		record->process.name = take_text(reader);
		break;
	case SAMPLE_LOG_THREAD:
		take_thread(reader, &record->thread);
		break;
	case SAMPLE_LOG_LOCATION:
		record->location.image = take_number(reader, reader->counts_of[SAMPLE_LOG_IMAGE]);
		record->location.link_addr = read_uleb(&reader->bytes);
		break;
	case SAMPLE_LOG_NODE:
		take_node(reader, &record->node);
		break;
	case SAMPLE_LOG_EXECUTABLE:
	case SAMPLE_LOG_NAME_OF_PROCESS:
	case SAMPLE_LOG_NAME_OF_THREAD:
	case SAMPLE_LOG_END:
		take_note(reader, record->kind, &record->note);
		break;
	case SAMPLE_LOG_WAKER:
		record->waker.thread =
			take_number(reader, (uint64_t)reader->counts_of[SAMPLE_LOG_THREAD] + 1);
		record->waker.node =
			take_number(reader, (uint64_t)reader->counts_of[SAMPLE_LOG_NODE] + 1);
		record->waker.time = take_time(reader);
		break;
	case SAMPLE_LOG_RANK:
		take_rank(reader, &record->rank);
		break;
	case SAMPLE_LOG_COUNTS:
		take_counts(reader, &record->counts);
		break;
	default:
		reader->bytes.failed = true;
		break;
	}
}

bool sample_log_next(struct sample_log_reader *reader, struct sample_log_record *record)
{
	*record = (struct sample_log_record){.kind = SAMPLE_LOG_END_OF_LOG};
	if (reader->damaged || !bytes_left(&reader->bytes))
		return false;
	const unsigned kind = read_u8(&reader->bytes);
	if ((kind & 0xf0) == SAMPLE_LOG_SAMPLE) {
		record->kind = SAMPLE_LOG_SAMPLE;
		take_sample(reader, kind & 0x0f, &record->sample);
	} else {
		take_record(reader, kind, record);
	}
	if (reader->bytes.failed) {
		reader->damaged = true;
		record->kind = SAMPLE_LOG_END_OF_LOG;
		return false;
	}
	if (record->kind < SAMPLE_LOG_COUNTS)
		reader->counts_of[record->kind]++;
	return true;
}
