/*
 * Reads records one after the other and hands those of the kernel to the order; what perf itself
 * has put among them is applied at once. A record that claims to be shorter than its head, or
 * longer than what is left, ends the reading: what follows cannot be told apart.
 */
#include "sampler/perf_data.h"

#include "sampler/perf_input.h"
#include "sampler/perf_order.h"
#include "sampler/perf_stack.h"
#include "sampler/perf_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 8, MISC_LOST_BY_FILTER = 1 << 15 };

#define ORDER_BYTES_MAX ((size_t)512 << 20)

struct perf_data {
	int fd;
	const char *name; /* for messages */
	struct perf_header header;
	struct perf_input input;
	struct perf_order order;
	struct perf_unpack *unpack;
	struct images *images;
	struct processes *processes;
	struct sampler_sink sink;
	struct perf_data_counts counts;
	uint64_t lost_records, lost_at_end;
	uint64_t written_ns;
	struct perf_kernel kernel;
	bool stopped;
	struct error *err; /* set when nothing can be made of it: `failed` */
	bool failed;
	struct arena arena;
	struct perf_stack stack;
};

/* ---- open ---- */

/* The file in a directory of perf record --kcore or --threads; else the path itself. */
static int open_path(const char *path, struct stat *status, struct error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, status) != 0) {
		error_set_errno(err, errno, "cannot open %s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (!S_ISDIR(status->st_mode))
		return fd;
	const int inner = openat(fd, "data", O_RDONLY | O_CLOEXEC);

	close(fd);
	if (inner >= 0 && fstat(inner, status) == 0 && S_ISREG(status->st_mode))
		return inner;
	if (inner >= 0)
		close(inner);
	error_set(err, ERROR_INPUT,
		  "%s is a directory, and not one of perf record: there is no file \"data\" in it",
		  path);
	return -1;
}

/* ---- records whose turn has come ---- */

static void take_sample(struct perf_data *data, const struct perf_attr *attr,
			const struct perf_sample *sample)
{
	struct perf_stack *stack = &data->stack;

	if (attr->shown == (uint32_t)PERF_ATTR_HIDDEN) {
		data->counts.samples.unknown++;
		return;
	}
	if (perf_sample_is_foreign(sample)) {
		data->counts.samples.discarded++;
		return;
	}
	const struct process *process = processes_get(data->processes, sample->pid);
	const uint64_t period =
		attr->layout.sample_type & PERF_SAMPLE_PERIOD ? sample->period : attr->event.period;

	if (period > INT64_MAX) { /* what no counter reaches */
		data->counts.samples.unknown++;
		return;
	}
	perf_stack_read(stack, attr, sample, process);
	data->counts.samples.samples++;
	data->counts.samples.complete += stack->user.end == UNWIND_ROOT;
	data->sink.sample(data->sink.context,
			  &(struct sampler_sample){.process = process,
						   .tid = sample->tid,
						   .cpu = sample->cpu,
						   .time = sample->time,
						   .weight = period ? period : 1,
						   .event = attr->shown,
						   .kernel = stack->kernel,
						   .kernel_count = stack->kernel_count,
						   .stack = &stack->user});
}

static bool is_of_kernel(const struct perf_record *record)
{
	const unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return (mode != PERF_RECORD_MISC_USER && mode != PERF_RECORD_MISC_CPUMODE_UNKNOWN) ||
	       record->mapping.pid == UINT32_MAX;
}

static void take_kernel_mapping(struct perf_data *data, const struct perf_mapping *mapping)
{
	static const char name[] = "[kernel.kallsyms]";

	if (!str_starts_with(mapping->path, name))
		return; /* a module */
	data->kernel.text_addr = mapping->file_offset;
	data->kernel.symbol = arena_strdup(&data->arena, mapping->path + strlen(name));
}

/* The file's build-id, where the record does not have it itself. */
static void add_build_id(const struct perf_data *data, struct perf_mapping *mapping)
{
	const struct perf_build_id *id =
		mapping->build_id_bytes ? NULL : perf_header_build_id(&data->header, mapping->path);

	if (!id)
		return;
	memcpy(mapping->build_id, id->bytes, id->size);
	mapping->build_id_bytes = id->size;
}

/* Adds what a record claims; sums stay below 2^63. */
static void add_claimed(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum) || *sum > INT64_MAX)
		*sum = INT64_MAX;
}

