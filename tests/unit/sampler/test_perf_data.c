/* perf_data: files with known contents, in all their forms; damaged ones. */
#include "base/byte_reader.h"
#include "sampler/perf_data.h"
#include "tests/support/perf_data_writer.h"

#include <asm/perf_regs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { FEATURE_HOST = 3, FEATURE_ARCH = 6, FEATURE_COMMAND = 11, FEATURE_STAT = 19, KEPT = 4096 };

static const char *program; /* fixtures/proportions */

/* ---- what a file is read as ---- */

struct kept_sample {
	uint64_t time, weight;
	uint32_t pid, tid;
	size_t event, kernel_count, user_count;
	uint64_t kernel[4], user[8];
	enum unwind_result end;
	char process[PROCESS_NAME_BYTES];
};

struct read_file {
	struct kept_sample samples[KEPT];
	size_t count, records;
	struct perf_data *data;
	struct error err;
	bool good;
};

static struct read_file file;

static void keep(void *context, const struct sampler_sample *sample)
{
	struct read_file *read = context;
	struct kept_sample *kept = &read->samples[read->count++];

	assert_true(read->count <= KEPT);
	*kept = (struct kept_sample){.time = sample->time,
				     .weight = sample->weight,
				     .pid = sample->process->pid,
				     .tid = sample->tid,
				     .event = sample->event,
				     .kernel_count = sample->kernel_count,
				     .user_count = sample->stack->count,
				     .end = sample->stack->end};
	memcpy(kept->process, sample->process->name, sizeof(kept->process));
	for (size_t i = 0; i < sample->kernel_count && i < 4; i++)
		kept->kernel[i] = sample->kernel[i];
	for (size_t i = 0; i < sample->stack->count && i < 8; i++)
		kept->user[i] = sample->stack->frames[i].addr;
}

static void count_record(void *context, const struct perf_record *record)
{
	(void)record;
	((struct read_file *)context)->records++;
}

static void read_bytes(const void *bytes, size_t size)
{
	char path[] = "/tmp/tare-perf-data-XXXXXX";
	const struct sampler_sink sink = {.sample = keep, .record = count_record, .context = &file};
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	file.count = file.records = 0;
	file.err = (struct error){0};
	file.data = perf_data_open(path, &file.err);
	file.good = file.data && perf_data_read(file.data, &sink, &file.err);
	unlink(path);
}

static void read_written(struct perf_data_writer *writer)
{
	struct byte_vec bytes = {0};

	perf_data_writer_finish(writer, &bytes);
	read_bytes(bytes.data, bytes.len);
	vec_fini(&bytes);
	if (!file.good)
		fail_msg("%s", file.err.message);
}

static void forget(struct perf_data_writer *writer)
{
	perf_data_close(file.data);
	file.data = NULL;
	if (writer)
		perf_data_writer_fini(writer);
}

/* ---- all forms of a file ---- */

#define CHAIN_TYPE                                                                                 \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD)
#define FLAT_TYPE                                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)

enum { ROUNDS = 5, PER_ROUND = 100 };

/* Two processors, whose records lie behind each other in each round; every third sample is of the
   second event, which has no stack and no period. */
static void write_rounds(struct perf_data_writer *writer)
{
	const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020,
				  PERF_CONTEXT_USER,   0x401010,	   0x402020};

	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (uint64_t i = 0; i < PER_ROUND; i++) {
			const uint64_t half = i * 2 >= PER_ROUND,
				       step = half ? 2 * i - PER_ROUND + 1 : 2 * i,
				       time = 1000000 + round * 10000 + step * 100;
			const size_t event = step % 3 == 2;

			perf_write_sample(writer,
					  &(struct perf_written_sample){
						  .event = event,
						  .misc = event ? PERF_RECORD_MISC_USER
								: PERF_RECORD_MISC_KERNEL,
						  .ip = event ? 0x401000 : 0xffffffff81000010,
						  .pid = 100,
						  .tid = 101,
						  .time = time,
						  .period = 1003009,
						  .callchain = chain,
						  .callchain_count = 6});
		}
		perf_write_bare(writer, 68);
	}
}

