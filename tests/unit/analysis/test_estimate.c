/*
 * CPU time of counted functions from samples: sums that stay, timed calls below functions that the
 * tree of calls does not have, run-time libraries and the kernel, intervals. Which functions the
 * clock decides: test_estimate_clock.c.
 */
#include "tests/support/estimated.h"

/* The time of a counted function is none of its timed caller's; the thread's stays as it was. */
static void test_counted_takes_from_caller(void **state)
{
	(void)state;
	const int64_t in_main = begin_main();
	disarm(f, 1000);
	samples(in_main, 2);
	samples(call(in_main, f), 8);
	finish();
	assert_cpu("main", 10 * MS, 2 * MS, true);
	assert_cpu("f", 8 * MS, 8 * MS, true);
	assert_int_equal(values_of("f")->calls, 1000);
	assert_int_equal(analysis_average_ticks(values_of("f"), CPU_EXCLUSIVE), 8000);
	assert_int_equal(analysis->totals.cpu, 10 * MS);
	assert_int_equal(analysis->totals.estimated, 10 * MS);
	assert_int_equal(analysis->totals.basis, 10);
	/* What samples tell was on the processor, and working for the program. */
	assert_int_equal(values_of("f")->amount[ELAPSED_EXCLUSIVE], 8 * MS);
	assert_int_equal(values_of("f")->amount[APPLICATION_EXCLUSIVE], 8 * MS);
}

enum { THREAD_OVERHEAD = 40 }; /* of small_thread_of */

/* What counters took is nobody's time, of the paths in proportion; the thread's sums agree. */
static void test_counters_cost_is_overhead(void **state)
{
	const uint64_t cost_f = MS * 6 / 5, cost_g = MS / 2;
	uint64_t low, high;

	(void)state;
	const int64_t in_main = begin_main();
	counted_at_cost(f, 1000, cost_f);
	counted_at_cost(g, 1000, cost_g);
	samples(in_main, 2);
	const int64_t in_f = call(in_main, f);
	samples(in_f, 4);
	samples(call(call(in_main, g), f), 2);
	samples(call(in_f, g), 2);
	finish();
	assert_cpu("f", 8 * MS - cost_f - cost_g, 6 * MS - cost_f, true);
	assert_cpu("g", 4 * MS - cost_g - cost_f / 3, 2 * MS - cost_g, true);
	assert_cpu("main", 10 * MS - cost_f - cost_g, 2 * MS, true);
	assert_int_equal(node_below("main", "f")->values.amount[CPU_EXCLUSIVE],
			 4 * MS - cost_f * 2 / 3);
	assert_int_equal(values_of("f")->amount[OVERHEAD_EXCLUSIVE], cost_f);
	assert_int_equal(values_of("main")->amount[COUNTING_INCLUSIVE], cost_f + cost_g);
	assert_int_equal(analysis->totals.cpu, 10 * MS - cost_f - cost_g);
	assert_int_equal(analysis->totals.counting, cost_f + cost_g);
	assert_int_equal(analysis->totals.overhead, cost_f + cost_g + THREAD_OVERHEAD);
	/* The interval knows that it may have been nothing, or twice as much. */
	assert_true(analysis_cpu_interval(analysis, values_of("f"), EXCLUSIVE, &low, &high));
	assert_in_range(high, 7 * MS + MS / 10, 9 * MS);
	assert_in_range(low, MS, 2 * MS);
}

/* However long they would have taken one behind the other, they take no more in a function. */
static void test_counters_cost_at_most_a_quarter(void **state)
{
	(void)state;
	const int64_t in_main = begin_main();
	counted_at_cost(f, 1000, UINT64_C(1) << 50);
	counted_at_cost(g, 1000, MS);
	samples(in_main, 2);
	samples(call(in_main, f), 8);
	finish();
	assert_cpu("f", 6 * MS, 6 * MS, true);
	assert_cpu("main", 8 * MS, 2 * MS, true);
	assert_int_equal(values_of("f")->amount[OVERHEAD_EXCLUSIVE], 2 * MS);
	assert_int_equal(analysis->totals.overhead, 2 * MS + THREAD_OVERHEAD);
}

