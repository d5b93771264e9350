/*
 * What is checked when a process file is read (tests/unit/test_assemble.c has what becomes of it):
 * each value out of range is cut and counted by itself, records end where the file does, and a
 * module's end belongs to the place that was still open.
 */
#include "session/thread_files.h"

#include "tests/support/session_writer.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RECORD_BYTES = sizeof(struct tare_module_record) + 8, RECORDS = 8 };

/* A process file in memory, with room behind its end. */
static struct {
	struct tare_process_file header;
	unsigned char records[RECORDS * RECORD_BYTES];
	unsigned char behind[64];
} file;

static size_t records_bytes;
static struct process_file process;

static int set_up(void **state)
{
	(void)state;
	memset(&file, 0, sizeof(file));
	file.header.magic = TARE_PROCESS_MAGIC;
	file.header.abi = TARE_SESSION_FILES_ABI;
	records_bytes = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	process_file_fini(&process);
	return 0;
}

static void add_module(uint32_t type, uint64_t dynamic_addr, uint64_t ticks)
{
	const struct tare_module_record record = {
		.head = {.size_bytes = RECORD_BYTES, .type = type},
		.ticks = ticks,
		.dynamic_addr = dynamic_addr,
		.path_bytes = 5,
	};

	memcpy(file.records + records_bytes, &record, sizeof(record));
	memcpy(file.records + records_bytes + sizeof(record), "/a.so", 6);
	records_bytes += RECORD_BYTES;
}

/* The file's bytes up to its last record, which it says to be so many in all. */
static void parse(uint64_t used_bytes)
{
	struct error err;

	file.header.used_bytes = used_bytes;
	if (!process_file_parse(&process, &file, sizeof(file.header) + records_bytes, &err))
		fail_msg("%s", err.message);
}

static void parse_whole(void)
{
	parse(sizeof(file.header) + records_bytes);
}

/* ---- values ---- */

static void test_largest_values_are_kept(void **state)
{
	(void)state;
	file.header.cost_ticks[0] = SESSION_FILE_VALUE_MAX;
	file.header.images_unreached = SESSION_FILE_VALUE_MAX;
	file.header.begin_ticks = (1ULL << 62) - 1;
	parse_whole();
	assert_int_equal(process.damaged, 0);
	assert_int_equal(process.header.cost_ticks[0], SESSION_FILE_VALUE_MAX);
	assert_int_equal(process.header.images_unreached, SESSION_FILE_VALUE_MAX);
	assert_int_equal(process.header.begin_ticks, (1ULL << 62) - 1);
}

static void test_each_value_beyond_is_cut_and_counted(void **state)
{
	(void)state;
	file.header.cost_ticks[0] = SESSION_FILE_VALUE_MAX + 1;
	file.header.cost_ticks[1] = UINT64_MAX;
	file.header.images_unreached = SESSION_FILE_VALUE_MAX + 1;
	file.header.end_calibration.bare_ticks = SESSION_FILE_VALUE_MAX + 1;
	file.header.end_calibration.syscall_ticks = 7;
	parse_whole();
	assert_int_equal(process.damaged, 4);
	assert_int_equal(process.header.cost_ticks[0], 0);
	assert_int_equal(process.header.cost_ticks[1], 0);
	assert_int_equal(process.header.images_unreached, 0);
	assert_int_equal(process.header.end_calibration.bare_ticks, 0);
	assert_int_equal(process.header.end_calibration.syscall_ticks, 7);
}

static void test_time_stamps_fit_a_signed_number_twice(void **state)
{
	(void)state;
	file.header.begin_ticks = 1ULL << 62;
	file.header.end_ticks = UINT64_MAX;
	parse_whole();
	assert_int_equal(process.damaged, 2);
	assert_int_equal(process.header.begin_ticks, 0);
	assert_int_equal(process.header.end_ticks, 0);
}

/* ---- the end of the records ---- */

