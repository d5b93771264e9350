/*
 * Annotated functions: source lines with what was inlined there, gaps between them, sources that
 * are elsewhere; instructions of a file that is here, a call as one instruction, files that are
 * not or are others now.
 */
#include "analysis/annotate.h"
#include "object/object.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What is annotated of this program: 1 byte, 5 bytes, 1 byte. */
__asm__(".text\n"
	".globl annotated_code\n"
	".type annotated_code, @function\n"
	"annotated_code:\n"
	"	.cfi_startproc\n"
	"	nop\n"
	"	call annotated_helper\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size annotated_code, .-annotated_code\n"
	".globl annotated_helper\n"
	".type annotated_helper, @function\n"
	"annotated_helper:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size annotated_helper, .-annotated_helper\n");

static char directory[] = "test_annotate.XXXXXX";
static char path[64], program[4096];
static struct profile *profile;
static struct analysis *analysis;
static struct annotation annotation;
static struct error failure;

static int make_directory(void **state)
{
	(void)state;
	const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (length < 0 || !mkdtemp(directory))
		return -1;
	program[length] = 0;
	snprintf(path, sizeof(path), "%s/p.tare", directory);
	return 0;
}

static int remove_directory(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

static void close_all(void)
{
	analysis_annotation_fini(&annotation);
	analysis_close(analysis);
	profile_close(profile);
	annotation = (struct annotation){0};
	analysis = NULL;
	profile = NULL;
}

static int close_result(void **state)
{
	(void)state;
	close_all();
	unlink(path);
	return 0;
}

static bool annotate(struct annotation_options options)
{
	const struct analysis_options selection = {.places = true, .code = true};

	close_all();
	profile = profile_open(path, &failure);
	if (!profile)
		fail_msg("%s", failure.message);
	analysis = analysis_open(profile, &selection, &failure);
	if (!analysis)
		fail_msg("%s", failure.message);
	return analysis_annotate(analysis, &options, &annotation, &failure);
}

static void assert_row(size_t index, uint32_t line, uint64_t inclusive, uint64_t exclusive)
{
	assert_true(index < annotation.rows.len);
	const struct annotation_row *row = &annotation.rows.data[index];
	assert_int_equal(row->line, line);
	assert_int_equal(row->values.amount[INCLUSIVE], inclusive);
	assert_int_equal(row->values.amount[EXCLUSIVE], exclusive);
}

static void assert_note(const char *part)
{
	vec_foreach (note, &annotation.notes) {
		if (strstr(*note, part))
			return;
	}
	fail_msg("no note about %s", part);
}

/* ---- source ---- */

/*
 * work() at lines 10 and 12; at 12 twice() is inlined, in it add(), and add() has code of its own,
 * which work() calls. A second part of work() has no line.
 */
static void make_source(void)
{
	struct error err;
	struct profile_writer *writer = small_profile_open(path);
	const int64_t thread = small_thread(writer, small_process(writer, 1, "p"), 1, 0, 0);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t work = small_function(writer, module, "work", 0x100);
	const int64_t add = small_function(writer, module, "add", 0x200);
	small_function(writer, module, "idle", 0x300); /* never met */
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t plain = small_stack(writer, 0, work, 0x110);
	const int64_t inlined = small_stack(writer, 0, work, 0x120);
	const int64_t called = small_stack(writer, plain, add, 0x210);
	const int64_t bare = small_stack(writer, 0, work, 0x130);
	const int64_t far = small_stack(writer, 0, work, 0x140);
	const struct profile_location_line lines[] = {
		{1, 0, "work", 1, 10, 0}, {2, 0, "add", 2, 5, 0}, {2, 1, "twice", 1, 3, 0},
		{2, 2, "work", 1, 12, 0}, {3, 0, "add", 2, 6, 0}, {5, 0, "work", 1, 40, 0},
	};
	const struct profile_stack_value values[] = {SMALL_VALUE(thread, event, plain, 2, 0, 0),
						     SMALL_VALUE(thread, event, inlined, 5, 0, 0),
						     SMALL_VALUE(thread, event, called, 3, 0, 0),
						     SMALL_VALUE(thread, event, bare, 1, 0, 0),
						     SMALL_VALUE(thread, event, far, 1, 0, 0)};

	assert_int_equal(
		profile_add_source(writer, &(struct profile_source){"/nowhere/src/a.c"}, &err), 1);
	assert_int_equal(
		profile_add_source(writer, &(struct profile_source){"/nowhere/src/b.h"}, &err), 2);
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_true(profile_add_location_line(writer, &lines[i], &err));
	for (size_t i = 0; i < COUNT(values); i++)
		small_samples(writer, &values[i]);
	small_profile_commit_as(writer, "sample");
}

static void test_source_lines(void **state)
{
	const struct annotation_options options = {.function = "work", .context = UINT32_MAX};

	(void)state;
	make_source();
	if (!annotate(options))
		fail_msg("%s", failure.message);
	assert_int_equal(annotation.rows.len, 6);
	assert_row(0, 10, 5, 2);
	assert_row(1, 12, 5, 0);
	assert_row(2, 3, 5, 0);
	assert_string_equal(annotation.rows.data[2].name, "twice");
	assert_int_equal(annotation.rows.data[2].depth, 1);
	assert_row(3, 5, 5, 5);
	assert_string_equal(annotation.rows.data[3].name, "add");
	assert_int_equal(annotation.rows.data[3].depth, 2);
	assert_row(4, 40, 1, 1);
	/* The part without a line, so that everything adds up. */
	assert_row(5, 0, 1, 1);
	assert_string_equal(annotation.rows.data[0].heading, "work  /nowhere/src/a.c");
	assert_note("/nowhere/src/a.c");
}

/* A function with code of its own is annotated where it was inlined as well. */
static void test_inlined_function(void **state)
{
	const struct annotation_options own = {.function = "add", .context = UINT32_MAX};
	const struct annotation_options only = {.function = "twice", .context = UINT32_MAX};

	(void)state;
	make_source();
	assert_true(annotate(own));
	assert_int_equal(annotation.rows.len, 2);
	assert_row(0, 5, 5, 5);
	assert_row(1, 6, 3, 3);
	assert_true(annotate(only));
	assert_int_equal(annotation.rows.len, 2);
	assert_row(0, 3, 5, 0);
	assert_row(1, 5, 5, 5);
}

static void write_source(const char *name)
{
	char file[128];

	snprintf(file, sizeof(file), "%s/%s", directory, name);
	FILE *stream = fopen(file, "w");
	assert_non_null(stream);
	for (int i = 1; i <= 41; i++)
		fprintf(stream, "line %d\n", i);
	fclose(stream);
}

/* The text of `first` to `last` of a.c is "text\n" …, that of others as in write_source. */
static uint32_t last_line_of(const char *const *texts, int first, int last)
{
	char here[4096], mapping[4200], file[128];
	const char *const mappings[] = {mapping};
	const struct annotation_options options = {.function = "work",
						   .context = UINT32_MAX,
						   .source_paths = mappings,
						   .source_path_count = 1};

	assert_non_null(getcwd(here, sizeof(here) - 64));
	snprintf(mapping, sizeof(mapping), "/nowhere/src=%s/%s", here, directory);
	snprintf(file, sizeof(file), "%s/a.c", directory);
	make_source();
	FILE *stream = fopen(file, "w");
	assert_non_null(stream);
	for (int i = 1; i <= 45; i++)
		if (i >= first && i <= last)
			fprintf(stream, "%s\n", texts[i - first]);
		else
			fprintf(stream, "\tline %d\n", i);
	fclose(stream);
	if (!annotate(options))
		fail_msg("%s", failure.message);
	/* The last row is the part that has no line. */
	return annotation.rows.data[annotation.rows.len - 2].line;
}

/* Line 10 is the first one that is known of work(), line 40 the last one. */
static void test_nothing_behind_the_function(void **state)
{
	(void)state;
	assert_int_equal(last_line_of((const char *const[]){"\t}", "}", "int next(void)"}, 40, 42),
			 40);
	assert_int_equal(last_line_of((const char *const[]){"\treturn;", "\t}", "", "int"}, 40, 43),
			 41);
	assert_int_equal(last_line_of((const char *const[]){"\treturn;", "\t\t}", "\t}"}, 40, 42),
			 42);
	assert_int_equal(last_line_of((const char *const[]){"\treturn;", "", "}"}, 40, 42), 42);
	assert_int_equal(last_line_of(NULL, 0, -1), 42);
}

static void test_source_text_and_gaps(void **state)
{
	char here[4096], mapping[4200];
	const char *const mappings[] = {mapping};
	struct annotation_options options = {
		.function = "work", .context = 1, .source_paths = mappings, .source_path_count = 1};

	(void)state;
	assert_non_null(getcwd(here, sizeof(here) - 64));
	snprintf(mapping, sizeof(mapping), "/nowhere/src=%s/%s", here, directory);
	make_source();
	write_source("a.c");
	assert_true(annotate(options));
	assert_string_equal(annotation.rows.data[0].text, "line 10");
	assert_row(1, 11, 0, 0);
	assert_row(2, 12, 5, 0);
	assert_row(5, 13, 0, 0);
	assert_int_equal(annotation.rows.data[6].kind, ANNOTATION_GAP);
	assert_int_equal(annotation.rows.data[6].left_out, 25);
	assert_row(8, 40, 1, 1);
	assert_string_equal(annotation.rows.data[8].text, "line 40");
	assert_note("changed after the recording");
	options.source_paths = (const char *const[]){"wrong"};
	assert_false(annotate(options));
	assert_int_equal(failure.code, ERROR_USAGE);
}

/*
 * work() at line 10, into which big() is inlined with 900 samples, of a run-time library and with
 * another function inside, and one() and two() with one sample each, one() with inner() inside.
 */
static void make_inlined(void)
{
	struct error err;
	struct profile_writer *writer = small_profile_open(path);
	const int64_t thread = small_thread(writer, small_process(writer, 1, "p"), 1, 0, 0);
	const int64_t module = small_module(writer, "/bin/p");
	const int64_t work = small_function(writer, module, "work", 0x100);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	static const struct profile_location_line lines[] = {
		{1, 0, "inside", 2, 7, 0}, {1, 1, "big", 2, 5, 0},   {1, 2, "work", 1, 10, 0},
		{2, 0, "big", 2, 5, 0},	   {2, 1, "work", 1, 10, 0}, {3, 0, "inner", 1, 4, 0},
		{3, 1, "one", 1, 3, 0},	   {3, 2, "work", 1, 10, 0}, {4, 0, "two", 1, 2, 0},
		{4, 1, "work", 1, 10, 0},
	};
	static const uint64_t samples[] = {600, 300, 1, 1};

	assert_int_equal(profile_add_source(writer, &(struct profile_source){"/nowhere/a.c"}, &err),
			 1);
	assert_int_equal(
		profile_add_source(writer, &(struct profile_source){"/usr/include/big.h"}, &err),
		2);
	for (size_t i = 0; i < COUNT(samples); i++) {
		const int64_t stack = small_stack(writer, 0, work, 0x110 + i);
		small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(thread, event, stack,
									       samples[i], 0, 0));
	}
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_true(profile_add_location_line(writer, &lines[i], &err));
	small_profile_commit_as(writer, "sample");
}

