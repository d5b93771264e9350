/*
 * Samples: vector (d) of docs/explanation/data-values.md, recursion, threads and processes, inlined
 * functions, lines and instructions, ranges of time, events and methods, the interval, and what a
 * profile of both methods has.
 */
#include "analysis/sample_timeline.h"
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

static void assert_refused(const struct analysis_options *options, enum error_code code,
			   const char *part)
{
	struct error failure;

	assert_false(analysed_try(options, &failure));
	assert_int_equal(failure.code, code);
	if (!strstr(failure.message, part))
		fail_msg("%s", failure.message);
}

/* `amount`: of samples inclusive, exclusive, and of their weight. */
static void assert_samples(const uint64_t *amount, uint64_t inclusive, uint64_t exclusive)
{
	assert_int_equal(amount[0], inclusive);
	assert_int_equal(amount[1], exclusive);
	assert_int_equal(amount[2], inclusive * 1000000);
	assert_int_equal(amount[3], exclusive * 1000000);
}

static void assert_function(const char *name, uint64_t inclusive, uint64_t exclusive)
{
	assert_samples(&analysed_function(name)->values.amount[SAMPLES_INCLUSIVE], inclusive,
		       exclusive);
}

/* ---- the vector ---- */

static struct profile_writer *begin(int64_t *thread)
{
	struct profile_writer *writer = small_profile_open(path);

	*thread = small_thread(writer, small_process(writer, 1, "p"), 1, 0, 0);
	return writer;
}

static void make_vector(const char *method)
{
	int64_t thread;
	struct profile_writer *writer = begin(&thread);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t main_id = small_function(writer, module, "main", 0x100);
	const int64_t foo = small_function(writer, module, "foo", 0x200);
	const int64_t bar = small_function(writer, module, "bar", 0x300);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t in_main = small_stack(writer, 0, main_id, 0x110);
	const int64_t in_foo = small_stack(writer, in_main, foo, 0x210);
	const int64_t in_bar = small_stack(writer, in_foo, bar, 0x310);
	const int64_t in_foo_foo = small_stack(writer, in_foo, foo, 0x220);
	const struct profile_stack_value values[] = {
		SMALL_VALUE(thread, event, in_bar, 3, 0, 0),
		SMALL_VALUE(thread, event, in_foo, 2, 0, 1),
		SMALL_VALUE(thread, event, in_main, 1, 0, 0),
		SMALL_VALUE(thread, event, in_foo_foo, 1, 0, 0),
	};

	for (size_t i = 0; i < COUNT(values); i++)
		small_samples(writer, &values[i]);
	small_profile_commit_as(writer, method);
}

static void test_vector(void **state)
{
	(void)state;
	make_vector("sample");
	analysed_open(NULL);
	assert_int_equal(analysis->method, ANALYSIS_SAMPLE);
	assert_false(analysis->has_calls);
	assert_int_equal(analysis->totals.samples.kept, 7);
	assert_int_equal(analysis->totals.samples.weight, 7000000);
	assert_int_equal(analysis->totals.samples.truncated, 1);
	assert_function("main", 7, 1);
	assert_function("foo", 6, 3);
	assert_function("bar", 3, 3);
	assert_samples(&analysis->modules.data[0].values.amount[SAMPLES_INCLUSIVE], 7, 7);
	assert_samples(&analysis->threads.data[0].values.amount[SAMPLES_INCLUSIVE], 7, 7);
	assert_samples(&analysis->processes.data[0].values.amount[SAMPLES_INCLUSIVE], 7, 7);
	/* root, main, foo, bar, foo */
	assert_int_equal(analysis->nodes.len, 5);
	const struct analysis_node *root = &analysis->nodes.data[analysis->threads.data[0].root];
	assert_samples(&root->values.amount[SAMPLES_INCLUSIVE], 7, 0);
	assert_true(fabs(analysis_samples_percent(analysis, 6) - 600.0 / 7) < 1e-9);
}

