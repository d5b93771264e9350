/* What one sample's interrupt takes: by gaps that are made up, and in this thread. */
#include "sampler/interrupt_cost.h"
#include "sampler/perf_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

enum { SAMPLES = 40, APART_NS = 1000000, LENGTH_NS = 20000, OTHERS = 3, OTHER_APART_NS = 100000 };

/* A gap of each sample, each 1 ns longer than the one before, and shorter ones of other interrupts.
 */
static size_t make(struct interrupt_gap *gaps, uint64_t *samples)
{
	size_t count = 0;

	for (uint64_t i = 0; i < SAMPLES; i++) {
		const uint64_t begin = (i + 1) * APART_NS;

		for (uint64_t k = OTHERS; k > 0; k--)
			gaps[count++] =
				(struct interrupt_gap){begin - k * OTHER_APART_NS,
						       begin - k * OTHER_APART_NS + LENGTH_NS / 4};
		gaps[count++] = (struct interrupt_gap){begin, begin + LENGTH_NS + i};
		samples[i] = begin + LENGTH_NS / 2;
	}
	return count;
}

static void test_gaps_of_samples(void **state)
{
	struct interrupt_gap gaps[SAMPLES * (OTHERS + 1)];
	uint64_t samples[SAMPLES];
	const size_t count = make(gaps, samples);

	(void)state;
	assert_int_equal(interrupt_cost_of(gaps, count, samples, SAMPLES), LENGTH_NS + SAMPLES / 4);
	/* some found the thread elsewhere, and some were long */
	samples[0] = 1;
	samples[SAMPLES - 1] = UINT64_MAX;
	gaps[count - 1].end_ns = gaps[count - 1].begin_ns + 1;
	assert_in_range(interrupt_cost_of(gaps, count, samples, SAMPLES), LENGTH_NS,
			LENGTH_NS + SAMPLES / 2);
}

static void test_too_few(void **state)
{
	struct interrupt_gap gaps[SAMPLES * (OTHERS + 1)];
	uint64_t samples[SAMPLES];
	const size_t count = make(gaps, samples);

	(void)state;
	assert_int_equal(interrupt_cost_of(gaps, count, samples, 15), 0);
	assert_true(interrupt_cost_of(gaps, count, samples, 16) > 0);
	assert_int_equal(interrupt_cost_of(gaps, 0, samples, SAMPLES), 0);
	assert_int_equal(interrupt_cost_of(gaps, count, samples, 0), 0);
}

/* An interrupt takes some time, and no processor so long. */
static void test_this_machine(void **state)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .exclude_kernel = 1};
	const int fd = perf_event_open(&attr, 0, -1);
	uint64_t cost = 0;

	(void)state;
	if (fd < 0) {
		print_message("skipped: this user may open no events\n");
		assert_int_equal(interrupt_cost_ns(false), 0);
		skip();
	}
	close(fd);
	for (int i = 0; i < 20 && !cost; i++)
		cost = interrupt_cost_ns(false);
	assert_in_range(cost, 200, 300000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gaps_of_samples),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
