/* Lines of two profiles are the same where file and number are: neither of them alone is enough. */
#include "report/diff/diff.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char base_path[64], path[64];

static int choose_paths(void **state)
{
	(void)state;
	snprintf(base_path, sizeof(base_path), "test_diff_lines.%ld.base.tare", (long)getpid());
	snprintf(path, sizeof(path), "test_diff_lines.%ld.tare", (long)getpid());
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(base_path);
	unlink(path);
	return 0;
}

/* Samples of f in line 7 of a.c, line 7 of b.c and line 8 of b.c. */
static void write_samples(const char *to, const uint64_t samples[3])
{
	static const struct profile_location_line lines[] = {
		{.location = 1, .function = "f", .source = 1, .line = 7},
		{.location = 2, .function = "f", .source = 2, .line = 7},
		{.location = 3, .function = "f", .source = 2, .line = 8},
	};
	struct profile_writer *writer = small_profile_open(to);
	const int64_t thread = small_thread(writer, small_process(writer, 5, "p"), 5, 0, 0);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t function = small_function(writer, module, "f", 0x1000);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	struct error err;

	assert_int_equal(profile_add_source(writer, &(struct profile_source){"/src/a.c"}, &err), 1);
	assert_int_equal(profile_add_source(writer, &(struct profile_source){"/src/b.c"}, &err), 2);
	for (uint64_t i = 0; i < 3; i++) {
		const int64_t stack = small_stack(writer, 0, function, 0x1000 + 4 * i);
		small_samples(writer, &(struct profile_stack_value){.thread = thread,
								    .event = event,
								    .stack = stack,
								    .samples = samples[i]});
	}
	for (size_t i = 0; i < 3; i++)
		assert_true(profile_add_location_line(writer, &lines[i], &err));
	small_profile_commit_as(writer, "sample");
}

/* The comparison as CSV; free it. `failed` gets what the gate says, NULL: there is none. */
static char *compare(const char *gate, struct str *failed)
{
	static const struct analysis_options all = {.places = true};
	const struct diff_options options = {.report = {.view = "lines",
							.profile_path = path,
							.format = REPORT_CSV,
							.limit = 100,
							.columns = "exclusive_samples"},
					     .base_path = base_path,
					     .gates = {.items = &gate, .count = gate != NULL}};
	struct error err = {0};
	char *output = NULL;
	size_t size;

	struct profile *old = profile_open(base_path, &err), *new = profile_open(path, &err);
	struct analysis *base = analysis_open(old, &all, &err);
	struct analysis *now = analysis_open(new, &all, &err);
	FILE *stream = open_memstream(&output, &size);
	if (!diff_write(base, now, &options, stream, failed, &err))
		fail_msg("%s", err.message);
	fclose(stream);
	analysis_close(base);
	analysis_close(now);
	profile_close(old);
	profile_close(new);
	return output;
}

/* A row that begins and ends so. */
static void expect_row(const char *output, const char *begin, const char *end)
{
	const size_t begin_length = strlen(begin), end_length = strlen(end);

	for (const char *row = output; *row;) {
		const size_t length = strcspn(row, "\r\n");
		if (length > begin_length + end_length && strncmp(row, begin, begin_length) == 0 &&
		    strncmp(row + length - end_length, end, end_length) == 0)
			return;
		row += length + strspn(row + length, "\r\n");
	}
	fail_msg("no row %s...%s in %s", begin, end, output);
}

static void test_lines_are_told_apart_by_their_file(void **state)
{
	(void)state;
	write_samples(base_path, (const uint64_t[]){10, 200, 50});
	write_samples(path, (const uint64_t[]){100, 20, 50});
	struct str failed = {0};
	char *output = compare(NULL, &failed);
	expect_row(output, "10,100,", "/src/a.c,7");
	expect_row(output, "200,20,", "/src/b.c,7");
	expect_row(output, "50,50,", "/src/b.c,8");
	assert_int_equal(failed.len, 0);
	free(output);
}

static void expect_failures(const char *gate, const char *expected)
{
	struct str failed = {0};

	free(compare(gate, &failed));
	if (strcmp(failed.len ? failed.data : "", expected) != 0)
		fail_msg("%s, expected %s", failed.len ? failed.data : "nothing", expected);
	str_fini(&failed);
}

/* Of 1,000 samples 100 may be 66 to 144 in another run, and 160 from 119 on. */
static void test_samples_have_errors(void **state)
{
	(void)state;
	write_samples(base_path, (const uint64_t[]){100, 860, 40});
	write_samples(path, (const uint64_t[]){160, 800, 40});
	expect_failures("exclusive_samples>+50%", "");
	expect_failures("exclusive_percent>+50%", "");
	expect_failures("exclusive_samples<-5%", "");
	write_samples(path, (const uint64_t[]){400, 599, 1});
	expect_failures("exclusive_samples>+50%",
			"1 row fails --fail-if='exclusive_samples>+50%': a.c:7");
	expect_failures("exclusive_percent>+50%",
			"1 row fails --fail-if='exclusive_percent>+50%': a.c:7");
	expect_failures("exclusive_percent>20%",
			"2 rows fail --fail-if='exclusive_percent>20%': b.c:7, a.c:7");
	expect_failures("exclusive_percent>37%",
			"1 row fails --fail-if='exclusive_percent>37%': b.c:7");
	expect_failures("exclusive_weight>+50%",
			"1 row fails --fail-if='exclusive_weight>+50%': a.c:7");
}

