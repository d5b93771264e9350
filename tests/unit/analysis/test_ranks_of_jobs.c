/* Ranks of a job: which processes they are, their time in calls of MPI, how evenly it is spread. */
#include "analysis/mpi_call.h"
#include "analysis/ranks.h"
#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MAIN = 1, SOLVE, EXCHANGE, BARRIER, SEND, SPIN, WRITE };

static struct analysis_ranks ranks;

static int64_t add_process(struct profile_writer *writer, const char *host, const char *launcher,
			   uint64_t rank)
{
	const struct profile_process row = {.pid = 100 + (int64_t)rank,
					    .name = "p",
					    .executable = "/bin/p",
					    .begin_ticks = 1000,
					    .end_ticks = 9000,
					    .ended = true,
					    .host = host,
					    .launcher = launcher,
					    .rank = rank,
					    .ranks = launcher ? 4 : 0};
	struct error err;

	return profile_add_process(writer, &row, &err);
}

static struct profile_writer *begin(void)
{
	struct profile_writer *writer = small_profile_open(path);
	const int64_t program = small_module(writer, "/bin/p");
	const int64_t library = small_module(writer, "/lib/libmpi.so.40");

	small_function(writer, program, "main", 0x1000);
	small_function(writer, program, "solve", 0x1100);
	small_function(writer, program, "exchange", 0x1200);
	small_function(writer, library, "PMPI_Barrier", 0x1000);
	small_function(writer, library, "MPI_Send", 0x1100);
	small_function(writer, library, "opal_progress", 0x1200);
	small_function(writer, program, "write", 0x1300);
	return writer;
}

static void finish(struct profile_writer *writer, const struct small_node *nodes, size_t count)
{
	small_nodes(writer, nodes, count);
	small_profile_commit(writer);
	analysed_open(NULL);
	analysis_ranks_find(analysis, &ranks);
}

static int end(void **state)
{
	analysis_ranks_fini(&ranks);
	memset(&ranks, 0, sizeof(ranks));
	return analysed_end(state);
}

static const struct analysis_imbalance *spread_of(const char *name)
{
	vec_foreach (row, &ranks.functions)
		if (!strcmp(analysis->functions.data[row->function].name, name))
			return row;
	vec_foreach (row, &ranks.mpi)
		if (!strcmp(row->call, name))
			return row;
	fail_msg("no row of %s", name);
	return NULL;
}

static void expect(const struct analysis_spread *spread, uint64_t least, uint32_t least_rank,
		   uint64_t most, uint32_t most_rank)
{
	assert_int_equal(spread->least, least);
	assert_int_equal(spread->least_rank, least_rank);
	assert_int_equal(spread->most, most);
	assert_int_equal(spread->most_rank, most_rank);
}

/*
 * Two ranks. Rank 0: main solves (recursively), and waits in MPI_Barrier, partly blocked; solve
 * sends by MPI_Send, which makes a barrier within. Rank 1 has no barrier of its own.
 */
static void write_two(void)
{
	static const struct small_node nodes[] = {
		{1, 0, 0, 0, 10, 0, 0, 0},
		{1, 1, MAIN, 1, 100, 0, 0, 0},
		{1, 2, SOLVE, 2, 1000, 0, 0, 0},
		{1, 3, SOLVE, 2, 500, 0, 0, 0},
		{1, 4, SEND, 3, 40, 0, 0, 0},
		{1, 5, BARRIER, 3, 5, 0, 0, 0},
		{1, 2, BARRIER, 4, 300, TARE_OS_BLOCKED, 100, 0},
		{1, 7, SPIN, 9, 600, 0, 0, 0},
		{2, 0, 0, 0, 10, 0, 0, 0},
		{2, 9, MAIN, 1, 100, 0, 0, 0},
		{2, 10, SOLVE, 2, 3000, 0, 0, 0},
		{2, 11, EXCHANGE, 2, 200, 0, 0, 0},
		{2, 12, SEND, 5, 60, 0, 0, 0},
	};
	struct profile_writer *writer = begin();
	const int64_t first = add_process(writer, "a", "Open MPI", 0);
	const int64_t second = add_process(writer, "b", "Open MPI", 1);

	small_thread_of(writer, first, 1, &(struct small_times){2555, 100, 100, 0});
	small_thread_of(writer, second, 2, &(struct small_times){3370, 0, 0, 0});
	finish(writer, nodes, sizeof(nodes) / sizeof(nodes[0]));
}

