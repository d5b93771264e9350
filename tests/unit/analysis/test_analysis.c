/*
 * The vectors of docs/explanation/data-values.md, and what follows from it: recursion, modules,
 * threads, callers and callees, OS time by cause, shares, hot path, filters, deep trees.
 */
#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void expect(const struct analysis_values *values, uint64_t ei, uint64_t ee, uint64_t ai,
		   uint64_t ae)
{
	assert_int_equal(values->amount[ELAPSED_INCLUSIVE], ei);
	assert_int_equal(values->amount[ELAPSED_EXCLUSIVE], ee);
	assert_int_equal(values->amount[APPLICATION_INCLUSIVE], ai);
	assert_int_equal(values->amount[APPLICATION_EXCLUSIVE], ae);
}

/* One process, one thread, one module; functions a..h are 1..8. */
static struct profile_writer *simple_open(const char *const *names, size_t count, uint64_t now,
					  uint64_t os)
{
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 100, "work");
	const int64_t module = small_module(writer, "/bin/work");

	small_thread(writer, process, 101, now, os);
	for (size_t i = 0; i < count; i++)
		small_function(writer, module, names[i], 0x1000 + 64 * i);
	return writer;
}

static void test_vector_a(void **state)
{
	static const char *const names[] = {"main", "foo", "bar"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 50},
		{.thread = 1, .parent = 2, .function = 2, .calls = 1, .elapsed = 200},
		{.thread = 1, .parent = 3, .function = 3, .calls = 1, .elapsed = 250},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 500, 0);

	(void)state;
	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
	analysed_open(NULL);
	expect(values_of("main"), 500, 50, 500, 50);
	expect(values_of("foo"), 450, 200, 450, 200);
	expect(values_of("bar"), 250, 250, 250, 250);
	assert_int_equal(analysis->totals.elapsed, 500);
	assert_int_equal(analysis->totals.inconsistent_ticks, 0);
	assert_true(fabs(analysis_percent(analysis, values_of("foo"), ELAPSED_INCLUSIVE) - 90) <
		    1e-9);
	assert_true(fabs(analysis_percent(analysis, values_of("foo"), ELAPSED_EXCLUSIVE) - 40) <
		    1e-9);
}

static uint64_t percentile_of(const char *function, double percent)
{
	uint64_t ticks = UINT64_MAX;

	assert_true(analysis_percentile_ticks(values_of(function), percent, &ticks));
	return ticks;
}

/* On two paths: 99 calls of 16 to 31 ticks, 1 of 32 to 63, 9 of 512 to 1023, 1 of 1024 to 2047. */
static void test_percentiles(void **state)
{
	static const char *const names[] = {"main", "f", "g", "never"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 5},
		{.thread = 1, .parent = 2, .function = 2, .calls = 100, .elapsed = 2000},
		{.thread = 1, .parent = 2, .function = 3, .calls = 1, .elapsed = 7},
		{.thread = 1, .parent = 4, .function = 2, .calls = 10, .elapsed = 10000},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 12012, 0);
	uint64_t all = 0, ticks;

	(void)state;
	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
	analysed_open(NULL);
	const struct analysis_histogram *histogram = values_of("f")->histogram;

	assert_int_equal(histogram->first, 5);
	assert_int_equal(histogram->count, 7);
	for (uint32_t i = 0; i < histogram->count; i++)
		all += histogram->calls[i];
	assert_int_equal(all, values_of("f")->calls);
	assert_int_equal(percentile_of("f", 0), 16);
	assert_int_equal(percentile_of("f", 50), 25);
	assert_int_equal(percentile_of("f", 90), 32);
	assert_int_equal(percentile_of("f", 99), 996);
	assert_int_equal(percentile_of("f", 100), 1536);
	assert_false(analysis_percentile_ticks(values_of("never"), 50, &ticks));
}

/* Calls that were longest in the path that comes first. */
static void test_histograms_join(void **state)
{
	static const char *const names[] = {"main", "f", "g"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 5},
		{.thread = 1, .parent = 2, .function = 2, .calls = 10, .elapsed = 10000},
		{.thread = 1, .parent = 2, .function = 3, .calls = 1, .elapsed = 7},
		{.thread = 1, .parent = 4, .function = 2, .calls = 100, .elapsed = 2000},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 12012, 0);
	uint64_t all = 0;

	(void)state;
	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
	analysed_open(NULL);
	const struct analysis_histogram *histogram = values_of("f")->histogram;

	assert_int_equal(histogram->first, 5);
	assert_int_equal(histogram->count, 7);
	for (uint32_t i = 0; i < histogram->count; i++)
		all += histogram->calls[i];
	assert_int_equal(all, 110);
	assert_int_equal(percentile_of("f", 99), 996);
}

