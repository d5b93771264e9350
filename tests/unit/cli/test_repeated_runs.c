/* Names of the outputs of several runs, and which statuses end them. */
#include "cli/repeated_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(int64_t count, const char *output, int64_t number, const char *expected)
{
	const struct repeated_runs runs = {
		.count = count, .output = output, .command = "/usr/bin/prog"};
	struct str path = {0};

	repeated_runs_output(&runs, number, &path);
	assert_string_equal(path.data, expected);
	str_fini(&path);
}

static void test_names(void **state)
{
	(void)state;
	expect(3, NULL, 1, "prog.1.tare");
	expect(9, "a/new.tare", 9, "a/new.9.tare");
	expect(10, "a/new.tare", 9, "a/new.09.tare");
	expect(10, "new", 10, "new.10.tare");
	expect(1000, "new.tare.gz", 7, "new.tare.gz.0007.tare");
}

static void test_statuses(void **state)
{
	(void)state;
	assert_false(repeated_runs_end_at(0));
	assert_false(repeated_runs_end_at(1));
	assert_false(repeated_runs_end_at(128 + 11));
	assert_true(repeated_runs_end_at(128 + 1));
	assert_true(repeated_runs_end_at(130));
	assert_true(repeated_runs_end_at(131));
	assert_true(repeated_runs_end_at(143));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
