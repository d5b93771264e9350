/*
 * What a thread's probes cost at the pace of the processor, with work in place of that of probes
 * that takes as long as the test says.
 */
#include "runtime/base/kernel.h"
#include "runtime/control/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define PACE 100000 /* longer than reading the clock takes, by far */

static uint64_t work_ticks; /* of a batch */
static int batches;

void pace_work(void);

void pace_work(void)
{
	const uint64_t begin = kernel_ticks();

	batches++;
	while (kernel_ticks() - begin < work_ticks)
		;
}

static int begin(void **state)
{
	(void)state;
	state_session.cost_ticks[TARE_EVENT_ENTER] = 40;
	state_session.cost_ticks[TARE_EVENT_RETURN] = 60;
	state_session.calibration.pace = PACE;
	work_ticks = PACE;
	batches = 0;
	return 0;
}

static void test_costs_change_with_the_pace(void **state)
{
	(void)state;
	assert_int_equal(pace_cost(60, 1000, 1000), 60);
	assert_int_equal(pace_cost(60, 1000, 1500), 90);
	assert_int_equal(pace_cost(60, 1000, 500), 30);
	assert_int_equal(pace_cost(3, 1000, 1499), 4);
	assert_int_equal(pace_cost(3, 1000, 1501), 5);
}

static void test_what_no_processor_does_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(pace_cost(60, 0, 1000), 60);
	assert_int_equal(pace_cost(60, 1000, 4000), 240);
	assert_int_equal(pace_cost(60, 1000, 4001), 60);
	assert_int_equal(pace_cost(60, 1000, 250), 15);
	assert_int_equal(pace_cost(60, 1000, 249), 60);
	assert_int_equal(pace_cost(100, 1000, 4000), TARE_PROBE_TICKS_MAX);
	assert_int_equal(pace_cost(1000, 1000, 1000), TARE_PROBE_TICKS_MAX);
}

static void test_the_least_of_some_times(void **state)
{
	(void)state;
	const uint64_t ticks = pace_measure();

	assert_true(batches > 2);
	assert_true(ticks >= PACE);
}

/* What disturbs the test makes the measured pace longer. */
static void test_a_thread_has_costs_at_its_begin(void **state)
{
	static struct tare_thread_file file;
	static struct state_private private_state;

	(void)state;
	work_ticks = PACE * 2;
	pace_begin(&file, &private_state);
	assert_true(private_state.pace >= PACE * 2);
	assert_int_equal(file.cost_ticks[TARE_EVENT_ENTER],
			 pace_cost(40, PACE, private_state.pace));
	assert_int_equal(file.cost_ticks[TARE_EVENT_RETURN],
			 pace_cost(60, PACE, private_state.pace));
	assert_int_equal(file.cost_ticks[TARE_EVENT_CALL], 0);
}

static void test_it_is_measured_again_after_a_while(void **state)
{
	static struct tare_thread_file file;
	static struct state_private private_state;

	(void)state;
	pace_begin(&file, &private_state);
	const uint64_t first = private_state.pace;
	const uint64_t when = private_state.pace_ticks;

	batches = 0;
	work_ticks = PACE * 3;
	pace_follow(&file, &private_state, when + 1000);
	assert_int_equal(batches, 0);
	pace_follow(&file, &private_state, when + (1ULL << 32));
	assert_true(batches > 2);
	assert_true(private_state.pace >= (first + PACE * 3) / 2);
	assert_true(private_state.pace_ticks > when);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_costs_change_with_the_pace, begin),
		cmocka_unit_test_setup(test_what_no_processor_does_changes_nothing, begin),
		cmocka_unit_test_setup(test_the_least_of_some_times, begin),
		cmocka_unit_test_setup(test_a_thread_has_costs_at_its_begin, begin),
		cmocka_unit_test_setup(test_it_is_measured_again_after_a_while, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