static void count_lost(struct perf_data *data, const struct perf_record *record)
{
	if (record->type == PERF_RECORD_LOST)
		add_claimed(&data->lost_records, record->lost);
	else if (record->misc & MISC_LOST_BY_FILTER)
		add_claimed(&data->counts.samples.discarded, record->lost);
	else if (!record->time)
		add_claimed(&data->lost_at_end, record->lost);
	else
		add_claimed(&data->counts.samples.lost, record->lost);
}

static void take_record(struct perf_data *data, struct perf_record *record)
{
	switch (record->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		count_lost(data, record);
		break;
	case PERF_RECORD_THROTTLE:
		data->counts.samples.throttled++;
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (is_of_kernel(record)) {
			take_kernel_mapping(data, &record->mapping);
			return;
		}
		add_build_id(data, &record->mapping);
		processes_apply(data->processes, record);
		break;
	default:
		processes_apply(data->processes, record);
		break;
	}
	if (data->sink.record)
		data->sink.record(data->sink.context, record);
}

static void take_in_order(void *context, const struct perf_attr *attr, const void *bytes,
			  size_t size)
{
	struct perf_data *data = context;
	struct perf_record record;

	if (!perf_record_read(&attr->layout, bytes, size, &record, &size))
		data->counts.samples.unknown++;
	else if (record.type == PERF_RECORD_SAMPLE)
		take_sample(data, attr, &record.sample);
	else
		take_record(data, &record);
}

/* ---- records as they stand in the file ---- */

static void stop(struct perf_data *data, const char *why)
{
	if (!data->stopped)
		data->counts.why_cut = why;
	data->stopped = true;
}

static void fail(struct perf_data *data)
{
	data->failed = data->stopped = true;
}

/* Of the kernel: a number below 64. */
static void add_record(struct perf_data *data, const unsigned char *bytes, size_t size)
{
	const struct perf_attr *attr = perf_attrs_of(&data->header.attrs, bytes, size);
	struct perf_record record;
	size_t read;

	if (!attr || !perf_record_read(&attr->layout, bytes, size, &record, &read)) {
		data->counts.samples.unknown++;
		return;
	}
	const uint64_t time = record.type == PERF_RECORD_SAMPLE ? record.sample.time : record.time;

	if (time)
		perf_order_add(&data->order, time, attr, bytes, size);
	else
		take_in_order(data, attr, bytes, size);
}

/* Whole records at the begin of the bytes; returns their size. */
static size_t take_unpacked(void *context, const unsigned char *bytes, size_t size)
{
	struct perf_data *data = context;
	size_t used = 0;

	while (!data->stopped && size - used >= HEAD_BYTES) {
		struct byte_reader head = byte_reader(bytes + used, HEAD_BYTES);
		const uint32_t type = read_u32(&head);

		read_u16(&head);
		const size_t record = read_u16(&head);
		if (record < HEAD_BYTES || type >= PERF_USER_HEADER_ATTR) {
			stop(data, "its compressed records are damaged");
			break;
		}
		if (record > size - used)
			break;
		add_record(data, bytes + used, record);
		used += record;
	}
	return data->stopped ? size : used;
}

static void take_compressed(struct perf_data *data, uint32_t type, struct byte_reader body)
{
	uint64_t size = bytes_left(&body);

	if (type == PERF_USER_COMPRESSED2) {
		const uint64_t packed = read_u64(&body);

		size = packed < bytes_left(&body) ? packed : bytes_left(&body);
	}
	if (!data->unpack)
		data->unpack = perf_unpack_new();
	if (!perf_unpack_add(data->unpack, body.at, size, take_unpacked, data))
		stop(data, "its compressed records are damaged");
}

/* Bytes that follow some records and are no records. */
static void skip_payload(struct perf_data *data, uint32_t type, struct byte_reader body)
{
	const bool is_trace = type == PERF_USER_AUXTRACE;
	const uint64_t size = is_trace ? read_u64(&body) : ((uint64_t)read_u32(&body) + 7) & ~7ULL;

	if (is_trace)
		add_claimed(&data->counts.trace_bytes, size);
	if (!perf_input_skip(&data->input, size))
		stop(data, "it is cut off");
}