static void test_vector_edges_and_hot_path(void **state)
{
	struct analysis_edges edges;
	struct analysis_path steps;

	(void)state;
	make_vector("sample");
	analysed_open(NULL);
	analysis_edges_find(analysis, 1, &edges);
	assert_int_equal(edges.callers.len, 2);
	assert_int_equal(edges.callers.data[0].function, 0);
	assert_samples(&edges.callers.data[0].values.amount[SAMPLES_INCLUSIVE], 6, 2);
	assert_int_equal(edges.callers.data[1].function, 1);
	assert_samples(&edges.callers.data[1].values.amount[SAMPLES_INCLUSIVE], 1, 1);
	assert_int_equal(edges.callees.len, 2);
	assert_samples(&edges.callees.data[0].values.amount[SAMPLES_INCLUSIVE], 3, 3);
	analysis_edges_fini(&edges);
	analysis_hot_path(analysis, 0.5, &steps);
	/* process, thread, main, foo, bar */
	assert_int_equal(steps.len, 5);
	assert_int_equal(analysis->nodes.data[steps.data[4].index].function, 2);
	vec_fini(&steps);
}

static void test_vector_lines_and_instructions(void **state)
{
	const struct analysis_options options = {.places = true};
	static const struct {
		uint64_t link_addr, inclusive, exclusive;
	} expected[] = {{0x110, 7, 1}, {0x210, 6, 2}, {0x220, 1, 1}, {0x310, 3, 3}};

	(void)state;
	make_vector("sample");
	analysed_open(&options);
	assert_int_equal(analysis->instructions.len, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_int_equal(analysis->instructions.data[i].link_addr, expected[i].link_addr);
		assert_samples(analysis->instructions.data[i].values.amount, expected[i].inclusive,
			       expected[i].exclusive);
	}
	/* Without line information, a row per function. */
	assert_int_equal(analysis->lines.len, 3);
	assert_null(analysis->lines.data[1].source);
	assert_string_equal(analysis->lines.data[1].name, "foo");
	assert_samples(analysis->lines.data[1].values.amount, 6, 3);
}

/* ---- inlined functions ---- */

/*
 * outer at 0x110 has helper, inlined at line 12, and in that twice, inlined twice in itself;
 * push is inlined at 0x120 and is a function of its own, too.
 */
static void make_inlines(void)
{
	int64_t thread;
	struct error err;
	struct profile_writer *writer = begin(&thread);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t outer = small_function(writer, module, "outer", 0x100);
	const int64_t push = small_function(writer, module, "push", 0x200);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t deep = small_stack(writer, 0, outer, 0x110);
	const int64_t flat = small_stack(writer, 0, outer, 0x120);
	const int64_t own = small_stack(writer, flat, push, 0x210);
	const struct profile_location_line lines[] = {
		{1, 0, "twice", 2, 5, 0},  {1, 1, "twice", 2, 6, 0}, {1, 2, "helper", 2, 3, 0},
		{1, 3, "outer", 1, 12, 4}, {2, 0, "push", 2, 30, 0}, {2, 1, "outer", 1, 14, 0},
		{3, 0, "push", 2, 31, 0},
	};
	const struct profile_stack_value values[] = {SMALL_VALUE(thread, event, deep, 4, 0, 0),
						     SMALL_VALUE(thread, event, flat, 2, 0, 0),
						     SMALL_VALUE(thread, event, own, 1, 0, 0),
						     SMALL_VALUE(thread, event, 0, 3, 0, 3)};

	assert_int_equal(profile_add_source(writer, &(struct profile_source){"/src/a.c"}, &err), 1);
	assert_int_equal(profile_add_source(writer, &(struct profile_source){"/src/b.h"}, &err), 2);
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_true(profile_add_location_line(writer, &lines[i], &err));
	for (size_t i = 0; i < COUNT(values); i++)
		small_samples(writer, &values[i]);
	small_profile_commit_as(writer, "sample");
}