/* The buckets are wide: no percentile is above the longest call, none below the shortest. */
static void test_percentiles_within_extremes(void **state)
{
	static const char *const names[] = {"f"};
	struct profile_writer *writer = simple_open(names, COUNT(names), 1300, 0);
	uint64_t lengths[TARE_CALL_BUCKETS] = {[10] = 2};
	const struct profile_node node = {.id = 2,
					  .thread = 1,
					  .parent = 1,
					  .function = 1,
					  .calls = 2,
					  .elapsed_ticks = 1300,
					  .elapsed_inclusive_min = 645,
					  .elapsed_inclusive_max = 655,
					  .elapsed_exclusive_min = 645,
					  .elapsed_exclusive_max = 655,
					  .lengths = lengths};
	struct error err;

	(void)state;
	assert_true(profile_add_node(writer, &(struct profile_node){.id = 1, .thread = 1}, &err));
	assert_true(profile_add_node(writer, &node, &err));
	small_profile_commit(writer);
	analysed_open(NULL);
	assert_int_equal(percentile_of("f", 0), 645);
	assert_int_equal(percentile_of("f", 50), 645);
	assert_int_equal(percentile_of("f", 100), 655);
}

/* Calls that were reported by their sites cost those probes, the others their own. */
static void test_probe_cost(void **state)
{
	static const char *const names[] = {"f"};
	struct profile_writer *writer = simple_open(names, COUNT(names), 1000, 0);
	const struct profile_node node = {.id = 2,
					  .thread = 1,
					  .parent = 1,
					  .function = 1,
					  .calls = 100,
					  .calls_by_call = 40,
					  .elapsed_ticks = 1000};
	struct error err;

	(void)state;
	assert_true(profile_add_node(writer, &(struct profile_node){.id = 1, .thread = 1}, &err));
	assert_true(profile_add_node(writer, &node, &err));
	small_profile_commit(writer);
	analysed_open(NULL);
	const uint64_t *cost = analysis->processes.data[0].row->cost_ticks;

	assert_true(cost[TARE_EVENT_ENTER] + cost[TARE_EVENT_LEAVE] > 0);
	assert_int_equal(values_of("f")->probe_ticks,
			 40 * (cost[TARE_EVENT_CALL] + cost[TARE_EVENT_RETURN]) +
				 60 * (cost[TARE_EVENT_ENTER] + cost[TARE_EVENT_LEAVE]));
}

/* The vector (b'): 30 ticks with a context switch, 12 of them blocked; 40 in a system call, 15 so.
 */
static void write_vector_b(void)
{
	static const char *const names[] = {"foo", "bar", "write"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{1, 1, 1, 1, 45, TARE_OS_SWITCH, 18, 12},
		{1, 2, 2, 1, 20, 0, 0, 0},
		{1, 2, 3, 1, 40, TARE_OS_SYSCALL, 25, 15},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 105, 70);
	struct error err;

	small_nodes(writer, nodes, COUNT(nodes));
	for (int i = 0; i < 2; i++)
		assert_true(profile_add_os(
			writer,
			&(struct profile_os){.node = 4,
					     .cause = i ? TARE_OS_SYSCALL : TARE_OS_BLOCKED,
					     .syscall_number = 1,
					     .object = 2,
					     .count = 1,
					     .ticks = i ? 25 : 15},
			&err));
	small_profile_commit(writer);
}

static void expect_cpu(const char *function, uint64_t inclusive, uint64_t exclusive)
{
	assert_int_equal(values_of(function)->amount[CPU_INCLUSIVE], inclusive);
	assert_int_equal(values_of(function)->amount[CPU_EXCLUSIVE], exclusive);
}

static void test_vector_b(void **state)
{
	(void)state;
	write_vector_b();
	analysed_open(NULL);
	expect(values_of("foo"), 105, 45, 35, 15);
	expect(values_of("bar"), 20, 20, 20, 20);
	expect(values_of("write"), 40, 40, 0, 0);
	assert_int_equal(analysis->totals.elapsed, 105);
	assert_int_equal(analysis->totals.application, 35);
	assert_int_equal(analysis->totals.cpu, 78);
	expect_cpu("foo", 78, 33);
	expect_cpu("bar", 20, 20);
	expect_cpu("write", 25, 25);
	assert_int_equal(values_of("foo")->os_ticks[TARE_OS_BLOCKED], 12);
	assert_int_equal(values_of("write")->os_ticks[TARE_OS_BLOCKED], 15);
	assert_true(fabs(analysis_percent(analysis, values_of("write"), CPU_EXCLUSIVE) -
			 100.0 * 25 / 78) < 1e-9);
	/* Application shares are of the session's application time. */
	assert_true(fabs(analysis_percent(analysis, values_of("bar"), APPLICATION_EXCLUSIVE) -
			 100.0 * 20 / 35) < 1e-9);
}