static void test_what_is_inlined_is_put_together(void **state)
{
	struct annotation_options options = {.function = "work", .context = 1};

	(void)state;
	make_inlined();
	assert_true(annotate(options));
	assert_int_equal(annotation.rows.len, 3);
	assert_row(0, 10, 902, 0);
	/* The run-time library's: its own, and what is inside. */
	assert_row(1, 5, 900, 900);
	assert_string_equal(annotation.rows.data[1].name, "big");
	assert_int_equal(annotation.rows.data[1].left_out, 1);
	assert_row(2, 0, 2, 2);
	assert_int_equal(annotation.rows.data[2].kind, ANNOTATION_SMALL);
	assert_int_equal(annotation.rows.data[2].left_out, 2);
	options.context = UINT32_MAX;
	assert_true(annotate(options));
	assert_int_equal(annotation.rows.len, 6);
	assert_row(1, 5, 900, 300);
	assert_row(2, 7, 600, 600);
}

static void test_unknown(void **state)
{
	const struct annotation_options near = {.function = "wrok"}, none = {.function = "zzzzzz"};
	const struct annotation_options idle = {.function = "idle"};

	(void)state;
	make_source();
	assert_false(annotate(near));
	assert_non_null(strstr(failure.message, "did you mean \"work\""));
	assert_false(annotate(none));
	assert_int_equal(failure.code, ERROR_NOT_FOUND);
	assert_false(annotate(idle));
	assert_non_null(strstr(failure.message, "no function with samples is called \"idle\""));
}

