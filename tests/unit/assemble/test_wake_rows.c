/* Who ended waits: equal ones are one row; what is before an end is what delayed it, and no more.
 */
#include "assemble/wake_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { T = 1, W = 2, X = 3, EVENT = 1 };

/* Thread `thread` waited from `begin` to `end`; `by` ended it in its stack 10 * by. */
static void wait_told(struct wake_rows *rows, int64_t thread, uint64_t begin, uint64_t end,
		      int64_t by)
{
	wake_rows_take(rows, &(struct wake_told){.thread = thread,
						 .event = EVENT,
						 .stack = thread,
						 .begin = begin,
						 .weight = end + 1 - begin,
						 .by = by,
						 .by_stack = 10 * by,
						 .woken = end});
}

static const struct profile_wake *before_last(const struct wake_rows *rows)
{
	const struct profile_waker *wait = &vec_last(&rows->waits);
	const struct profile_wake *wake = &rows->wakes.data[wait->wake - 1];

	return wake->before ? &rows->wakes.data[wake->before - 1] : NULL;
}

static void test_equal_waits(void **state)
{
	struct wake_rows rows;

	(void)state;
	wake_rows_init(&rows);
	wait_told(&rows, T, 100, 199, W);
	wait_told(&rows, T, 300, 309, W);
	wait_told(&rows, T, 400, 449, 0);
	assert_int_equal(rows.waits.len, 2);
	assert_int_equal(rows.waits.data[0].waits, 2);
	assert_int_equal(rows.waits.data[0].weight, 110);
	assert_int_equal(rows.waits.data[0].longest, 100);
	assert_int_equal(rows.waits.data[1].longest, 50);
	assert_int_equal(rows.wakes.data[0].thread, W);
	assert_int_equal(rows.wakes.data[0].stack, 10 * W);
	assert_int_equal(rows.wakes.data[1].thread, 0);
	wake_rows_fini(&rows);
}

/* Of more than there is room for the longest are kept. */
static void test_longest(void **state)
{
	enum { ROOM = 1 << 14, MORE = 1000 };
	struct wake_rows rows;
	uint64_t sum = 0, least = UINT64_MAX;

	(void)state;
	wake_rows_init(&rows);
	/* 7919 and the number of waits have no divisor in common: each length comes once. */
	for (uint64_t i = 0; i < ROOM + MORE; i++) {
		const uint64_t begin = 100000 * i, length = 2 + i * 7919 % (ROOM + MORE);

		wait_told(&rows, T, begin, begin + length - 1, W);
	}
	wait_told(&rows, T, 3000000000, 3000000000, W);
	assert_int_equal(rows.longest.len, ROOM);
	vec_foreach (wait, &rows.longest) {
		const uint64_t length = wait->end_ticks - wait->begin_ticks;

		assert_int_equal(wait->thread, T);
		assert_int_equal(wait->wake, 1);
		assert_int_equal(wait->woken_ticks, wait->end_ticks - 1);
		assert_int_equal(wait->begin_ticks % 100000, 0);
		sum += length;
		least = length < least ? length : least;
	}
	assert_int_equal(least, MORE + 2);
	assert_int_equal(sum, (uint64_t)ROOM * (2 * MORE + 3 + ROOM) / 2);
	wake_rows_fini(&rows);
}

static void test_what_was_before(void **state)
{
	struct wake_rows rows;

	(void)state;
	wake_rows_init(&rows);
	/* X ends W's wait while T waits, then W ends T's. */
	wait_told(&rows, W, 50, 150, X);
	wait_told(&rows, T, 100, 200, W);
	assert_int_equal(before_last(&rows)->thread, X);
	/* W's wait was over before T began to wait. */
	wait_told(&rows, T, 300, 400, W);
	assert_null(before_last(&rows));
	/* After it woke T, W waited again, and that ended before T ran. */
	wait_told(&rows, W, 500, 550, 0);
	wait_told(&rows, W, 601, 605, X);
	wait_told(&rows, T, 510, 600, W);
	assert_int_equal(before_last(&rows)->thread, 0);
	/* Nobody knows who ended the last one. */
	wait_told(&rows, W, 700, 710, X);
	wake_rows_miss(&rows, &(struct wake_told){.thread = W, .begin = 720, .weight = 10});
	wait_told(&rows, 4, 690, 800, W);
	assert_null(before_last(&rows));
	wake_rows_fini(&rows);
}

