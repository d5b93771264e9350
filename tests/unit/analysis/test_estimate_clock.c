/*
 * CPU time of counted functions from samples: of which functions the clock decides, and where the
 * samples contradict it.
 */
#include "tests/support/estimated.h"

/* Where all calls were timed and nothing unseen was called, the clock is surer than 2 samples. */
static void test_clock_decides_where_it_is_surer(void **state)
{
	(void)state;
	const int64_t in_main = begin_timed();
	disarm_later(f, 1000);
	samples(in_main, 1);
	samples(call(in_main, f), 5);
	samples(call(in_main, timed), 2);
	finish();
	assert_cpu("timed", 4 * MS, 4 * MS, false);
	assert_cpu("f", 5 * MS, 5 * MS, true);
	assert_cpu("main", 10 * MS, 1 * MS, true);
	/* The clock has no interval. */
	uint64_t low, high;
	assert_false(analysis_cpu_interval(analysis, values_of("timed"), EXCLUSIVE, &low, &high));
	assert_true(analysis_cpu_interval(analysis, values_of("f"), EXCLUSIVE, &low, &high));
}

/* By the clock a call that longjmp has left unseen goes on: 4 ms, where no sample of 1,000 was. */
static void test_samples_contradict_the_clock(void **state)
{
	(void)state;
	const int64_t in_main = begin_timed();
	disarm(f, 1000);
	samples(in_main, 250);
	samples(call(in_main, f), 750);
	finish();
	assert_cpu("timed", 0, 0, true);
	assert_cpu("f", 10 * MS * 3 / 4, 10 * MS * 3 / 4, true);
	assert_cpu("main", 10 * MS, 10 * MS / 4, true);
}

static void collector(const char *name, bool kernel)
{
	const struct profile_sampling row = {.collector = name, .kernel = kernel};
	struct error err;

	assert_true(profile_add_sampling(writer, &row, &err));
}

/* 10 calls take 4 ms, in intervals in which the system did that; no sample of 1,000 is there. */
static void begin_with_os(enum tare_os_cause cause)
{
	begin(&(struct small_times){.now = 10 * MS, .os = 4 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 6 * MS, 0, 0, 0},
					   {thread, 2, timed, 10, 4 * MS, cause, 4 * MS, 0}};
	const int64_t in_main = call(0, main_id);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm(f, 1000);
	samples(in_main, 250);
	samples(call(in_main, f), 750);
}

/* The kernel's time may be sampled nowhere. */
static void test_time_of_the_kernel_contradicts_nothing(void **state)
{
	(void)state;
	begin_with_os(TARE_OS_MINOR_FAULT);
	collector("timer", false);
	collector("perf", false);
	finish();
	assert_cpu("timed", 4 * MS, 4 * MS, false);
}

static void test_system_calls_contradict_nothing(void **state)
{
	(void)state;
	begin_with_os(TARE_OS_SYSCALL);
	collector("perf", true);
	finish();
	assert_cpu("timed", 4 * MS, 4 * MS, false);
}

static void test_sampled_faults_contradict(void **state)
{
	(void)state;
	begin_with_os(TARE_OS_MINOR_FAULT);
	collector("perf", true);
	collector("timer", false);
	finish();
	assert_cpu("timed", 0, 0, true);
}

/* A long call's intervals have interrupts, and are no less the program's for that. */
static void test_interrupts_contradict(void **state)
{
	(void)state;
	begin_with_os(TARE_OS_INTERRUPT);
	finish();
	assert_cpu("timed", 0, 0, true);
}

/* 30 of 100 samples are within four deviations of 40 %. */
static void test_chance_contradicts_nothing(void **state)
{
	(void)state;
	const int64_t in_main = begin_timed();
	disarm_later(f, 1000);
	samples(in_main, 20);
	samples(call(in_main, f), 50);
	samples(call(in_main, timed), 30);
	finish();
	assert_cpu("timed", 4 * MS, 4 * MS, false);
}

/* A library's function that was called a little, and jumped to by another one of it: 100 ns by the
   clock let expect none of 1,000 samples. */
static void begin_jumped_to(uint64_t its_samples)
{
	begin(&(struct small_times){.now = 10 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 10 * MS - 100, 0, 0, 0},
					   {thread, 2, timed, 10, 100, 0, 0, 0}};
	const int64_t in_main = call(0, main_id);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm(f, 1000);
	samples(in_main, 250);
	samples(call(in_main, f), 750 - its_samples);
	samples(call(in_main, timed), its_samples);
	finish();
}

static void test_few_samples_contradict_a_short_time(void **state)
{
	(void)state;
	begin_jumped_to(4);
	assert_cpu("timed", 4 * MS / 100, 4 * MS / 100, true);
}

static void test_three_samples_contradict_nothing(void **state)
{
	(void)state;
	begin_jumped_to(3);
	assert_cpu("timed", 100, 100, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ESTIMATE_TEST(test_clock_decides_where_it_is_surer),
		ESTIMATE_TEST(test_samples_contradict_the_clock),
		ESTIMATE_TEST(test_time_of_the_kernel_contradicts_nothing),
		ESTIMATE_TEST(test_system_calls_contradict_nothing),
		ESTIMATE_TEST(test_sampled_faults_contradict),
		ESTIMATE_TEST(test_interrupts_contradict),
		ESTIMATE_TEST(test_chance_contradicts_nothing),
		ESTIMATE_TEST(test_few_samples_contradict_a_short_time),
		ESTIMATE_TEST(test_three_samples_contradict_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
