/* What interrupts take of a thread that reads the clock: by gaps that are made up, and by signals
 * here. */
#include "sampler/clock_gaps.h"
#include "sampler/signal_cost.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOMENTS = 40, APART_NS = 1000000, LENGTH_NS = 20000, OTHERS = 3, OTHER_APART_NS = 100000 };

static struct clock_gaps gaps;
static uint64_t moments[MOMENTS];

static void gap_add(uint64_t begin, uint64_t length)
{
	gaps.gaps[gaps.count++] = (struct clock_gap){begin, begin + length};
	gaps.short_ns += length;
}

/* A gap of each moment, each 1 ns longer than the one before, and shorter ones of other interrupts.
 */
static int make(void **state)
{
	(void)state;
	gaps = (struct clock_gaps){.outside_ns = APART_NS};
	for (uint64_t i = 0; i < MOMENTS; i++) {
		const uint64_t begin = (i + 1) * APART_NS;

		for (uint64_t k = OTHERS; k > 0; k--)
			gap_add(begin - k * OTHER_APART_NS, LENGTH_NS / 4);
		gap_add(begin, LENGTH_NS + i);
		moments[i] = begin + LENGTH_NS / 2;
	}
	gaps.cpu_ns = gaps.outside_ns + gaps.short_ns + 1;
	return 0;
}

static void test_gaps_of_moments(void **state)
{
	(void)state;
	assert_int_equal(clock_gaps_cost(&gaps, moments, MOMENTS), LENGTH_NS + MOMENTS / 4);
	/* some found the thread elsewhere, and some were long */
	moments[0] = 1;
	moments[MOMENTS - 1] = UINT64_MAX;
	gaps.gaps[gaps.count - 1].end_ns = gaps.gaps[gaps.count - 1].begin_ns + 1;
	assert_in_range(clock_gaps_cost(&gaps, moments, MOMENTS), LENGTH_NS,
			LENGTH_NS + MOMENTS / 2);
}

static void test_too_few(void **state)
{
	(void)state;
	assert_int_equal(clock_gaps_cost(&gaps, moments, 15), 0);
	assert_true(clock_gaps_cost(&gaps, moments, 16) > 0);
	assert_int_equal(clock_gaps_cost(&gaps, moments, 0), 0);
	gaps.count = 0;
	assert_int_equal(clock_gaps_cost(&gaps, moments, MOMENTS), 0);
}

/* Some kernels stop the CPU clock in interrupts, and none charges more than has passed. */
static void test_what_is_charged(void **state)
{
	(void)state;
	gaps.cpu_ns = gaps.outside_ns + (gaps.short_ns + 1) / 2;
	assert_in_range(clock_gaps_cost(&gaps, moments, MOMENTS), LENGTH_NS / 2 - 1,
			LENGTH_NS / 2 + MOMENTS / 4);
	gaps.cpu_ns = gaps.outside_ns - 1;
	assert_int_equal(clock_gaps_cost(&gaps, moments, MOMENTS), 0);
	gaps.cpu_ns = UINT64_MAX;
	assert_int_equal(clock_gaps_cost(&gaps, moments, MOMENTS), LENGTH_NS + MOMENTS / 4);
}

static void test_this_thread(void **state)
{
	(void)state;
	gaps = (struct clock_gaps){0};
	const uint64_t begin = clock_gaps_now_ns();
	clock_gaps_find(&gaps, APART_NS);
	const uint64_t whole = clock_gaps_now_ns() - begin;
	uint64_t sum = gaps.outside_ns;

	for (size_t i = 0; i < gaps.count; i++)
		sum += gaps.gaps[i].end_ns - gaps.gaps[i].begin_ns;
	assert_in_range(sum, APART_NS, whole);
	assert_in_range(gaps.cpu_ns, 1, whole);
}

/* A signal takes some time, and none takes so long; the thread's signals are as before. */
static void test_signals(void **state)
{
	const struct sigaction used = {.sa_handler = SIG_IGN};
	struct sigaction action;
	struct signal_cost cost = {0};
	sigset_t mask;

	(void)state;
	sigemptyset(&mask);
	sigaddset(&mask, SIGRTMAX);
	sigaddset(&mask, SIGRTMAX - 1);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	sigaction(SIGRTMAX, &used, NULL);
	for (int i = 0; i < 20 && !(cost.timer_ns && cost.signal_ns); i++)
		cost = signal_cost_measure();
	assert_in_range(cost.timer_ns, 200, 300000);
	assert_in_range(cost.signal_ns, 20, 100000);
	assert_true(cost.signal_ns < cost.timer_ns);
	sigaction(SIGRTMAX, NULL, &action);
	assert_ptr_equal(action.sa_handler, SIG_IGN);
	sigaction(SIGRTMAX - 1, NULL, &action);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_true(sigismember(&mask, SIGRTMAX - 1));
	sigpending(&mask);
	assert_false(sigismember(&mask, SIGRTMAX - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_gaps_of_moments, make),
		cmocka_unit_test_setup(test_too_few, make),
		cmocka_unit_test_setup(test_what_is_charged, make),
		cmocka_unit_test(test_this_thread),
		cmocka_unit_test(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