static void test_os_rows_add_up(void **state)
{
	uint64_t rows[TARE_OS_CAUSES] = {0};

	(void)state;
	write_vector_b();
	analysed_open(NULL);
	assert_int_equal(values_of("foo")->os_ticks[TARE_OS_SWITCH], 18);
	assert_int_equal(values_of("write")->os_ticks[TARE_OS_SYSCALL], 25);
	vec_foreach (os, &analysis->os) {
		rows[os->cause] += os->ticks;
	}
	/* No record covers the 30 ticks of foo: they appear without system call. */
	assert_int_equal(analysis->os.len, 4);
	assert_int_equal(rows[TARE_OS_BLOCKED], 12 + 15);
	assert_int_equal(rows[TARE_OS_SWITCH], 18);
	assert_int_equal(rows[TARE_OS_SYSCALL], 25);
	assert_int_equal(analysis->os.data[1].syscall_number, -1);
	assert_int_equal(analysis->os.data[2].syscall_number, 1);
	assert_int_equal(analysis->os.data[2].object, 2);
}

static void write_vector_c(void)
{
	static const char *const names[] = {"main", "A", "B", "C"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 1},
		{.thread = 1, .parent = 2, .function = 2, .calls = 1, .elapsed = 2},
		{.thread = 1, .parent = 3, .function = 3, .calls = 1, .elapsed = 4},
		{.thread = 1, .parent = 4, .function = 2, .calls = 1, .elapsed = 8},
		{.thread = 1, .parent = 5, .function = 4, .calls = 1, .elapsed = 16},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 31, 0);

	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
}

static void test_vector_c(void **state)
{
	(void)state;
	write_vector_c();
	analysed_open(NULL);
	expect(values_of("main"), 31, 1, 31, 1);
	expect(values_of("A"), 30, 10, 30, 10);
	expect(values_of("B"), 28, 4, 28, 4);
	expect(values_of("C"), 16, 16, 16, 16);
	assert_int_equal(values_of("A")->calls, 2);
	expect(&analysis->modules.data[0].values, 31, 31, 31, 31);
}

/* As a recording with a limit leaves them. */
struct folded_node {
	int64_t parent, function;
	bool folded;
	uint64_t elapsed, os;
	int64_t folded_elapsed, folded_os;
	uint64_t blocked; /* besides os */
};

/* main and f in one module, g and h in another. */
static void open_folded(const struct folded_node *nodes, size_t count)
{
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 100, "work");
	const int64_t program = small_module(writer, "/bin/work");
	const int64_t library = small_module(writer, "/lib/library");
	uint64_t elapsed = 0, os = 0;
	struct error err;

	for (size_t i = 0; i < count; i++) {
		elapsed += nodes[i].elapsed;
		os += nodes[i].os + nodes[i].blocked;
	}
	small_thread(writer, process, 101, elapsed & INT64_MAX, os & INT64_MAX);
	small_function(writer, program, "main", 0x1000);
	small_function(writer, program, "f", 0x1100);
	small_function(writer, library, "g", 0x1000);
	small_function(writer, library, "h", 0x1100);
	for (size_t i = 0; i < count; i++) {
		const struct profile_node row = {
			.id = (int64_t)i + 1,
			.thread = 1,
			.parent = nodes[i].parent,
			.function = nodes[i].function,
			.calls = nodes[i].function != 0,
			.elapsed_ticks = nodes[i].elapsed,
			.os_ticks[TARE_OS_SYSCALL] = nodes[i].os,
			.os_ticks[TARE_OS_BLOCKED] = nodes[i].blocked,
			.folded = nodes[i].folded,
			.folded_elapsed_ticks = nodes[i].folded_elapsed,
			.folded_os_ticks = nodes[i].folded_os,
		};
		assert_true(profile_add_node(writer, &row, &err));
	}
	small_profile_commit(writer);
	analysed_open(NULL);
}

/*
 * main 10 (f 20 (f 5 (g 7)), h 3 (g 4)), and h 6 outside of main: both g, the inner f and the last
 * h have folded. 4 of the 7 and 2 of the 4 ticks are the operating system's.
 */