/* The rows from that of the last wait on, the nearest first; more than 100 are as many. */
static size_t last_chain(const struct wake_rows *rows, int64_t *threads, size_t room)
{
	const struct profile_woken *last = rows->longest.data;
	size_t count = 0;

	vec_foreach (wait, &rows->longest)
		if (wait->woken_ticks > last->woken_ticks)
			last = wait;
	for (int64_t wake = last->wake; wake && count < 100; count++) {
		const struct profile_wake *row = &rows->wakes.data[wake - 1];

		/* Earlier rows only, so that there is no way around in a circle. */
		assert_true(row->before < wake);
		if (count < room)
			threads[count] = row->thread;
		wake = row->before;
	}
	return count;
}

/* Thread 2 is woken by 1, 3 by 2, and so on, as all wait: `count` had a part in the last wait. */
static void check_chain(size_t count, size_t told)
{
	struct wake_rows rows;
	int64_t threads[PROFILE_WAKES_DEEP + 1];

	wake_rows_init(&rows);
	for (int64_t by = 1; by <= (int64_t)count; by++)
		wait_told(&rows, by + 1, 10, 100 + (uint64_t)by, by);
	assert_int_equal(last_chain(&rows, threads, PROFILE_WAKES_DEEP + 1), told);
	for (size_t i = 0; i < told; i++)
		assert_int_equal(threads[i], count - i);
	wake_rows_fini(&rows);
}

/* Of a chain of many the eight nearest ones are told. */
static void test_depth(void **state)
{
	(void)state;
	assert_int_equal(PROFILE_WAKES_DEEP, 8);
	check_chain(1, 1);
	check_chain(7, 7);
	check_chain(8, 8);
	check_chain(9, 8);
	check_chain(20, 8);
}

/* Two that end each other's waits by turns, while both wait, as records that came late tell it. */
static void test_circle(void **state)
{
	struct wake_rows rows;
	int64_t threads[PROFILE_WAKES_DEEP];

	(void)state;
	wake_rows_init(&rows);
	for (uint64_t i = 0; i < 100; i++)
		wait_told(&rows, i % 2 ? W : T, 10, 100 + i, i % 2 ? T : W);
	assert_int_equal(last_chain(&rows, threads, PROFILE_WAKES_DEEP), PROFILE_WAKES_DEEP);
	for (size_t i = 0; i < PROFILE_WAKES_DEEP; i++)
		assert_int_equal(threads[i], i % 2 ? W : T);
	/* Equal chains are one: of each length one that ends with either thread. */
	assert_int_equal(rows.wakes.len, 2 * PROFILE_WAKES_DEEP);
	/* A thread that is said to have woken itself. */
	for (uint64_t i = 0; i < 100; i++)
		wait_told(&rows, X, 10, 300 + i, X);
	assert_int_equal(last_chain(&rows, NULL, 0), PROFILE_WAKES_DEEP);
	wake_rows_fini(&rows);
}

/* Rows have a limit; beyond it nothing of the time is lost. */
static void test_limit(void **state)
{
	const uint64_t count = 70000;
	struct wake_rows rows;
	uint64_t waits = 0;

	(void)state;
	wake_rows_init(&rows);
	for (uint64_t i = 0; i < count; i++)
		wake_rows_take(&rows, &(struct wake_told){.thread = T,
							  .event = EVENT,
							  .stack = 1,
							  .begin = i,
							  .weight = 1,
							  .by = W,
							  .by_stack = (int64_t)i + 1,
							  .woken = i});
	vec_foreach (wait, &rows.waits)
		waits += wait->waits;
	assert_int_equal(waits, count);
	assert_true(rows.wakes.len < count);
	assert_int_equal(vec_last(&rows.waits).wake, 0);
	wake_rows_fini(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_waits),	cmocka_unit_test(test_longest),
		cmocka_unit_test(test_what_was_before), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_circle),		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
