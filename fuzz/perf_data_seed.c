/*
 * Writes a small perf.data to the standard output: FORM [PATH [TIME]], of form 0 to 3: piped 1,
 * compressed 2; PATH is that of the file that code is in, TIME that of the last sample.
 */
#include "tests/support/perf_data_writer.h"

#include <asm/perf_regs.h>
#include <stdio.h>
#include <stdlib.h>

#define COMMON                                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CALLCHAIN)

static const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020,
				 PERF_CONTEXT_USER,   0x401010,		  0x402020};
static const uint64_t branches[] = {0x401500, 0x401000, 0, 0x401700, 0x401400, 0};
static const uint64_t registers[] = {0x7ffc00001000, 0x401800};
static const uint64_t words[] = {0x401911, 0x401922, 0, 0};
static const uint8_t build_id[20] = {1, 2, 3};

static void write_events(struct perf_data_writer *writer)
{
	static const char *const command[] = {"perf", "record", "work"};

	perf_write_event(writer, COMMON | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK, "cycles");
	writer->events[0].attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK;
	perf_write_event(writer, COMMON | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, "faults");
	writer->events[1].attr.sample_regs_user = 1ULL << PERF_REG_X86_SP | 1ULL << PERF_REG_X86_IP;
	perf_write_event(writer, COMMON | PERF_SAMPLE_READ | PERF_SAMPLE_RAW, "raw");
	writer->events[2].attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	perf_write_text_feature(writer, 3, "host");
	perf_write_text_feature(writer, 6, "x86_64");
	perf_write_words_feature(writer, 11, command, 3);
	perf_write_build_id(writer, build_id, "/no/such/file");
}

static void write_records(struct perf_data_writer *writer, const char *path, uint64_t last_time)
{
	perf_write_comm(writer, 100, 100, "worker", 0);
	perf_write_mapping(writer, &(struct perf_written_mapping){.pid = 100,
								  .misc = PERF_RECORD_MISC_USER,
								  .addr = 0x400000,
								  .size = 0x2000,
								  .time = 5,
								  .path = path});
	perf_write_mapping(writer, &(struct perf_written_mapping){.pid = 100,
								  .misc = PERF_RECORD_MISC_USER,
								  .addr = 0x500000,
								  .size = 0x2000,
								  .time = 6,
								  .build_id = build_id,
								  .path = "/no/such/file"});
	perf_write_task(writer, PERF_RECORD_FORK, 101, 100, 7);
	for (size_t i = 0; i < 6; i++) {
		perf_write_sample(writer, &(struct perf_written_sample){
						  .event = i % 3,
						  .misc = i % 2 ? PERF_RECORD_MISC_USER
								: PERF_RECORD_MISC_KERNEL,
						  .ip = 0x401010,
						  .pid = 100 + i % 2,
						  .tid = 100 + i % 2,
						  .time = i < 5 ? 20 - i : last_time,
						  .period = 1000,
						  .callchain = chain,
						  .callchain_count = 6,
						  .branches = branches,
						  .branch_count = 2,
						  .registers_abi = PERF_SAMPLE_REGS_ABI_64,
						  .registers = registers,
						  .stack = words,
						  .stack_bytes = sizeof(words),
						  .stack_used = sizeof(words)});
		if (i == 3)
			perf_write_bare(writer, 68);
	}
	perf_write_lost(writer, 3, 30);
	perf_write_task(writer, PERF_RECORD_EXIT, 101, 100, 31);
}

int main(int argc, char **argv)
{
	const int form = argc > 1 ? argv[1][0] - '0' : 0;
	struct perf_data_writer writer = {.pipe = form & 1, .compressed = form & 2};
	struct byte_vec bytes = {0};

	write_events(&writer);
	write_records(&writer, argc > 2 ? argv[2] : "[vdso]",
		      argc > 3 ? strtoull(argv[3], NULL, 0) : 15);
	perf_data_writer_finish(&writer, &bytes);
	const bool written = fwrite(bytes.data, 1, bytes.len, stdout) == bytes.len;
	vec_fini(&bytes);
	perf_data_writer_fini(&writer);
	return written && fflush(stdout) == 0 ? 0 : 1;
}
