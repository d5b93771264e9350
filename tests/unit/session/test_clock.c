/* Rates and drift from calibration points, and points that contradict each other. */
#include "session/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct clock_points points_of(const struct clock_point *from, size_t count)
{
	struct clock_points points = {0};

	vec_append(&points, from, count);
	return points;
}

static bool compute(const struct clock_point *from, size_t count, struct clock_rate *rate)
{
	struct error err;
	struct clock_points points = points_of(from, count);
	const bool ok = clock_rate_compute(&points, rate, &err);

	vec_fini(&points);
	return ok;
}

static void test_rate_and_drift(void **state)
{
	/* 2 GHz in the first half, 2.002 GHz in the second. */
	const struct clock_point points[] = {{1000, 500, 20},
					     {1000 + 2000000000ULL, 1000000500, 20},
					     {1000 + 4002000000ULL, 2000000500, 20}};
	struct clock_rate rate;

	(void)state;
	assert_true(compute(points, 3, &rate));
	assert_true(rate.ticks_per_second > 2.0009e9 && rate.ticks_per_second < 2.0011e9);
	assert_true(rate.drift_ppm > 999 && rate.drift_ppm < 1000);
	assert_true(rate.uncertainty_ppm > 0 && rate.uncertainty_ppm < 0.1);
}

static void test_refusals(void **state)
{
	const struct clock_point backwards[] = {{5000000, 0, 1}, {4000000, 2000000, 1}};
	const struct clock_point too_short[] = {{0, 0, 1}, {1000, 500, 1}};
	struct clock_rate rate;

	(void)state;
	assert_false(compute(backwards, 1, &rate));
	assert_false(compute(backwards, 2, &rate));
	assert_false(compute(too_short, 2, &rate));
	const struct clock_point stopped[] = {{5000000, 0, 1}, {5000000, 2000000, 1}};
	assert_false(compute(stopped, 2, &rate));
}

/* Times before the first point as well as behind it; what lies before all ticks is their begin. */
static void test_ticks_at_times(void **state)
{
	const struct clock_point from[] = {{5000000000, 1000000000, 1},
					   {7000000000, 2000000000, 1}};
	struct clock_points points = points_of(from, 2);
	const struct clock_rate rate = {.ticks_per_second = 2e9};

	(void)state;
	assert_int_equal(clock_ticks_at(&points, &rate, 1000000000), 5000000000);
	assert_int_equal(clock_ticks_at(&points, &rate, 1500000000), 6000000000);
	assert_int_equal(clock_ticks_at(&points, &rate, 500000000), 4000000000);
	assert_int_equal(clock_ticks_at(&points, &rate, 0), 3000000000);
	assert_int_equal(clock_ticks_at(&points, &rate, UINT64_MAX), 1ULL << 61);
	vec_fini(&points);
}

static void test_two_calibrations_agree(void **state)
{
	const struct timespec pause = {.tv_nsec = 30000000};
	struct clock_point points[3];
	struct clock_rate first, second;

	(void)state;
	for (int i = 0; i < 3; i++) {
		points[i] = clock_take_point();
		nanosleep(&pause, NULL);
	}
	assert_true(compute(points, 2, &first));
	assert_true(compute(points + 1, 2, &second));
	const double apart = first.ticks_per_second / second.ticks_per_second - 1;
	/* A bracket of a microsecond in 30 ms would be 33 ppm; 1000 is a broken clock. */
	assert_true(apart > -1e-3 && apart < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate_and_drift),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_ticks_at_times),
		cmocka_unit_test(test_two_calibrations_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