/* ---- instructions ---- */

static uint64_t address_of(const char *name, char *build_id)
{
	struct error err;
	struct object *object = object_open(program, OBJECT_SYMBOLS, &err);
	size_t count, size;

	assert_non_null(object);
	const struct object_symbol *symbols = object_symbols(object, &count);
	uint64_t found = 0;
	for (size_t i = 0; i < count; i++)
		if (strcmp(symbols[i].name, name) == 0)
			found = symbols[i].addr;
	const unsigned char *id = object_build_id(object, &size);
	for (size_t i = 0; id && i < size; i++)
		sprintf(build_id + 2 * i, "%02x", id[i]);
	object_close(object);
	return found;
}

/* Three samples about to call, four in the call, two at its end; one beyond the function. */
static void make_code(const char *build_id, uint64_t begin)
{
	struct error err;
	struct profile_writer *writer = small_profile_open(path);
	const int64_t thread = small_thread(writer, small_process(writer, 1, "p"), 1, 0, 0);
	const struct profile_module module = {
		.name = "test", .path = program, .build_id = build_id};
	const int64_t id = profile_add_module(writer, &module, &err);
	const struct profile_function row = {
		.module = id, .name = "annotated_code", .link_addr = begin, .size = 7};
	const int64_t function = profile_add_function(writer, &row, &err);
	const int64_t helper = small_function(writer, id, "annotated_helper", begin + 7);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t before = small_stack(writer, 0, function, begin + 1);
	const int64_t within = small_stack(writer, 0, function, begin + 5);
	const int64_t called = small_stack(writer, within, helper, begin + 7);
	const int64_t after = small_stack(writer, 0, function, begin + 6);
	const int64_t apart = small_stack(writer, 0, function, begin + 0x100000000);
	const struct profile_stack_value values[] = {SMALL_VALUE(thread, event, before, 3, 0, 0),
						     SMALL_VALUE(thread, event, called, 4, 0, 0),
						     SMALL_VALUE(thread, event, after, 2, 0, 0),
						     SMALL_VALUE(thread, event, apart, 1, 0, 0)};

	for (size_t i = 0; i < COUNT(values); i++)
		small_samples(writer, &values[i]);
	small_profile_commit_as(writer, "sample");
}

