/*
 * assemble/counted: the file of a process's counters, as a runtime writes it, as a killed one
 * leaves it, and as nobody should have written it.
 */
#include "abi/module.h"
#include "assemble/counted.h"
#include "assemble/counter_cost.h"
#include "session/thread_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNTERS = 3 };

static const struct tare_counters_file good = {
	.magic = TARE_COUNTERS_MAGIC, .abi = TARE_COUNTERS_ABI, .record_count = 2};

static int fd;

static int open_file(void **state)
{
	(void)state;
	fd = memfd_create("counters", MFD_CLOEXEC);
	return fd < 0 ? -1 : 0;
}

static int close_file(void **state)
{
	(void)state;
	return close(fd);
}

static void put(const void *bytes, size_t size, uint64_t offset)
{
	assert_int_equal(pwrite(fd, bytes, size, (off_t)offset), size);
}

static void put_header(struct tare_counters_file header)
{
	put(&header, sizeof(header), 0);
}

static void must_refuse(const char *words)
{
	struct counted_file file = {.fd = -1};
	struct error err;

	assert_false(counted_records_read(&file, fd, "counters.1.2", &err));
	assert_non_null(strstr(err.message, words));
	assert_int_equal(file.count, 0);
	counted_file_fini(&file);
}

static void test_foreign_files_are_refused(void **state)
{
	struct tare_counters_file header = good;

	(void)state;
	must_refuse("counters.1.2 is no file of counters");
	put(&good, sizeof(good) - 1, 0);
	must_refuse("is no file of counters");
	header.magic++;
	put_header(header);
	must_refuse("is no file of counters");
	header = good;
	header.abi++;
	put_header(header);
	must_refuse("another version");
}

static void test_records_are_as_many_as_are_there(void **state)
{
	const struct tare_counter_record record = {.kind = TARE_COUNTER_ENTRY};
	struct tare_counters_file header = good;
	struct counted_file file = {.fd = -1};
	struct error err;

	(void)state;
	put_header(header);
	put(&record, sizeof(record), sizeof(header));
	/* The second is cut off. */
	put(&record, sizeof(record) - 1, sizeof(header) + sizeof(record));
	assert_true(counted_records_read(&file, fd, "counters", &err));
	assert_int_equal(file.count, 1);
	assert_int_equal(file.damaged, 0);
	counted_file_fini(&file);

	header.record_count = UINT32_MAX;
	put_header(header);
	put(&record, sizeof(record), TARE_COUNTERS_HEAD_BYTES + (1 << 16));
	assert_true(counted_records_read(&file, fd, "counters", &err));
	assert_int_equal(file.count, TARE_COUNTER_RECORDS_MAX);
	assert_int_equal(file.damaged, 1);
	counted_file_fini(&file);
}

static void check_values(const struct tare_counter_record *entry, const uint64_t *expected)
{
	uint64_t *values = counted_values(fd, entry);

	assert_memory_equal(values, expected, COUNTERS * sizeof(*values));
	free(values);
}

static void test_what_was_off_is_not_counted(void **state)
{
	static const uint64_t counters[COUNTERS] = {100, 20, 7};
	static const uint64_t off[COUNTERS] = {30, 0, 8};
	/* 7 counted, of which 8 do not count: that cannot be. */
	static const uint64_t while_on[COUNTERS] = {70, 20, 0};
	/* Switched off when it had 40 and 5; what came after does not count. */
	static const uint64_t off_since[COUNTERS] = {(uint64_t)-40, (uint64_t)-5, 1};
	static const uint64_t while_off[COUNTERS] = {40, 5, 0};
	struct tare_counter_record entry = {.counter_count = COUNTERS, .off_offset = 4096};

	(void)state;
	put(counters, sizeof(counters), 0);
	put(off, sizeof(off), 4096);
	check_values(&entry, while_on);
	put(off_since, sizeof(off_since), 4096);
	entry.flags = TARE_COUNTER_OFF;
	check_values(&entry, while_off);
}

static void test_what_is_missing_is_zero(void **state)
{
	static const uint64_t counters[COUNTERS] = {4, SESSION_FILE_VALUE_MAX,
						    SESSION_FILE_VALUE_MAX + 1};
	static const uint64_t bounded[COUNTERS] = {4, SESSION_FILE_VALUE_MAX, 0};
	static const uint64_t cut_off[COUNTERS] = {SESSION_FILE_VALUE_MAX, 0, 0};
	static const uint64_t none[COUNTERS] = {0};
	struct tare_counter_record entry = {.counter_count = COUNTERS, .off_offset = 1 << 20};

	(void)state;
	put(counters, sizeof(counters), 0);
	check_values(&entry, bounded);
	entry.file_offset = sizeof(uint64_t);
	check_values(&entry, cut_off);
	entry.file_offset = UINT64_MAX - 7; /* below 0 for the kernel */
	check_values(&entry, none);
}

/* ---- what they cost ---- */

static void test_cost_is_of_256(void **state)
{
	const struct tare_calibration calibration = {.counters_ticks = 100, .gates_ticks = 78};
	counter_cost sum = 0;

	(void)state;
	assert_int_equal(counter_cost_ticks(counter_cost_of(&calibration, 256, false)), 100);
	assert_int_equal(counter_cost_ticks(counter_cost_of(&calibration, 256, true)), 256);
	/* Parts of a tick add up before they are cut off. */
	for (int i = 0; i < 512; i++)
		sum += counter_cost_of(&calibration, 1, false);
	assert_int_equal(counter_cost_ticks(sum), 200);
}

/* Calibration and counters may be anybody's. */
static void test_cost_has_an_end(void **state)
{
	const struct tare_calibration calibration = {.counters_ticks = SESSION_FILE_VALUE_MAX,
						     .gates_ticks = SESSION_FILE_VALUE_MAX};
	counter_cost sum = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		sum += counter_cost_of(&calibration, SESSION_FILE_VALUE_MAX, true);
	assert_true(counter_cost_ticks(sum) == INT64_MAX);
}

/* A call's counter belongs to the function whose copied code begins last before it. */
static void test_owner_of_a_call(void **state)
{
	static const struct tare_counted table[] = {{.prefix = 400}, {.prefix = 100},
						    {.prefix = 250}, {.prefix = 399},
						    {.prefix = 90},  {.prefix = 5000}};
	const struct resolve_counted counted = {
		.count = 6, .function_count = 3, .table = (const unsigned char *)table};
	const struct resolve_counted hostile = {
		.count = 1, .function_count = 6, .table = (const unsigned char *)table};
	struct counter_owners owners;

	(void)state;
	counter_owners_init(&owners, &counted);
	assert_int_equal(counter_owner_of(&owners, &counted, 3), 2);
	assert_int_equal(counter_owner_of(&owners, &counted, 4), UINT32_MAX);
	assert_int_equal(counter_owner_of(&owners, &counted, 5), 0);
	counter_owners_fini(&owners);
	counter_owners_init(&owners, &hostile);
	assert_int_equal(owners.count, 1);
	counter_owners_fini(&owners);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_foreign_files_are_refused, open_file,
						close_file),
		cmocka_unit_test_setup_teardown(test_records_are_as_many_as_are_there, open_file,
						close_file),
		cmocka_unit_test_setup_teardown(test_what_was_off_is_not_counted, open_file,
						close_file),
		cmocka_unit_test_setup_teardown(test_what_is_missing_is_zero, open_file,
						close_file),
		cmocka_unit_test(test_cost_is_of_256),
		cmocka_unit_test(test_cost_has_an_end),
		cmocka_unit_test(test_owner_of_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
