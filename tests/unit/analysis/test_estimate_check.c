/*
 * A thread's clock and its samples measure the same: what each has, and when they contradict each
 * other.
 */
#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MS	     1000000ULL /* in ticks */

enum { THREAD_OVERHEAD = 40 }; /* of small_thread_of */

/* Of main: the clock, a second, and samples of a millisecond each. */
struct recorded {
	uint64_t samples, at_once; /* so many samples, taken by so many */
	uint64_t lost;
	const char *unit;
	uint64_t clock; /* 0: a second */
};

static void record(const struct recorded *recorded)
{
	struct profile_writer *writer = small_profile_open(path);
	const uint64_t clock = recorded->clock ? recorded->clock : 1000 * MS;
	const struct small_times times = {.now = clock};
	const int64_t process = small_process(writer, 1, "p");
	const int64_t thread = small_thread_of(writer, process, 1, &times);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t main_id = small_function(writer, module, "main", 0x100);
	const int64_t event = small_event(writer, "cpu-clock", recorded->unit);
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, clock, 0, 0, 0}};
	const uint64_t each = recorded->at_once;
	const struct profile_counted counted = {.process = process,
						.thread = thread,
						.function = main_id,
						.entered = 1,
						.learned = true};
	const struct profile_stack_value value = {.thread = thread,
						  .event = event,
						  .stack = small_stack(writer, 0, main_id, 0x110),
						  .samples = recorded->samples,
						  .squares = recorded->samples * each};
	const struct profile_sampling sampling = {.collector = "perf", .lost = recorded->lost};
	struct error err;

	small_nodes(writer, nodes, COUNT(nodes));
	assert_true(profile_add_sampling(writer, &sampling, &err));
	assert_true(profile_add_counted(writer, &counted, &err));
	small_samples(writer, &value);
	small_profile_commit_as(writer, "instrument,sample");
	analysed_open(NULL);
}

static bool fails(uint64_t samples, uint64_t at_once, uint64_t lost)
{
	const struct recorded recorded = {samples, at_once, lost, "ns", 0};

	record(&recorded);
	const bool failed = analysis_check_fails(analysis);

	analysed_end(NULL);
	analysed_begin(NULL);
	return failed;
}

static void test_what_both_have(void **state)
{
	(void)state;
	record(&(struct recorded){.samples = 900, .at_once = 1, .unit = "ns"});
	assert_int_equal(analysis->totals.check.clock_ticks, 1000 * MS + THREAD_OVERHEAD);
	assert_int_equal(analysis->totals.check.sample_ticks, 900 * MS);
	assert_in_range(analysis->totals.check.variance, 900 * MS * MS, 910 * MS * MS);
	assert_false(analysis_check_fails(analysis));
}

/* In either direction, by more than a tenth. */
static void test_contradictions(void **state)
{
	(void)state;
	assert_false(fails(1000, 1, 0));
	assert_false(fails(910, 1, 0));
	assert_true(fails(500, 1, 0));
	assert_true(fails(860, 1, 0));
	assert_false(fails(1100, 1, 0));
	assert_true(fails(1200, 1, 0));
}

/* Of samples that were taken by 40, 850 are no surprise. */
static void test_chance(void **state)
{
	(void)state;
	assert_false(fails(850, 40, 0));
	assert_true(fails(200, 40, 0));
}

/* Threads that may have no sample by chance tell nothing, whether they have one or not. */
static void test_few_samples(void **state)
{
	(void)state;
	record(&(struct recorded){.samples = 1, .at_once = 1, .unit = "ns", .clock = 19 * MS});
	assert_true(analysis->totals.check.clock_ticks == 0);
}

/* One of a second that has no sample does. */
static void test_no_samples(void **state)
{
	(void)state;
	assert_true(fails(0, 1, 0));
}

/* Samples that were lost are missing; too many there cannot be by that. */
static void test_losses(void **state)
{
	(void)state;
	assert_false(fails(500, 1, 3));
	assert_true(fails(1500, 1, 3));
}

static bool fails_with_switches(uint64_t samples)
{
	record(&(struct recorded){.samples = samples, .at_once = 1, .unit = "ns"});
	analysis->totals.check.switches_ticks = 250 * MS;
	const bool failed = analysis_check_fails(analysis);

	analysed_end(NULL);
	analysed_begin(NULL);
	return failed;
}

/* Samples may have met what was taken off the clock for switches, or not. */
static void test_longer_switches(void **state)
{
	(void)state;
	assert_false(fails_with_switches(1000));
	assert_false(fails_with_switches(1240));
	assert_false(fails_with_switches(1300));
	assert_true(fails_with_switches(1500));
	assert_true(fails_with_switches(850));
}

/* Of samples of another event nothing says how long they took. */
static void test_other_events(void **state)
{
	(void)state;
	record(&(struct recorded){.samples = 100, .at_once = 1, .unit = ""});
	assert_false(analysis_check_fails(analysis));
	assert_true(analysis->totals.check.clock_ticks == 0);
}

int main(void)
{
#define CHECK_TEST(name) cmocka_unit_test_setup_teardown(name, analysed_begin, analysed_end)
	const struct CMUnitTest tests[] = {
		CHECK_TEST(test_what_both_have), CHECK_TEST(test_contradictions),
		CHECK_TEST(test_chance),	 CHECK_TEST(test_losses),
		CHECK_TEST(test_other_events),	 CHECK_TEST(test_few_samples),
		CHECK_TEST(test_no_samples),	 CHECK_TEST(test_longer_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