static void test_folded_paths_count_for_their_callers(void **state)
{
	static const struct folded_node nodes[] = {
		{.elapsed = 1, .folded_elapsed = 6}, {.parent = 1, .function = 1, .elapsed = 10},
		{2, 2, false, 20, 0, 12, 4, 0},	     {2, 4, false, 3, 0, 4, 2, 0},
		{1, 2, true, 5, 0, -5, 0, 0},	     {1, 3, true, 11, 6, 0, 0, 0},
		{1, 4, true, 6, 0, 0, 0, 0},
	};

	(void)state;
	open_folded(nodes, COUNT(nodes));
	expect(&analysis->nodes.data[0].values, 56, 1, 50, 1);
	expect(&analysis->threads.data[0].values, 55, 55, 49, 49);
	expect(&analysis->processes.data[0].values, 55, 55, 49, 49);
	expect(values_of("main"), 49, 10, 43, 10);
	expect(values_of("f"), 32, 25, 28, 25);
	expect(values_of("g"), 11, 11, 5, 5);
	expect(values_of("h"), 13, 9, 11, 9);
	expect(&analysis->modules.data[0].values, 49, 35, 43, 35);
	expect(&analysis->modules.data[1].values, 20, 20, 14, 14);
	assert_int_equal(analysis->totals.elapsed, 56);
	assert_int_equal(analysis->totals.application, 50);
	assert_int_equal(analysis->totals.inconsistent_ticks, 0);
}

/* Where a function has folded and is still called from the root, these are two nodes. */
static void test_folded_node_stays_apart(void **state)
{
	static const struct folded_node nodes[] = {
		{.elapsed = 0},
		{.parent = 1, .function = 1, .elapsed = 10, .folded_elapsed = 8},
		{.parent = 1, .function = 2, .elapsed = 5},
		{.parent = 1, .function = 2, .folded = true, .elapsed = 8},
	};

	(void)state;
	open_folded(nodes, COUNT(nodes));
	assert_int_equal(analysis->nodes.len, 4);
	assert_false(analysis->nodes.data[2].folded);
	assert_true(analysis->nodes.data[3].folded);
	expect(&analysis->nodes.data[0].values, 23, 0, 23, 0);
	expect(values_of("main"), 18, 10, 18, 10);
	expect(values_of("f"), 13, 13, 13, 13);
	expect(&analysis->modules.data[0].values, 23, 23, 23, 23);

	struct analysis_edges edges;
	analysis_edges_find(analysis, analysis->nodes.data[3].function, &edges);
	assert_int_equal(edges.callers.len, 2);
	assert_true(edges.callers.data[0].folded);
	expect(&edges.callers.data[0].values, 8, 8, 8, 8);
	assert_false(edges.callers.data[1].folded);
	expect(&edges.callers.data[1].values, 5, 5, 5, 5);
	analysis_edges_fini(&edges);
}

/* What callers say need not agree with what is there: that is shared out, to the tick. */
static void test_folded_time_adds_up_whatever_callers_say(void **state)
{
	static const struct folded_node nodes[] = {
		{.elapsed = 1},
		{.parent = 1, .function = 1, .elapsed = 10, .folded_elapsed = 20},
		{.parent = 2, .function = 2, .elapsed = 20, .folded_elapsed = 10},
		{.parent = 2, .function = 4, .elapsed = 3, .folded_elapsed = -5, .folded_os = -9},
		{.parent = 1, .function = 3, .folded = true, .elapsed = 11, .folded_elapsed = -30},
		{.parent = 1, .function = 4, .folded = true, .elapsed = 9, .folded_elapsed = 999},
		{.parent = 6, .function = 2, .elapsed = 2},
	};

	(void)state;
	open_folded(nodes, COUNT(nodes));
	expect(&analysis->nodes.data[0].values, 56, 1, 56, 1);
	expect(values_of("main"), 55, 10, 55, 10);
	expect(values_of("g"), 11, 11, 11, 11);
	vec_foreach (function, &analysis->functions) {
		const struct analysis_values *values = &function->values;
		assert_in_range(values->amount[ELAPSED_INCLUSIVE],
				values->amount[ELAPSED_EXCLUSIVE], 56);
	}
	assert_int_equal(analysis->totals.inconsistent_ticks, 0);
}

