/*
 * A profile of one thread of a program with counted functions, for tests of CPU time from samples:
 * docs/explanation/data-values.md, "Timed and counted functions".
 */
#ifndef TARE_TESTS_SUPPORT_ESTIMATED_H
#define TARE_TESTS_SUPPORT_ESTIMATED_H

#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MS	     1000000ULL /* in ticks */

/* What each test's profile has: one thread of a program with counted functions f and g. */
static struct profile_writer *writer;
static int64_t process, thread, event;
static int64_t main_id, f, g, timed, library, inner, chosen, form, start, fault, entry, syscalls,
	vdso;
static bool has_other_event; /* before that of time */

static inline int64_t module_add(const char *name, bool system)
{
	const struct profile_module row = {.name = name,
					   .path = name,
					   .build_id = "",
					   .system = system,
					   .instrumented = !system};
	struct error err;
	const int64_t id = profile_add_module(writer, &row, &err);

	assert_true(id > 0);
	return id;
}

static inline void count_row(const struct profile_counted *counted)
{
	struct error err;

	assert_true(profile_add_counted(writer, counted, &err));
}

/* Calls that the callee has counted, and those that their callers have. */
static inline void count(int64_t of, int64_t function, uint64_t entered, uint64_t called)
{
	count_row(&(struct profile_counted){.process = process,
					    .thread = of,
					    .function = function,
					    .entered = entered,
					    .called = called});
}

/* Of one that was only counted, and counters and dormant probes in it took so long. */
static inline void counted_at_cost(int64_t function, uint64_t calls, uint64_t cost_ticks)
{
	count_row(&(struct profile_counted){.process = process,
					    .thread = thread,
					    .function = function,
					    .entered = calls,
					    .cost_ticks = cost_ticks});
}

/* As an earlier recording has learned. */
static inline void disarm(int64_t function, uint64_t calls)
{
	count_row(&(struct profile_counted){.process = process,
					    .thread = thread,
					    .function = function,
					    .entered = calls,
					    .learned = true});
}

static inline void disarm_later(int64_t function, uint64_t calls)
{
	const struct profile_disarm row = {.process = process, .function = function};
	struct error err;

	assert_true(profile_add_disarm(writer, &row, &err));
	count(thread, function, calls, 0);
}

static inline void begin(const struct small_times *times)
{
	writer = small_profile_open(path);
	process = small_process(writer, 1, "p");
	thread = small_thread_of(writer, process, 1, times);
	const int64_t program = module_add("p", false), libc = module_add("libc.so.6", true);
	const int64_t kernel = module_add("[kernel]", false);
	main_id = small_function(writer, program, "main", 0x100);
	f = small_function(writer, program, "f", 0x200);
	g = small_function(writer, program, "g", 0x300);
	timed = small_function(writer, program, "timed", 0x400);
	library = small_function(writer, libc, "malloc", 0x1000);
	inner = small_function(writer, libc, "_int_malloc", 0x1100);
	chosen = small_function(writer, libc, "memset", 0x1200);
	form = small_function(writer, libc, "__memset_avx2_unaligned_erms", 0x1300);
	start = small_function(writer, libc, "start_thread", 0x1400);
	syscalls = small_function(writer, kernel, "entry_SYSCALL_64_after_hwframe", 0x30);
	vdso = small_function(writer, module_add("[vdso]", false), "__vdso_gettimeofday", 0x40);
	fault = small_function(writer, kernel, "asm_exc_page_fault", 0x10);
	entry = small_function(writer, kernel, "handle_mm_fault", 0x20);
	if (has_other_event)
		small_event(writer, "context-switches", "");
	event = small_event(writer, "cpu-clock", "ns");
}

/* Draws of so many samples each. */
static inline void draws(int64_t stack, uint64_t count, uint64_t each)
{
	const struct profile_stack_value row = {.thread = thread,
						.event = event,
						.stack = stack,
						.samples = count * each,
						.squares = count * each * each};

	small_samples(writer, &row);
}

static inline void samples(int64_t stack, uint64_t count)
{
	draws(stack, count, 1);
}

static inline int64_t call(int64_t from, int64_t function)
{
	static uint64_t addr = 0x8000;

	return small_stack(writer, from, function, addr++);
}

static inline void finish(void)
{
	small_profile_commit_as(writer, "instrument,sample");
	analysed_open(NULL);
	assert_int_equal(analysis->totals.inconsistent_ticks, 0);
}

static inline int choose_path(void **state)
{
	has_other_event = false;
	return analysed_begin(state);
}

static inline void assert_cpu(const char *name, uint64_t inclusive, uint64_t exclusive,
			      bool sampled)
{
	const struct analysis_values *values = values_of(name);

	if (values->amount[CPU_INCLUSIVE] != inclusive ||
	    values->amount[CPU_EXCLUSIVE] != exclusive)
		fail_msg("%s: %ju, %ju", name, (uintmax_t)values->amount[CPU_INCLUSIVE],
			 (uintmax_t)values->amount[CPU_EXCLUSIVE]);
	assert_int_equal(values->sampled, sampled);
}

/* The one node with that function below a node of the other. */
static inline const struct analysis_node *node_below(const char *caller, const char *callee)
{
	vec_foreach (node, &analysis->nodes) {
		if (node->function == ANALYSIS_NONE ||
		    strcmp(analysis->functions.data[node->function].name, callee) != 0)
			continue;
		const uint32_t above = analysis->nodes.data[node->parent].function;
		if (above != ANALYSIS_NONE &&
		    strcmp(analysis->functions.data[above].name, caller) == 0)
			return node;
	}
	fail_msg("no %s below %s", callee, caller);
	return NULL;
}

/* A node of main that has taken 10 ms, and no other. */
static inline int64_t begin_main(void)
{
	begin(&(struct small_times){.now = 10 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 10 * MS, 0, 0, 0}};
	small_nodes(writer, nodes, COUNT(nodes));
	return call(0, main_id);
}

/* Nodes of main, 6 ms, and of 10 timed calls that it makes, 4 ms. */
static inline int64_t begin_timed(void)
{
	begin(&(struct small_times){.now = 10 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 6 * MS, 0, 0, 0},
					   {thread, 2, timed, 10, 4 * MS, 0, 0, 0}};
	small_nodes(writer, nodes, COUNT(nodes));
	return call(0, main_id);
}

/* ---- tests ---- */

#define ESTIMATE_TEST(name) cmocka_unit_test_setup_teardown(name, choose_path, analysed_end)

#endif