static void test_inlines(void **state)
{
	const struct analysis_options options = {.inlines = true};

	(void)state;
	make_inlines();
	analysed_open(NULL);
	assert_int_equal(analysis->functions.len, 2);
	assert_function("outer", 7, 6);
	assert_function("push", 1, 1);
	assert_int_equal(analysis->totals.samples.unread, 3);
	analysed_open(&options);
	assert_int_equal(analysis->functions.len, 4);
	assert_function("outer", 7, 0);
	assert_function("helper", 4, 0);
	assert_function("twice", 4, 4);
	assert_function("push", 3, 3);
	assert_true(analysed_function("twice")->inlined);
	assert_false(analysed_function("push")->inlined);
	/* root, outer, helper, twice, twice, push, push in push */
	assert_int_equal(analysis->nodes.len, 7);
	assert_samples(&analysis->threads.data[0].values.amount[SAMPLES_INCLUSIVE], 10, 7);
}

/* Two functions of one name: which of them was inlined cannot be told, so it is neither. */
static void test_inlined_twin(void **state)
{
	const struct analysis_options options = {.inlines = true};
	const struct profile_location_line lines[] = {{1, 0, "push", 1, 5, 0},
						      {1, 1, "outer", 1, 12, 4}};
	struct error err;
	int64_t thread;
	struct profile_writer *writer = begin(&thread);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t outer = small_function(writer, module, "outer", 0x100);

	(void)state;
	small_function(writer, module, "push", 0x200);
	small_function(writer, module, "push", 0x300);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t stack = small_stack(writer, 0, outer, 0x110);
	const struct profile_stack_value value = SMALL_VALUE(thread, event, stack, 4, 0, 0);

	assert_int_equal(profile_add_source(writer, &(struct profile_source){"/src/a.c"}, &err), 1);
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_true(profile_add_location_line(writer, &lines[i], &err));
	small_samples(writer, &value);
	small_profile_commit_as(writer, "sample");
	analysed_open(&options);
	assert_int_equal(analysis->functions.len, 4);
	assert_true(analysis->functions.data[3].inlined);
	assert_samples(&analysis->functions.data[3].values.amount[SAMPLES_INCLUSIVE], 4, 4);
	assert_samples(&analysis->functions.data[1].values.amount[SAMPLES_INCLUSIVE], 0, 0);
	assert_samples(&analysis->functions.data[2].values.amount[SAMPLES_INCLUSIVE], 0, 0);
}

static const struct analysis_line *line_at(const char *source, uint32_t number)
{
	vec_foreach (line, &analysis->lines) {
		if (line->line == number && line->source && strcmp(line->source, source) == 0)
			return line;
	}
	fail_msg("no line %u of %s", number, source);
	return NULL;
}

static void test_inlined_lines(void **state)
{
	const struct analysis_options options = {.places = true};

	(void)state;
	make_inlines();
	analysed_open(&options);
	assert_int_equal(analysis->lines.len, 7);
	assert_samples(line_at("/src/a.c", 12)->values.amount, 4, 0);
	assert_samples(line_at("/src/b.h", 3)->values.amount, 4, 0);
	assert_samples(line_at("/src/b.h", 5)->values.amount, 4, 4);
	assert_samples(line_at("/src/a.c", 14)->values.amount, 3, 0);
	assert_samples(line_at("/src/b.h", 30)->values.amount, 3, 2);
	assert_string_equal(line_at("/src/b.h", 5)->name, "twice");
	assert_int_equal(analysis->instructions.data[0].line, 5);
	assert_string_equal(analysis->instructions.data[1].source, "/src/b.h");
}

/* ---- threads, events, methods ---- */

