/* The rows of functions: calls that no call path has, of one process and of several. */
#include "report/export/fleet.h"

#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* `timed` has a path with one call of the hundred that were counted, `counted` none. */
static char *functions_of(int processes)
{
	const struct small_node nodes[] = {{.thread = 1}, {1, 1, 1, 1, 5000, 0, 0, 0}};
	struct profile_writer *writer = small_profile_open(path);
	struct error err = {0};
	char *text = NULL;
	size_t size = 0;

	for (int i = 0; i < processes; i++)
		small_thread(writer, small_process(writer, 5 + i, "p"), 5 + i, i ? 0 : 5000, 0);
	const int64_t module = small_module(writer, "/bin/p");
	for (int i = 0; i < 2; i++) {
		const int64_t function =
			small_function(writer, module, i ? "counted" : "timed", 16 + 16 * i);
		const struct profile_counted row = {
			.process = 1, .thread = 1, .function = function, .entered = 100};
		assert_true(profile_add_counted(writer, &row, &err));
	}
	small_nodes(writer, nodes, 2);
	small_profile_commit(writer);
	analysed_open(NULL);
	FILE *stream = open_memstream(&text, &size);
	assert_true(
		fleet_write(analysis, &(struct export_options){.table = "function"}, stream, &err));
	fclose(stream);
	return text;
}

/* How many rows are of the process, and have the function with so many calls. */
static int count_rows(const char *text, int process, const char *name, int address, int calls)
{
	char origin[64], values[128];
	int found = 0;

	snprintf(origin, sizeof(origin), ",-1,\"\",0,%d,", process);
	snprintf(values, sizeof(values), "\"%s\",\"%s\",\"\",0,%d,%d,\"exact\",", name, name,
		 address, calls);
	char *copy = strdup(text), *rest = copy;
	for (char *line; (line = strsep(&rest, "\n"));)
		found += strstr(line, origin) && strstr(line, values);
	free(copy);
	return found;
}

static size_t lines_of(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void test_one_process(void **state)
{
	char *text = functions_of(1);

	(void)state;
	assert_int_equal(count_rows(text, 1, "timed", 16, 100), 1);
	assert_int_equal(count_rows(text, 1, "counted", 32, 100), 1);
	assert_int_equal(lines_of(text), 3);
	free(text);
}

static void test_two_processes(void **state)
{
	char *text = functions_of(2);

	(void)state;
	assert_int_equal(count_rows(text, 1, "timed", 16, 1), 1);
	assert_int_equal(count_rows(text, 0, "timed", 16, 99), 1);
	assert_int_equal(count_rows(text, 0, "counted", 32, 100), 1);
	assert_int_equal(lines_of(text), 4);
	free(text);
}

static void test_unknown_table(void **state)
{
	struct error err = {0};

	(void)state;
	free(functions_of(1));
	assert_false(
		fleet_write(analysis, &(struct export_options){.table = "functoin"}, NULL, &err));
	assert_non_null(strstr(err.message, "did you mean \"function\"?"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_process, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_two_processes, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_unknown_table, analysed_begin, analysed_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
