/*
 * Records of perf under any layout: the input's head is the layout, the rest records. Whatever a
 * record was read as lies inside of it, and its text ends there.
 */
#include "base/byte_reader.h"
#include "fuzz/fuzz.h"
#include "sampler/perf_record.h"

#include <assert.h>
#include <string.h>

static unsigned char sum;

static void touch(const void *bytes, size_t size, const unsigned char *begin, size_t record_size)
{
	const unsigned char *at = bytes;

	assert(!size ||
	       (at >= begin && size <= record_size && (size_t)(at - begin) <= record_size - size));
	for (size_t i = 0; i < size; i++)
		sum = (unsigned char)(sum + at[i]);
}

static void touch_text(const char *text, const unsigned char *begin, size_t size)
{
	if (*text)
		touch(text, strlen(text) + 1, begin, size);
}

static void check_sample(const struct perf_sample *sample, const unsigned char *begin, size_t size)
{
	assert(sample->callchain_count <= size / 8 && sample->branch_count <= size / 24);
	touch(sample->callchain, sample->callchain_count * 8, begin, size);
	touch(sample->branches, sample->branch_count * 24, begin, size);
	touch(sample->stack, sample->stack_bytes, begin, size);
	for (uint64_t i = 0; i < sample->callchain_count; i++)
		sum = (unsigned char)(sum + perf_callchain_at(sample, i));
}

static void check_record(const struct perf_record *record, const unsigned char *begin, size_t size)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		check_sample(&record->sample, begin, size);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		assert(record->mapping.build_id_bytes <= PERF_BUILD_ID_BYTES);
		touch_text(record->mapping.path, begin, size);
		break;
	case PERF_RECORD_COMM:
		touch_text(record->name.name, begin, size);
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct byte_reader reader = byte_reader(data, size);
	struct perf_record record;
	struct perf_layout layout = {.sample_type = read_u32(&reader) & (PERF_SAMPLE_MAX * 2 - 1),
				     .read_format = read_u8(&reader)};
	size_t record_size;

	layout.sample_id_all = read_u8(&reader) & 1;
	layout.branch_type = read_u32(&reader);
	layout.regs_user = read_u64(&reader);
	while (perf_record_read(&layout, reader.at, bytes_left(&reader), &record, &record_size)) {
		assert(record_size >= 8 && record_size <= bytes_left(&reader));
		check_record(&record, reader.at, record_size);
		read_skip(&reader, record_size);
	}
	return 0;
}