/* f calls itself and has folded below: its share may count twice, but not beyond all time. */
static void test_folded_time_of_recursion_is_bounded(void **state)
{
	static const struct folded_node nodes[] = {
		{.elapsed = 2},
		{.parent = 1, .function = 2, .elapsed = 10, .folded_elapsed = 8},
		{.parent = 1, .function = 2, .folded = true, .elapsed = 8},
	};

	(void)state;
	open_folded(nodes, COUNT(nodes));
	assert_int_equal(analysis->totals.elapsed, 20);
	vec_foreach (function, &analysis->functions)
		assert_in_range(function->values.amount[ELAPSED_INCLUSIVE],
				function->values.amount[ELAPSED_EXCLUSIVE], 20);
	assert_in_range(values_of("f")->amount[ELAPSED_INCLUSIVE], 18, 20);
}

/* Of the 12 ticks that have folded 3 are the system's work and 4 are waiting. */
static void test_folded_waiting_is_no_cpu_time(void **state)
{
	static const struct folded_node nodes[] = {
		{.elapsed = 0},
		{.parent = 1, .function = 1, .elapsed = 10, .folded_elapsed = 12, .folded_os = 7},
		{.parent = 1, .function = 2, .folded = true, .elapsed = 12, .os = 3, .blocked = 4},
	};

	(void)state;
	open_folded(nodes, COUNT(nodes));
	expect(values_of("main"), 22, 10, 15, 10);
	expect(values_of("f"), 12, 12, 5, 5);
	assert_int_equal(values_of("main")->amount[CPU_INCLUSIVE], 18);
	assert_int_equal(values_of("f")->amount[CPU_INCLUSIVE], 8);
}

/* Rows of one folded node whose sums do not fit: CPU time seems less than application time. */
static void test_folded_time_that_overflows(void **state)
{
	static const struct folded_node nodes[] = {
		{.elapsed = 0},
		{.parent = 1, .function = 1, .elapsed = 10, .folded_elapsed = 12, .folded_os = 7},
		{.parent = 1, .function = 2, .folded = true, .elapsed = INT64_MAX, .os = INT64_MAX},
		{.parent = 1, .function = 2, .folded = true, .elapsed = INT64_MAX, .os = INT64_MAX},
		{.parent = 1, .function = 2, .folded = true, .elapsed = 10},
	};

	(void)state;
	alarm(60);
	open_folded(nodes, COUNT(nodes));
	alarm(0);
	assert_int_equal(analysis->nodes.len, 3);
	assert_true(values_of("f")->amount[CPU_EXCLUSIVE] <
		    values_of("f")->amount[APPLICATION_EXCLUSIVE]);
}

static void test_folded_time_beyond_measure(void **state)
{
	static const struct folded_node nodes[] = {
		{0, 0, false, 1LL << 60, 0, INT64_MAX, INT64_MIN, 0},
		{1, 1, false, 1LL << 60, 1LL << 59, INT64_MIN, INT64_MAX, 0},
		{2, 2, false, 1LL << 60, 0, INT64_MAX, INT64_MAX, 0},
		{1, 2, true, 1LL << 60, 0, INT64_MIN, INT64_MIN, 0},
		{1, 3, true, 1LL << 60, 1LL << 60, INT64_MAX, 0, 0},
		{1, 4, true, 1LL << 60, 1LL << 40, INT64_MIN, INT64_MAX, 0},
	};

	(void)state;
	open_folded(nodes, COUNT(nodes));
	assert_int_equal(analysis->nodes.data[0].values.amount[ELAPSED_INCLUSIVE], 6LL << 60);
	assert_int_equal(analysis->totals.inconsistent_ticks, 0);
	vec_foreach (function, &analysis->functions) {
		const struct analysis_values *values = &function->values;
		assert_in_range(values->amount[ELAPSED_INCLUSIVE],
				values->amount[ELAPSED_EXCLUSIVE], 6LL << 60);
	}
}

static const struct analysis_edge *edge_to(const struct analysis_edge *edges, size_t count,
					   const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (edges[i].function != ANALYSIS_NONE &&
		    strcmp(analysis->functions.data[edges[i].function].name, name) == 0)
			return &edges[i];
	fail_msg("no edge to %s", name);
	return NULL;
}

static void test_edges_of_recursion(void **state)
{
	struct analysis_edges edges;

	(void)state;
	write_vector_c();
	analysed_open(NULL);
	analysis_edges_find(analysis, 1, &edges);
	assert_int_equal(edges.callers.len, 2);
	assert_int_equal(edges.callees.len, 2);
	expect(&edge_to(edges.callers.data, 2, "main")->values, 30, 2, 30, 2);
	expect(&edge_to(edges.callers.data, 2, "B")->values, 24, 8, 24, 8);
	expect(&edge_to(edges.callees.data, 2, "B")->values, 28, 4, 28, 4);
	expect(&edge_to(edges.callees.data, 2, "C")->values, 16, 16, 16, 16);
	analysis_edges_fini(&edges);
}