static void make_two(const char *method)
{
	struct profile_writer *writer = small_profile_open(path);
	const int64_t first = small_process(writer, 10, "first");
	const int64_t second = small_process(writer, 20, "second");
	const int64_t a = small_thread(writer, first, 10, 0, 0);
	const int64_t b = small_thread(writer, first, 11, 0, 0);
	const int64_t c = small_thread(writer, second, 20, 0, 0);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t f = small_function(writer, module, "f", 0x100);
	const int64_t g = small_function(writer, module, "g", 0x200);
	const int64_t clock = small_event(writer, "cpu-clock", "ns");
	const int64_t waits = small_event(writer, "off-cpu", "ns");
	const int64_t in_f = small_stack(writer, 0, f, 0x110);
	const int64_t in_g = small_stack(writer, in_f, g, 0x210);
	const struct profile_stack_value values[] = {
		SMALL_VALUE(a, clock, in_f, 5, 0, 0),	   SMALL_VALUE(b, clock, in_g, 3, 0, 0),
		SMALL_VALUE(c, clock, in_g, 2, 0, 0),	   SMALL_VALUE(a, waits, in_f, 90, 900, 0),
		SMALL_VALUE(c, waits, in_g, 1, 100000, 0),
	};
	static const struct small_sample early[] = {{500, 1, 10}, {1000, 2, 20}, {1500, 1, 5}};
	static const struct small_sample late[] = {{1000, 2, 7}};
	static const struct small_sample waited[] = {{600, 2, 1000}, {500, 1, 2000}};

	for (size_t i = 0; i < COUNT(values); i++)
		small_samples(writer, &values[i]);
	/* The session begins at tick 1000; ticks are nanoseconds. */
	small_chunk(writer, (struct profile_sample_chunk){a, clock, 1000000, 0, 3, {0}}, early);
	small_chunk(writer, (struct profile_sample_chunk){c, clock, 3000000, 0, 1, {0}}, late);
	small_chunk(writer, (struct profile_sample_chunk){b, waits, 1000000, 0, 2, {0}}, waited);
	small_profile_commit_as(writer, method);
}

static void test_threads(void **state)
{
	const char *const eleven[] = {"11"};
	const struct analysis_options options = {.threads = {eleven, 1}};

	(void)state;
	make_two("sample");
	analysed_open(NULL);
	assert_int_equal(analysis->totals.samples.kept, 10);
	assert_samples(&analysis->threads.data[1].values.amount[SAMPLES_INCLUSIVE], 3, 3);
	assert_samples(&analysis->processes.data[0].values.amount[SAMPLES_INCLUSIVE], 8, 8);
	assert_samples(&analysis->processes.data[1].tree.amount[SAMPLES_INCLUSIVE], 2, 0);
	analysed_open(&options);
	assert_int_equal(analysis->totals.samples.kept, 3);
	assert_function("f", 3, 0);
	assert_function("g", 3, 3);
}

static void test_events(void **state)
{
	const struct analysis_options waits = {.event = "off-cpu"}, wrong = {.event = "off-cpo"};
	const struct analysis_options other = {.event = "instructions:u"};

	(void)state;
	make_two("sample");
	analysed_open(&waits);
	assert_true(analysis->by_weight);
	assert_int_equal(analysis->totals.samples.kept, 91);
	assert_int_equal(analysis->totals.samples.weight, 100900);
	/* What waits longest is the hottest, not what waits most often. */
	struct analysis_path steps;
	analysis_hot_path(analysis, 0.5, &steps);
	assert_int_equal(steps.len, 4);
	assert_int_equal(steps.data[0].index, 1);
	vec_fini(&steps);
	assert_refused(&wrong, ERROR_NOT_FOUND, "did you mean \"off-cpu\"");
	assert_refused(&other, ERROR_NOT_FOUND, "it has cpu-clock, off-cpu");
}