static void test_time_in_mpi(void **state)
{
	(void)state;
	write_two();
	assert_int_equal(ranks.ranks.len, 2);
	const struct analysis_rank *first = &ranks.ranks.data[0], *second = first + 1;
	assert_string_equal(first->host, "a");
	assert_string_equal(second->host, "b");
	assert_int_equal(first->values.amount[ELAPSED_INCLUSIVE], 2545);
	assert_int_equal(first->mpi[VALUE_ELAPSED], 945);
	assert_int_equal(first->mpi[VALUE_CPU], 845);
	assert_int_equal(first->work, 1600);
	assert_int_equal(second->mpi[VALUE_ELAPSED], 60);
	assert_int_equal(second->work, 3300);
}

/* A call within another one is part of that; below, names of the profiling interface are the same.
 */
static void test_calls_of_ranks(void **state)
{
	static const struct {
		uint32_t rank;
		const char *call;
		uint64_t calls, elapsed;
	} expected[] = {{0, "MPI_Barrier", 4, 900}, {0, "MPI_Send", 3, 45}, {1, "MPI_Send", 5, 60}};

	(void)state;
	write_two();
	assert_int_equal(ranks.calls.len, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct analysis_rank_call *call = &ranks.calls.data[i];
		assert_int_equal(call->rank, expected[i].rank);
		assert_string_equal(call->call, expected[i].call);
		assert_int_equal(call->values.calls, expected[i].calls);
		assert_int_equal(call->values.amount[ELAPSED_INCLUSIVE], expected[i].elapsed);
	}
}

static void test_spread(void **state)
{
	(void)state;
	write_two();
	assert_int_equal(ranks.functions.len, 3); /* none of what only stands below MPI */
	const struct analysis_imbalance *row = spread_of("solve");
	expect(&row->spread[VALUE_CPU], 1500, 0, 3200, 1);
	expect(&row->spread[VALUE_ELAPSED], 1500, 0, 3200, 1);
	assert_int_equal(row->calls, 6);
	assert_float_equal(analysis_imbalance_percent(&row->spread[VALUE_CPU], 2), 36.1702, 0.001);
	expect(&spread_of("main")->spread[VALUE_CPU], 1600, 0, 3300, 1);
	row = spread_of("exchange");
	expect(&row->spread[VALUE_CPU], 0, 0, 200, 1);
	assert_int_equal(row->ranks, 1);
	assert_float_equal(analysis_imbalance_percent(&row->spread[VALUE_CPU], 2), 100, 0.001);
	expect(&spread_of("MPI_Barrier")->spread[VALUE_ELAPSED], 0, 1, 900, 0);
	expect(&spread_of("MPI_Barrier")->spread[VALUE_CPU], 0, 1, 800, 0);
	expect(&spread_of("MPI_Send")->spread[VALUE_ELAPSED], 45, 0, 60, 1);
	assert_true(isnan(analysis_imbalance_percent(&(struct analysis_spread){0}, 2)));
}

/* Where some call MPI, those are the ranks; one of several processes is their sum. */
static void test_which_processes(void **state)
{
	static const struct small_node nodes[] = {
		{1, 0, 0, 0, 0, 0, 0, 0},     {1, 1, MAIN, 1, 70, 0, 0, 0},
		{2, 0, 0, 0, 0, 0, 0, 0},     {2, 3, MAIN, 1, 50, 0, 0, 0},
		{2, 4, SEND, 1, 5, 0, 0, 0},  {3, 0, 0, 0, 0, 0, 0, 0},
		{3, 6, MAIN, 1, 80, 0, 0, 0}, {3, 7, SEND, 1, 1, 0, 0, 0},
		{4, 0, 0, 0, 0, 0, 0, 0},     {4, 9, SEND, 1, 9, 0, 0, 0},
	};
	struct profile_writer *writer = begin();

	(void)state;
	small_thread(writer, add_process(writer, "a", "Open MPI", 3), 1, 70, 0);
	small_thread(writer, add_process(writer, "a", "Open MPI", 3), 2, 55, 0);
	small_thread(writer, add_process(writer, "a", "Open MPI", 3), 3, 81, 0);
	small_thread(writer, add_process(writer, "a", NULL, 0), 4, 9, 0);
	finish(writer, nodes, sizeof(nodes) / sizeof(nodes[0]));
	assert_int_equal(ranks.ranks.len, 1);
	const struct analysis_rank *rank = &ranks.ranks.data[0];
	assert_int_equal(rank->processes, 2);
	assert_int_equal(rank->process, 2);
	assert_int_equal(rank->values.amount[ELAPSED_INCLUSIVE], 136);
	assert_int_equal(rank->mpi[VALUE_ELAPSED], 6);
}