/* f → g → f → g, and h → f → g: inner calls are inside the outer ones, whose time holds theirs. */
static void test_edges_of_mutual_recursion(void **state)
{
	static const char *const names[] = {"f", "g", "h"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 1},
		{.thread = 1, .parent = 2, .function = 2, .calls = 2, .elapsed = 2},
		{.thread = 1, .parent = 3, .function = 1, .calls = 3, .elapsed = 4},
		{.thread = 1, .parent = 4, .function = 2, .calls = 4, .elapsed = 8},
		{.thread = 1, .parent = 1, .function = 3, .calls = 1, .elapsed = 16},
		{.thread = 1, .parent = 6, .function = 1, .calls = 1, .elapsed = 32},
		{.thread = 1, .parent = 7, .function = 2, .calls = 1, .elapsed = 64},
	};
	enum { ALL = 2 + 4 + 8 + 64, OWN = 2 + 8 + 64 };
	struct profile_writer *writer = simple_open(names, COUNT(names), 127, 0);
	struct analysis_edges edges;

	(void)state;
	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
	analysed_open(NULL);
	analysis_edges_find(analysis, 0, &edges);
	assert_int_equal(edges.callees.len, 1);
	expect(&edge_to(edges.callees.data, 1, "g")->values, ALL, OWN, ALL, OWN);
	expect(&edge_to(edges.callers.data, edges.callers.len, "g")->values, 4 + 8, 4, 4 + 8, 4);
	expect(&edge_to(edges.callers.data, edges.callers.len, "h")->values, 32 + 64, 32, 32 + 64,
	       32);
	analysis_edges_fini(&edges);
	analysis_edges_find(analysis, 1, &edges);
	assert_int_equal(edges.callers.len, 1);
	expect(&edge_to(edges.callers.data, 1, "f")->values, ALL, OWN, ALL, OWN);
	expect(&edge_to(edges.callees.data, edges.callees.len, "f")->values, 4 + 8, 4, 4 + 8, 4);
	analysis_edges_fini(&edges);
}

static void test_hot_path(void **state)
{
	struct analysis_path steps;

	(void)state;
	write_vector_c();
	analysed_open(NULL);
	analysis_hot_path(analysis, 0.5, &steps);
	assert_int_equal(steps.len, 7);
	assert_int_equal(steps.data[0].kind, STEP_PROCESS);
	assert_int_equal(steps.data[1].kind, STEP_THREAD);
	assert_int_equal(analysis->nodes.data[steps.data[6].index].function, 3);
	vec_fini(&steps);
	analysis_hot_path(analysis, 0.7, &steps);
	assert_int_equal(steps.len, 6);
	vec_fini(&steps);
}

/* It follows the processor's time, however long the program waits beside. */
static void test_hot_path_beside_waits(void **state)
{
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 1},
		{.thread = 1, .parent = 2, .function = 2, .calls = 1, .elapsed = 9},
		{.thread = 1, .parent = 2, .function = 3, .calls = 1, .elapsed = 90, .blocked = 90},
	};
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 100, "work");
	const int64_t module = small_module(writer, "/bin/work");
	struct analysis_path steps;

	(void)state;
	small_thread_of(writer, process, 101,
			&(struct small_times){.now = 100, .os = 90, .blocked = 90});
	small_function(writer, module, "main", 0x10);
	small_function(writer, module, "work", 0x20);
	small_function(writer, module, "nap", 0x30);
	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
	analysed_open(NULL);
	analysis_hot_path(analysis, 0.5, &steps);
	assert_int_equal(steps.len, 4);
	assert_string_equal(
		analysis->functions.data[analysis->nodes.data[steps.data[3].index].function].name,
		"work");
	vec_fini(&steps);
}

/* Two modules in turn: the outer one's inclusive time holds the inner one's. */
static void test_modules_and_roots(void **state)
{
	static const struct small_node nodes[] = {
		{.thread = 1, .elapsed = 7},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 10},
		{.thread = 1, .parent = 2, .function = 2, .calls = 3, .elapsed = 20},
		{.thread = 1, .parent = 3, .function = 1, .calls = 3, .elapsed = 40},
	};
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 100, "work");

	(void)state;
	small_thread(writer, process, 101, 77, 0);
	small_function(writer, small_module(writer, "/bin/work"), "outer", 0x10);
	small_function(writer, small_module(writer, "/lib/inner.so"), "inner", 0x10);
	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
	analysed_open(NULL);
	expect(&analysis->modules.data[0].values, 70, 50, 70, 50);
	expect(&analysis->modules.data[1].values, 60, 20, 60, 20);
	expect(&analysis->threads.data[0].values, 70, 70, 70, 70);
	assert_int_equal(analysis->threads.data[0].root_ticks, 7);
	assert_int_equal(analysis->totals.elapsed, 77);
}