/* Below a root that was chosen, threads share their paths: what several have is no thread's. */
static void test_rooted_threads(void **state)
{
	const struct analysis_options all = {.root = "f"};

	(void)state;
	make_two("sample");
	analysed_open(&all);
	assert_int_equal(analysis->nodes.data[0].thread, ANALYSIS_NONE);
	assert_int_equal(analysis->nodes.data[0].values.amount[SAMPLES_INCLUSIVE], 10);
}

static void test_range(void **state)
{
	/* Since the session's begin, which is at 0.001 ms of the clock. */
	const struct analysis_options some = {.from = "0.9994", .to = "1.0015"};
	const struct analysis_options rest = {.from = "1.0016"}, none = {.from = "9"};
	const struct analysis_options reversed = {.from = "2", .to = "1"};
	const struct analysis_options exact = {.from = "1.0005", .to = "1.002"};

	(void)state;
	make_two("sample");
	analysed_open(&exact); /* from the second sample to the third, of three at that time */
	assert_int_equal(analysis->totals.samples.kept, 2);
	assert_int_equal(analysed_function("f")->values.amount[WEIGHT_INCLUSIVE], 25);
	analysed_open(&some);
	assert_int_equal(analysis->totals.samples.kept, 2);
	assert_false(analysis->totals.samples.truncated_known);
	assert_int_equal(analysed_function("f")->values.amount[WEIGHT_INCLUSIVE], 30);
	analysed_open(&rest);
	assert_int_equal(analysis->totals.samples.kept, 2);
	assert_int_equal(analysed_function("g")->values.amount[WEIGHT_EXCLUSIVE], 7);
	analysed_open(&none);
	assert_int_equal(analysis->totals.samples.kept, 0);
	assert_true(isnan(analysis_samples_percent(analysis, 0)));
	assert_refused(&reversed, ERROR_USAGE, "later than");
}

/* A wait is in all parts of the time that it reaches into; what is sampled by a clock is in one. */
static void test_waits_over_time(void **state)
{
	const struct analysis_options waits = {.event = "off-cpu", .times = true};
	const struct analysis_options clock = {.event = "cpu-clock", .times = true};
	/* The session has 2,000,000 ticks from 1000 on, which are nanoseconds. */
	static const struct small_sample waited[] = {{0, 1, 1000000}, {1650000, 1, 400000}};
	const struct {
		const struct analysis_options *options;
		uint64_t samples[4], weight[4];
	} cases[] = {{&waits, {1, 0, 0, 1}, {250000, 500000, 250000, 400000}},
		     {&clock, {1, 0, 0, 1}, {1000000, 0, 0, 400000}}};
	int64_t thread;
	struct error err;
	struct profile_writer *writer = begin(&thread);
	const int64_t f = small_function(writer, small_module(writer, "/bin/p"), "f", 0x100);

	(void)state;
	small_stack(writer, 0, f, 0x110);
	for (int i = 0; i < 2; i++) {
		const int64_t event = small_event(writer, i ? "off-cpu" : "cpu-clock", "ns");
		const struct profile_stack_value sum = SMALL_VALUE(thread, event, 1, 2, 1400000, 0);

		small_samples(writer, &sum);
		small_chunk(writer, (struct profile_sample_chunk){thread, event, 251000, 0, 2, {0}},
			    waited);
	}
	small_profile_commit_as(writer, "sample");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct analysis_bin bins[4] = {0};
		struct analysis_times times = {0};
		uint64_t sum = 0;
		bool known;

		analysed_open(cases[i].options);
		assert_true(analysis_timeline(analysis, bins, 4, &known, &err));
		assert_true(known);
		for (int bin = 0; bin < 4; bin++) {
			assert_int_equal(bins[bin].samples, cases[i].samples[bin]);
			assert_int_equal(bins[bin].weight, cases[i].weight[bin]);
		}
		assert_true(analysis_times(analysis, 4, 100, &times, &err));
		vec_foreach (time, &times) {
			assert_int_equal(time->weight, cases[i].weight[time->bin]);
			sum += time->weight;
		}
		assert_int_equal(sum, 1400000);
		vec_fini(&times);
	}
}