static void collector(uint64_t interrupt_ns)
{
	const struct profile_sampling row = {.collector = "perf", .interrupt_ns = interrupt_ns};
	struct error err;

	assert_true(profile_add_sampling(writer, &row, &err));
}

static void begin_with_interrupts(uint64_t interrupt_ns)
{
	const int64_t in_main = begin_main();

	collector(interrupt_ns);
	collector(interrupt_ns + 1);
	disarm(f, 1000);
	samples(in_main, 2);
	samples(call(in_main, f), 8);
	finish();
}

/* What the interrupts of samples took is nobody's time: as much as the least that was measured. */
static void test_interrupts_are_overhead(void **state)
{
	(void)state;
	begin_with_interrupts(50000);
	assert_cpu("main", 10 * MS - MS / 2, 2 * MS - MS / 10, true);
	assert_cpu("f", 8 * MS - MS * 2 / 5, 8 * MS - MS * 2 / 5, true);
	assert_int_equal(values_of("f")->amount[OVERHEAD_EXCLUSIVE], MS * 2 / 5);
	assert_int_equal(analysis->totals.cpu, 10 * MS - MS / 2);
	assert_int_equal(analysis->totals.interrupts, MS / 2);
	assert_int_equal(analysis->totals.overhead, MS / 2 + THREAD_OVERHEAD);
}

static void test_interrupts_take_at_most_a_quarter(void **state)
{
	(void)state;
	begin_with_interrupts(UINT64_C(1) << 60);
	assert_cpu("main", 10 * MS * 3 / 4, 2 * MS * 3 / 4, true);
	assert_int_equal(analysis->totals.interrupts, 10 * MS / 4);
}

static void begin_with_own(uint64_t own)
{
	struct error err;
	const int64_t in_main = begin_main();

	disarm(f, 1000);
	samples(in_main, 200);
	samples(call(in_main, f), 600);
	assert_true(profile_set_thread_in_runtime(writer, thread, own, own * 1000000, &err));
	finish();
}

/* A fifth of all samples was taken in tare's code: that was no time of the program. */
static void test_own_samples_take_off(void **state)
{
	const uint64_t known = THREAD_OVERHEAD, beyond = (10 * MS + known) / 5 - known;
	const uint64_t left = 10 * MS - beyond;

	(void)state;
	begin_with_own(200);
	assert_cpu("f", left * 3 / 4, left * 3 / 4, true);
	assert_int_equal(analysis->totals.cpu, left);
	assert_int_equal(analysis->totals.overhead, known + beyond);
}

/* Three samples may be there by chance. */
static void test_few_own_samples_take_nothing_off(void **state)
{
	(void)state;
	begin_with_own(3);
	assert_cpu("f", 10 * MS * 3 / 4, 10 * MS * 3 / 4, true);
	assert_int_equal(analysis->totals.overhead, THREAD_OVERHEAD);
}

/* The tree of calls has `timed` below main; the stacks say that f stands between them. */
static void test_timed_call_below_counted(void **state)
{
	(void)state;
	begin(&(struct small_times){.now = 13 * MS, .os = 3 * MS, .blocked = 3 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 8 * MS, 0, 0, 0},
					   {thread, 2, timed, 7, 5 * MS, 0, 0, 3 * MS}};
	const int64_t in_main = call(0, main_id), in_f = call(in_main, f);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm(f, 1000);
	samples(in_main, 4);
	samples(in_f, 4);
	samples(call(in_f, timed), 2);
	finish();
	const struct analysis_node *node = node_below("f", "timed");
	assert_int_equal(node->values.calls, 7);
	assert_int_equal(node->values.os_ticks[TARE_OS_BLOCKED], 3 * MS);
	assert_int_equal(node->values.amount[CPU_EXCLUSIVE], 2 * MS);
	assert_cpu("f", 6 * MS, 4 * MS, true);
	assert_int_equal(values_of("f")->amount[ELAPSED_INCLUSIVE], 9 * MS);
	assert_int_equal(analysis->totals.elapsed, 13 * MS);
	assert_int_equal(analysis->nodes.len, 4);
}