static void check_rounds(void)
{
	const struct perf_data_counts *counts = perf_data_counts(file.data);

	assert_int_equal(file.count, ROUNDS * PER_ROUND);
	assert_int_equal(counts->samples.samples, ROUNDS * PER_ROUND);
	assert_int_equal(counts->samples.unknown, 0);
	assert_int_equal(counts->samples.lost, 7);
	assert_int_equal(counts->late, 0);
	assert_null(counts->why_cut);
	for (size_t i = 0; i < file.count; i++) {
		const struct kept_sample *sample = &file.samples[i];
		const bool second = i % PER_ROUND % 3 == 2;

		assert_int_equal(sample->time,
				 1000000 + i / PER_ROUND * 10000 + i % PER_ROUND * 100);
		assert_int_equal(sample->pid, 100);
		assert_int_equal(sample->tid, 101);
		assert_string_equal(sample->process, "worker");
		assert_int_equal(sample->event, second);
		assert_int_equal(sample->weight, second ? 5000 : 1003009);
		assert_int_equal(sample->kernel_count, second ? 0 : 2);
		assert_int_equal(sample->user_count, second ? 1 : 2);
		assert_int_equal(sample->user[0], second ? 0x401000 : 0x401010);
		if (!second) {
			assert_int_equal(sample->kernel[0], 0xffffffff81000010);
			assert_int_equal(sample->kernel[1], 0xffffffff81000020);
			assert_int_equal(sample->user[1], 0x40201f);
		}
		assert_int_equal(sample->end, UNWIND_NO_RULE);
	}
}

static void check_origin(void)
{
	const struct perf_origin *origin = perf_data_origin(file.data);

	assert_string_equal(origin->host, "elsewhere");
	assert_int_equal(origin->command_line.len, 3);
	assert_string_equal(origin->command_line.data[2], "work -x");
	assert_int_equal(perf_data_event_count(file.data), 2);
	assert_string_equal(perf_data_event(file.data, 0)->name, "cpu-clock:u");
	assert_string_equal(perf_data_event(file.data, 1)->name, "page-faults");
	assert_int_equal(perf_data_event(file.data, 0)->frequency, 997);
	assert_int_equal(perf_data_event(file.data, 1)->period, 5000);
}

static void write_all(struct perf_data_writer *writer)
{
	static const char *const words[] = {"perf", "record", "work -x"};

	perf_write_event(writer, CHAIN_TYPE, "cpu-clock:u");
	perf_write_event(writer, FLAT_TYPE, "page-faults");
	writer->events[1].attr.freq = 0;
	writer->events[1].attr.sample_period = 5000;
	writer->events[1].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	perf_write_event(writer, FLAT_TYPE, "dummy:u");
	writer->events[2].attr.config = PERF_COUNT_SW_DUMMY;
	perf_write_text_feature(writer, FEATURE_HOST, "elsewhere");
	perf_write_text_feature(writer, FEATURE_ARCH, "x86_64");
	perf_write_words_feature(writer, FEATURE_COMMAND, words, 3);
	perf_write_comm(writer, 100, 100, "worker", 0);
	perf_write_lost(writer, 7, 1000050);
	write_rounds(writer);
}

static void test_forms(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		struct perf_data_writer writer = {.pipe = form & 1, .compressed = form & 2};

		write_all(&writer);
		read_written(&writer);
		check_rounds();
		check_origin();
		forget(&writer);
	}
}

/* Records of any size stand across the ends of compressed pieces. */
static void test_pieces(void **state)
{
	(void)state;
	for (size_t piece = 1; piece < 300; piece += 37) {
		struct perf_data_writer writer = {.compressed = true, .piece_bytes = piece};

		write_all(&writer);
		read_written(&writer);
		check_rounds();
		forget(&writer);
	}
}