/* ---- several runs ---- */

enum { RUNS = 7 };

/* Those at hand; each is written when it is asked for, in the same file. */
struct opened {
	const uint64_t (*samples)[RUNS][3]; /* by side */
	struct profile *profile;
	struct analysis *analysis;
	struct profile *first_profile[DIFF_SIDES];
	struct analysis *first[DIFF_SIDES];
};

static void close_last(struct opened *opened)
{
	analysis_close(opened->analysis);
	profile_close(opened->profile);
	opened->analysis = NULL;
	opened->profile = NULL;
}

static bool open_run(void *context, enum diff_side side, size_t run,
		     const struct analysis **analysis, struct error *err)
{
	static const struct analysis_options all = {.places = true};
	struct opened *opened = context;
	struct profile **profile = run ? &opened->profile : &opened->first_profile[side];
	struct analysis **into = run ? &opened->analysis : &opened->first[side];

	if (run)
		close_last(opened);
	if (!*into) {
		unlink(path);
		write_samples(path, opened->samples[side][run]);
		*profile = profile_open(path, err);
		*into = analysis_open(*profile, &all, err);
	}
	*analysis = *into;
	return true;
}

/* The comparison as CSV; free it. */
static char *compare_runs(const uint64_t samples[DIFF_SIDES][RUNS][3], size_t count,
			  const char *gate, struct str *failed)
{
	static const char *const paths[RUNS] = {"1", "2", "3", "4", "5", "6", "7"};
	struct opened opened = {.samples = samples};
	const struct diff_source source = {.count = {count, count},
					   .paths = {paths, paths},
					   .open = open_run,
					   .context = &opened};
	const struct diff_options options = {.report = {.view = "lines",
							.format = REPORT_CSV,
							.limit = 100,
							.min_percent = 1,
							.columns = "exclusive_samples"},
					     .is_of_runs = true,
					     .gates = {.items = &gate, .count = gate != NULL}};
	struct error err = {0};
	char *output = NULL;
	size_t size;
	FILE *stream = open_memstream(&output, &size);

	if (!diff_write_runs(&source, &options, stream, failed, &err))
		fail_msg("%s", err.message);
	fclose(stream);
	close_last(&opened);
	for (int side = 0; side < DIFF_SIDES; side++) {
		analysis_close(opened.first[side]);
		profile_close(opened.first_profile[side]);
	}
	return output;
}

/*
 * Line 7 of a.c has grown in all runs, so its probability is the least that seven runs can give,
 * 2/3432, times the two rows that are tested. Line 7 of b.c is the same but for chance, and line 8
 * is too small to be shown.
 */
static const uint64_t grown[DIFF_SIDES][RUNS][3] = {
	{{100, 900, 1},
	 {102, 905, 1},
	 {98, 903, 1},
	 {101, 898, 1},
	 {99, 901, 1},
	 {103, 899, 1},
	 {97, 902, 1}},
	{{110, 901, 9},
	 {112, 904, 9},
	 {108, 903, 9},
	 {111, 897, 9},
	 {109, 902, 9},
	 {113, 898, 9},
	 {107, 901, 9}},
};

static void test_runs(void **state)
{
	struct str failed = {0};

	(void)state;
	char *output = compare_runs(grown, RUNS, NULL, &failed);
	expect_row(output, "100,110,10,10.0000,", ",0.1166,yes,,p,f,/src/a.c,7");
	expect_row(output, "901,901,0,0.0000,", ",92.5991,no,,p,f,/src/b.c,7");
	assert_null(strstr(output, "b.c,8"));
	free(output);
}

static void expect_run_failures(const char *gate, size_t count, const char *expected)
{
	struct str failed = {0};

	free(compare_runs(grown, count, gate, &failed));
	if (strcmp(failed.len ? failed.data : "", expected) != 0)
		fail_msg("%s, expected %s", failed.len ? failed.data : "nothing", expected);
	str_fini(&failed);
}

static void test_gates_of_runs(void **state)
{
	(void)state;
	expect_run_failures("exclusive_samples>+5% significant", RUNS,
			    "1 row fails --fail-if='exclusive_samples>+5% significant': a.c:7");
	expect_run_failures("exclusive_samples>+10% significant", RUNS, "");
	expect_run_failures("exclusive_samples<-5% significant", RUNS, "");
	/* The interval is 10 and some more or less. */
	expect_run_failures("exclusive_samples>+3%", RUNS,
			    "1 row fails --fail-if='exclusive_samples>+3%': a.c:7");
	expect_run_failures("exclusive_samples>+9%", RUNS, "");
	/* Three runs can tell nothing from chance. */
	expect_run_failures("exclusive_samples>+5% significant", 3, "");
	expect_run_failures("exclusive_samples>+5%", 1, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines_are_told_apart_by_their_file,
						choose_paths, remove_files),
		cmocka_unit_test_setup_teardown(test_samples_have_errors, choose_paths,
						remove_files),
		cmocka_unit_test_setup_teardown(test_runs, choose_paths, remove_files),
		cmocka_unit_test_setup_teardown(test_gates_of_runs, choose_paths, remove_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