/* Calls on several paths are shared out by the samples there, and none is lost. */
static void test_paths_share_calls(void **state)
{
	(void)state;
	begin(&(struct small_times){.now = 12 * MS, .os = 1 * MS + 1, .blocked = 1 * MS + 1});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 7 * MS, 0, 0, 0},
					   {thread, 2, timed, 9, 5 * MS, 0, 0, 1 * MS + 1}};
	const int64_t in_main = call(0, main_id);
	const int64_t in_f = call(in_main, f), in_g = call(in_main, g);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm(f, 1000);
	disarm(g, 500);
	samples(in_f, 4);
	samples(in_g, 3);
	samples(call(in_f, timed), 3);
	samples(call(in_g, timed), 1);
	finish();
	const struct analysis_values *by_f = &node_below("f", "timed")->values;
	const struct analysis_values *by_g = &node_below("g", "timed")->values;
	assert_int_equal(by_f->calls + by_g->calls, 9);
	assert_in_range(by_f->calls, 6, 7);
	assert_int_equal(by_f->os_ticks[TARE_OS_BLOCKED] + by_g->os_ticks[TARE_OS_BLOCKED],
			 1 * MS + 1);
	assert_int_equal(by_f->amount[CPU_EXCLUSIVE] + by_g->amount[CPU_EXCLUSIVE], 4 * MS - 1);
	assert_int_equal(analysis->totals.elapsed, 12 * MS);
}

static uint64_t calls_of_nodes(const char *name)
{
	uint64_t calls = 0;

	vec_foreach (node, &analysis->nodes)
		if (node->function != ANALYSIS_NONE &&
		    strcmp(analysis->functions.data[node->function].name, name) == 0)
			calls += node->values.calls;
	return calls;
}

/*
 * g's timed calls stand below main, as each function on the way from there was only counted by
 * then. All of those were timed before, below main likewise: none of their nodes takes main's
 * place.
 */
static void test_timed_call_below_many_counted(void **state)
{
	enum { DEEP = 12 };
	char names[DEEP][8];
	struct small_node nodes[DEEP + 3];
	int64_t functions[DEEP];

	(void)state;
	begin(&(struct small_times){.now = 20 * MS});
	const int64_t program = module_add("q", false);
	nodes[0] = (struct small_node){thread, 0, 0, 0, 0, 0, 0, 0};
	nodes[1] = (struct small_node){thread, 1, main_id, 1, 8 * MS, 0, 0, 0};
	nodes[2] = (struct small_node){thread, 2, g, 100, 12 * MS, 0, 0, 0};
	int64_t at = call(0, main_id);
	for (int i = 0; i < DEEP; i++) {
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		functions[i] = small_function(writer, program, names[i], 0x100U * (unsigned)i);
		nodes[i + 3] = (struct small_node){thread, 2, functions[i], 5, 0, 0, 0, 0};
		at = call(at, functions[i]);
	}
	small_nodes(writer, nodes, COUNT(nodes));
	for (int i = 0; i < DEEP; i++)
		disarm(functions[i], 1000);
	samples(at, 8);
	samples(call(at, g), 12);
	finish();
	assert_int_equal(node_below("f11", "g")->values.calls, 100);
	assert_cpu("g", 12 * MS, 12 * MS, false);
	assert_int_equal(values_of("f0")->amount[CPU_INCLUSIVE], 20 * MS);
}

/* What was timed before a function was counted only: its waits stay, and its calls are not two. */
static void test_counted_later(void **state)
{
	(void)state;
	begin(&(struct small_times){.now = 11 * MS, .os = 1 * MS, .blocked = 1 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 8 * MS, 0, 0, 0},
					   {thread, 2, f, 3, 3 * MS, 0, 0, 1 * MS}};
	const int64_t in_main = call(0, main_id);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm_later(f, 1000);
	samples(in_main, 3);
	samples(call(in_main, f), 7);
	finish();
	assert_cpu("f", 7 * MS, 7 * MS, true);
	assert_int_equal(values_of("f")->os_ticks[TARE_OS_BLOCKED], 1 * MS);
	assert_int_equal(values_of("f")->amount[ELAPSED_EXCLUSIVE], 8 * MS);
	assert_int_equal(values_of("f")->calls, 1000);
	assert_int_equal(calls_of_nodes("f"), 1000);
	assert_int_equal(analysis->totals.elapsed, 11 * MS);
}

