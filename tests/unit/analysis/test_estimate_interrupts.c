/*
 * What the interrupts of samples took is nobody's time, whether the clock decides a function's or
 * its samples do: sums stay, rows of OS time lose what their function has lost.
 */
#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MS	     1000000ULL /* in ticks */

enum { THREAD_OVERHEAD = 40, CALL_OVERHEAD = 8, TIMED_NODE = 3 }; /* of small_profile */

/* Of how main calls a timed function: 4 ms, of these 3 in which interrupts were seen. */
struct recorded {
	uint64_t interrupt_ns;
	bool counts_main; /* counted, so that samples decide it */
	uint64_t in_main, in_timed;
};

static void add_counted(struct profile_writer *writer, int64_t process, int64_t thread, int64_t of)
{
	const struct profile_counted row = {.process = process,
					    .thread = thread,
					    .function = of,
					    .entered = 1000,
					    .learned = true};
	struct error err;

	assert_true(profile_add_counted(writer, &row, &err));
}

/* Records of 2 ms and of 1 ms, of two system calls' places. */
static void add_os(struct profile_writer *writer, uint64_t object, uint64_t ticks)
{
	const struct profile_os row = {.node = TIMED_NODE,
				       .cause = TARE_OS_INTERRUPT,
				       .syscall_number = -1,
				       .object = object,
				       .count = 1,
				       .ticks = ticks,
				       .longest_ticks = ticks};
	struct error err;

	assert_true(profile_add_os(writer, &row, &err));
}

static void record(const struct recorded *recorded)
{
	struct profile_writer *writer = small_profile_open(path);
	const struct small_times times = {.now = 10 * MS, .os = 3 * MS};
	const int64_t process = small_process(writer, 1, "p");
	const int64_t thread = small_thread_of(writer, process, 1, &times);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t main_id = small_function(writer, module, "main", 0x100);
	const int64_t timed = small_function(writer, module, "timed", 0x200);
	const int64_t counted = small_function(writer, module, "counted", 0x300);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const struct profile_sampling sampling = {.collector = "perf",
						  .interrupt_ns = recorded->interrupt_ns};
	const struct small_node nodes[] = {
		{thread, 0, 0, 0, 0, 0, 0, 0},
		{thread, 1, main_id, 1, 6 * MS, 0, 0, 0},
		{thread, 2, timed, 10, 4 * MS, TARE_OS_INTERRUPT, 3 * MS, 0}};
	const int64_t in_main = small_stack(writer, 0, main_id, 0x110);
	const struct profile_stack_value values[] = {
		SMALL_VALUE(thread, event, in_main, recorded->in_main, 0, 0),
		SMALL_VALUE(thread, event, small_stack(writer, in_main, timed, 0x210),
			    recorded->in_timed, 0, 0)};
	struct error err;

	small_nodes(writer, nodes, COUNT(nodes));
	add_os(writer, 1, 2 * MS);
	add_os(writer, 2, 1 * MS);
	assert_true(profile_add_sampling(writer, &sampling, &err));
	add_counted(writer, process, thread, recorded->counts_main ? main_id : counted);
	for (size_t i = 0; i < COUNT(values); i++)
		small_samples(writer, &values[i]);
	small_profile_commit_as(writer, "instrument,sample");
	analysed_open(NULL);
	assert_int_equal(analysis->totals.inconsistent_ticks, 0);
}

static uint64_t of(const char *function, enum analysis_measure measure)
{
	return values_of(function)->amount[measure];
}

/* 6 of them in main, 4 in what it calls, and the clock decides both. */
static void test_by_the_clock(void **state)
{
	const uint64_t each = MS / 10;

	(void)state;
	record(&(struct recorded){.interrupt_ns = each, .in_main = 6, .in_timed = 4});
	assert_false(values_of("timed")->sampled);
	assert_int_equal(of("timed", CPU_EXCLUSIVE), 4 * MS - 4 * each);
	assert_int_equal(of("timed", ELAPSED_EXCLUSIVE), 4 * MS - 4 * each);
	assert_int_equal(of("timed", OVERHEAD_EXCLUSIVE), 10 * CALL_OVERHEAD + 4 * each);
	/* Where they were seen and where not, in proportion. */
	assert_int_equal(of("timed", APPLICATION_EXCLUSIVE), 1 * MS - each);
	assert_int_equal(values_of("timed")->os_ticks[TARE_OS_INTERRUPT], 3 * MS - 3 * each);
	assert_int_equal(of("main", CPU_EXCLUSIVE), 6 * MS - 6 * each);
	assert_int_equal(of("main", CPU_INCLUSIVE), 10 * MS - 10 * each);
	assert_int_equal(analysis->totals.cpu, 10 * MS - 10 * each);
	assert_int_equal(analysis->totals.interrupts, 10 * each);
	assert_int_equal(analysis->totals.overhead, 10 * each + THREAD_OVERHEAD);
}

/* Its rows share what is left. */
static void test_rows_of_os_time(void **state)
{
	(void)state;
	record(&(struct recorded){.interrupt_ns = MS / 10, .in_main = 6, .in_timed = 4});
	assert_int_equal(analysis->os.len, 2);
	assert_int_equal(analysis->os.data[0].ticks, 2 * MS * 9 / 10);
	assert_int_equal(analysis->os.data[1].ticks, 1 * MS * 9 / 10);
}

static void test_at_most_a_quarter(void **state)
{
	(void)state;
	record(&(struct recorded){.interrupt_ns = UINT64_C(1) << 60, .in_main = 6, .in_timed = 4});
	assert_int_equal(of("timed", CPU_EXCLUSIVE), 3 * MS);
	assert_int_equal(analysis->totals.cpu, 10 * MS * 3 / 4);
}

/* Each once: those of samples that decide from what these decide. */
static void test_beside_samples_that_decide(void **state)
{
	const uint64_t each = MS / 10;

	(void)state;
	record(&(struct recorded){
		.interrupt_ns = each, .counts_main = true, .in_main = 6, .in_timed = 4});
	assert_true(values_of("main")->sampled);
	assert_false(values_of("timed")->sampled);
	assert_int_equal(of("timed", CPU_EXCLUSIVE), 4 * MS - 4 * each);
	assert_int_equal(of("main", CPU_EXCLUSIVE), 6 * MS - 6 * each);
	assert_int_equal(analysis->totals.interrupts, 10 * each);
}

int main(void)
{
#define INTERRUPTS_TEST(name) cmocka_unit_test_setup_teardown(name, analysed_begin, analysed_end)
	const struct CMUnitTest tests[] = {
		INTERRUPTS_TEST(test_by_the_clock),
		INTERRUPTS_TEST(test_rows_of_os_time),
		INTERRUPTS_TEST(test_at_most_a_quarter),
		INTERRUPTS_TEST(test_beside_samples_that_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
