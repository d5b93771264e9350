/*
 * Who is worth its probes, from sums alone: short and dear functions, the budget of all together,
 * what is long, rare, waits, or was otherwise before; and a table that is no larger than it has to
 * be.
 */
#include "runtime/control/sums.h"
#include "tests/support/heap_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PAIR = 40, ROUNDS = 50 };

static struct adapt_sums sums;
static struct sums_work work;

static int set_up(void **state)
{
	(void)state;
	sums = (struct adapt_sums){0};
	work = (struct sums_work){.pair_ticks = PAIR, .ratio_percent = 100};
	return sums_begin(&sums) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	memory_unmap(sums.items, sums.room * sizeof(*sums.items));
	return 0;
}

static void add(uint64_t key, uint64_t calls, int64_t ticks_per_call)
{
	sums_add(&sums, &(struct adapt_sum){.key = key,
					    .calls = calls,
					    .ticks = (int64_t)calls * ticks_per_call});
}

/* All that the thread has worked is since the last time. */
static void judge(uint64_t worked_ticks)
{
	work.worked_ticks = work.worked_ticks_all = worked_ticks;
	sums_judge(&sums, &work);
}

static bool goes(uint64_t key)
{
	const struct adapt_sum *sum = sums_find(&sums, key);

	assert_non_null(sum);
	return sum->goes;
}

/* ---- one by one ---- */

/* A call lasts less than its probes, or just as long. */
static void test_short(void **state)
{
	(void)state;
	add(1, 1000, PAIR - 1);
	add(2, 1000, PAIR);
	add(3, SUMS_CALLS_MIN - 1, 1);
	judge(1000 * PAIR * SUMS_SHARE);
	assert_true(goes(1));
	assert_false(goes(2));
	assert_false(goes(3));
	assert_null(sums_find(&sums, 4));
}

static void test_share_of_the_work(void **state)
{
	(void)state;
	add(1, 1000, 1);
	judge(1000 * PAIR * SUMS_SHARE + SUMS_SHARE);
	assert_false(goes(1));
	assert_false(sums_find(&sums, 1)->dear);
	judge(1000 * PAIR * SUMS_SHARE);
	assert_true(goes(1));
	assert_true(sums_find(&sums, 1)->dear);
}

/* Its probes have cost their share of all that was, if not of late; then it must be called still.
 */
static void test_dear_in_all(void **state)
{
	(void)state;
	add(1, 10000, 1);
	add(2, 10000, 1);
	sums_begin(&sums);
	add(1, 10001, 1);
	add(2, 10000, 1);
	work.worked_ticks = 1000ULL * PAIR * SUMS_SHARE;
	work.worked_ticks_all = 10000ULL * PAIR * SUMS_SHARE;
	sums_judge(&sums, &work);
	assert_true(goes(1));
	assert_false(goes(2));
}

static void test_waits(void **state)
{
	(void)state;
	sums_add(&sums, &(struct adapt_sum){
				.key = 1, .calls = 1000, .ticks = 7000, .blocked_ticks = 1000});
	sums_add(&sums, &(struct adapt_sum){
				.key = 2, .calls = 1000, .ticks = 7009, .blocked_ticks = 1000});
	/* times below zero are none */
	sums_add(&sums,
		 &(struct adapt_sum){.key = 3, .calls = 1000, .ticks = -9000, .blocked_ticks = 10});
	judge(1000 * PAIR);
	assert_false(goes(1));
	assert_true(goes(2));
	assert_false(goes(3));
}

/* Whose callees wait is not judged, nor are its probes in the budget of those that are. */
static void test_leads(void **state)
{
	const uint64_t probes = 1000 * PAIR;

	(void)state;
	for (uint64_t key = 1; key <= 3; key++)
		add(key, 1000, 1);
	sums_find(&sums, 1)->below_ticks = TARE_JUDGED_LEADS * probes;
	sums_find(&sums, 2)->below_ticks = TARE_JUDGED_LEADS * probes - 1;
	judge(TARE_JUDGED_LEADS_SHARE * probes);
	assert_true(sums_stays(sums_find(&sums, 1)));
	assert_false(goes(1));
	assert_true(goes(2));
	assert_true(goes(3));
	judge(TARE_JUDGED_LEADS_SHARE * probes - TARE_JUDGED_LEADS_SHARE);
	assert_false(sums_stays(sums_find(&sums, 1)));
	assert_true(goes(1));
}

/* What it was long ago does not matter where enough calls tell what it is now. */
static void test_of_late(void **state)
{
	(void)state;
	add(1, 1000, 10);
	add(2, 1000, 10);
	add(3, 1000, 1000 * PAIR);
	sums_begin(&sums);
	sums_add(&sums,
		 &(struct adapt_sum){.key = 1, .calls = 1064, .ticks = 10000 + 64 * 1000 * PAIR});
	sums_add(&sums, &(struct adapt_sum){.key = 2, .calls = 1063, .ticks = 10000 + 63 * PAIR});
	sums_add(&sums,
		 &(struct adapt_sum){.key = 3, .calls = 1064, .ticks = 1000000 * PAIR + 640});
	judge(1 << 20);
	assert_false(goes(1)); /* long now */
	assert_true(goes(2));  /* too few calls to tell: in all it is short */
	assert_true(goes(3));  /* short now */
}