/* Of a run-time library the function entered has the time; the kernel's is its caller's. */
static void test_libraries_and_kernel(void **state)
{
	(void)state;
	const int64_t in_main = begin_main(), in_f = call(in_main, f);
	const int64_t in_library = call(in_f, library), in_fault = call(in_f, fault);
	disarm(f, 1000);
	samples(in_f, 1);
	samples(call(in_library, inner), 4);
	samples(call(in_f, form), 2);
	samples(call(in_fault, entry), 3);
	finish();
	assert_cpu("malloc", 4 * MS, 4 * MS, true);
	assert_cpu("memset", 2 * MS, 2 * MS, true);
	assert_cpu("_int_malloc", 0, 0, false);
	assert_cpu("f", 10 * MS, 4 * MS, true);
	assert_int_equal(values_of("f")->os_ticks[TARE_OS_MINOR_FAULT], 3 * MS);
	assert_int_equal(values_of("f")->amount[APPLICATION_EXCLUSIVE], 1 * MS);
	(void)chosen;
}

/* Without counted functions, the tree is as it was recorded. */
static void test_all_timed(void **state)
{
	(void)state;
	begin(&(struct small_times){.now = 10 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 7 * MS, 0, 0, 0},
					   {thread, 2, timed, 10, 3 * MS, 0, 0, 0}};
	const int64_t in_main = call(0, main_id);
	small_nodes(writer, nodes, COUNT(nodes));
	samples(call(in_main, timed), 9);
	samples(in_main, 1);
	finish();
	assert_cpu("main", 10 * MS, 7 * MS, false);
	assert_cpu("timed", 3 * MS, 3 * MS, false);
	assert_int_equal(analysis->totals.basis, 0);
}

/* A function that no sample met may have taken some samples' time, none less than nothing. */
static void test_interval(void **state)
{
	uint64_t low, high;

	(void)state;
	begin(&(struct small_times){.now = 1000 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 995 * MS, 0, 0, 0},
					   {thread, 2, g, 20, 5 * MS, 0, 0, 0}};
	const int64_t in_main = call(0, main_id);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm(f, 1000);
	disarm(g, 1000);
	samples(in_main, 600);
	samples(call(in_main, f), 400);
	finish();
	assert_cpu("g", 0, 0, true);
	assert_true(analysis_cpu_interval(analysis, values_of("g"), EXCLUSIVE, &low, &high));
	assert_int_equal(low, 0);
	assert_in_range(high, 5 * MS, 6 * MS);
	assert_true(analysis_cpu_interval(analysis, values_of("f"), EXCLUSIVE, &low, &high));
	assert_in_range(low, 355 * MS, 356 * MS);
	assert_in_range(high, 445 * MS, 446 * MS);
}

/*
 * 100 draws of 4 samples each have the variance of 100, not of 400: their interval is that of 100
 * of 250 draws, which are as many samples. A function that no draw met may have had a draw's time,
 * not only a sample's.
 */
static void test_interval_of_draws(void **state)
{
	uint64_t low, high;

	(void)state;
	begin(&(struct small_times){.now = 1000 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 995 * MS, 0, 0, 0},
					   {thread, 2, g, 20, 5 * MS, 0, 0, 0}};
	const int64_t in_main = call(0, main_id);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm_later(f, 1000);
	disarm(g, 1000);
	draws(in_main, 150, 4);
	draws(call(in_main, f), 100, 4);
	finish();
	assert_int_equal(analysis->totals.basis, 1000);
	assert_true(analysis_cpu_interval(analysis, values_of("f"), EXCLUSIVE, &low, &high));
	assert_in_range(low, 324 * MS, 325 * MS);
	assert_in_range(high, 479 * MS, 480 * MS);
	assert_true(analysis_cpu_interval(analysis, values_of("g"), EXCLUSIVE, &low, &high));
	assert_in_range(high, 22 * MS, 23 * MS);
}