/* Three samples at one time and place are one that stands for three: 9 and 1. */
static void check_equal_times(const char *collector, uint64_t squares)
{
	const struct analysis_options all = {.from = "0"};
	static const struct small_sample samples[] = {{10, 1, 5}, {0, 1, 5}, {0, 1, 5}, {1, 1, 5}};
	const struct profile_sampling row = {.collector = collector, .samples = COUNT(samples)};
	int64_t thread;
	struct error err;
	struct profile_writer *writer = begin(&thread);
	const int64_t f = small_function(writer, small_module(writer, "/bin/p"), "f", 0x100);
	const int64_t event = small_event(writer, "cpu-clock", "ns");

	small_stack(writer, 0, f, 0x110);
	assert_true(profile_add_sampling(writer, &row, &err));
	small_chunk(writer,
		    (struct profile_sample_chunk){thread, event, 1000, 0, COUNT(samples), {0}},
		    samples);
	small_profile_commit_as(writer, "sample");
	analysed_open(&all);
	assert_int_equal(analysis->totals.samples.kept, 4);
	assert_int_equal(analysis->totals.samples.squares, squares);
}

static void test_range_at_once(void **state)
{
	(void)state;
	check_equal_times("timer", 10);
	check_equal_times("perf", 10);
	check_equal_times("perf.data", 4);
}

static void test_range_without_times(void **state)
{
	const struct analysis_options some = {.from = "1"};

	(void)state;
	make_vector("sample");
	assert_refused(&some, ERROR_NOT_FOUND, "does not say when");
}

static void test_damaged_chunk(void **state)
{
	static const char *const data[] = {"\x01", "\x7f\x02\x02", "\x01\x0e\x02", "\x01\x01\x02"};
	const struct analysis_options all = {.from = "0"};

	(void)state;
	for (size_t i = 0; i < COUNT(data); i++) {
		int64_t thread;
		struct error err;
		struct profile_writer *writer = begin(&thread);
		const int64_t f =
			small_function(writer, small_module(writer, "/bin/p"), "f", 0x100);
		const struct profile_sample_chunk chunk = {
			.thread = thread,
			.event = small_event(writer, "cpu-clock", "ns"),
			.begin_ticks = 1000,
			.end_ticks = 1100,
			.samples = 1,
			.data = {.start = data[i], .size = strlen(data[i])}};
		small_stack(writer, 0, f, 0x110);
		assert_true(profile_add_sample_chunk(writer, &chunk, &err));
		small_profile_commit_as(writer, "sample");
		assert_refused(&all, ERROR_INPUT, "sample 1 of chunk 1");
	}
}

static void test_methods(void **state)
{
	const struct analysis_options calls = {.method = ANALYSIS_INSTRUMENT};
	const struct analysis_options samples = {.method = ANALYSIS_SAMPLE}, range = {.from = "1"};
	int64_t thread;

	(void)state;
	make_vector("sample");
	assert_refused(&calls, ERROR_NOT_FOUND, "has samples only");
	small_profile_commit(begin(&thread));
	assert_refused(&samples, ERROR_NOT_FOUND, "--method=sample");
	assert_refused(&range, ERROR_NOT_FOUND, "sums over the whole recording");
	small_profile_commit_as(begin(&thread), "sample");
	analysed_open(NULL);
	assert_int_equal(analysis->method, ANALYSIS_SAMPLE);
	assert_int_equal(analysis->totals.samples.kept, 0);
}

