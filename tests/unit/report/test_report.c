/*
 * What the golden files do not show: names that would look alike stay apart, a limited call tree
 * stays connected, paths of deep recursion stay short, sorting is stable and puts empty cells last.
 */
#include "report/report.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64], *output;
static size_t output_bytes;

static int choose_path(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "test_report.%ld.tare", (long)getpid());
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	free(output);
	output = NULL;
	unlink(path);
	return 0;
}

static const char *write_report(const struct report_options *options)
{
	static const struct analysis_options all;
	struct error err = {0};
	struct profile *profile = profile_open(path, &err);
	struct analysis *analysis = profile ? analysis_open(profile, &all, &err) : NULL;

	if (!analysis)
		fail_msg("%s", err.message);
	free(output);
	FILE *stream = open_memstream(&output, &output_bytes);
	if (!report_write(analysis, options, stream, &err))
		fail_msg("%s", err.message);
	fclose(stream);
	analysis_close(analysis);
	profile_close(profile);
	return output;
}

/* A process, a thread and a module; nodes of functions are written by the caller. */
static struct profile_writer *open_profile(uint64_t now_ticks)
{
	struct profile_writer *writer = small_profile_open(path);

	small_thread(writer, small_process(writer, 5, "p"), 6, now_ticks, 0);
	small_module(writer, "/bin/p");
	return writer;
}

static void add_node(struct profile_writer *writer, int64_t id, int64_t parent, int64_t function,
		     uint64_t elapsed)
{
	struct error err;

	assert_true(profile_add_node(writer,
				     &(struct profile_node){.id = id,
							    .thread = 1,
							    .parent = parent,
							    .function = function,
							    .calls = parent != 0,
							    .elapsed_ticks = elapsed},
				     &err));
}

/* Line `index` from 0, cut in place; NULL behind the last. */
static char *take_line(char **rest)
{
	char *line = *rest;
	char *end = line ? strchr(line, '\n') : NULL;

	if (!end)
		return NULL;
	*end = 0;
	*rest = end + 1;
	return line;
}

static void test_look_alikes_stay_apart(void **state)
{
	enum { COUNT = 30 };
	const struct report_options options = {
		.view = "functions", .profile_path = path, .columns = "function", .width = 60};
	struct profile_writer *writer = open_profile(COUNT);
	struct strmap seen;
	size_t rows = 0;

	(void)state;
	add_node(writer, 1, 0, 0, 0);
	for (int i = 0; i < COUNT; i++) {
		char name[200];
		snprintf(name, sizeof(name), "%040d_%02d_%080d", 7, i, 7);
		/* Only every other one has an address. */
		small_function(writer, 1, name, i % 2 ? 0x1000 + (uint64_t)i : 0);
	}
	for (int i = 0; i < COUNT; i++)
		add_node(writer, i + 2, 1, i + 1, 1);
	small_profile_commit(writer);
	write_report(&options);
	char *rest = strstr(output, "\nFunction\n");
	assert_non_null(rest);
	rest += strlen("\nFunction\n");
	strmap_init(&seen);
	for (char *line = take_line(&rest); line; line = take_line(&rest)) {
		assert_true(strlen(line) <= 60);
		assert_int_equal(*strmap_put(&seen, line, rows), rows);
		rows++;
	}
	assert_int_equal(rows, COUNT);
	strmap_fini(&seen);
}

static void test_limited_tree_is_connected(void **state)
{
	enum { COUNT = 60 };
	struct report_options options = {
		.view = "calltree", .profile_path = path, .format = REPORT_CSV, .columns = "level"};
	struct profile_writer *writer = open_profile(0);

	(void)state;
	small_function(writer, 1, "a", 0x10);
	small_function(writer, 1, "b", 0x20);
	add_node(writer, 1, 0, 0, 0);
	/* A binary tree in which many values are equal, and many are zero. */
	for (int64_t i = 2; i <= COUNT; i++)
		add_node(writer, i, i / 2, 1 + i % 2, (uint64_t)(i * i % 3));
	small_profile_commit(writer);
	for (options.limit = 1; options.limit <= COUNT + 1; options.limit++) {
		long level = -1, rows = 0;
		write_report(&options);
		char *rest = output;
		take_line(&rest);
		for (char *line = take_line(&rest); line; line = take_line(&rest), rows++) {
			const long next = strtol(line, NULL, 10);
			assert_true(next <= level + 1);
			level = next;
		}
		assert_int_equal(rows, options.limit);
	}
}

