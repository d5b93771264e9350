/*
 * What ticks stand for: all together the thread's time, however that lies to them, and none more
 * because it comes behind a long time; and not what passed while collection was off.
 */
#include "abi/timer.h"
#include "runtime/control/control.h"
#include "runtime/timer/timer_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS	1000000ULL
#define TICK_NS (4 * MS)

enum { TICKS = 100000 };

static uint64_t now_ns, off_mark, chance;
static struct timer_tick tick;

uint64_t timer_cpu_ns(void)
{
	return now_ns;
}

uint64_t control_off_mark(void)
{
	return off_mark;
}

static int set_up(void **state)
{
	(void)state;
	now_ns = 77 * MS;
	off_mark = 8;
	chance = 88172645463325252ULL;
	timer_tick_begin(&tick, TICK_NS);
	return 0;
}

static uint64_t meets_after(uint64_t since_ns, uint64_t unit_ns)
{
	now_ns += since_ns;
	return timer_tick_meets(&tick, false, unit_ns, &chance);
}

/* Units of 1 ms, of ticks that meet the thread after 6.3 ms of its time, or 1.1. */
static void test_all_of_the_time(void **state)
{
	static const uint64_t since_ns[] = {MS * 63 / 10, MS * 11 / 10, MS / 10, 40 * MS};

	(void)state;
	for (size_t i = 0; i < sizeof(since_ns) / sizeof(since_ns[0]); i++) {
		uint64_t units = 0;
		for (int n = 0; n < TICKS; n++)
			units += meets_after(since_ns[i], MS);
		assert_in_range(units, since_ns[i] * TICKS / MS * 99 / 100,
				since_ns[i] * TICKS / MS * 101 / 100);
	}
}

/* Of a thread that few ticks meet it is all, too: its first one stands for one of the kernel's. */
static void test_few_ticks(void **state)
{
	uint64_t units = 0;

	(void)state;
	for (int n = 0; n < 1000; n++) {
		timer_tick_begin(&tick, TICK_NS);
		meets_after(11 * MS, MS);
		for (int i = 0; i < 10; i++)
			units += meets_after(11 * MS, MS);
	}
	assert_int_equal(units, 1000 * 10 * 11);
}

/* Then it would stand for the place that comes behind a wait, more than it was there. */
static void test_not_for_the_time_before(void **state)
{
	uint64_t after_long = 0, after_short = 0;

	(void)state;
	for (int n = 0; n < TICKS; n++) {
		after_long += meets_after(10 * MS, MS);
		after_short += meets_after(2 * MS, MS);
	}
	assert_in_range(after_long + after_short, 11.8 * TICKS, 12.2 * TICKS);
	assert_in_range(after_long - after_short, 0, 0.6 * TICKS);
}

/* Its first tick, and where there is no clock, stand for that of the kernel. */
static void test_not_known(void **state)
{
	(void)state;
	assert_int_equal(meets_after(100 * MS, MS), 4);
	timer_tick_begin(&tick, TICK_NS);
	now_ns = 0;
	for (int n = 0; n < 10; n++)
		assert_int_equal(meets_after(0, MS), 4);
}

static void test_time_off(void **state)
{
	(void)state;
	assert_int_equal(meets_after(4 * MS, MS), 4);
	for (int n = 0; n < 100; n++) {
		off_mark++;
		assert_int_equal(meets_after(500 * MS, MS), 4);
	}
	assert_int_equal(meets_after(4 * MS, MS), 4);
}

/* Less than one of each: some stand for nothing, and chance tells which. */
static void test_fewer_than_ticks(void **state)
{
	uint64_t units = 0, gaps[8] = {0};
	size_t gap = 0;

	(void)state;
	for (int n = 0; n < TICKS; n++) {
		const uint64_t now = meets_after(4 * MS, 10 * MS);
		assert_true(now <= 1);
		units += now;
		gap = gap < 7 ? gap + 1 : gap;
		gaps[gap] += now;
		gap = now ? 0 : gap;
	}
	assert_in_range(units, 0.39 * TICKS, 0.41 * TICKS);
	for (gap = 1; gap < 6; gap++)
		assert_true(gaps[gap] > TICKS / 1000);
}

/* Where ticks meet it less often than before, what the mean is too small by is made up for. */
static void test_another_pace(void **state)
{
	uint64_t units = 0;

	(void)state;
	for (int n = 0; n < 200; n++)
		units += meets_after((n < 100 ? 4 : 12) * MS, MS);
	assert_in_range(units, 1600 - 30, 1600 + 30);
}

/* Where it was sampled between ticks, and where not, have means of their own. */
static void test_two_means(void **state)
{
	(void)state;
	for (int n = 0; n < 200; n++) {
		meets_after(8 * MS, MS);
		now_ns += 4 * MS;
		assert_int_equal(timer_tick_meets(&tick, true, TICK_NS, &chance), 1);
	}
	assert_in_range(tick.mean[0].ns, MS * 79 / 10, MS * 81 / 10);
}

static void test_no_more_than_a_record_has(void **state)
{
	(void)state;
	meets_after(4 * MS, MS);
	for (int n = 0; n < 200; n++)
		meets_after(5000 * MS, MS);
	assert_int_equal(meets_after(5000 * MS, MS), TARE_TIMER_PERIODS_MAX);
	/* No thread runs for hours without a tick. */
	timer_tick_begin(&tick, TICK_NS);
	meets_after(4 * MS, MS);
	assert_int_equal(meets_after(1ULL << 60, MS), 4);
}

int main(void)
{
#define TICK_TEST(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		TICK_TEST(test_all_of_the_time),
		TICK_TEST(test_few_ticks),
		TICK_TEST(test_not_for_the_time_before),
		TICK_TEST(test_not_known),
		TICK_TEST(test_time_off),
		TICK_TEST(test_fewer_than_ticks),
		TICK_TEST(test_another_pace),
		TICK_TEST(test_two_means),
		TICK_TEST(test_no_more_than_a_record_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