/* Samples of other events tell nothing of time. */
static void test_second_event(void **state)
{
	(void)state;
	has_other_event = true;
	const int64_t in_main = begin_main(), in_f = call(in_main, f);
	const struct profile_stack_value other = SMALL_VALUE(thread, event - 1, in_main, 100, 0, 0);
	disarm(f, 1000);
	samples(in_main, 2);
	samples(in_f, 8);
	small_samples(writer, &other);
	finish();
	assert_cpu("f", 8 * MS, 8 * MS, true);
}

/* A call that both sides have counted is one; without its own counter, that of its callers counts.
 */
static void test_counters_of_both_sides(void **state)
{
	(void)state;
	const int64_t in_main = begin_main();
	count(thread, f, 1000, 400);
	count(thread, library, 0, 70);
	samples(call(in_main, f), 8);
	samples(call(in_main, library), 2);
	finish();
	assert_int_equal(values_of("f")->calls, 1000);
	assert_int_equal(values_of("malloc")->calls, 70);
}

/* Calls in progress at the end were counted and not timed: that makes no function a counted one. */
static void test_few_calls_more(void **state)
{
	(void)state;
	const int64_t in_main = begin_timed();
	disarm(f, 1000);
	count(thread, timed, 26, 0);
	samples(in_main, 1);
	samples(call(in_main, f), 5);
	samples(call(in_main, timed), 2);
	finish();
	assert_cpu("timed", 4 * MS, 4 * MS, false);
}

static void test_many_calls_more(void **state)
{
	(void)state;
	const int64_t in_main = begin_timed();
	count(thread, timed, 27, 0);
	samples(in_main, 8);
	samples(call(in_main, timed), 2);
	finish();
	assert_cpu("timed", 2 * MS, 2 * MS, true);
}

/* The vDSO is a library; what the kernel was entered for is told by its outermost function. */
static void test_vdso_and_system_calls(void **state)
{
	(void)state;
	const int64_t in_main = begin_main(), in_f = call(in_main, f);
	const int64_t in_call = call(in_f, syscalls);
	disarm_later(f, 1000);
	samples(call(in_f, vdso), 3);
	samples(call(in_call, fault), 5);
	samples(call(in_f, entry), 1);
	samples(in_f, 1);
	finish();
	assert_cpu("__vdso_gettimeofday", 3 * MS, 3 * MS, true);
	assert_cpu("f", 10 * MS, 7 * MS, true);
	assert_int_equal(values_of("f")->os_ticks[TARE_OS_SYSCALL], 5 * MS);
	assert_int_equal(values_of("f")->os_ticks[TARE_OS_INTERRUPT], 1 * MS);
	assert_int_equal(values_of("f")->os_ticks[TARE_OS_MINOR_FAULT], 0);
}

/* What passed while no clock was read is in no node, and more than the clock's: 3 ms of 13.
 * Interrupts take theirs of both. */
static void test_time_without_a_clock(void **state)
{
	(void)state;
	const int64_t in_main = begin_main(), in_f = call(in_main, f), in_g = call(0, g);
	const struct profile_stack_value early = {.thread = thread,
						  .event = event,
						  .stack = in_g,
						  .samples = 3,
						  .weight = 3 * MS,
						  .unclocked_samples = 3,
						  .unclocked_weight = 3 * MS};
	disarm(f, 1000);
	small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(thread, event, in_main, 2,
								       2 * MS, 0));
	small_samples(writer,
		      &(struct profile_stack_value)SMALL_VALUE(thread, event, in_f, 8, 8 * MS, 0));
	small_samples(writer, &early);
	collector(MS / 10);
	finish();
	assert_cpu("main", 9 * MS, 2 * MS - MS / 5, true);
	assert_cpu("f", 8 * MS - MS * 4 / 5, 8 * MS - MS * 4 / 5, true);
	assert_cpu("g", 3 * MS - MS * 3 / 10, 3 * MS - MS * 3 / 10, true);
	assert_int_equal(analysis->totals.cpu, 13 * MS - MS * 13 / 10);
	assert_int_equal(analysis->totals.interrupts, MS * 13 / 10);
}