static void test_deep_path(void **state)
{
	enum { DEPTH = 300 };
	const struct report_options options = {
		.view = "calltree", .profile_path = path, .format = REPORT_CSV, .columns = "path"};
	struct profile_writer *writer = open_profile(DEPTH);
	size_t frames = 0;

	(void)state;
	small_function(writer, 1, "f", 0x10);
	add_node(writer, 1, 0, 0, 0);
	for (int64_t i = 2; i <= DEPTH + 1; i++)
		add_node(writer, i, i - 1, 1, 1);
	small_profile_commit(writer);
	write_report(&options);
	const char *last = output;
	for (const char *at = output; (at = strstr(at, "p (5);")) != NULL; at++)
		last = at;
	assert_int_equal(strncmp(last, "p (5);worker (6);[44 more];f;f", 30), 0);
	for (const char *at = last; (at = strstr(at, ";f")) != NULL; at++)
		frames++;
	assert_int_equal(frames, 256);
}

static void test_sorting(void **state)
{
	struct report_options options = {.view = "functions",
					 .profile_path = path,
					 .format = REPORT_CSV,
					 .columns = "function"};
	struct profile_writer *writer = open_profile(6);

	(void)state;
	small_function(writer, 1, "b", 0);
	small_function(writer, 1, "a", 0x10);
	small_function(writer, 1, "d", 0x30);
	small_function(writer, 1, "c", 0x20);
	add_node(writer, 1, 0, 0, 0);
	for (int64_t i = 1; i <= 4; i++)
		add_node(writer, i + 1, 1, i, 1 + (i > 2));
	small_profile_commit(writer);
	assert_string_equal(write_report(&options), "function\r\nd\r\nc\r\nb\r\na\r\n");
	options.sort = "+function";
	assert_string_equal(write_report(&options), "function\r\na\r\nb\r\nc\r\nd\r\n");
	options.sort = "-function";
	assert_string_equal(write_report(&options), "function\r\nd\r\nc\r\nb\r\na\r\n");
	options.sort = "elapsed_exclusive_ns,function";
	assert_string_equal(write_report(&options), "function\r\nc\r\nd\r\na\r\nb\r\n");
	/* b has no address: it is last in both directions. */
	options.sort = "+address";
	assert_string_equal(write_report(&options), "function\r\na\r\nc\r\nd\r\nb\r\n");
	options.sort = "-address";
	assert_string_equal(write_report(&options), "function\r\nd\r\nc\r\na\r\nb\r\n");
}

/* First letters of the rows that pass the filter, with options that say which rows and names. */
static const char *letters_passing(struct report_options options, const char *filter)
{
	static char names[16];

	options.profile_path = path;
	options.format = REPORT_CSV;
	options.expressions.items = &filter;
	options.expressions.count = 1;
	char *rest = (char *)(uintptr_t)write_report(&options);
	size_t count = 0;

	take_line(&rest);
	for (const char *line = take_line(&rest); line && count < sizeof(names) - 1;
	     line = take_line(&rest))
		names[count++] = line[0];
	names[count] = 0;
	return names;
}

static const struct report_options by_function = {
	.view = "functions", .sort = "+function", .columns = "function"};