static void write_two_threads(void)
{
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 10},
		{.thread = 2},
		{.thread = 2, .parent = 3, .function = 2, .calls = 1, .elapsed = 30},
	};
	struct profile_writer *writer = small_profile_open(path);

	small_thread(writer, small_process(writer, 100, "first"), 101, 10, 0);
	small_thread(writer, small_process(writer, 200, "second"), 201, 30, 0);
	/* The module was recorded once per process; it is one module. */
	small_function(writer, small_module(writer, "/bin/work"), "f", 0x10);
	small_function(writer, small_module(writer, "/bin/work"), "f", 0x10);
	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
}

static void test_function_of_two_processes_is_one(void **state)
{
	(void)state;
	write_two_threads();
	analysed_open(NULL);
	assert_int_equal(analysis->modules.len, 1);
	assert_int_equal(analysis->functions.len, 1);
	expect(values_of("f"), 40, 40, 40, 40);
	assert_int_equal(values_of("f")->calls, 2);
}

/* A program that was rebuilt while it was recorded is two modules. */
static void test_builds_of_one_path_are_apart(void **state)
{
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 50},
		{.thread = 1, .parent = 1, .function = 2, .calls = 1, .elapsed = 20},
	};
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 100, "work");
	struct profile_module build = {.name = "work", .path = "/bin/work", .instrumented = true};
	struct error err;

	(void)state;
	small_thread(writer, process, 101, 70, 0);
	build.build_id = "aa";
	small_function(writer, profile_add_module(writer, &build, &err), "old", 0x1000);
	build.build_id = "bb";
	small_function(writer, profile_add_module(writer, &build, &err), "now", 0x1000);
	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
	analysed_open(NULL);
	expect(values_of("old"), 50, 50, 50, 50);
	expect(values_of("now"), 20, 20, 20, 20);
}

static void test_process_filter_changes_totals(void **state)
{
	static const char *const items[] = {"sec*"};
	const struct analysis_options options = {.processes = {.items = items, .count = 1}};

	(void)state;
	write_two_threads();
	analysed_open(&options);
	expect(values_of("f"), 30, 30, 30, 30);
	assert_int_equal(analysis->totals.elapsed, 30);
	assert_int_equal(analysis->totals.processes, 1);
	assert_int_equal(analysis->totals.threads, 1);
}

static void test_confidence(void **state)
{
	static const char *const names[] = {"tiny", "big"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 100, .elapsed = 3995},
		{.thread = 1, .parent = 1, .function = 2, .calls = 100, .elapsed = 4000},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 7995, 0);

	(void)state;
	small_nodes(writer, nodes, COUNT(nodes));
	small_profile_commit(writer);
	analysed_open(NULL);
	/* Enter and leave cost 8 ticks: 5 x 8 x 100 calls. */
	assert_true(analysis_is_overhead_dominated(values_of("tiny")));
	assert_false(analysis_is_overhead_dominated(values_of("big")));
}

static void test_names(void **state)
{
	static const char *const names[] = {"_ZN3foo3barEi", "", "_Zjunk", "twin", "twin"};
	static const char *const without_parameters[] = {"foo::bar"};
	const struct analysis_globs globs = {.items = without_parameters, .count = 1};
	struct profile_writer *writer = simple_open(names, COUNT(names), 0, 0);

	(void)state;
	small_profile_commit(writer);
	analysed_open(NULL);
	assert_string_equal(analysis->functions.data[0].name, "foo::bar(int)");
	assert_string_equal(analysis->functions.data[1].name, "work+0x1040");
	assert_string_equal(analysis->functions.data[2].name, "_Zjunk");
	assert_true(analysis_function_matches(analysis, 0, &globs));
	assert_false(analysis_function_matches(analysis, 1, &globs));
	assert_true(analysis->functions.data[3].has_twin);
	assert_true(analysis->functions.data[4].has_twin);
	assert_false(analysis->functions.data[0].has_twin);
}

