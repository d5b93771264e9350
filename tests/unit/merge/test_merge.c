/*
 * What becomes one when profiles are merged, and what stays apart: events of several periods,
 * builds of a module, calls of clocks of several speeds. tests/golden/merges has the sums.
 */
#include "merge/merge.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { INPUTS = 2 };

static char paths[INPUTS][64], output[64];
static struct profile *merged;

static int choose_paths(void **state)
{
	(void)state;
	for (int i = 0; i < INPUTS; i++)
		snprintf(paths[i], sizeof(paths[i]), "test_merge.%ld.%d.tare", (long)getpid(), i);
	snprintf(output, sizeof(output), "test_merge.%ld.out.tare", (long)getpid());
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	profile_close(merged);
	merged = NULL;
	for (int i = 0; i < INPUTS; i++)
		unlink(paths[i]);
	unlink(output);
	return 0;
}

/* Merges the inputs and opens the result. */
static void merge_inputs(void)
{
	const struct merge_options options = {.output = output,
					      .memory_bytes = MERGE_MEMORY_DEFAULT};
	struct error err = {0};
	struct merge *merge = merge_new(&options);

	for (int i = 0; i < INPUTS; i++)
		if (!merge_take(merge, paths[i], &err))
			fail_msg("%s", err.message);
	if (!merge_write(merge, &err))
		fail_msg("%s", err.message);
	merge_free(merge);
	merged = profile_open(output, &err);
	if (!merged)
		fail_msg("%s", err.message);
}

/* ---- events ---- */

static void write_events(int input, uint64_t period, uint64_t frequency)
{
	struct profile_writer *writer = small_profile_open(paths[input]);
	const struct profile_event same = {.name = "cycles", .unit = "", .period = 1000};
	const struct profile_event other = {
		.name = "faults", .unit = "", .period = period, .frequency = frequency};
	struct error err;

	small_thread(writer, small_process(writer, 5, "p"), 5, 0, 0);
	assert_int_equal(profile_add_event(writer, &same, &err), 1);
	assert_int_equal(profile_add_event(writer, &other, &err), 2);
	small_profile_commit_as(writer, "sample");
}

/* Where inputs differ nothing is true of all samples. */
static void test_periods_that_differ_are_none(void **state)
{
	size_t count;

	(void)state;
	write_events(0, 7, 0);
	write_events(1, 8, 100);
	merge_inputs();
	const struct profile_event *events = profile_events(merged, &count);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++) {
		const bool same = strcmp(events[i].name, "cycles") == 0;
		assert_int_equal(events[i].period, same ? 1000 : 0);
		assert_int_equal(events[i].frequency, 0);
	}
}

/* ---- samples in tare's own code ---- */

static void write_own(int input, uint64_t samples)
{
	struct profile_writer *writer = small_profile_open(paths[input]);
	const int64_t thread = small_thread(writer, small_process(writer, 5, "p"), 5, 0, 0);
	struct error err;

	assert_true(profile_set_thread_in_runtime(writer, thread, samples, samples * 1000, &err));
	small_profile_commit_as(writer, "sample");
}

static void test_own_samples_add_up(void **state)
{
	size_t count;

	(void)state;
	write_own(0, 7);
	write_own(1, 5);
	merge_inputs();
	const struct profile_thread *threads = profile_threads(merged, &count);
	assert_int_equal(count, 1);
	assert_int_equal(threads->samples_in_runtime, 12);
	assert_int_equal(threads->weight_in_runtime, 12000);
}

/* ---- losses ---- */

/* Each counter has another value, so that none is taken for its neighbour. */
static void write_losses(int input, uint64_t unit)
{
	struct profile_writer *writer = small_profile_open(paths[input]);
	struct profile_process process = {
		.pid = 5, .name = "p", .executable = "/bin/p", .end_ticks = 2000500};
	struct profile_thread thread = {.tid = 5, .name = "worker", .end_ticks = 2000500};
	struct error err;

	for (size_t i = 0; i < TABLE_COUNT(process.process_losses); i++)
		process.process_losses[i] = (i + 1) * unit;
	for (size_t i = 0; i < TABLE_COUNT(thread.thread_losses); i++)
		thread.thread_losses[i] = (i + 101) * unit;
	thread.process = profile_add_process(writer, &process, &err);
	assert_true(thread.process > 0);
	assert_true(profile_add_thread(writer, &thread, &err) > 0);
	small_profile_commit(writer);
}