/* Without PERF_SAMPLE_IDENTIFIER ids stand where each event's own fields leave them. */
static void test_ids_at_different_places(void **state)
{
	const uint64_t most = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	struct perf_data_writer writer = {0};

	(void)state;
	perf_write_event(&writer, most, "one");
	perf_write_event(&writer, most | PERF_SAMPLE_ADDR, "two");
	for (size_t i = 0; i < 10; i++)
		perf_write_sample(&writer,
				  &(struct perf_written_sample){.event = i % 2,
								.misc = PERF_RECORD_MISC_USER,
								.ip = 0x1000,
								.pid = 5,
								.tid = 5,
								.time = 10 + i});
	read_written(&writer);
	assert_int_equal(file.count, 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(file.samples[i].event, i % 2);
	forget(&writer);
}

/* ---- stacks ---- */

static void write_one(struct perf_data_writer *writer, const struct perf_written_sample *sample)
{
	struct perf_written_sample written = *sample;

	written.pid = written.tid = 100;
	written.time = 5000;
	if (!written.misc)
		written.misc = PERF_RECORD_MISC_USER;
	perf_write_sample(writer, &written);
	read_written(writer);
	assert_int_equal(file.count, 1);
}

/* Fields before and behind those that are of use are passed by their layout. */
static void test_passed_fields(void **state)
{
	const uint64_t chain[] = {PERF_CONTEXT_USER, 0x401010, 0x402020};
	const uint64_t branches[] = {0x1111, 0x2222, 0, 0x3333, 0x4444, 0};
	struct perf_data_writer writer = {0};

	(void)state;
	perf_write_event(&writer,
			 CHAIN_TYPE | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				 PERF_SAMPLE_CPU | PERF_SAMPLE_READ | PERF_SAMPLE_RAW |
				 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT_STRUCT |
				 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR |
				 PERF_SAMPLE_DATA_PAGE_SIZE,
			 "all");
	writer.events[0].attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
					    PERF_FORMAT_TOTAL_TIME_ENABLED;
	writer.events[0].attr.branch_sample_type =
		PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX;
	write_one(&writer, &(struct perf_written_sample){.ip = 0x401010,
							 .cpu = 1,
							 .period = 9,
							 .callchain = chain,
							 .callchain_count = 3,
							 .branches = branches,
							 .branch_count = 2});
	assert_int_equal(file.samples[0].weight, 9);
	assert_int_equal(file.samples[0].user_count, 2);
	assert_int_equal(file.samples[0].user[1], 0x40201f);
	forget(&writer);
}

/* The processor's own record of calls in progress: each where it was made. */
static void test_stack_of_branches(void **state)
{
	const uint64_t chain[] = {PERF_CONTEXT_USER, 0x401010, 0x402020};
	const uint64_t branches[] = {0x401500, 0x401000, 0, 0x401700, 0x401400, 0};
	struct perf_data_writer writer = {0};

	(void)state;
	perf_write_event(&writer, CHAIN_TYPE | PERF_SAMPLE_BRANCH_STACK, "lbr");
	writer.events[0].attr.branch_sample_type =
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	write_one(&writer, &(struct perf_written_sample){.ip = 0x401010,
							 .callchain = chain,
							 .callchain_count = 3,
							 .branches = branches,
							 .branch_count = 2});
	assert_int_equal(file.samples[0].user_count, 3);
	assert_int_equal(file.samples[0].user[0], 0x401010);
	assert_int_equal(file.samples[0].user[1], 0x401500);
	assert_int_equal(file.samples[0].user[2], 0x401700);
	forget(&writer);
}

static uint64_t symbol_addr(const struct object *object, const char *name)
{
	size_t count;
	const struct object_symbol *symbols = object_symbols(object, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(symbols[i].name, name))
			return symbols[i].addr;
	fail_msg("no symbol %s", name);
	return 0;
}

static const Elf64_Phdr *code_segment(const struct object *object)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X)
			return &segments[i];
	fail();
	return NULL;
}

#define BASE UINT64_C(0x555500000000)

