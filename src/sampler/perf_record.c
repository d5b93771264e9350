/*
 * Decodes records field by field, in the order that the kernel writes them in. Of samples it reads
 * as far as the copy of the stack: nothing behind that is of use.
 */
#include "sampler/perf_record.h"

#include <asm/perf_regs.h>
#include <string.h>

/* perf's numbers of registers, in the order of DWARF's. */
static const uint8_t perf_registers[] = {
	[UNWIND_RAX] = PERF_REG_X86_AX,	 [UNWIND_RDX] = PERF_REG_X86_DX,
	[UNWIND_RCX] = PERF_REG_X86_CX,	 [UNWIND_RBX] = PERF_REG_X86_BX,
	[UNWIND_RSI] = PERF_REG_X86_SI,	 [UNWIND_RDI] = PERF_REG_X86_DI,
	[UNWIND_RBP] = PERF_REG_X86_BP,	 [UNWIND_RSP] = PERF_REG_X86_SP,
	[UNWIND_R8] = PERF_REG_X86_R8,	 [UNWIND_R9] = PERF_REG_X86_R9,
	[UNWIND_R10] = PERF_REG_X86_R10, [UNWIND_R11] = PERF_REG_X86_R11,
	[UNWIND_R12] = PERF_REG_X86_R12, [UNWIND_R13] = PERF_REG_X86_R13,
	[UNWIND_R14] = PERF_REG_X86_R14, [UNWIND_R15] = PERF_REG_X86_R15,
	[UNWIND_RA] = PERF_REG_X86_IP,
};
table_covers(perf_registers, UNWIND_REGISTERS);

/* `count` items of `bytes` each; false, and nothing moved, if they are not there. */
static bool take(struct byte_reader *reader, uint64_t count, uint64_t bytes)
{
	uint64_t size;

	if (__builtin_mul_overflow(count, bytes, &size) || size > bytes_left(reader)) {
		reader->failed = true;
		return false;
	}
	read_skip(reader, size);
	return true;
}

static void read_callchain(struct byte_reader *reader, struct perf_sample *sample)
{
	const uint64_t count = read_u64(reader);

	sample->callchain = reader->at;
	if (take(reader, count, sizeof(uint64_t)))
		sample->callchain_count = count;
}

static void read_registers(struct byte_reader *reader, uint64_t mask, struct perf_sample *sample)
{
	uint64_t values[64] = {0};

	const uint64_t abi = read_u64(reader);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return; /* a thread of the kernel has none */
	sample->is_32_bit = abi == PERF_SAMPLE_REGS_ABI_32;
	for (int i = 0; i < 64; i++)
		if (mask >> i & 1)
			values[i] = read_u64(reader);
	for (int i = 0; i < UNWIND_REGISTERS; i++)
		sample->registers.value[i] = values[perf_registers[i]];
	sample->registers.exact = true;
	sample->has_registers = !reader->failed && abi == PERF_SAMPLE_REGS_ABI_64 &&
				mask >> PERF_REG_X86_SP & 1 && mask >> PERF_REG_X86_IP & 1;
}

static void read_raw(struct byte_reader *reader, struct perf_sample *sample)
{
	const uint32_t size = read_u32(reader);

	sample->raw = reader->at;
	if (take(reader, size, 1))
		sample->raw_bytes = size;
}

#define BRANCH_COUNTERS (1U << 19) /* PERF_SAMPLE_BRANCH_COUNTERS of newer headers */

static void read_branches(struct byte_reader *reader, uint64_t branch_type,
			  struct perf_sample *sample)
{
	const uint64_t count = read_u64(reader);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		read_u64(reader);
	sample->branches = reader->at;
	if (!take(reader, count, 3 * sizeof(uint64_t)))
		return;
	sample->branch_count = count;
	if (branch_type & BRANCH_COUNTERS)
		take(reader, count, sizeof(uint64_t));
}

static void read_stack(struct byte_reader *reader, struct perf_sample *sample)
{
	const uint64_t size = read_u64(reader);

	if (!size)
		return;
	sample->stack = reader->at;
	if (!take(reader, size, 1))
		return;
	const uint64_t used = read_u64(reader);
	sample->stack_bytes = used < size ? used : size;
}

/* struct read_format: one value, or a group of them. */
static void skip_read(struct byte_reader *reader, uint64_t format)
{
	const bool group = format & PERF_FORMAT_GROUP;
	const uint64_t count = group ? read_u64(reader) : 1;
	const unsigned times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	const unsigned each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	take(reader, times, sizeof(uint64_t));
	take(reader, count, each * sizeof(uint64_t));
}

/* Fields up to the period; false if the layout does not have the field. */
static bool read_sample_head(struct byte_reader *reader, uint64_t type, struct perf_sample *sample)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = read_u64(reader);
	if (type & PERF_SAMPLE_IP)
		sample->ip = read_u64(reader);
	if (type & PERF_SAMPLE_TID) {
		sample->pid = read_u32(reader);
		sample->tid = read_u32(reader);
	}
	if (type & PERF_SAMPLE_TIME)
		sample->time = read_u64(reader);
	if (type & PERF_SAMPLE_ADDR)
		read_u64(reader);
	if (type & PERF_SAMPLE_ID)
		sample->id = read_u64(reader);
	if (type & PERF_SAMPLE_STREAM_ID)
		read_u64(reader);
	if (type & PERF_SAMPLE_CPU) {
		sample->cpu = read_u32(reader);
		read_u32(reader);
	}
	sample->period = type & PERF_SAMPLE_PERIOD ? read_u64(reader) : 1;
	return !reader->failed;
}

