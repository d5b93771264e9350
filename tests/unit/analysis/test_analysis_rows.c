/*
 * Rows that analysis makes of several of the profile's, and their order: equals, OS time of one
 * object on several paths, functions switched off by process, numbers with gaps.
 */
#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void commit_and_open(struct profile_writer *writer)
{
	small_profile_commit(writer);
	analysed_open(NULL);
}

/* One process, one thread, one module; its functions count from 1. */
static struct profile_writer *simple_open(const char *const *names, size_t count, uint64_t now,
					  uint64_t os)
{
	struct profile_writer *writer = small_profile_open(path);
	const int64_t module = small_module(writer, "/bin/work");

	small_thread(writer, small_process(writer, 100, "work"), 101, now, os);
	for (size_t i = 0; i < count; i++)
		small_function(writer, module, names[i], 0x1000 + 64 * i);
	return writer;
}

/* Of what is the same size the one comes first that the profile has first, in every view. */
static void test_order_of_equals(void **state)
{
	static const char *const names[] = {"main", "c", "a", "b"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 1},
		{.thread = 1, .parent = 2, .function = 2, .calls = 1, .elapsed = 50},
		{.thread = 1, .parent = 2, .function = 3, .calls = 1, .elapsed = 50},
		{.thread = 1, .parent = 2, .function = 4, .calls = 1, .elapsed = 50},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 151, 0);
	struct analysis_edges edges;
	struct analysis_path steps;

	(void)state;
	small_nodes(writer, nodes, COUNT(nodes));
	commit_and_open(writer);
	analysis_edges_find(analysis, 0, &edges);
	assert_int_equal(edges.callees.len, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(edges.callees.data[i].function, i + 1);
	analysis_edges_fini(&edges);
	analysis_hot_path(analysis, 0.3, &steps);
	assert_int_equal(steps.len, 4);
	assert_int_equal(analysis->nodes.data[steps.data[3].index].function, 1);
	vec_fini(&steps);
}

static void add_os(struct profile_writer *writer, int64_t node, int number, const char *name,
		   uint64_t count)
{
	struct error err;

	assert_true(profile_add_os(writer,
				   &(struct profile_os){.node = node,
							.cause = TARE_OS_SYSCALL,
							.syscall_number = number,
							.object = 3,
							.count = count,
							.ticks = 10,
							.path = name},
				   &err));
}

/*
 * f on two paths: what it spent on one file is one row, as are two variables whose names read the
 * same; files of the same time come in the order of their names.
 */
static void test_os_rows_of_one_object_join(void **state)
{
	enum { READ = 0, FUTEX = 202 };
	static const char *const names[] = {"main", "f"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 1},
		{1, 2, 2, 1, 40, .cause = TARE_OS_SYSCALL, .os = 40},
		{.thread = 1, .parent = 2, .function = 1, .calls = 1, .elapsed = 0},
		{1, 4, 2, 1, 30, .cause = TARE_OS_SYSCALL, .os = 30},
	};
	static const struct {
		const char *name;
		uint64_t count, ticks;
	} expected[] = {{"/b", 5, 20}, {"A::A()+0x10 (work)", 9, 20}, {"/a", 7, 10}, {"/c", 1, 10}};
	struct profile_writer *writer = simple_open(names, COUNT(names), 71, 70);

	(void)state;
	small_nodes(writer, nodes, COUNT(nodes));
	add_os(writer, 3, READ, "/c", 1);
	add_os(writer, 3, READ, "/b", 2);
	add_os(writer, 5, READ, "/b", 3);
	add_os(writer, 5, READ, "/a", 7);
	add_os(writer, 3, FUTEX, "_ZN1AC1Ev+0x10 (work)", 4);
	add_os(writer, 5, FUTEX, "_ZN1AC2Ev+0x10 (work)", 5);
	commit_and_open(writer);
	/* The last 10 ticks of the first node are no record's. */
	assert_int_equal(analysis->os.len, COUNT(expected) + 1);
	for (size_t i = 0, row = 0; i < COUNT(expected); i++, row++) {
		row += analysis->os.data[row].syscall_number < 0;
		assert_string_equal(analysis->os.data[row].path, expected[i].name);
		assert_int_equal(analysis->os.data[row].count, expected[i].count);
		assert_int_equal(analysis->os.data[row].ticks, expected[i].ticks);
	}
}

/* What two functions of the program had done for them is two rows, and either's waits are its own.
 */
