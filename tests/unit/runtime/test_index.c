/*
 * The runtime's table of numbers when memory ends: it fills up, but never so far that a search
 * would find no end, and what it holds is still found, also after others were removed.
 */
#include "runtime/base/index.h"

#include "runtime/base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct accumulate_index table;
static int maps_left; /* so many times there is memory */

void *memory_map(size_t size_bytes)
{
	return maps_left-- > 0 ? calloc(1, size_bytes) : NULL;
}

void memory_unmap(void *memory, size_t size_bytes)
{
	(void)size_bytes;
	free(memory);
}

static int tear_down(void **state)
{
	(void)state;
	index_free(&table);
	return 0;
}

static uint64_t hash_of(uint32_t number)
{
	return index_hash(number, 4711);
}

static bool has(uint32_t number)
{
	uint64_t at = UINT64_MAX;
	uint32_t found;

	while (index_next(&table, hash_of(number), &at, &found))
		if (found == number)
			return true;
	return false;
}

/* Puts numbers from 0 on while there is room; how many. */
static uint32_t fill(uint32_t most)
{
	uint32_t count = 0;

	for (; count < most && index_reserve(&table); count++)
		index_put(&table, hash_of(count), count);
	return count;
}

static void test_without_memory_there_is_no_room(void **state)
{
	(void)state;
	maps_left = 0;
	assert_false(index_reserve(&table));
	assert_false(has(1));
}

static void test_grows_while_there_is_memory(void **state)
{
	(void)state;
	maps_left = 100;
	assert_int_equal(fill(5000), 5000);
	for (uint32_t i = 0; i < 5000; i++)
		assert_true(has(i));
	assert_false(has(5000));
	assert_true(table.used <= table.slot_count / 2);
}

/* A search ends at a free slot, so some must be left. */
static void test_full_table_keeps_free_slots(void **state)
{
	(void)state;
	maps_left = 1;
	assert_true(index_reserve(&table));
	const uint32_t slots = (uint32_t)table.slot_count, count = fill(slots);
	assert_in_range(count, slots / 2 + 1, slots - slots / 16);
	assert_false(index_reserve(&table));
	assert_int_equal(table.used, count);
	assert_false(has(count));
	for (uint32_t i = 0; i < count; i++)
		assert_true(has(i));
}

/* In a table with long runs; those that wrap around its end are among them. */
static void test_removal_keeps_the_others(void **state)
{
	(void)state;
	maps_left = 1;
	const uint32_t count = fill(UINT32_MAX);
	for (uint32_t i = 0; i < count; i += 3)
		index_remove(&table, hash_of(i), i);
	index_remove(&table, hash_of(count), count); /* never put */
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(has(i), i % 3 != 0);
	assert_int_equal(table.used, count - (count + 2) / 3);
	assert_true(index_reserve(&table));
}

/* The first table stays, with nothing in it; one that has grown does not. */
static void test_emptied(void **state)
{
	(void)state;
	maps_left = 1;
	assert_int_equal(fill(100), 100);
	index_empty(&table);
	assert_false(has(5));
	assert_int_equal(fill(200), 200);
	assert_true(has(5) && has(199));
	maps_left = 2;
	assert_int_equal(fill(1000), 1000);
	index_empty(&table);
	assert_int_equal(table.slot_count, 0);
	assert_false(has(5));
	assert_int_equal(fill(1), 0);
}

int main(void)
{
#define TABLE_TEST(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
		TABLE_TEST(test_without_memory_there_is_no_room),
		TABLE_TEST(test_grows_while_there_is_memory),
		TABLE_TEST(test_full_table_keeps_free_slots),
		TABLE_TEST(test_removal_keeps_the_others),
		TABLE_TEST(test_emptied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