/* MPI_Send has ended with a jump, so that the library stands below main; a thread has no calls. */
static void test_calls_that_jump(void **state)
{
	static const struct small_node nodes[] = {
		{1, 0, 0, 0, 0, 0, 0, 0},    {1, 1, MAIN, 1, 70, 0, 0, 0},
		{1, 2, SEND, 1, 5, 0, 0, 0}, {1, 2, SPIN, 1, 25, 0, 0, 0},
		{2, 0, 0, 0, 0, 0, 0, 0},    {2, 5, WRITE, 1, 900, 0, 0, 0},
	};
	struct profile_writer *writer = begin();

	(void)state;
	const int64_t process = add_process(writer, "a", "Open MPI", 3);
	small_thread(writer, process, 1, 100, 0);
	small_thread(writer, process, 2, 900, 0);
	finish(writer, nodes, sizeof(nodes) / sizeof(nodes[0]));
	assert_int_equal(ranks.ranks.len, 1);
	assert_int_equal(ranks.ranks.data[0].mpi[VALUE_ELAPSED], 30);
	assert_int_equal(ranks.ranks.data[0].calling, 100);
	assert_int_equal(ranks.ranks.data[0].work, 970);
	expect(&spread_of("opal_progress")->spread[VALUE_ELAPSED], 25, 0, 25, 0);
	expect(&spread_of("main")->spread[VALUE_CPU], 70, 0, 70, 0);
}

static void test_without_mpi(void **state)
{
	static const struct small_node nodes[] = {{1, 0, 0, 0, 0, 0, 0, 0},
						  {1, 1, MAIN, 1, 70, 0, 0, 0},
						  {2, 0, 0, 0, 0, 0, 0, 0},
						  {2, 3, MAIN, 1, 50, 0, 0, 0}};
	struct profile_writer *writer = begin();

	(void)state;
	small_thread(writer, add_process(writer, NULL, "Slurm", 1), 1, 70, 0);
	small_thread(writer, add_process(writer, NULL, "Slurm", 0), 2, 50, 0);
	finish(writer, nodes, sizeof(nodes) / sizeof(nodes[0]));
	assert_int_equal(ranks.ranks.len, 2);
	assert_string_equal(ranks.ranks.data[0].host, "box");
	assert_int_equal(ranks.ranks.data[0].rank, 0);
	assert_int_equal(ranks.ranks.data[0].work, 50);
	assert_int_equal(ranks.mpi.len, 0);
	expect(&spread_of("main")->spread[VALUE_CPU], 50, 0, 70, 1);
}

static void test_names(void **state)
{
	static const char *const names[][2] = {
		{"MPI_Barrier", "MPI_Barrier"},
		{"PMPI_Barrier", "MPI_Barrier"},
		{"mpi_barrier_", "MPI_Barrier"},
		{"pmpi_send__", "MPI_Send"},
		{"mpi_send_f08_", "MPI_Send"},
		{"mpi_recv_f08ts_", "MPI_Recv"},
		{"MPI_Comm_rank", "MPI_Comm_rank"},
		{"mpi_barrier", NULL},
		{"MPI_", NULL},
		{"MPI_private", NULL},
		{"mpi__", NULL},
		{"mpi_", NULL},
		{"PMPIX_Barrier", NULL},
		{"xMPI_Barrier", NULL},
		{"", NULL},
		{"P", NULL},
	};
	struct str name = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		str_clear(&name);
		assert_int_equal(mpi_call_name(names[i][0], &name), names[i][1] != NULL);
		if (names[i][1])
			assert_string_equal(name.data, names[i][1]);
	}
	str_fini(&name);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, analysed_begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_time_in_mpi),	      TEST(test_calls_of_ranks), TEST(test_spread),
		TEST(test_which_processes),   TEST(test_without_mpi),	 TEST(test_calls_that_jump),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
