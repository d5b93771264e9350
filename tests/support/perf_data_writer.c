#include "tests/support/perf_data_writer.h"

#include "base/byte_reader.h"

#include <assert.h>
#include <string.h>
#include <zstd.h>

enum {
	HEADER_ATTR = 64,
	HEADER_FEATURE = 80,
	COMPRESSED = 81,
	FEATURE_BUILD_ID = 2,
	FEATURE_EVENT_DESC = 12,
	HEAD_BYTES = 8,
	FILE_HEADER_BYTES = 104,
	PIECE_BYTES_MAX = 60000,
};

void perf_data_writer_fini(struct perf_data_writer *writer)
{
	for (size_t i = 0; i < WRITTEN_FEATURES; i++)
		vec_fini(&writer->features[i]);
	vec_fini(&writer->data);
	vec_fini(&writer->waiting);
	ZSTD_freeCStream(writer->packer);
}

/* ---- records ---- */

static size_t begin(struct byte_vec *out, uint32_t type, uint16_t misc)
{
	const size_t at = out->len;

	put_u32(out, type);
	put_u16(out, misc);
	put_u16(out, 0);
	return at;
}

static void end(struct byte_vec *out, size_t at)
{
	const size_t size = out->len - at;

	assert(size <= UINT16_MAX);
	out->data[at + 6] = (unsigned char)size;
	out->data[at + 7] = (unsigned char)(size >> 8);
}

/* Where records of the kernel go. */
static struct byte_vec *kernel_records(struct perf_data_writer *writer)
{
	return writer->compressed ? &writer->waiting : &writer->data;
}

static void pack(struct perf_data_writer *writer)
{
	ZSTD_inBuffer in = {.src = writer->waiting.data, .size = writer->waiting.len};
	const size_t piece = writer->piece_bytes ? writer->piece_bytes : PIECE_BYTES_MAX;
	unsigned char bytes[PIECE_BYTES_MAX];
	size_t left = 1;

	if (!writer->packer) {
		writer->packer = ZSTD_createCStream();
		ZSTD_initCStream(writer->packer, 3);
	}
	while (in.size && left) {
		ZSTD_outBuffer out = {.dst = bytes, .size = piece};

		left = ZSTD_compressStream2(writer->packer, &out, &in, ZSTD_e_flush);
		assert(!ZSTD_isError(left));
		const size_t at = begin(&writer->data, COMPRESSED, 0);
		put_bytes(&writer->data, bytes, out.pos);
		end(&writer->data, at);
	}
	writer->waiting.len = 0;
}

static void put_text(struct byte_vec *out, const char *text)
{
	put_bytes(out, text, strlen(text) + 1);
	put_align(out, 8, 0);
}