/* Application and all causes add up to Elapsed in nanoseconds as well as in ticks. */
static void test_rounding_adds_up(void **state)
{
	static const char *const names[] = {"f"};
	struct profile_writer *writer = simple_open(names, COUNT(names), 0, 0);
	struct analysis_values values = {
		.amount = {[ELAPSED_EXCLUSIVE] = 1000,
			   [APPLICATION_EXCLUSIVE] = 1000 - 7 * TARE_OS_CAUSES}};

	(void)state;
	small_profile_commit(writer);
	analysed_open(NULL);
	for (int i = 0; i < TARE_OS_CAUSES; i++)
		values.os_ticks[i] = 7;
	for (double rate = 1.1e9; rate < 5e9; rate += 0.17e9) {
		analysis->ticks_per_second = rate;
		uint64_t sum = analysis_ns(analysis, values.amount[APPLICATION_EXCLUSIVE]);
		for (int i = 0; i < TARE_OS_CAUSES; i++)
			sum += analysis_os_ns(analysis, &values, (enum tare_os_cause)i);
		assert_int_equal(sum, analysis_ns(analysis, values.amount[ELAPSED_EXCLUSIVE]));
	}
}

/* A killed target's OS time may exceed its time: it is cut, and counted. */
static void test_contradictory_os_time(void **state)
{
	static const char *const names[] = {"f"};
	struct profile_writer *writer = simple_open(names, COUNT(names), 10, 10);
	struct profile_node node = {.id = 2,
				    .thread = 1,
				    .parent = 1,
				    .function = 1,
				    .elapsed_ticks = 10,
				    .os_ticks = {6, 0, 0, 0, 7, 0}};
	struct error err;

	(void)state;
	assert_true(profile_add_node(writer, &(struct profile_node){.id = 1, .thread = 1}, &err));
	assert_true(profile_add_node(writer, &node, &err));
	assert_true(profile_add_os(writer,
				   &(struct profile_os){.node = 2,
							.cause = TARE_OS_SYSCALL,
							.syscall_number = 1,
							.count = 1,
							.ticks = 8},
				   &err));
	small_profile_commit(writer);
	analysed_open(NULL);
	expect(values_of("f"), 10, 10, 0, 0);
	uint64_t ticks = 0;
	vec_foreach (row, &analysis->os) {
		assert_in_range(row->ticks, 1, 6);
		ticks += row->ticks;
	}
	assert_int_equal(ticks, 10);
	assert_int_equal(values_of("f")->os_ticks[TARE_OS_BLOCKED], 6);
	assert_int_equal(values_of("f")->os_ticks[TARE_OS_SYSCALL], 4);
	assert_int_equal(analysis->totals.inconsistent_ticks, 3 + 4);
}

static void test_deep_tree(void **state)
{
	enum { DEPTH = 200000 };
	static const char *const names[] = {"f"};
	struct profile_writer *writer = simple_open(names, COUNT(names), DEPTH, 0);
	struct error err;

	(void)state;
	for (int64_t id = 1; id <= DEPTH + 1; id++)
		assert_true(profile_add_node(writer,
					     &(struct profile_node){.id = id,
								    .thread = 1,
								    .parent = id - 1,
								    .function = id > 1,
								    .calls = id > 1,
								    .elapsed_ticks = id > 1},
					     &err));
	small_profile_commit(writer);
	analysed_open(NULL);
	expect(values_of("f"), DEPTH, DEPTH, DEPTH, DEPTH);
	assert_int_equal(analysis->nodes.data[DEPTH].level, DEPTH);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, analysed_begin, analysed_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_vector_a),
		TEST(test_percentiles),
		TEST(test_histograms_join),
		TEST(test_percentiles_within_extremes),
		TEST(test_probe_cost),
		TEST(test_vector_b),
		TEST(test_vector_c),
		TEST(test_folded_paths_count_for_their_callers),
		TEST(test_folded_node_stays_apart),
		TEST(test_folded_time_beyond_measure),
		TEST(test_folded_time_adds_up_whatever_callers_say),
		TEST(test_os_rows_add_up),
		TEST(test_edges_of_recursion),
		TEST(test_edges_of_mutual_recursion),
		TEST(test_hot_path),
		TEST(test_hot_path_beside_waits),
		TEST(test_folded_time_of_recursion_is_bounded),
		TEST(test_folded_waiting_is_no_cpu_time),
		TEST(test_folded_time_that_overflows),
		TEST(test_modules_and_roots),
		TEST(test_function_of_two_processes_is_one),
		TEST(test_builds_of_one_path_are_apart),
		TEST(test_process_filter_changes_totals),
		TEST(test_confidence),
		TEST(test_names),
		TEST(test_rounding_adds_up),
		TEST(test_contradictory_os_time),
		TEST(test_deep_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