/* Whatever lies behind the file's end is no record; here it is a damaged one. */
static void test_records_end_where_the_file_does(void **state)
{
	const struct tare_record damaged = {.size_bytes = 3, .type = TARE_RECORD_MODULE_OPEN};

	(void)state;
	add_module(TARE_RECORD_MODULE_OPEN, 0x1000, 10);
	memcpy(file.records + records_bytes, &damaged, sizeof(damaged));
	for (uint64_t more = 1; more <= 16; more++) {
		parse(sizeof(file.header) + records_bytes + more);
		assert_int_equal(process.damaged, 1);
		assert_int_equal(process.modules.len, 1);
		process_file_fini(&process);
	}
	parse(UINT64_MAX);
	assert_int_equal(process.damaged, 1);
	assert_int_equal(process.modules.len, 1);
}

static void test_records_that_end_before_they_begin(void **state)
{
	(void)state;
	add_module(TARE_RECORD_MODULE_OPEN, 0x1000, 10);
	parse(sizeof(file.header) - 1);
	assert_int_equal(process.damaged, 1);
	assert_int_equal(process.modules.len, 0);
}

/* ---- modules ---- */

static void parse_written(const struct session_writer_process *writer)
{
	file.header = writer->header;
	assert_true(writer->size <= sizeof(file.records));
	memcpy(file.records, writer->records, writer->size);
	records_bytes = writer->size;
	parse_whole();
}

static void test_module_records(void **state)
{
	struct session_writer_process writer;

	(void)state;
	session_writer_process_init(&writer, 10);
	session_writer_open_module(&writer, "/lib/a.so", 0x10000, 100);
	session_writer_open_module(&writer, "/lib/b.so", 0x20000, 200);
	session_writer_close_module(&writer, 0x10000, 300);
	session_writer_open_module(&writer, "/lib/c.so", 0x10000, 400);
	parse_written(&writer);
	assert_int_equal(process.modules.len, 3);
	assert_int_equal(process.modules.data[0].close_ticks, 300);
	assert_int_equal(process.modules.data[2].close_ticks, UINT64_MAX);
	assert_string_equal(process.modules.data[2].path, "/lib/c.so");
	assert_int_equal(process.damaged, 0);
}

/* A path ends within its own record, whatever the next one begins with. */
static void test_module_paths_end(void **state)
{
	static const char path[] = "/lib/longer/a/module.so"; /* 24 bytes with its end */
	struct session_writer_process writer;

	(void)state;
	for (int i = 0; i < 3; i++) {
		session_writer_process_init(&writer, 10);
		session_writer_open_module(&writer, path, 0x10000, 100);
		const size_t end = writer.size;
		assert_int_equal(end, sizeof(struct tare_module_record) + 24);
		session_writer_open_module(&writer, "/lib/b.so", 0x20000, 200);
		if (i == 1)
			memset(writer.records + sizeof(struct tare_module_record), 'x', 24);
		if (i == 2)
			writer.records[offsetof(struct tare_module_record, path_bytes)] = 25;
		parse_written(&writer);
		assert_int_equal(process.modules.len, i ? 1 : 2);
		assert_int_equal(process.damaged, i ? 1 : 0);
		assert_string_equal(process.modules.data[i ? 0 : 1].path, "/lib/b.so");
		process_file_fini(&process);
	}
}

static void test_damaged_module_records(void **state)
{
	struct session_writer_process writer;
	struct error err;

	(void)state;
	/* Every cut and every changed byte: nothing may be read out of bounds. */
	session_writer_process_init(&writer, 10);
	session_writer_open_module(&writer, "/lib/a.so", 0x10000, 100);
	session_writer_open_module(&writer, "/lib/b.so", 0x20000, 200);
	writer.header.used_bytes = sizeof(writer.header) + writer.size;
	const size_t size = (size_t)writer.header.used_bytes;
	for (size_t i = 0; i <= size * 2; i++) {
		struct process_file damaged;
		unsigned char *bytes = mem_alloc(size);
		memcpy(bytes, &writer.header, sizeof(writer.header));
		memcpy(bytes + sizeof(writer.header), writer.records, writer.size);
		if (i >= size && i < size * 2)
			bytes[i - size] ^= 0xff;
		if (process_file_parse(&damaged, bytes, i < size ? i : size, &err))
			process_file_fini(&damaged);
		free(bytes);
	}
}

/* ---- code mapped again ---- */

static void add_mapped(uint64_t begin, uint64_t end, uint32_t size_bytes)
{
	const struct tare_mapped_record record = {
		.head = {.size_bytes = size_bytes, .type = TARE_RECORD_MAPPED},
		.ticks = 7,
		.begin = begin,
		.end = end,
		.offset = 0x3000,
		.device = 2,
		.inode = 9,
	};

	memcpy(file.records + records_bytes, &record, sizeof(record));
	records_bytes += size_bytes;
}