static void test_os_rows_know_their_caller(void **state)
{
	enum { READ = 0, FUTEX = 202, WAIT4 = 61 };
	static const char *const names[] = {"main", "f", "pthread_cond_wait", "pthread_mutex_lock"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 1},
		{1, 2, 2, 1, 40, .cause = TARE_OS_SYSCALL, .os = 40},
		{1, 3, 2, 1, 30, .cause = TARE_OS_SYSCALL, .os = 30},
		{1, 1, 3, 1, 10, .cause = TARE_OS_SYSCALL, .os = 10},
		{1, 1, 4, 1, 9, .cause = TARE_OS_SYSCALL, .os = 9},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 90, 89);

	(void)state;
	small_nodes(writer, nodes, COUNT(nodes));
	for (int i = 0; i < 4; i++)
		add_os(writer, 3, READ, "/a", 1);
	for (int i = 0; i < 3; i++)
		add_os(writer, 4, READ, "/a", 1);
	add_os(writer, 5, FUTEX, NULL, 1);
	commit_and_open(writer);
	const struct analysis_os *rows = analysis->os.data;
	assert_int_equal(rows[0].ticks, 40);
	assert_int_equal(rows[0].function, 1);
	assert_int_equal(rows[0].caller, 0);
	assert_int_equal(rows[1].ticks, 30);
	assert_int_equal(rows[1].function, 1);
	assert_int_equal(rows[1].caller, 1);
	assert_int_equal(rows[2].caller, ANALYSIS_NONE);
	assert_true(analysis_os_is_idle(analysis, &rows[2]));
	assert_false(analysis_os_is_idle(analysis, &rows[1]));
	struct analysis_os other = rows[2];
	other.function = 3;
	assert_false(analysis_os_is_idle(analysis, &other));
	other.syscall_number = WAIT4;
	assert_true(analysis_os_is_idle(analysis, &other));
	other.function = ANALYSIS_NONE;
	assert_true(analysis_os_is_idle(analysis, &other));
}

/* --adaptive has switched f off in the second process: only what that one has called counts. */
static void test_functions_are_disarmed_by_process(void **state)
{
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 3, .elapsed = 10},
		{.thread = 2},
		{.thread = 2, .parent = 3, .function = 1, .calls = 5, .elapsed = 20},
	};
	struct profile_writer *writer = small_profile_open(path);
	const int64_t first = small_process(writer, 100, "work");
	const int64_t second = small_process(writer, 200, "work");
	struct error err;

	(void)state;
	small_thread(writer, first, 100, 10, 0);
	small_thread(writer, second, 200, 20, 0);
	const int64_t function =
		small_function(writer, small_module(writer, "/bin/work"), "f", 0x10);
	small_nodes(writer, nodes, COUNT(nodes));
	assert_true(profile_add_disarm(
		writer,
		&(struct profile_disarm){.process = second, .function = function, .calls = 5},
		&err));
	commit_and_open(writer);
	assert_false(analysis->nodes.data[1].values.disarmed);
	assert_true(analysis->nodes.data[3].values.disarmed);
	assert_int_equal(analysis->totals.functions_disarmed, 1);
}

static void learned_is_known(bool older)
{
	static const char *const names[] = {"main", "f"};
	static const struct profile_node nodes[] = {
		{.id = 1, .thread = 1},
		{.id = 2, .thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed_ticks = 5},
		{.id = 3, .thread = 1, .parent = 2, .function = 2, .calls = 1, .elapsed_ticks = 6},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 11, 0);
	const struct profile_disarm disarm = {.process = 1, .function = 2};
	const struct profile_counted counted = {
		.process = 1, .thread = 1, .function = 2, .entered = 9, .learned = !older};
	struct error err;

	for (size_t i = 0; i < COUNT(nodes); i++)
		assert_true(profile_add_node(writer, &nodes[i], &err));
	assert_true(!older || profile_add_disarm(writer, &disarm, &err));
	assert_true(profile_add_counted(writer, &counted, &err));
	commit_and_open(writer);
	assert_false(analysis->nodes.data[1].values.disarmed);
	assert_true(analysis->nodes.data[2].values.disarmed);
	assert_int_equal(analysis->totals.functions_learned, 1);
}

static void test_learned(void **state)
{
	(void)state;
	learned_is_known(false);
}

/* Then it is a row of what was disarmed, without calls. */
static void test_learned_before_version_12(void **state)
{
	(void)state;
	learned_is_known(true);
}

/* Numbers of nodes ascend, but need not follow each other. */
static void test_numbers_of_nodes_have_gaps(void **state)
{
	static const char *const names[] = {"main", "f"};
	static const struct profile_node nodes[] = {
		{.id = 7, .thread = 1},
		{.id = 20, .thread = 1, .parent = 7, .function = 1, .calls = 1, .elapsed_ticks = 5},
		{.id = 21,
		 .thread = 1,
		 .parent = 20,
		 .function = 2,
		 .calls = 1,
		 .elapsed_ticks = 6},
		{.id = 4000,
		 .thread = 1,
		 .parent = 20,
		 .function = 1,
		 .calls = 1,
		 .elapsed_ticks = 7},
	};
	struct profile_writer *writer = simple_open(names, COUNT(names), 18, 0);
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(nodes); i++)
		assert_true(profile_add_node(writer, &nodes[i], &err));
	commit_and_open(writer);
	assert_int_equal(analysis->nodes.len, 4);
	assert_int_equal(analysis->nodes.data[2].parent, 1);
	assert_int_equal(analysis->nodes.data[3].parent, 1);
	assert_string_equal(analysis->functions.data[0].name, "main");
	assert_int_equal(analysis->functions.data[0].values.amount[ELAPSED_INCLUSIVE], 18);
	assert_int_equal(analysis->functions.data[0].values.amount[ELAPSED_EXCLUSIVE], 12);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, analysed_begin, analysed_end)
	const struct CMUnitTest tests[] = {
		TEST(test_order_of_equals),
		TEST(test_os_rows_of_one_object_join),
		TEST(test_os_rows_know_their_caller),
		TEST(test_functions_are_disarmed_by_process),
		TEST(test_learned),
		TEST(test_learned_before_version_12),
		TEST(test_numbers_of_nodes_have_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