/* ---- all together ---- */

/* Both are longer than their probes; the shorter one has to go, if any. */
static void test_budget(void **state)
{
	(void)state;
	add(1, 1000, 2 * PAIR);
	add(2, 1000, 20 * PAIR);
	judge(2000 * PAIR * SUMS_BUDGET);
	assert_false(goes(1));
	judge(2000 * PAIR * SUMS_BUDGET - SUMS_BUDGET);
	assert_true(goes(1));
	assert_false(goes(2));
	judge(1000 * PAIR * SUMS_BUDGET - SUMS_BUDGET);
	assert_true(goes(1));
	assert_true(goes(2));
}

/* What a probe costs indeed, but not more than four times as much as it should. */
static void test_costs_are_raised(void **state)
{
	(void)state;
	add(1, 1000, 2 * PAIR);
	work.own_ticks = 1000 * PAIR;
	judge(2000 * PAIR * SUMS_BUDGET);
	assert_false(goes(1));
	work.own_ticks = 1001 * PAIR + 100 * PAIR;
	judge(2000 * PAIR * SUMS_BUDGET);
	assert_true(goes(1));
	work.own_ticks = 1000000ULL * PAIR;
	judge(4000 * PAIR * SUMS_BUDGET);
	assert_false(goes(1));
	judge(3999 * PAIR * SUMS_BUDGET);
	assert_true(goes(1));
}

/* Long ones and trifles stay whatever the rest costs. */
static void test_long_and_trifling(void **state)
{
	(void)state;
	add(1, 1000, 127 * PAIR);
	add(2, 1000, 126 * PAIR);
	judge(100 * PAIR * SUMS_BUDGET);
	assert_false(goes(1));
	assert_true(goes(2));
	add(3, 1000000, 50 * PAIR);
	add(4, SUMS_CALLS_MIN, 2 * PAIR);
	judge(PAIR * SUMS_CALLS_MIN * SUMS_TRIFLE + SUMS_TRIFLE);
	assert_false(goes(4));
	judge(PAIR * SUMS_CALLS_MIN * SUMS_TRIFLE);
	assert_true(goes(4));
}

/* Those of which nothing can be judged yet cost as well. */
static void test_rest_counts(void **state)
{
	(void)state;
	add(1, 1000, 2 * PAIR);
	for (uint64_t key = 2; key < 12; key++)
		add(key, 100, 2 * PAIR);
	judge(2000 * PAIR * SUMS_BUDGET);
	assert_false(goes(1));
	judge(1999 * PAIR * SUMS_BUDGET);
	assert_true(goes(1));
	assert_false(goes(2));
}

/* ---- the table ---- */

static void test_same_functions_take_no_more_room(void **state)
{
	(void)state;
	const uint64_t room = sums.room;

	for (int round = 0; round < ROUNDS; round++) {
		for (uint64_t key = 1; key <= room / 4; key++)
			add(key, 1, 1);
		assert_true(sums_begin(&sums));
	}
	assert_int_equal(sums.used, room / 4);
	assert_int_equal(sums.room, room);
}

static uint64_t found(uint64_t keys)
{
	uint64_t count = 0;

	for (uint64_t key = 1; key <= keys; key++)
		count += sums_find(&sums, key) != NULL;
	return count;
}

/* More than half of it stays free; the next time there is room, and nothing was forgotten. */
static void test_without_room(void **state)
{
	(void)state;
	const uint64_t room = sums.room;

	for (uint64_t key = 1; key <= room; key++)
		add(key, 7, 3);
	assert_int_equal(found(room), room / 2);
	assert_true(sums_begin(&sums));
	assert_true(sums.room > room);
	assert_int_equal(found(room), room / 2);
	for (uint64_t key = 1; key <= room; key++)
		add(key, 9, 3);
	assert_int_equal(found(room), room);
	assert_int_equal(sums_find(&sums, 1)->calls_before, 7);
	assert_int_equal(sums_find(&sums, 1)->ticks_before, 21);
	assert_int_equal(sums_find(&sums, 1)->calls, 9);
	assert_int_equal(sums_find(&sums, room)->calls_before, 0);
}

/* Without memory it goes on with what it has. */
static void test_without_memory(void **state)
{
	struct adapt_sums none = {0};

	(void)state;
	for (uint64_t key = 1; key <= sums.room; key++)
		add(key, 7, 3);
	heap_piece_bytes = 1;
	assert_true(sums_begin(&sums));
	assert_int_equal(found(sums.room), sums.room / 2);
	assert_false(sums_begin(&none));
	assert_null(sums_find(&none, 1));
	heap_piece_bytes = SIZE_MAX;
}

int main(void)
{
#define SUMS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		SUMS_TEST(test_short),
		SUMS_TEST(test_share_of_the_work),
		SUMS_TEST(test_dear_in_all),
		SUMS_TEST(test_waits),
		SUMS_TEST(test_leads),
		SUMS_TEST(test_of_late),
		SUMS_TEST(test_budget),
		SUMS_TEST(test_costs_are_raised),
		SUMS_TEST(test_long_and_trifling),
		SUMS_TEST(test_rest_counts),
		SUMS_TEST(test_same_functions_take_no_more_room),
		SUMS_TEST(test_without_room),
		SUMS_TEST(test_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