static void write_program(struct perf_data_writer *writer, const struct object *object,
			  const uint8_t *build_id)
{
	const Elf64_Phdr *code = code_segment(object);

	perf_write_mapping(
		writer, &(struct perf_written_mapping){.pid = 100,
						       .misc = PERF_RECORD_MISC_USER,
						       .addr = BASE + code->p_vaddr,
						       .size = (code->p_filesz + 4095) & ~4095ULL,
						       .file_offset = code->p_offset,
						       .time = 10,
						       .build_id = build_id,
						       .path = program});
}

/* Both stand at their first instruction, where only the return address is on the stack. */
static void write_copied_stack(struct perf_data_writer *writer, const struct object *object,
			       const uint8_t *build_id)
{
	const uint64_t stack[] = {BASE + symbol_addr(object, "deeper") + 1, 0, 0, 0};
	const uint64_t registers[] = {0x7ffc00001000, BASE + symbol_addr(object, "most")};

	perf_write_event(writer, CHAIN_TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, "e");
	writer->events[0].attr.sample_regs_user = 1ULL << PERF_REG_X86_SP | 1ULL << PERF_REG_X86_IP;
	writer->events[0].attr.exclude_callchain_user = 1;
	write_program(writer, object, build_id);
	write_one(writer, &(struct perf_written_sample){.ip = registers[1],
							.registers_abi = PERF_SAMPLE_REGS_ABI_64,
							.registers = registers,
							.stack = stack,
							.stack_bytes = sizeof(stack),
							.stack_used = sizeof(stack)});
}

static void test_copied_stack(void **state)
{
	struct error err;
	struct object *object = object_open(program, OBJECT_SYMBOLS, &err);
	struct perf_data_writer writer = {0};

	(void)state;
	assert_non_null(object);
	write_copied_stack(&writer, object, NULL);
	assert_int_equal(file.samples[0].user_count, 2);
	assert_int_equal(file.samples[0].user[0], BASE + symbol_addr(object, "most"));
	assert_int_equal(file.samples[0].user[1], BASE + symbol_addr(object, "deeper"));
	assert_int_equal(file.samples[0].end, UNWIND_ROOT);
	forget(&writer);
	object_close(object);
}

/* The build-id of the header decides whether a file is the one that was recorded. */
static void test_build_ids(void **state)
{
	uint8_t wrong[20] = {0xde, 0xad}, right[20];
	struct error err;
	struct object *object = object_open(program, OBJECT_SYMBOLS, &err);
	size_t size;

	(void)state;
	assert_non_null(object);
	const unsigned char *build_id = object_build_id(object, &size);
	assert_int_equal(size, sizeof(right));
	memcpy(right, build_id, sizeof(right));
	for (int good = 0; good < 2; good++) {
		struct perf_data_writer writer = {0};

		perf_write_build_id(&writer, good ? right : wrong, program);
		write_copied_stack(&writer, object, NULL);
		assert_int_equal(file.samples[0].user_count, good ? 2 : 1);
		const struct image *image = images_at(perf_data_images(file.data), 0);
		if (good) {
			assert_string_equal(image->path, program);
			assert_string_equal(image->file, program);
		} else {
			assert_true(str_ends_with(image->path, "proportions (replaced)"));
			assert_non_null(strstr(image->why, "build-id"));
		}
		forget(&writer);
	}
	object_close(object);
}

/* A callchain is whole if it ends where a program begins. */
static void test_whole_callchain(void **state)
{
	struct error err;
	struct object *object = object_open(program, OBJECT_SYMBOLS, &err);

	(void)state;
	assert_non_null(object);
	for (int whole = 0; whole < 2; whole++) {
		const uint64_t chain[] = {PERF_CONTEXT_USER, BASE + symbol_addr(object, "most"),
					  BASE + symbol_addr(object, whole ? "_start" : "main") +
						  5};
		struct perf_data_writer writer = {0};

		perf_write_event(&writer, CHAIN_TYPE, "e");
		write_program(&writer, object, NULL);
		write_one(&writer, &(struct perf_written_sample){.ip = chain[1],
								 .callchain = chain,
								 .callchain_count = 3});
		assert_int_equal(file.samples[0].end, whole ? UNWIND_ROOT : UNWIND_NO_RULE);
		forget(&writer);
	}
	object_close(object);
}