/* main calls f, which both methods see; in f g, which is known to samples only. */
static void make_both(void)
{
	int64_t thread;
	static const struct small_node nodes[] = {{.thread = 1, .elapsed = 10},
						  {1, 1, 1, 1, 300, 0, 0, 0},
						  {1, 2, 2, 5, 700, 0, 0, 0}};
	struct profile_writer *writer = small_profile_open(path);
	thread = small_thread(writer, small_process(writer, 1, "p"), 1, 1010, 0);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t main_id = small_function(writer, module, "main", 0x100);
	const int64_t f = small_function(writer, module, "f", 0x200);
	const int64_t g = small_function(writer, module, "g", 0x300);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t start = small_stack(writer, 0, g, 0x320);
	const int64_t in_main = small_stack(writer, start, main_id, 0x110);
	const int64_t in_f = small_stack(writer, in_main, f, 0x210);
	const int64_t in_g = small_stack(writer, in_f, g, 0x310);

	small_nodes(writer, nodes, COUNT(nodes));
	small_samples(writer,
		      &(struct profile_stack_value)SMALL_VALUE(thread, event, start, 1, 0, 0));
	small_samples(writer,
		      &(struct profile_stack_value)SMALL_VALUE(thread, event, in_main, 3, 0, 0));
	small_samples(writer,
		      &(struct profile_stack_value)SMALL_VALUE(thread, event, in_f, 4, 0, 0));
	small_samples(writer,
		      &(struct profile_stack_value)SMALL_VALUE(thread, event, in_g, 2, 0, 0));
	small_profile_commit_as(writer, "instrument,sample");
}

static void test_both_methods(void **state)
{
	const struct analysis_options samples = {.method = ANALYSIS_SAMPLE};

	(void)state;
	make_both();
	analysed_open(NULL);
	assert_int_equal(analysis->method, ANALYSIS_INSTRUMENT);
	assert_int_equal(analysis->nodes.len, 3);
	assert_int_equal(analysed_function("f")->values.amount[ELAPSED_EXCLUSIVE], 700);
	assert_function("f", 6, 4);
	assert_function("g", 10, 3);
	analysed_open(&samples);
	assert_int_equal(analysis->nodes.len, 5);
	assert_int_equal(analysed_function("f")->values.amount[ELAPSED_EXCLUSIVE], 700);
	assert_int_equal(analysed_function("f")->samples_charged, 6);
	assert_int_equal(analysed_function("main")->samples_charged, 3);
	assert_int_equal(analysed_function("g")->samples_charged, 0);
	assert_int_equal(analysis->totals.samples.charged_outside, 1);
	assert_int_equal(analysis->totals.elapsed, 1010);
}

/* f calls the kernel, which calls itself; a thread of the kernel has no frame else. */
static void test_without_kernel(void **state)
{
	const struct analysis_options options = {.no_kernel = true, .places = true};
	int64_t thread;
	struct profile_writer *writer = begin(&thread);
	const int64_t f = small_function(writer, small_module(writer, "/bin/p"), "f", 0x100);
	const int64_t kernel = small_function(writer, small_module(writer, "[kernel.kallsyms]"),
					      "schedule", 0xffffffff81000000);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t in_f = small_stack(writer, 0, f, 0x110);
	const int64_t entry = small_stack(writer, in_f, kernel, 0xffffffff81000010);
	const int64_t deep = small_stack(writer, entry, kernel, 0xffffffff81000020);
	const int64_t alone = small_stack(writer, 0, kernel, 0xffffffff81000030);

	(void)state;
	small_samples(writer,
		      &(struct profile_stack_value)SMALL_VALUE(thread, event, in_f, 1, 0, 0));
	small_samples(writer,
		      &(struct profile_stack_value)SMALL_VALUE(thread, event, deep, 5, 0, 0));
	small_samples(writer,
		      &(struct profile_stack_value)SMALL_VALUE(thread, event, alone, 2, 0, 0));
	small_profile_commit_as(writer, "sample");
	analysed_open(NULL);
	assert_function("f", 6, 1);
	assert_function("schedule", 7, 7);
	analysed_open(&options);
	assert_function("f", 6, 6);
	assert_function("schedule", 0, 0);
	assert_int_equal(analysis->totals.samples.kept, 8);
	assert_int_equal(analysis->totals.samples.unread, 2);
	assert_samples(analysis->instructions.data[0].values.amount, 6, 6);
}