/* At and beside the numbers that rows have. */
static void test_filters(void **state)
{
	static const struct {
		const char *filter, *names;
	} cases[] = {
		{"calls=2", "b"},
		{"calls!=2", "ac"},
		{"calls<2", "a"},
		{"calls<=2", "ab"},
		{"calls>2", "c"},
		{"calls>=2", "bc"},
		{"calls<=1.9", "a"},
		{"elapsed_exclusive<=20ns", "ab"},
		{"elapsed_exclusive<20ns", "a"},
		{"elapsed_exclusive>=0.02us", "bc"},
		{"elapsed_exclusive_percent<=50%", "abc"},
		{"elapsed_exclusive_percent<50%", "ab"},
		{"function=b", "b"},
		{"function!=b", "ac"},
		{"function~\"[ab]\"", "ab"},
		{"function!~\"[ab]\"", "c"},
		{"function~/^[bc]$/", "bc"},
		{"not calls=2", "ac"},
		{"calls<=2 and function!=a", "b"},
		{"calls=1 or calls=3", "ac"},
		{"calls=1 or calls=3 and function=a", "a"},
		{"(calls=1 or calls=3) and not function=a", "c"},
	};
	struct profile_writer *writer = open_profile(60);
	struct error err;

	(void)state;
	small_function(writer, 1, "a", 0x10);
	small_function(writer, 1, "b", 0x20);
	small_function(writer, 1, "c", 0x30);
	add_node(writer, 1, 0, 0, 0);
	for (int64_t i = 1; i <= 3; i++)
		assert_true(
			profile_add_node(writer,
					 &(struct profile_node){.id = i + 1,
								.thread = 1,
								.parent = 1,
								.function = i,
								.calls = (uint64_t)i,
								.elapsed_ticks = (uint64_t)i * 10},
					 &err));
	small_profile_commit(writer);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *names = letters_passing(by_function, cases[i].filter);
		if (strcmp(names, cases[i].names) != 0)
			fail_msg("%s: %s instead of %s", cases[i].filter, names, cases[i].names);
	}
}

/* Numbers of processes and threads can be what the kernel never gives, in profiles of others. */
static void test_filters_of_negative_numbers(void **state)
{
	const struct report_options by_thread = {
		.view = "threads", .sort = "+thread", .columns = "thread"};
	static const struct {
		const char *filter, *names;
	} cases[] = {{"tid<0", "a"}, {"tid>=0", "b"}, {"tid=-7", "a"}, {"tid>-8", "ab"}};
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 5, "p");
	struct error err;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_true(profile_add_thread(writer,
					       &(struct profile_thread){.process = process,
									.tid = i ? 9 : -7,
									.name = i ? "b" : "a"},
					       &err));
	small_profile_commit(writer);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(letters_passing(by_thread, cases[i].filter), cases[i].names);
}

/* 1000 and 3000 ticks of a clock of 2 GHz are 500 and 1500 ns, in whatever the report shows them.
 */
static void test_filters_of_times_in_ticks(void **state)
{
	struct profile_writer *writer = open_profile(4000);
	struct profile_session session = small_profile_session();
	struct report_options options = by_function;
	struct error err;

	(void)state;
	small_function(writer, 1, "a", 0x10);
	small_function(writer, 1, "b", 0x20);
	add_node(writer, 1, 0, 0, 0);
	add_node(writer, 2, 1, 1, 1000);
	add_node(writer, 3, 1, 2, 3000);
	session.ticks_per_second = 2e9;
	assert_true(profile_write_session(writer, &session, &err));
	assert_true(profile_writer_commit(writer, &err));
	for (int ticks = 0; ticks < 2; ticks++) {
		if (ticks)
			options.unit = REPORT_TICKS;
		assert_string_equal(letters_passing(options, "elapsed_exclusive=500ns"), "a");
		assert_string_equal(letters_passing(options, "elapsed_exclusive>0.75us"), "b");
		assert_string_equal(letters_passing(options, "elapsed_exclusive>2us"), "");
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, choose_path, remove_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_look_alikes_stay_apart),
		TEST(test_limited_tree_is_connected),
		TEST(test_deep_path),
		TEST(test_sorting),
		TEST(test_filters),
		TEST(test_filters_of_negative_numbers),
		TEST(test_filters_of_times_in_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
