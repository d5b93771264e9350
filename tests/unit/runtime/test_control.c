/* Levels of collection: every combination, and the time off that follows. */
#include "abi/control.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t level_of(bool stopped, int32_t suspensions)
{
	return (stopped ? TARE_LEVEL_STOPPED : 0) | (uint32_t)suspensions;
}

static const int32_t counts[] = {INT32_MIN, -2, -1, 0, 1, 2, INT32_MAX};

enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

/* On: the flag set and the count not above zero. */
static void test_level_is_on(void **state)
{
	(void)state;
	for (int i = 0; i < COUNTS; i++) {
		assert_int_equal(tare_level_is_on(level_of(false, counts[i])), counts[i] <= 0);
		assert_false(tare_level_is_on(level_of(true, counts[i])));
		assert_int_equal(tare_level_suspensions(level_of(true, counts[i])), counts[i]);
	}
	assert_true(tare_level_is_on(0));
}

static void test_operations(void **state)
{
	(void)state;
	for (int stopped = 0; stopped < 2; stopped++)
		for (int i = 0; i < COUNTS; i++) {
			const uint64_t level = level_of(stopped, counts[i]);
			const int32_t up = counts[i] == INT32_MAX ? INT32_MAX : counts[i] + 1;
			const int32_t down = counts[i] == INT32_MIN ? INT32_MIN : counts[i] - 1;

			assert_int_equal(tare_level_after(level, TARE_START),
					 level_of(false, counts[i]));
			assert_int_equal(tare_level_after(level, TARE_STOP),
					 level_of(true, counts[i]));
			assert_int_equal(tare_level_after(level, TARE_SUSPEND),
					 level_of(stopped, up));
			assert_int_equal(tare_level_after(level, TARE_RESUME),
					 level_of(stopped, down));
		}
}

/* Global and process level in every combination; off where either is. */
static void test_process_state(void **state)
{
	(void)state;
	for (int global = 0; global < 2 * COUNTS; global++)
		for (int process = 0; process < 2 * COUNTS; process++) {
			const uint64_t levels[2] = {level_of(global & 1, counts[global / 2]),
						    level_of(process & 1, counts[process / 2])};
			const bool on = tare_level_is_on(levels[0]) && tare_level_is_on(levels[1]);
			struct tare_control control = {.process = levels[1]};

			assert_int_equal(tare_control_apply(&control, levels[0], 77), !on);
			assert_int_equal(control.off_since, on ? 0 : 77);
			assert_false(tare_control_apply(&control, levels[0], 78));
		}
}

static void test_time_off(void **state)
{
	struct tare_control control = {0};
	struct tare_control_view view;

	(void)state;
	tare_level_change(&control.process, TARE_SUSPEND);
	tare_level_change(&control.process, TARE_STOP);
	assert_true(tare_control_apply(&control, 0, 100));
	assert_true(tare_control_look(&control, &view));
	assert_int_equal(tare_control_off_ticks(&view, 130), 30);
	assert_int_equal(tare_control_off_ticks(&view, 90), 0);
	tare_level_change(&control.process, TARE_RESUME);
	assert_false(tare_control_apply(&control, 0, 150));
	tare_level_change(&control.process, TARE_START);
	assert_true(tare_control_apply(&control, 0, 160));
	assert_true(tare_control_apply(&control, TARE_LEVEL_STOPPED, 200));
	const uint32_t generation = view.generation;
	assert_true(tare_control_look(&control, &view));
	assert_int_not_equal(view.generation, generation);
	assert_int_equal(view.off_periods, 2);
	assert_int_equal(tare_control_off_ticks(&view, 205), 65);
	/* a change that is under way is no state */
	control.generation++;
	assert_false(tare_control_look(&control, &view));
}

/* The last periods are known one by one. */
static void test_when_it_was_off(void **state)
{
	static struct tare_control control;

	(void)state;
	assert_false(tare_control_was_off(&control, 0));
	for (uint64_t i = 0; i < TARE_OFF_PERIODS + 10; i++) {
		assert_true(tare_control_apply(&control, TARE_LEVEL_STOPPED, 1000 * (i + 1)));
		assert_true(tare_control_was_off(&control, 1000 * (i + 1) + 700));
		assert_true(tare_control_apply(&control, 0, 1000 * (i + 1) + 500));
	}
	const uint64_t first = 1000 * 11, last = 1000 * (TARE_OFF_PERIODS + 10);
	assert_true(tare_control_was_off(&control, last));
	assert_true(tare_control_was_off(&control, last + 499));
	assert_false(tare_control_was_off(&control, last + 500));
	assert_false(tare_control_was_off(&control, last - 1));
	assert_true(tare_control_was_off(&control, first));
	assert_false(tare_control_was_off(&control, first - 1000));
}

static void test_lock(void **state)
{
	struct tare_control control = {0};

	(void)state;
	assert_true(tare_control_lock(&control, 5));
	assert_false(tare_control_lock(&control, 5)); /* a signal handler's call */
	assert_true(tare_control_lock(&control, 6));  /* the holder is dead */
	tare_control_unlock(&control);
	assert_int_equal(control.lock, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_level_is_on),	cmocka_unit_test(test_operations),
		cmocka_unit_test(test_process_state),	cmocka_unit_test(test_time_off),
		cmocka_unit_test(test_when_it_was_off), cmocka_unit_test(test_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