/* ---- the interval ---- */

/* Wilson's interval for 3 and 0 of 7, and for 50 of 100, as tables give it. */
static void test_interval(void **state)
{
	double low, high;

	(void)state;
	make_vector("sample");
	analysed_open(NULL);
	assert_true(analysis_samples_interval(analysis, 3, &low, &high));
	assert_true(fabs(low - 15.8219) < 1e-3);
	assert_true(fabs(high - 74.9539) < 1e-3);
	assert_true(analysis_samples_interval(analysis, 0, &low, &high));
	assert_true(low == 0 && fabs(high - 35.4327) < 1e-3);
	assert_true(analysis_samples_interval(analysis, 7, &low, &high));
	assert_true(high == 100 && fabs(low - 64.5673) < 1e-3);
	analysis->totals.samples.kept = 100;
	assert_true(analysis_samples_interval(analysis, 50, &low, &high));
	assert_true(fabs(low - 40.3832) < 1e-3 && fabs(high - 59.6168) < 1e-3);
	/* 25 draws of 4 samples each */
	analysis->totals.samples.squares = 400;
	assert_true(analysis_samples_interval(analysis, 50, &low, &high));
	assert_true(fabs(low - 31.7521) < 1e-3 && fabs(high - 68.2479) < 1e-3);
}

/* ---- size ---- */

/* A chain of 50,000 calls of two functions, and 200,000 stacks beside each other. */
static void test_many_stacks(void **state)
{
	int64_t thread;
	struct profile_writer *writer = begin(&thread);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t functions[] = {small_function(writer, module, "even", 0x100),
				     small_function(writer, module, "odd", 0x200)};
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	int64_t at = 0;

	(void)state;
	for (size_t i = 0; i < 50000; i++)
		at = small_stack(writer, at, functions[i % 2], functions[i % 2] * 0x100U);
	for (int64_t i = 0; i < 200000; i++)
		small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(
					      thread, event, small_stack_at(writer, at, 1 + i % 2),
					      1, 0, 0));
	small_profile_commit_as(writer, "sample");
	analysed_open(NULL);
	assert_function("even", 200000, 100000);
	assert_function("odd", 200000, 100000);
	assert_int_equal(analysis->nodes.len, 50003);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_vector, analysed_end),
		cmocka_unit_test_teardown(test_vector_edges_and_hot_path, analysed_end),
		cmocka_unit_test_teardown(test_vector_lines_and_instructions, analysed_end),
		cmocka_unit_test_teardown(test_inlines, analysed_end),
		cmocka_unit_test_teardown(test_inlined_twin, analysed_end),
		cmocka_unit_test_teardown(test_rooted_threads, analysed_end),
		cmocka_unit_test_teardown(test_inlined_lines, analysed_end),
		cmocka_unit_test_teardown(test_threads, analysed_end),
		cmocka_unit_test_teardown(test_events, analysed_end),
		cmocka_unit_test_teardown(test_range, analysed_end),
		cmocka_unit_test_teardown(test_waits_over_time, analysed_end),
		cmocka_unit_test_teardown(test_range_at_once, analysed_end),
		cmocka_unit_test_teardown(test_range_without_times, analysed_end),
		cmocka_unit_test_teardown(test_damaged_chunk, analysed_end),
		cmocka_unit_test_teardown(test_methods, analysed_end),
		cmocka_unit_test_teardown(test_both_methods, analysed_end),
		cmocka_unit_test_teardown(test_without_kernel, analysed_end),
		cmocka_unit_test_teardown(test_interval, analysed_end),
		cmocka_unit_test_teardown(test_many_stacks, analysed_end),
	};

	return cmocka_run_group_tests(tests, analysed_begin, NULL);
}