static void assert_code(size_t index, uint64_t addr, const char *text, uint64_t inclusive,
			uint64_t exclusive)
{
	const struct annotation_row *row = &annotation.rows.data[index];

	assert_int_equal(row->link_addr, addr);
	if (text)
		assert_non_null(strstr(row->text, text));
	else
		assert_null(row->text);
	assert_int_equal(row->values.amount[INCLUSIVE], inclusive);
	assert_int_equal(row->values.amount[EXCLUSIVE], exclusive);
}

static void test_instructions(void **state)
{
	const struct annotation_options options = {
		.function = "annotated_code", .assembly = true, .context = UINT32_MAX};
	char build_id[256] = "";
	const uint64_t begin = address_of("annotated_code", build_id);

	(void)state;
	assert_true(begin != 0);
	make_code(build_id, begin);
	assert_true(annotate(options));
	assert_int_equal(annotation.rows.len, 4);
	assert_code(0, begin, "nop", 0, 0);
	assert_code(1, begin + 1, "<annotated_helper>", 7, 3);
	assert_code(2, begin + 6, "ret", 2, 2);
	assert_code(3, begin + 0x100000000, NULL, 1, 1);
	/* In the list of all instructions, the call is one as well. */
	assert_int_equal(analysis->instructions.len, 4);
	assert_int_equal(analysis->instructions.data[0].link_addr, begin + 1);
	assert_int_equal(analysis->instructions.data[0].values.amount[INCLUSIVE], 7);
	assert_int_equal(analysis->instructions.data[0].values.amount[EXCLUSIVE], 3);
	assert_non_null(strstr(analysis->instructions.data[0].text, "<annotated_helper>"));
}

static void test_another_file(void **state)
{
	const struct annotation_options options = {
		.function = "annotated_code", .assembly = true, .context = UINT32_MAX};
	char build_id[256] = "";
	const uint64_t begin = address_of("annotated_code", build_id);

	(void)state;
	make_code("0123", begin);
	assert_true(annotate(options));
	/* The addresses that samples have. */
	assert_int_equal(annotation.rows.len, 4);
	assert_code(0, begin + 1, NULL, 3, 3);
	assert_code(1, begin + 5, NULL, 4, 0);
	assert_note("not the file that was recorded");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_source_lines, close_result),
		cmocka_unit_test_teardown(test_inlined_function, close_result),
		cmocka_unit_test_teardown(test_what_is_inlined_is_put_together, close_result),
		cmocka_unit_test_teardown(test_nothing_behind_the_function, close_result),
		cmocka_unit_test_teardown(test_source_text_and_gaps, close_result),
		cmocka_unit_test_teardown(test_unknown, close_result),
		cmocka_unit_test_teardown(test_instructions, close_result),
		cmocka_unit_test_teardown(test_another_file, close_result),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
