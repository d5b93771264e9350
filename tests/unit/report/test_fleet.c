/* Tables of a fleet: cells that no name breaks, and hashes that stay what they are documented to
 * be. */
#include "report/export/fleet.h"
#include "report/export/fleet_sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_text(const char *text, const char *expected)
{
	struct fleet_sheet sheet = {.columns = 1};

	sheet_text(&sheet, text);
	assert_string_equal(sheet.row.data, expected);
	str_fini(&sheet.row);
	str_fini(&sheet.text);
}

static void test_text(void **state)
{
	(void)state;
	expect_text(NULL, "\"\"");
	expect_text("", "\"\"");
	expect_text("main", "\"main\"");
	expect_text("a,b", "\"a,b\"");
	expect_text("say \"hi\"", "\"say \"\"hi\"\"\"");
	expect_text("\"", "\"\"\"\"");
	expect_text("a\tb\nc\r", "\"a\\tb\\nc\\r\"");
	expect_text("a\\b", "\"a\\b\"");
	expect_text("\\N", "\"\\N\"");
	expect_text("bad \xff\xc3", "\"bad \\xff\\xc3\"");
	expect_text("gr\xc3\xb6\xc3\x9f"
		    "er",
		    "\"gr\xc3\xb6\xc3\x9f"
		    "er\"");
}

static void test_row(void **state)
{
	char *data = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&data, &size);
	struct fleet_sheet sheet = {.stream = stream, .columns = 8};

	(void)state;
	for (int row = 0; row < 2; row++) {
		sheet_number(&sheet, 0);
		sheet_number(&sheet, UINT64_MAX);
		sheet_signed(&sheet, INT64_MIN);
		sheet_signed(&sheet, -1);
		sheet_real(&sheet, 2.5);
		sheet_real(&sheet, __builtin_nan(""));
		sheet_made(&sheet, "x,y", 2);
		sheet_end(&sheet);
	}
	fclose(stream);
	assert_string_equal(data, "0,18446744073709551615,-9223372036854775808,-1,2.5,0,x,y\n"
				  "0,18446744073709551615,-9223372036854775808,-1,2.5,0,x,y\n");
	free(data);
	str_fini(&sheet.row);
}

/* Values that tests/golden/fleet computes in another language. */
static void test_hashes(void **state)
{
	(void)state;
	const uint64_t main = fleet_function_hash("work", "main");
	assert_int_equal(main, 1355821859330139612);
	assert_int_equal(fleet_path_hash(0, main), 7424085645352528978);
	assert_int_not_equal(fleet_function_hash("wor", "kmain"), main);
	assert_int_not_equal(fleet_path_hash(fleet_path_hash(0, main), main),
			     fleet_path_hash(0, main));
	assert_true(fleet_function_hash("", "") <= INT64_MAX);
	assert_int_equal(fleet_function_hash(NULL, NULL), fleet_function_hash("", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_row),
		cmocka_unit_test(test_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