/* Of a stack that is cut off, the innermost function is known: it has most where it had most. */
static void test_truncated(void **state)
{
	(void)state;
	const int64_t in_main = begin_main(), alone = call(0, f);
	const struct profile_stack_value cut = SMALL_VALUE(thread, event, alone, 3, 0, 3);
	disarm(f, 1000);
	disarm(g, 1000);
	samples(in_main, 2);
	samples(call(in_main, f), 4);
	samples(call(call(in_main, g), f), 1);
	small_samples(writer, &cut);
	finish();
	assert_int_equal(node_below("main", "f")->values.amount[CPU_EXCLUSIVE], 7 * MS);
	assert_int_equal(node_below("g", "f")->values.amount[CPU_EXCLUSIVE], 1 * MS);
	assert_cpu("main", 10 * MS, 2 * MS, true);
}

/* The clock of a call does not know what it has called unseen: nor do stacks that are cut off. */
static void test_truncated_below_the_clock(void **state)
{
	(void)state;
	begin(&(struct small_times){.now = 10 * MS, .os = 4 * MS});
	const struct small_node nodes[] = {
		{thread, 0, 0, 0, 0, 0, 0, 0},
		{thread, 1, main_id, 1, 6 * MS, 0, 0, 0},
		{thread, 2, timed, 1, 4 * MS, TARE_OS_SYSCALL, 4 * MS, 0}};
	const struct profile_stack_value cut = SMALL_VALUE(thread, event, call(0, f), 250, 0, 250);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm_later(f, 1000);
	small_samples(writer, &cut);
	finish();
	assert_cpu("timed", 0, 0, true);
	assert_cpu("f", 10 * MS, 10 * MS, true);
}

/* Frames of libraries from which a thread begins are its root. */
static void test_begin_of_threads(void **state)
{
	(void)state;
	begin_main();
	const int64_t in_main = call(call(0, start), main_id);
	disarm(f, 1000);
	samples(in_main, 4);
	samples(call(in_main, f), 6);
	finish();
	assert_cpu("start_thread", 0, 0, false);
	assert_cpu("main", 10 * MS, 4 * MS, true);
	assert_int_equal(analysis->nodes.len, 3);
}

/* What was called, and met by no sample: its calls are told, below the thread. */
static void test_counted_and_never_met(void **state)
{
	(void)state;
	const int64_t in_main = begin_main();
	disarm(f, 1000);
	disarm(g, 500);
	samples(in_main, 3);
	samples(call(in_main, f), 7);
	finish();
	assert_int_equal(values_of("g")->calls, 500);
	assert_cpu("g", 0, 0, false);
	assert_int_equal(calls_of_nodes("g"), 500);
}

/* f is called by main and by g, with six and four of its samples; both are counted only. */
static void finish_two_paths(void)
{
	const int64_t in_main = begin_main(), in_g = call(in_main, g);
	disarm_later(f, 1000);
	disarm(g, 500);
	samples(call(in_main, f), 6);
	samples(call(in_g, f), 4);
	finish();
}

/* Of a function's two paths each has a share of the calls, which is an estimate; one path has all.
 */
static void test_calls_of_paths_are_estimates(void **state)
{
	(void)state;
	finish_two_paths();
	assert_true(node_below("main", "f")->values.approximate);
	assert_true(node_below("g", "f")->values.approximate);
	assert_false(node_below("main", "g")->values.approximate);
	assert_int_equal(node_below("main", "f")->values.calls, 600);
	assert_int_equal(node_below("g", "f")->values.calls, 400);
}

/* What callers have of a function's calls is about right, and no bound; of all there is no doubt.
 */
