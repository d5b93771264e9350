/*
 * perf's records without a kernel and without a file: their fields at the bounds, the order that
 * rounds give them, and whose the addresses of a sample are.
 */
#include "sampler/perf_order.h"
#include "sampler/perf_record.h"
#include "sampler/perf_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- order ---- */

enum { ROOM = 1 << 20, TAKEN_MAX = 16 };

/* What was taken, by the numbers that are its bytes. */
struct taken {
	uint32_t numbers[TAKEN_MAX];
	size_t count;
};

static void take(void *context, const struct perf_attr *attr, const void *bytes, size_t size)
{
	struct taken *taken = context;

	(void)attr;
	assert_int_equal(size, sizeof(uint32_t));
	assert_true(taken->count < TAKEN_MAX);
	memcpy(&taken->numbers[taken->count++], bytes, size);
}

static void add(struct perf_order *order, uint64_t time, uint32_t number)
{
	perf_order_add(order, time, NULL, &number, sizeof(number));
}

static void expect_taken(const struct taken *taken, const uint32_t *numbers, size_t count)
{
	assert_int_equal(taken->count, count);
	assert_memory_equal(taken->numbers, numbers, count * sizeof(*numbers));
}

static void test_records_of_one_time_keep_their_order(void **state)
{
	static const uint32_t expected[] = {9, 0, 1, 2, 3, 4, 5, 6, 8};
	struct taken taken = {.count = 0};
	struct perf_order order;

	(void)state;
	perf_order_init(&order, ROOM, take, &taken);
	for (uint32_t i = 0; i < 7; i++)
		add(&order, 100, i);
	add(&order, 101, 8);
	add(&order, 99, 9);
	perf_order_finish(&order);
	expect_taken(&taken, expected, 9);
	assert_int_equal(order.late, 0);
	perf_order_fini(&order);
}

/* The next round may bring what is older than this one's newest, but not than the last one's. */
static void test_rounds_end_with_the_newest_of_the_one_before(void **state)
{
	static const uint32_t first[] = {10, 12, 15, 20}, all[] = {10, 12, 15, 20, 30};
	struct taken taken = {.count = 0};
	struct perf_order order;

	(void)state;
	perf_order_init(&order, ROOM, take, &taken);
	add(&order, 10, 10);
	add(&order, 20, 20);
	perf_order_end_round(&order);
	assert_int_equal(taken.count, 0);
	add(&order, 15, 15);
	add(&order, 30, 30);
	add(&order, 12, 12);
	perf_order_end_round(&order);
	expect_taken(&taken, first, 4);
	perf_order_end_round(&order);
	expect_taken(&taken, all, 5);
	assert_int_equal(order.late, 0);
	perf_order_fini(&order);
}

/* Without room every record is taken as it comes. */
static void test_records_that_come_late_are_counted(void **state)
{
	static const uint32_t expected[] = {10, 5, 7, 10, 20, 19};
	struct taken taken = {.count = 0};
	struct perf_order order;

	(void)state;
	perf_order_init(&order, 0, take, &taken);
	for (size_t i = 0; i < 6; i++)
		add(&order, expected[i], expected[i]);
	expect_taken(&taken, expected, 6);
	assert_int_equal(order.late, 3);
	perf_order_fini(&order);
}

/* ---- fields ---- */

struct raw_record {
	struct perf_event_header header;
	uint64_t words[24];
};

static struct raw_record raw_record(uint32_t type, uint16_t misc, const uint64_t *words,
				    size_t count)
{
	struct raw_record raw = {
		.header = {.type = type,
			   .misc = misc,
			   .size = (uint16_t)(sizeof(raw.header) + count * sizeof(*words))}};

	memcpy(raw.words, words, count * sizeof(*words));
	return raw;
}

static bool read_raw(const struct perf_layout *layout, const struct raw_record *raw,
		     struct perf_record *record)
{
	size_t size = 0;
	const bool ok = perf_record_read(layout, raw, raw->header.size, record, &size);

	if (ok)
		assert_int_equal(size, raw->header.size);
	return ok;
}

/* Of the bytes of a copied stack only those that the kernel could read are known. */
static void test_used_part_of_stacks(void **state)
{
	static const size_t used[][2] = {{0, 0}, {8, 8}, {24, 24}, {32, 32}, {33, 32}};
	const struct perf_layout layout = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER};
	struct perf_record record;

	(void)state;
	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		const uint64_t words[] = {0x401000, 32, 1, 2, 3, 4, used[i][0]};
		const struct raw_record raw = raw_record(PERF_RECORD_SAMPLE, 0, words, 7);
		assert_true(read_raw(&layout, &raw, &record));
		assert_int_equal(record.sample.ip, 0x401000);
		assert_int_equal(record.sample.stack_bytes, used[i][1]);
	}
}