static bool read_sample(struct byte_reader *reader, const struct perf_layout *layout,
			struct perf_sample *sample)
{
	const uint64_t type = layout->sample_type;

	if (!read_sample_head(reader, type, sample))
		return false;
	if (type & PERF_SAMPLE_READ)
		skip_read(reader, layout->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		read_callchain(reader, sample);
	if (type & PERF_SAMPLE_RAW)
		read_raw(reader, sample);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		read_branches(reader, layout->branch_type, sample);
	if (type & PERF_SAMPLE_REGS_USER)
		read_registers(reader, layout->regs_user, sample);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(reader, sample);
	return !reader->failed;
}

/* Strings are padded with zeros to eight bytes, and end in one. */
static const char *read_text(struct byte_reader *reader)
{
	const char *text = read_string(reader);

	return text ? text : "";
}

static void read_mapping(struct byte_reader *reader, uint32_t type, uint16_t misc,
			 struct perf_mapping *mapping)
{
	mapping->pid = read_u32(reader);
	mapping->tid = read_u32(reader);
	mapping->addr = read_u64(reader);
	mapping->size = read_u64(reader);
	mapping->file_offset = read_u64(reader);
	mapping->protection = misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : 4 /* PROT_EXEC */;
	if (type == PERF_RECORD_MMAP2) {
		if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			mapping->build_id_bytes = read_u8(reader);
			read_skip(reader, 3);
			if (mapping->build_id_bytes > PERF_BUILD_ID_BYTES)
				reader->failed = true;
			for (int i = 0; i < PERF_BUILD_ID_BYTES; i++)
				mapping->build_id[i] = read_u8(reader);
		} else {
			mapping->major = read_u32(reader);
			mapping->minor = read_u32(reader);
			mapping->inode = read_u64(reader);
			mapping->inode_generation = read_u64(reader);
		}
		mapping->protection = read_u32(reader);
		read_u32(reader); /* flags */
	}
	mapping->path = read_text(reader);
}

static void read_task(struct byte_reader *reader, struct perf_task *task)
{
	task->pid = read_u32(reader);
	task->parent_pid = read_u32(reader);
	task->tid = read_u32(reader);
	task->parent_tid = read_u32(reader);
}

/* sample_id at the end of other records: the fields are those of samples, in another order. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

static struct sample_id read_sample_id(const struct perf_layout *layout, const unsigned char *begin,
				       const unsigned char *end)
{
	const uint64_t type = layout->sample_type;
	const uint64_t words = !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME) +
			       !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) +
			       !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_IDENTIFIER);
	struct sample_id id = {0};

	if (!layout->sample_id_all || (size_t)(end - begin) < words * 8)
		return id;
	struct byte_reader reader = byte_reader(end - words * 8, words * 8);

	if (type & PERF_SAMPLE_TID) {
		id.pid = read_u32(&reader);
		id.tid = read_u32(&reader);
	}
	if (type & PERF_SAMPLE_TIME)
		id.time = read_u64(&reader);
	return id;
}

static bool read_record(const struct perf_layout *layout, const void *bytes, size_t size,
			struct perf_record *record, size_t *size_bytes)
{
	struct byte_reader reader = byte_reader(bytes, size);

	memset(record, 0, sizeof(*record));
	record->type = read_u32(&reader);
	record->misc = read_u16(&reader);
	*size_bytes = read_u16(&reader);
	if (reader.failed || *size_bytes < 8 || *size_bytes > size)
		return false;
	reader.end = (const unsigned char *)bytes + *size_bytes;
	const struct sample_id id = read_sample_id(layout, reader.at, reader.end);

	record->time = id.time;
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		record->sample.misc = record->misc;
		return read_sample(&reader, layout, &record->sample);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		read_mapping(&reader, record->type, record->misc, &record->mapping);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		read_task(&reader, &record->task);
		record->task.ran_already = record->misc & PERF_RECORD_MISC_FORK_EXEC;
		if (!record->time)
			record->time = read_u64(&reader);
		break;
	case PERF_RECORD_COMM:
		record->name.pid = read_u32(&reader);
		record->name.tid = read_u32(&reader);
		record->name.exec = record->misc & PERF_RECORD_MISC_COMM_EXEC;
		record->name.name = read_text(&reader);
		break;
	case PERF_RECORD_LOST:
		read_u64(&reader); /* id */
		record->lost = read_u64(&reader);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		record->lost = read_u64(&reader);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		record->switched = (struct perf_task){.pid = id.pid, .tid = id.tid};
		break;
	default:
		break;
	}
	return !reader.failed;
}

/* Nanoseconds; perf has all bits set where it knows none. False: a time that no clock reaches. */
static bool settle_time(uint64_t *time)
{
	if (*time == UINT64_MAX)
		*time = 0;
	return *time <= INT64_MAX;
}

bool perf_record_read(const struct perf_layout *layout, const void *bytes, size_t size,
		      struct perf_record *record, size_t *size_bytes)
{
	return read_record(layout, bytes, size, record, size_bytes) &&
	       settle_time(record->type == PERF_RECORD_SAMPLE ? &record->sample.time
							      : &record->time);
}