static void test_losses_add_up(void **state)
{
	size_t processes, threads;

	(void)state;
	write_losses(0, 1);
	write_losses(1, 1000);
	merge_inputs();
	const struct profile_process *process = profile_processes(merged, &processes);
	const struct profile_thread *thread = profile_threads(merged, &threads);
	assert_int_equal(processes, 1);
	assert_int_equal(threads, 1);
	for (size_t i = 0; i < TABLE_COUNT(process->process_losses); i++)
		assert_int_equal(process->process_losses[i], (i + 1) * 1001);
	for (size_t i = 0; i < TABLE_COUNT(thread->thread_losses); i++)
		assert_int_equal(thread->thread_losses[i], (i + 101) * 1001);
}

/* ---- modules ---- */

static void write_build(int input, const char *build_id)
{
	struct profile_writer *writer = small_profile_open(paths[input]);
	const struct profile_module module = {
		.name = "p", .path = "/bin/p", .build_id = build_id, .instrumented = true};
	struct error err;

	small_thread(writer, small_process(writer, 5, "p"), 5, 0, 0);
	small_function(writer, profile_add_module(writer, &module, &err), "main", 0x1000);
	small_profile_commit(writer);
}

/* Of one path: an address means another function in another build. */
static void test_builds_stay_apart(void **state)
{
	static const char *const ids[][INPUTS] = {{"aa00", "bb11"}, {"aa00", "aa00"}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		size_t modules, functions;
		for (int input = 0; input < INPUTS; input++)
			write_build(input, ids[i][input]);
		merge_inputs();
		profile_modules(merged, &modules);
		profile_functions(merged, &functions);
		assert_int_equal(modules, i ? 1 : 2);
		assert_int_equal(functions, i ? 1 : 2);
		remove_files(NULL);
	}
}

/* ---- ranks ---- */

static void write_rank(int input, const char *host, const char *launcher, uint64_t rank)
{
	struct profile_writer *writer = small_profile_open(paths[input]);
	const struct profile_process row = {.pid = 5,
					    .name = "p",
					    .executable = "/bin/p",
					    .begin_ticks = 1000,
					    .host = host,
					    .launcher = launcher,
					    .rank = rank,
					    .ranks = launcher ? 2 : 0};
	struct error err;

	small_thread(writer, profile_add_process(writer, &row, &err), 5, 0, 0);
	small_profile_commit(writer);
}