static void test_build_ids_have_at_most_20_bytes(void **state)
{
	const struct perf_layout layout = {.sample_id_all = false};
	struct perf_record record;

	(void)state;
	for (unsigned length = 0; length <= 255; length++) {
		/* pid and tid, address, size, offset, build-id, protection and flags, path */
		uint64_t words[] = {7, 0x1000, 0x2000, 0, 0, 0, 0, 5, 0x6f732e612fULL};
		unsigned char *id = (unsigned char *)&words[4];
		id[0] = (unsigned char)length;
		memset(id + 4, 0xab, PERF_BUILD_ID_BYTES);
		const struct raw_record raw =
			raw_record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, words, 9);
		assert_int_equal(read_raw(&layout, &raw, &record), length <= PERF_BUILD_ID_BYTES);
		if (length > PERF_BUILD_ID_BYTES)
			continue;
		assert_int_equal(record.mapping.build_id_bytes, length);
		assert_int_equal(record.mapping.build_id[19], 0xab);
		assert_int_equal(record.mapping.protection, 5);
		assert_string_equal(record.mapping.path, "/a.so");
	}
}

/* Their ids stand at the end, each field of a sample that is asked for in its place. */
static void test_times_of_other_records(void **state)
{
	static const uint64_t behind[] = {PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
					  PERF_SAMPLE_IDENTIFIER};
	struct perf_record record;

	(void)state;
	for (unsigned set = 0; set < 1 << 4; set++) {
		struct perf_layout layout = {.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					     .sample_id_all = true};
		uint64_t words[8] = {0, 0, 0x500000005, 4711, 91, 92, 93, 94};
		size_t count = 4;

		for (unsigned i = 0; i < 4; i++) {
			layout.sample_type |= set >> i & 1 ? behind[i] : 0;
			count += set >> i & 1;
		}
		const struct raw_record raw = raw_record(PERF_RECORD_SWITCH, 0, words, count);
		assert_true(read_raw(&layout, &raw, &record));
		assert_int_equal(record.time, 4711);
		assert_int_equal(record.switched.pid, 5);
	}
}

/* ---- whose the addresses are ---- */

/* Frames of kernel and user code of a sample with nothing but an address. */
static void count_frames(uint64_t ip, uint16_t misc, size_t *kernel, size_t *user)
{
	const struct perf_attr attr = {.layout = {.sample_type = PERF_SAMPLE_IP}};
	const struct perf_sample sample = {.ip = ip, .misc = misc};
	struct perf_stack *stack = mem_zalloc(sizeof(*stack));
	struct images *images = images_new();
	struct processes *processes = processes_new(images, false);

	perf_stack_read(stack, &attr, &sample, processes_get(processes, 7));
	*kernel = stack->kernel_count;
	*user = stack->user.count;
	assert_int_equal(*kernel ? stack->kernel[0] : stack->frames[0].addr, ip);
	processes_free(processes);
	images_free(images);
	free(stack);
}

static void test_addresses_without_a_mode(void **state)
{
	static const struct {
		uint64_t ip;
		uint16_t misc;
		bool in_kernel;
	} all[] = {{0xffffffff81000000, PERF_RECORD_MISC_CPUMODE_UNKNOWN, true},
		   {0xffff800000000000, PERF_RECORD_MISC_CPUMODE_UNKNOWN, true},
		   {0x7fffffffffff, PERF_RECORD_MISC_CPUMODE_UNKNOWN, false},
		   {0x401000, PERF_RECORD_MISC_CPUMODE_UNKNOWN, false},
		   {0xffffffffff600000, PERF_RECORD_MISC_USER, false}, /* its vsyscall page */
		   {0x401000, PERF_RECORD_MISC_KERNEL, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size_t kernel, user;
		count_frames(all[i].ip, all[i].misc, &kernel, &user);
		assert_int_equal(kernel, all[i].in_kernel);
		assert_int_equal(user, !all[i].in_kernel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_of_one_time_keep_their_order),
		cmocka_unit_test(test_rounds_end_with_the_newest_of_the_one_before),
		cmocka_unit_test(test_records_that_come_late_are_counted),
		cmocka_unit_test(test_used_part_of_stacks),
		cmocka_unit_test(test_build_ids_have_at_most_20_bytes),
		cmocka_unit_test(test_times_of_other_records),
		cmocka_unit_test(test_addresses_without_a_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