static void test_calls_of_callers_are_estimates(void **state)
{
	struct analysis_edges edges;

	(void)state;
	finish_two_paths();
	analysis_edges_find(analysis, (uint32_t)(analysed_function("f") - analysis->functions.data),
			    &edges);
	assert_int_equal(edges.callers.len, 2);
	vec_foreach (caller, &edges.callers)
		assert_int_equal(analysis_calls_are(&caller->values), ANALYSIS_CALLS_ABOUT);
	analysis_edges_fini(&edges);
	analysis_edges_find(analysis, (uint32_t)(analysed_function("g") - analysis->functions.data),
			    &edges);
	assert_int_equal(edges.callers.len, 1);
	assert_int_equal(analysis_calls_are(&edges.callers.data[0].values), ANALYSIS_CALLS_ALL);
	analysis_edges_fini(&edges);
	assert_int_equal(analysis_calls_are(values_of("f")), ANALYSIS_CALLS_ALL);
}

/* Samples tell who calls f on one thread; on another it was called somewhere. Its calls are known,
   but not whose they are. */
static void test_calls_met_on_some_threads(void **state)
{
	(void)state;
	begin(&(struct small_times){.now = 10 * MS});
	const int64_t second = small_thread(writer, process, 2, 10 * MS, 0);
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 10 * MS, 0, 0, 0},
					   {second, 0, 0, 0, 0, 0, 0, 0},
					   {second, 3, main_id, 1, 10 * MS, 0, 0, 0}};
	const int64_t in_main = call(0, main_id);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm(f, 60);
	disarm(g, 7);
	count(second, f, 40, 0);
	samples(in_main, 10);
	samples(call(in_main, f), 5);
	samples(call(in_main, g), 5);
	finish();
	assert_int_equal(analysis_calls_are(values_of("f")), ANALYSIS_CALLS_ALL);
	assert_int_equal(values_of("f")->calls, 100);
	assert_int_equal(node_below("main", "f")->values.calls, 60);
	assert_true(node_below("main", "f")->values.approximate);
	assert_false(node_below("main", "g")->values.approximate);
}

/* Calls through pointers may be any thread's: there are at least as many as are known. */
static void test_calls_through_pointers_are_missing(void **state)
{
	const char *const one[] = {"1"};
	const struct analysis_options options = {.threads = {one, 1}};
	struct error err;

	(void)state;
	const int64_t in_main = begin_main();
	small_thread_of(writer, process, 2, &(struct small_times){.now = 0});
	disarm(f, 1000);
	const struct profile_counted missing = {
		.process = process, .function = f, .approximate = true};
	assert_true(profile_add_counted(writer, &missing, &err));
	samples(call(in_main, f), 7);
	finish();
	assert_int_equal(analysis_calls_are(values_of("f")), ANALYSIS_CALLS_AT_LEAST);
	analysed_open(&options);
	assert_int_equal(values_of("f")->calls, 1000);
	assert_int_equal(analysis_calls_are(values_of("f")), ANALYSIS_CALLS_AT_LEAST);
}

/* Where the clock decides, samples on paths without timed calls have no time, nor do these paths.
 */
static void test_paths_of_nothing(void **state)
{
	(void)state;
	begin(&(struct small_times){.now = 12 * MS});
	const struct small_node nodes[] = {{thread, 0, 0, 0, 0, 0, 0, 0},
					   {thread, 1, main_id, 1, 6 * MS, 0, 0, 0},
					   {thread, 2, timed, 10, 4 * MS, 0, 0, 0},
					   {thread, 2, g, 10, 2 * MS, 0, 0, 0}};
	const int64_t in_main = call(0, main_id), in_g = call(in_main, g);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm(f, 1000);
	samples(in_main, 1);
	samples(call(in_main, f), 3);
	samples(call(in_main, timed), 2);
	samples(in_g, 1);
	samples(call(in_g, timed), 1);
	finish();
	assert_cpu("timed", 4 * MS, 4 * MS, false);
	assert_cpu("g", 2 * MS, 2 * MS, false);
	assert_int_equal(analysis->nodes.len, 5);
}

/* Counted where they begin, timed where they end: the process has no more calls than were counted.
 */