/* A record of perf itself. True if a payload follows. */
static bool take_of_perf(struct perf_data *data, uint32_t type, uint16_t misc,
			 struct byte_reader body)
{
	switch (type) {
	case PERF_USER_HEADER_ATTR:
		if (!perf_header_take_attr(&data->header, body, data->err))
			fail(data);
		break;
	case PERF_USER_HEADER_BUILD_ID:
		perf_header_take_build_id(&data->header, misc, body);
		break;
	case PERF_USER_HEADER_FEATURE: {
		const uint64_t feature = read_u64(&body);

		if (feature < UINT32_MAX)
			perf_header_take_feature(&data->header, (unsigned)feature, body);
		break;
	}
	case PERF_USER_EVENT_UPDATE:
		perf_header_take_update(&data->header, body);
		break;
	case PERF_USER_FINISHED_ROUND:
		perf_order_end_round(&data->order);
		break;
	case PERF_USER_COMPRESSED:
	case PERF_USER_COMPRESSED2:
		take_compressed(data, type, body);
		break;
	case PERF_USER_AUXTRACE:
	case PERF_USER_HEADER_TRACING_DATA:
		return true;
	default:
		break; /* of no use here */
	}
	return false;
}

/* The next record of the input; false at the end. */
static bool read_one(struct perf_data *data)
{
	struct byte_reader body = perf_input_peek(&data->input, HEAD_BYTES);
	const size_t have = bytes_left(&body);

	if (!have)
		return false;
	const uint32_t type = read_u32(&body);
	const uint16_t misc = read_u16(&body), size = read_u16(&body);

	if (body.failed) {
		stop(data, "it is cut off");
		return false;
	}
	if (size < HEAD_BYTES) {
		stop(data, "it is damaged: a record is shorter than its own head");
		return false;
	}
	body = perf_input_peek(&data->input, size);
	if (bytes_left(&body) < size) {
		stop(data, "it is cut off");
		return false;
	}
	body.end = body.at + size;
	if (type < PERF_USER_HEADER_ATTR) {
		add_record(data, body.at, size);
		return perf_input_skip(&data->input, size);
	}
	read_skip(&body, HEAD_BYTES);
	const bool has_payload = take_of_perf(data, type, misc, body);
	unsigned char copy[HEAD_BYTES] = {0};

	memcpy(copy, body.at, bytes_left(&body) < sizeof(copy) ? bytes_left(&body) : sizeof(copy));
	perf_input_skip(&data->input, size);
	if (has_payload)
		skip_payload(data, type, byte_reader(copy, sizeof(copy)));
	return true;
}

/* ---- the whole ---- */

/* What stands before the records of the kernel: of a pipe that are attributes and features. */
static void read_prologue(struct perf_data *data)
{
	while (!data->stopped) {
		struct byte_reader head = perf_input_peek(&data->input, HEAD_BYTES);
		const uint32_t type = read_u32(&head);

		if (head.failed || type < PERF_USER_HEADER_ATTR || type == PERF_USER_COMPRESSED ||
		    type == PERF_USER_COMPRESSED2)
			break;
		read_one(data);
	}
	perf_attrs_finish(&data->header.attrs);
}

static bool begin(struct perf_data *data, uint64_t size)
{
	const struct perf_header *header = &data->header;

	if (!perf_header_read(&data->header, data->fd, size, data->err))
		return false;
	if (!header->is_pipe && lseek(data->fd, (off_t)header->data_offset, SEEK_SET) < 0)
		return error_set_errno(data->err, errno, "its data cannot be reached");
	perf_input_init(&data->input, data->fd, header->data_offset, header->data_end);
	perf_order_init(&data->order, ORDER_BYTES_MAX, take_in_order, data);
	read_prologue(data);
	return !data->failed && perf_header_check(header, data->err);
}