/* Code of 32 bits has registers that mean something else; the address itself is there. */
static void test_other_abi(void **state)
{
	const uint64_t registers[] = {0x1000, 0x8048000};
	struct perf_data_writer writer = {0};

	(void)state;
	perf_write_event(&writer, CHAIN_TYPE | PERF_SAMPLE_REGS_USER, "e");
	writer.events[0].attr.sample_regs_user = 1ULL << PERF_REG_X86_SP | 1ULL << PERF_REG_X86_IP;
	write_one(&writer, &(struct perf_written_sample){.ip = 0x8048123,
							 .registers_abi = PERF_SAMPLE_REGS_ABI_32,
							 .registers = registers});
	assert_int_equal(file.samples[0].user_count, 1);
	assert_int_equal(file.samples[0].user[0], 0x8048123);
	assert_int_equal(file.samples[0].end, UNWIND_NO_RULE);
	forget(&writer);
}

static void test_kernel_thread_and_guest(void **state)
{
	const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000010};
	struct perf_data_writer writer = {0};

	(void)state;
	perf_write_event(&writer, CHAIN_TYPE, "e");
	perf_write_sample(&writer,
			  &(struct perf_written_sample){
				  .misc = PERF_RECORD_MISC_GUEST_KERNEL, .ip = 1, .time = 1});
	write_one(&writer, &(struct perf_written_sample){.misc = PERF_RECORD_MISC_KERNEL,
							 .ip = chain[1],
							 .callchain = chain,
							 .callchain_count = 2});
	assert_int_equal(file.samples[0].kernel_count, 1);
	assert_int_equal(file.samples[0].user_count, 0);
	assert_int_equal(file.samples[0].end, UNWIND_ROOT);
	assert_int_equal(perf_data_counts(file.data)->samples.discarded, 1);
	forget(&writer);
}

/* ---- bad input ---- */

static void expect_refused(const void *bytes, size_t size, const char *in_message)
{
	read_bytes(bytes, size);
	assert_false(file.good);
	if (!strstr(file.err.message, in_message))
		fail_msg("\"%s\" is not in: %s", in_message, file.err.message);
	forget(NULL);
}

static void test_refused_files(void **state)
{
	struct perf_data_writer writer = {0}, other = {0}, stat = {.pipe = true};
	struct byte_vec bytes = {0};

	(void)state;
	expect_refused("", 0, "empty");
	expect_refused("PERFILE2", 8, "cut off");
	expect_refused("not a file of perf at all, but long enough", 42, "not a file of perf");
	expect_refused("2ELIFREP\0\0\0\0\0\0\0\x68", 16, "byte order");
	expect_refused("PERFFILE\x68\0\0\0\0\0\0\0", 16, "before Linux 3.6");
	perf_write_event(&writer, CHAIN_TYPE, "e");
	perf_write_text_feature(&writer, FEATURE_ARCH, "aarch64");
	perf_data_writer_finish(&writer, &bytes);
	expect_refused(bytes.data, bytes.len, "aarch64");
	bytes.len = 0;
	perf_data_writer_finish(&other, &bytes);
	expect_refused(bytes.data, bytes.len, "no events");
	bytes.len = 0;
	perf_write_event(&stat, CHAIN_TYPE, "e");
	perf_write_text_feature(&stat, FEATURE_STAT, "");
	perf_write_comm(&stat, 1, 1, "x", 1);
	perf_data_writer_finish(&stat, &bytes);
	expect_refused(bytes.data, bytes.len, "perf stat");
	vec_fini(&bytes);
	perf_data_writer_fini(&writer);
	perf_data_writer_fini(&other);
	perf_data_writer_fini(&stat);
}