static void test_calls_across_threads(void **state)
{
	(void)state;
	begin(&(struct small_times){.now = 10 * MS});
	const int64_t second = small_thread(writer, process, 2, 10 * MS, 0);
	const int64_t third = small_thread(writer, process, 3, 10 * MS, 0);
	const struct small_node nodes[] = {
		{thread, 0, 0, 0, 0, 0, 0, 0}, {thread, 1, main_id, 1, 10 * MS, 0, 0, 0},
		{second, 0, 0, 0, 0, 0, 0, 0}, {second, 3, main_id, 1, 10 * MS, 0, 0, 0},
		{third, 0, 0, 0, 0, 0, 0, 0},  {third, 5, f, 60, 10 * MS, 0, 0, 0}};
	const int64_t in_main = call(0, main_id);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm(f, 60);
	count(second, f, 60, 0);
	samples(in_main, 10);
	finish();
	assert_int_equal(values_of("f")->calls, 120);
}

/* Time for which others ran is none on the processor, wherever it is shared out. */
static void test_preempted(void **state)
{
	(void)state;
	begin(&(struct small_times){.now = 12 * MS, .os = 2 * MS, .preempted = 2 * MS});
	const struct small_node nodes[] = {
		{thread, 0, 0, 0, 0, 0, 0, 0},
		{thread, 1, main_id, 1, 7 * MS, 0, 0, 0},
		{thread, 2, timed, 9, 5 * MS, TARE_OS_PREEMPTED, 2 * MS, 0}};
	const int64_t in_main = call(0, main_id);
	const int64_t in_f = call(in_main, f), in_g = call(in_main, g);
	small_nodes(writer, nodes, COUNT(nodes));
	disarm_later(f, 1000);
	disarm(g, 500);
	samples(in_f, 4);
	samples(in_g, 3);
	samples(call(in_f, timed), 2);
	samples(call(in_g, timed), 1);
	finish();
	assert_cpu("timed", 3 * MS, 3 * MS, false);
	assert_int_equal(values_of("timed")->os_ticks[TARE_OS_PREEMPTED], 2 * MS);
	assert_int_equal(analysis->totals.cpu, 10 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ESTIMATE_TEST(test_second_event),
		ESTIMATE_TEST(test_counters_of_both_sides),
		ESTIMATE_TEST(test_few_calls_more),
		ESTIMATE_TEST(test_many_calls_more),
		ESTIMATE_TEST(test_vdso_and_system_calls),
		ESTIMATE_TEST(test_time_without_a_clock),
		ESTIMATE_TEST(test_truncated),
		ESTIMATE_TEST(test_truncated_below_the_clock),
		ESTIMATE_TEST(test_begin_of_threads),
		ESTIMATE_TEST(test_counted_and_never_met),
		ESTIMATE_TEST(test_calls_of_paths_are_estimates),
		ESTIMATE_TEST(test_calls_of_callers_are_estimates),
		ESTIMATE_TEST(test_calls_met_on_some_threads),
		ESTIMATE_TEST(test_calls_through_pointers_are_missing),
		ESTIMATE_TEST(test_calls_across_threads),
		ESTIMATE_TEST(test_preempted),
		ESTIMATE_TEST(test_paths_of_nothing),
		ESTIMATE_TEST(test_counted_takes_from_caller),
		ESTIMATE_TEST(test_counters_cost_is_overhead),
		ESTIMATE_TEST(test_counters_cost_at_most_a_quarter),
		ESTIMATE_TEST(test_interrupts_are_overhead),
		ESTIMATE_TEST(test_interrupts_take_at_most_a_quarter),
		ESTIMATE_TEST(test_own_samples_take_off),
		ESTIMATE_TEST(test_few_own_samples_take_nothing_off),
		ESTIMATE_TEST(test_timed_call_below_counted),
		ESTIMATE_TEST(test_paths_share_calls),
		ESTIMATE_TEST(test_timed_call_below_many_counted),
		ESTIMATE_TEST(test_counted_later),
		ESTIMATE_TEST(test_libraries_and_kernel),
		ESTIMATE_TEST(test_all_timed),
		ESTIMATE_TEST(test_interval),
		ESTIMATE_TEST(test_interval_of_draws),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