static void test_mapped_records(void **state)
{
	(void)state;
	add_mapped(0x1000, 0x2000, sizeof(struct tare_mapped_record));
	add_mapped(0x1000, 0x1000, sizeof(struct tare_mapped_record)); /* of nothing */
	add_mapped(0x1000, 0x2000, sizeof(struct tare_mapped_record) - 8);
	parse_whole();
	assert_int_equal(process.damaged, 1);
	assert_int_equal(process.mapped.len, 1);
	assert_int_equal(process.mapped.data[0].end, 0x2000);
	assert_int_equal(process.mapped.data[0].inode, 9);
}

/* What this process has read so far, holes of files included. */
static uint64_t bytes_read(void)
{
	unsigned long long bytes = 0;
	FILE *io = fopen("/proc/self/io", "re");

	assert_non_null(io);
	assert_int_equal(fscanf(io, "rchar: %llu", &bytes), 1);
	fclose(io);
	return bytes;
}

static void test_holes_of_files_are_not_read(void **state)
{
	enum { FILE_BYTES = 16 << 20, READ_BYTES = 65536 };
	char directory[] = "/tmp/tare-test-thread-files-XXXXXX";
	struct session_writer_process writer;
	struct error err;

	(void)state;
	assert_non_null(mkdtemp(directory));
	const int dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	session_writer_process_init(&writer, 10);
	session_writer_open_module(&writer, "/lib/a.so", 0x10000, 100);
	session_writer_write_process(&writer, directory, "process.10.0");
	const int fd = openat(dir_fd, "process.10.0", O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, FILE_BYTES), 0);
	close(fd);
	const uint64_t before = bytes_read();
	assert_true(process_file_read(&process, dir_fd, "process.10.0", &err));
	assert_in_range(bytes_read() - before, sizeof(process.header), READ_BYTES);
	assert_int_equal(process.modules.len, 1);
	assert_int_equal(process.damaged, 0);
	unlinkat(dir_fd, "process.10.0", 0);
	close(dir_fd);
	rmdir(directory);
}

static void test_a_module_that_returns_is_closed_each_time(void **state)
{
	(void)state;
	add_module(TARE_RECORD_MODULE_OPEN, 0x1000, 10);
	add_module(TARE_RECORD_MODULE_CLOSE, 0x1000, 20);
	add_module(TARE_RECORD_MODULE_OPEN, 0x1000, 30);
	add_module(TARE_RECORD_MODULE_CLOSE, 0x1000, 40);
	parse_whole();
	assert_int_equal(process.modules.len, 2);
	assert_int_equal(process.modules.data[0].close_ticks, 20);
	assert_int_equal(process.modules.data[1].close_ticks, 40);
}

static void test_an_end_too_many_changes_nothing(void **state)
{
	(void)state;
	add_module(TARE_RECORD_MODULE_OPEN, 0x1000, 10);
	add_module(TARE_RECORD_MODULE_OPEN, 0x2000, 15);
	add_module(TARE_RECORD_MODULE_CLOSE, 0x1000, 20);
	add_module(TARE_RECORD_MODULE_CLOSE, 0x1000, 30);
	parse_whole();
	assert_int_equal(process.modules.data[0].close_ticks, 20);
	assert_int_equal(process.modules.data[1].close_ticks, UINT64_MAX);
}

int main(void)
{
#define ON_A_FILE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ON_A_FILE(test_largest_values_are_kept),
		ON_A_FILE(test_each_value_beyond_is_cut_and_counted),
		ON_A_FILE(test_time_stamps_fit_a_signed_number_twice),
		ON_A_FILE(test_records_end_where_the_file_does),
		ON_A_FILE(test_records_that_end_before_they_begin),
		ON_A_FILE(test_module_records),
		ON_A_FILE(test_module_paths_end),
		ON_A_FILE(test_damaged_module_records),
		ON_A_FILE(test_mapped_records),
		ON_A_FILE(test_holes_of_files_are_not_read),
		ON_A_FILE(test_a_module_that_returns_is_closed_each_time),
		ON_A_FILE(test_an_end_too_many_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