/* Whatever is there of a file that is cut off is read, and that it is cut off is said. */
static void test_cut_off(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		struct perf_data_writer writer = {.pipe = form & 1, .compressed = form & 2};
		struct byte_vec bytes = {0};
		size_t before = 0;

		perf_write_event(&writer, CHAIN_TYPE, "e");
		for (uint64_t i = 1; i <= 8; i++) {
			perf_write_sample(&writer,
					  &(struct perf_written_sample){.ip = i, .time = i});
			if (i % 4 == 0)
				perf_write_bare(&writer, 68);
		}
		perf_data_writer_finish(&writer, &bytes);
		for (size_t size = 0; size < bytes.len; size++) {
			read_bytes(bytes.data, size);
			if (file.good) {
				assert_true(file.count >= before && file.count <= 8);
				if (!(form & 1) && file.count < 8)
					assert_non_null(perf_data_counts(file.data)->why_cut);
				before = file.count;
			} else {
				assert_true(file.err.message[0]);
				assert_int_equal(before, 0);
			}
			forget(NULL);
		}
		assert_int_equal(before, 8);
		vec_fini(&bytes);
		perf_data_writer_fini(&writer);
	}
}

static void test_damaged_record(void **state)
{
	struct perf_data_writer writer = {.pipe = true};
	struct byte_vec bytes = {0};

	(void)state;
	perf_write_event(&writer, CHAIN_TYPE, "e");
	perf_write_sample(&writer, &(struct perf_written_sample){.ip = 1, .time = 1});
	perf_data_writer_finish(&writer, &bytes);
	put_u64(&bytes, 9); /* a record of no length */
	put_u64(&bytes, 0);
	read_bytes(bytes.data, bytes.len);
	assert_true(file.good);
	assert_int_equal(file.count, 1);
	assert_non_null(strstr(perf_data_counts(file.data)->why_cut, "damaged"));
	forget(&writer);
	vec_fini(&bytes);
}

/* A callchain that claims more words than the record has is counted, the next sample is read. */
static void test_lengths_are_not_believed(void **state)
{
	struct perf_data_writer writer = {0};

	(void)state;
	perf_write_event(&writer, CHAIN_TYPE, "e");
	perf_write_sample(&writer, &(struct perf_written_sample){.ip = 1, .time = 1});
	memset(writer.data.data + writer.data.len - 8, 0xff, 8);
	write_one(&writer, &(struct perf_written_sample){.ip = 2});
	assert_int_equal(file.samples[0].user[0], 2);
	assert_int_equal(perf_data_counts(file.data)->samples.unknown, 1);
	forget(&writer);
}

/* Sums of what records claim stay within what a profile can hold. */
static void test_claims_are_bounded(void **state)
{
	struct perf_data_writer writer = {0};

	(void)state;
	perf_write_event(&writer, CHAIN_TYPE, "e");
	perf_write_lost(&writer, UINT64_MAX, 1);
	perf_write_lost(&writer, UINT64_MAX, 2);
	perf_write_sample(&writer,
			  &(struct perf_written_sample){.ip = 1, .time = 3, .period = UINT64_MAX});
	write_one(&writer, &(struct perf_written_sample){.ip = 2, .period = 7});
	assert_int_equal(file.samples[0].weight, 7);
	assert_int_equal(perf_data_counts(file.data)->samples.unknown, 1);
	assert_int_equal(perf_data_counts(file.data)->samples.lost, INT64_MAX);
	forget(&writer);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_ids_at_different_places),
		cmocka_unit_test(test_passed_fields),
		cmocka_unit_test(test_stack_of_branches),
		cmocka_unit_test(test_copied_stack),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_whole_callchain),
		cmocka_unit_test(test_other_abi),
		cmocka_unit_test(test_kernel_thread_and_guest),
		cmocka_unit_test(test_refused_files),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_damaged_record),
		cmocka_unit_test(test_lengths_are_not_believed),
		cmocka_unit_test(test_claims_are_bounded),
	};

	if (argc != 2)
		return 2;
	program = realpath(argv[1], NULL);
	if (!program)
		return 2;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
