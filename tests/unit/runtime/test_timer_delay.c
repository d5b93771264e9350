/*
 * Delays are exponentially distributed: their mean, and how many are longer than parts and
 * multiples of it, whatever the mean. Without memory: of those that have lasted, as many last as
 * long again.
 */
#include "runtime/timer/timer_between.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { DRAWS = 1000000 };

/* The logarithm is right to 0.008 of log2, which is 0.6 % of the mean; chance adds 0.1. */
static void test_delays_have_no_memory(void **state)
{
	static const uint64_t means_ns[] = {1333333, 100000, 4000000000};
	static const double lengths[] = {0.05, 0.5, 1, 2, 4};

	(void)state;
	for (size_t m = 0; m < sizeof(means_ns) / sizeof(means_ns[0]); m++) {
		unsigned longer[5] = {0};
		uint64_t random = 88172645463325252ULL;
		double sum = 0;
		for (int i = 0; i < DRAWS; i++) {
			const double length = (double)timer_delay_draw(&random, means_ns[m]) /
					      (double)means_ns[m];
			assert_true(length > 0 && length < 50);
			sum += length;
			for (size_t k = 0; k < 5; k++)
				longer[k] += length > lengths[k];
		}
		assert_true(fabs(sum / DRAWS - 1) < 0.008);
		for (size_t k = 0; k < 5; k++)
			assert_true(fabs((double)longer[k] / DRAWS - exp(-lengths[k])) < 0.008);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_delays_have_no_memory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