struct perf_data *perf_data_open(const char *path, struct error *err)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	struct stat status = {0};
	const int fd = is_stdin ? dup(STDIN_FILENO) : open_path(path, &status, err);

	if (fd < 0) {
		if (is_stdin)
			error_set_errno(err, errno, "cannot read the standard input");
		return NULL;
	}
	struct perf_data *data = mem_zalloc(sizeof(*data));
	const bool is_file = S_ISREG(status.st_mode);

	arena_init(&data->arena);
	data->fd = fd;
	data->err = err;
	data->name = arena_strdup(&data->arena, is_stdin ? "the standard input" : path);
	data->images = images_new();
	data->processes = processes_new(data->images, false);
	if (is_file)
		data->written_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000ULL +
				   (uint64_t)status.st_mtim.tv_nsec;
	if (begin(data, is_file ? (uint64_t)status.st_size : UINT64_MAX))
		return data;
	error_prefix(err, "cannot import %s", data->name);
	perf_data_close(data);
	return NULL;
}

void perf_data_close(struct perf_data *data)
{
	if (!data)
		return;
	perf_header_fini(&data->header);
	perf_input_fini(&data->input);
	perf_order_fini(&data->order);
	perf_unpack_free(data->unpack);
	processes_free(data->processes);
	images_free(data->images);
	close(data->fd);
	arena_fini(&data->arena);
	free(data);
}

static void count_rest(struct perf_data *data)
{
	const struct perf_input *input = &data->input;

	if (data->unpack && perf_unpack_rest(data->unpack))
		stop(data, "its last compressed record is cut off");
	if (data->header.unfinished)
		stop(data, "perf record did not come to finish it");
	if (data->header.cut_off)
		stop(data, "it is cut off");
	if (data->stopped && input->end != UINT64_MAX && input->end > input->offset)
		data->counts.left_bytes = input->end - input->offset;
	/* What perf counts at the end has been told of by records, as far as there was room. */
	add_claimed(&data->counts.samples.lost, data->lost_records > data->lost_at_end
							? data->lost_records
							: data->lost_at_end);
}

bool perf_data_read(struct perf_data *data, const struct sampler_sink *sink, struct error *err)
{
	data->sink = *sink;
	data->err = err;
	while (!data->stopped && read_one(data)) {
	}
	if (data->input.error && !data->failed) {
		error_set_errno(err, data->input.error, "it cannot be read");
		data->failed = true;
	}
	if (data->failed)
		return error_prefix(err, "cannot import %s", data->name);
	perf_order_finish(&data->order);
	count_rest(data);
	data->counts.late = data->order.late;
	return true;
}

/* ---- what is known ---- */

size_t perf_data_event_count(const struct perf_data *data)
{
	return data->header.attrs.shown;
}

const struct event *perf_data_event(const struct perf_data *data, size_t index)
{
	vec_foreach (attr, &data->header.attrs.list)
		if ((*attr)->shown == index)
			return &(*attr)->event;
	return NULL;
}

static bool some_event_has(const struct perf_data *data, uint64_t sample_type)
{
	vec_foreach (attr, &data->header.attrs.list)
		if (((*attr)->layout.sample_type & sample_type) == sample_type)
			return true;
	return false;
}

bool perf_data_has_stacks(const struct perf_data *data)
{
	return some_event_has(data, PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
}

bool perf_data_has_chains(const struct perf_data *data)
{
	return some_event_has(data, PERF_SAMPLE_CALLCHAIN);
}

bool perf_data_is_of_everything(const struct perf_data *data)
{
	vec_foreach (attr, &data->header.attrs.list)
		if ((*attr)->inherit)
			return false;
	return data->header.attrs.list.len > 0;
}

const struct perf_origin *perf_data_origin(const struct perf_data *data)
{
	return &data->header.origin;
}

struct perf_kernel perf_data_kernel(const struct perf_data *data)
{
	struct perf_kernel kernel = data->kernel;

	kernel.build_id = perf_header_build_id(&data->header, "[kernel.kallsyms]");
	return kernel;
}

const struct perf_data_counts *perf_data_counts(const struct perf_data *data)
{
	return &data->counts;
}

struct images *perf_data_images(const struct perf_data *data)
{
	return data->images;
}

uint64_t perf_data_written_ns(const struct perf_data *data)
{
	return data->written_ns;
}