/* What stands at the end of records that are no samples, as the first event has it. */
static void put_sample_id(struct perf_data_writer *writer, uint32_t pid, uint32_t tid,
			  uint64_t time)
{
	struct byte_vec *out = kernel_records(writer);
	const uint64_t type = writer->events[0].attr.sample_type;

	if (type & PERF_SAMPLE_TID) {
		put_u32(out, pid);
		put_u32(out, tid);
	}
	if (type & PERF_SAMPLE_TIME)
		put_u64(out, time);
	if (type & PERF_SAMPLE_ID)
		put_u64(out, writer->events[0].id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(out, 0);
	if (type & PERF_SAMPLE_CPU)
		put_u64(out, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(out, writer->events[0].id);
}

static void put_sample_head(struct byte_vec *out, const struct perf_written_sample *sample,
			    const struct perf_written_event *event)
{
	const uint64_t type = event->attr.sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(out, event->id);
	if (type & PERF_SAMPLE_IP)
		put_u64(out, sample->ip);
	if (type & PERF_SAMPLE_TID) {
		put_u32(out, sample->pid);
		put_u32(out, sample->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		put_u64(out, sample->time);
	if (type & PERF_SAMPLE_ADDR)
		put_u64(out, 0xadd);
	if (type & PERF_SAMPLE_ID)
		put_u64(out, event->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(out, 0x57);
	if (type & PERF_SAMPLE_CPU)
		put_u64(out, sample->cpu);
	if (type & PERF_SAMPLE_PERIOD)
		put_u64(out, sample->period);
}

static void put_words(struct byte_vec *out, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_u64(out, words[i]);
}

/* struct read_format: a group of two, with all that it can have. */
static void put_read(struct byte_vec *out, uint64_t format)
{
	const size_t members = format & PERF_FORMAT_GROUP ? 2 : 1;

	if (format & PERF_FORMAT_GROUP)
		put_u64(out, members);
	if (!(format & PERF_FORMAT_GROUP))
		put_u64(out, 12345);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put_u64(out, 1);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put_u64(out, 2);
	for (size_t i = 0; i < members; i++) {
		if (format & PERF_FORMAT_GROUP)
			put_u64(out, 12345);
		if (format & PERF_FORMAT_ID)
			put_u64(out, 3);
		if (format & PERF_FORMAT_LOST)
			put_u64(out, 0);
	}
}

static void put_stack(struct byte_vec *out, const struct perf_written_sample *sample)
{
	put_u64(out, sample->stack_bytes);
	if (!sample->stack_bytes)
		return;
	put_bytes(out, sample->stack, sample->stack_bytes);
	put_u64(out, sample->stack_used);
}

static void put_sample_tail(struct byte_vec *out, uint64_t type)
{
	static const uint64_t words = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT |
				      PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
				      PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
				      PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;

	for (int i = __builtin_popcountll(type & words); i; i--)
		put_u64(out, 0xfeed);
}

void perf_write_sample(struct perf_data_writer *writer, const struct perf_written_sample *sample)
{
	const struct perf_written_event *event = &writer->events[sample->event];
	const uint64_t type = event->attr.sample_type, branches = event->attr.branch_sample_type;
	struct byte_vec *out = kernel_records(writer);
	const size_t at = begin(out, PERF_RECORD_SAMPLE, sample->misc);

	put_sample_head(out, sample, event);
	if (type & PERF_SAMPLE_READ)
		put_read(out, event->attr.read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(out, sample->callchain_count);
		put_words(out, sample->callchain, sample->callchain_count);
	}
	if (type & PERF_SAMPLE_RAW) {
		put_u32(out, 12);
		put_bytes(out, "raw contents", 12);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		put_u64(out, sample->branch_count);
		if (branches & PERF_SAMPLE_BRANCH_HW_INDEX)
			put_u64(out, 0);
		put_words(out, sample->branches, 3 * sample->branch_count);
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		put_u64(out, sample->registers_abi);
		if (sample->registers_abi)
			put_words(out, sample->registers,
				  (size_t)__builtin_popcountll(event->attr.sample_regs_user));
	}
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(out, sample);
	put_sample_tail(out, type);
	end(out, at);
}

void perf_write_mapping(struct perf_data_writer *writer, const struct perf_written_mapping *mapping)
{
	struct byte_vec *out = kernel_records(writer);
	const uint16_t misc =
		mapping->misc | (mapping->build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
	const size_t at = begin(out, PERF_RECORD_MMAP2, misc);

	put_u32(out, mapping->pid);
	put_u32(out, mapping->pid);
	put_u64(out, mapping->addr);
	put_u64(out, mapping->size);
	put_u64(out, mapping->file_offset);
	if (mapping->build_id) {
		put_u32(out, 20);
		put_bytes(out, mapping->build_id, 20);
	} else {
		put_u64(out, 0);
		put_u64(out, 0);
		put_u64(out, 0);
	}
	put_u32(out, 5); /* read, execute */
	put_u32(out, 2); /* private */
	put_text(out, mapping->path);
	put_sample_id(writer, mapping->pid, mapping->pid, mapping->time);
	end(out, at);
}

void perf_write_comm(struct perf_data_writer *writer, uint32_t pid, uint32_t tid, const char *name,
		     uint64_t time)
{
	struct byte_vec *out = kernel_records(writer);
	const size_t at = begin(out, PERF_RECORD_COMM, 0);

	put_u32(out, pid);
	put_u32(out, tid);
	put_text(out, name);
	put_sample_id(writer, pid, tid, time);
	end(out, at);
}

void perf_write_task(struct perf_data_writer *writer, uint32_t type, uint32_t pid, uint32_t parent,
		     uint64_t time)
{
	struct byte_vec *out = kernel_records(writer);
	const size_t at = begin(out, type, 0);

	put_u32(out, pid);
	put_u32(out, parent);
	put_u32(out, pid);
	put_u32(out, parent);
	put_u64(out, time);
	put_sample_id(writer, pid, pid, time);
	end(out, at);
}

void perf_write_lost(struct perf_data_writer *writer, uint64_t count, uint64_t time)
{
	struct byte_vec *out = kernel_records(writer);
	const size_t at = begin(out, PERF_RECORD_LOST, 0);

	put_u64(out, writer->events[0].id);
	put_u64(out, count);
	put_sample_id(writer, 0, 0, time);
	end(out, at);
}

void perf_write_bare(struct perf_data_writer *writer, uint32_t type)
{
	pack(writer);
	end(&writer->data, begin(&writer->data, type, 0));
}

/* ---- what the file says of itself ---- */

size_t perf_write_event(struct perf_data_writer *writer, uint64_t sample_type, const char *name)
{
	struct perf_written_event *event = &writer->events[writer->event_count];

	event->attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					       .size = sizeof(event->attr),
					       .config = PERF_COUNT_SW_CPU_CLOCK,
					       .sample_type = sample_type,
					       .sample_freq = 997,
					       .freq = 1,
					       .sample_id_all = 1};
	event->id = 70 + writer->event_count;
	event->name = name;
	return writer->event_count++;
}

static void put_sized(struct byte_vec *out, const char *text)
{
	const size_t size = (strlen(text) + 64) & ~(size_t)63;
	const size_t at = out->len;

	put_u32(out, (uint32_t)size);
	put_bytes(out, text, strlen(text));
	while (out->len - at < size + 4)
		put_u8(out, 0);
}

void perf_write_text_feature(struct perf_data_writer *writer, unsigned feature, const char *text)
{
	put_sized(&writer->features[feature], text);
}

void perf_write_words_feature(struct perf_data_writer *writer, unsigned feature,
			      const char *const *words, size_t count)
{
	put_u32(&writer->features[feature], (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		put_sized(&writer->features[feature], words[i]);
}

void perf_write_build_id(struct perf_data_writer *writer, const uint8_t *bytes, const char *path)
{
	struct byte_vec *out = &writer->features[FEATURE_BUILD_ID];
	const size_t at = begin(out, 67, PERF_RECORD_MISC_USER | 1 << 15);

	put_u32(out, UINT32_MAX);
	put_bytes(out, bytes, 20);
	put_u32(out, 20); /* size of the build-id */
	put_text(out, path);
	end(out, at);
}

static void put_event_names(struct perf_data_writer *writer)
{
	struct byte_vec *out = &writer->features[FEATURE_EVENT_DESC];

	put_u32(out, (uint32_t)writer->event_count);
	put_u32(out, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < writer->event_count; i++) {
		const struct perf_written_event *event = &writer->events[i];

		put_bytes(out, &event->attr, sizeof(event->attr));
		put_u32(out, event->id ? 1 : 0);
		put_sized(out, event->name);
		if (event->id)
			put_u64(out, event->id);
	}
}

static void put_pipe(struct perf_data_writer *writer, struct byte_vec *out)
{
	put_bytes(out, "PERFILE2", 8);
	put_u64(out, 16);
	for (size_t i = 0; i < writer->event_count; i++) {
		const size_t at = begin(out, HEADER_ATTR, 0);

		put_bytes(out, &writer->events[i].attr, sizeof(writer->events[i].attr));
		if (writer->events[i].id)
			put_u64(out, writer->events[i].id);
		end(out, at);
	}
	for (unsigned i = 0; i < WRITTEN_FEATURES; i++) {
		if (!writer->features[i].len)
			continue;
		const size_t at = begin(out, HEADER_FEATURE, 0);
		put_u64(out, i);
		put_bytes(out, writer->features[i].data, writer->features[i].len);
		end(out, at);
	}
	put_bytes(out, writer->data.data, writer->data.len);
}

static void put_section(struct byte_vec *out, uint64_t offset, uint64_t size)
{
	put_u64(out, offset);
	put_u64(out, size);
}

/* header, ids, attributes, data, places of features, features */
static void put_file(struct perf_data_writer *writer, struct byte_vec *out)
{
	const uint64_t ids = FILE_HEADER_BYTES, attrs = ids + 8 * writer->event_count,
		       entry = sizeof(struct perf_event_attr) + 16,
		       data = attrs + entry * writer->event_count;
	uint64_t bits = 0, at = data + writer->data.len;

	for (unsigned i = 0; i < WRITTEN_FEATURES; i++)
		bits |= (uint64_t)(writer->features[i].len > 0) << i;
	at += 16 * (uint64_t)__builtin_popcountll(bits);
	put_bytes(out, "PERFILE2", 8);
	put_u64(out, FILE_HEADER_BYTES);
	put_u64(out, entry);
	put_section(out, attrs, entry * writer->event_count);
	put_section(out, data, writer->data.len);
	put_section(out, 0, 0);
	put_u64(out, bits);
	for (int i = 0; i < 3; i++)
		put_u64(out, 0);
	for (size_t i = 0; i < writer->event_count; i++)
		put_u64(out, writer->events[i].id);
	for (size_t i = 0; i < writer->event_count; i++) {
		put_bytes(out, &writer->events[i].attr, sizeof(writer->events[i].attr));
		put_section(out, ids + 8 * i, writer->events[i].id ? 8 : 0);
	}
	put_bytes(out, writer->data.data, writer->data.len);
	for (unsigned i = 0; i < WRITTEN_FEATURES; i++) {
		if (!writer->features[i].len)
			continue;
		put_section(out, at, writer->features[i].len);
		at += writer->features[i].len;
	}
	for (unsigned i = 0; i < WRITTEN_FEATURES; i++)
		put_bytes(out, writer->features[i].data, writer->features[i].len);
}

void perf_data_writer_finish(struct perf_data_writer *writer, struct byte_vec *out)
{
	pack(writer);
	put_event_names(writer);
	if (writer->pipe)
		put_pipe(writer, out);
	else
		put_file(writer, out);
}