/* Those of one job are no processes of one name; the same rank of another run is the same one. */
static void test_ranks_stay_apart(void **state)
{
	static const struct {
		const char *hosts[INPUTS], *launcher;
		uint64_t ranks[INPUTS];
		size_t processes;
		const char *host;
	} cases[] = {
		{{"a", "a"}, "Open MPI", {0, 1}, 2, "a"}, {{"a", "b"}, "Open MPI", {1, 1}, 2, "a"},
		{{"a", "a"}, "Open MPI", {1, 1}, 1, "a"}, {{"a", "b"}, NULL, {0, 0}, 1, "various"},
		{{"a", "a"}, NULL, {0, 0}, 1, "a"},	  {{"", ""}, NULL, {0, 0}, 1, "box"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t count;
		for (int input = 0; input < INPUTS; input++)
			write_rank(input, cases[i].hosts[input], cases[i].launcher,
				   cases[i].ranks[input]);
		merge_inputs();
		const struct profile_process *rows = profile_processes(merged, &count);
		assert_int_equal(count, cases[i].processes);
		assert_string_equal(profile_process_host(profile_session(merged), &rows[0]),
				    cases[i].host);
		if (!cases[i].launcher) {
			assert_null(rows[0].launcher);
		} else {
			assert_string_equal(rows[count - 1].launcher, cases[i].launcher);
			assert_int_equal(rows[count - 1].rank, cases[i].ranks[1]);
			assert_int_equal(rows[count - 1].ranks, 2);
		}
		remove_files(NULL);
	}
}

/* ---- calls by their time ---- */

/* 3 calls of about 1536 ticks, and one of none. */
static void write_calls(int input, double ticks_per_second)
{
	static const uint64_t lengths[TARE_CALL_BUCKETS] = {[0] = 1, [11] = 3};
	struct profile_writer *writer = small_profile_open(paths[input]);
	struct profile_session session = small_profile_session();
	struct error err;

	small_thread(writer, small_process(writer, 5, "p"), 5, 4608, 0);
	small_function(writer, small_module(writer, "/bin/p"), "main", 0x1000);
	assert_true(profile_add_node(writer, &(struct profile_node){.id = 1, .thread = 1}, &err));
	assert_true(profile_add_node(
		writer,
		&(struct profile_node){.id = 2,
				       .thread = 1,
				       .parent = 1,
				       .function = 1,
				       .calls = 4,
				       .unwound = 1,
				       .calls_by_call = 2,
				       .elapsed_ticks = 4608,
				       .os_ticks[TARE_OS_SYSCALL] = 8,
				       .overhead_ticks = 400,
				       .folded_elapsed_ticks = -200,
				       .folded_os_ticks = 100,
				       .ranges = {{10, 1600}, {20, 1500}, {30, 1400}, {40, 1300}},
				       .lengths = lengths},
		&err));
	session.ticks_per_second = ticks_per_second;
	assert_true(profile_write_session(writer, &session, &err));
	assert_true(profile_writer_commit(writer, &err));
}

static bool count_calls(const struct profile_histogram *row, void *context)
{
	uint64_t *calls = context;

	assert_in_range(row->bucket, 0, TARE_CALL_BUCKETS - 1);
	calls[row->bucket] += row->calls;
	return true;
}

/* A merged profile has nanoseconds: 1536 ticks at 1 GHz, 768 of them at 2 GHz. */
static void test_calls_are_counted_by_nanoseconds(void **state)
{
	uint64_t calls[TARE_CALL_BUCKETS] = {0};
	struct error err;

	(void)state;
	write_calls(0, 1e9);
	write_calls(1, 2e9);
	merge_inputs();
	assert_true(profile_each_histogram(merged, count_calls, calls, &err));
	assert_int_equal(calls[0], 2);
	assert_int_equal(calls[tare_call_bucket(1536)], 3);
	assert_int_equal(calls[tare_call_bucket(768)], 3);
	assert_int_equal(tare_call_bucket(1536) - tare_call_bucket(768), 1);
}

static bool take_second(const struct profile_node *row, void *context)
{
	if (row->id == 2)
		*(struct profile_node *)context = *row;
	return true;
}

/* Numbers add up, times do in nanoseconds, and ranges take in each other. */
static void test_values_of_nodes_become_one(void **state)
{
	struct profile_node node = {0};
	struct error err;

	(void)state;
	write_calls(0, 1e9);
	write_calls(1, 2e9);
	merge_inputs();
	assert_true(profile_each_node(merged, take_second, &node, &err));
	assert_int_equal(node.calls, 8);
	assert_int_equal(node.unwound, 2);
	assert_int_equal(node.calls_by_call, 4);
	assert_int_equal(node.elapsed_ticks, 4608 + 2304);
	assert_int_equal(node.os_ticks[TARE_OS_SYSCALL], 8 + 4);
	assert_int_equal(node.overhead_ticks, 400 + 200);
	assert_int_equal(node.folded_elapsed_ticks, -200 - 100);
	assert_int_equal(node.folded_os_ticks, 100 + 50);
	for (size_t i = 0; i < TABLE_COUNT(node.ranges); i++) {
		assert_int_equal(node.ranges[i][0], 5 + 5 * i);
		assert_int_equal(node.ranges[i][1], 1600 - 100 * i);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, choose_paths, remove_files)
	const struct CMUnitTest tests[] = {
		TEST(test_periods_that_differ_are_none),
		TEST(test_own_samples_add_up),
		TEST(test_losses_add_up),
		TEST(test_ranks_stay_apart),
		TEST(test_builds_stay_apart),
		TEST(test_calls_are_counted_by_nanoseconds),
		TEST(test_values_of_nodes_become_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
