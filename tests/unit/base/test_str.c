/* Text buffers, affixes, base names and the distance behind "did you mean". */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void appending_grows_and_terminates(void **state)
{
	struct str str = {0};

	(void)state;
	for (int i = 0; i < 10000; i++) {
		str_append(&str, "ab");
		assert_int_equal(str.data[str.len], 0);
	}
	assert_int_equal(str.len, 20000);
	assert_int_equal(strlen(str.data), 20000);
	str_clear(&str);
	assert_string_equal(str.data, "");
	str_append_bytes(&str, "x\0y", 3);
	assert_int_equal(str.len, 3);
	assert_memory_equal(str.data, "x\0y", 4);
	str_fini(&str);
	assert_null(str.data);
}

static void lengths_around_the_capacity(void **state)
{
	char text[300];

	(void)state;
	memset(text, 'z', sizeof(text));
	for (size_t length = 0; length < sizeof(text); length++) {
		struct str str = {0};
		str_append_bytes(&str, text, length);
		assert_int_equal(strlen(str.data), length);
		str_append(&str, "!");
		assert_int_equal(str.len, length + 1);
		assert_int_equal(str.data[length], '!');
		str_fini(&str);
	}
}

static void formatted_text(void **state)
{
	struct str str = {0};

	(void)state;
	str_printf(&str, "%d", 1);
	str_printf(&str, "%s", "");
	str_printf(&str, "%200s|", "r");
	assert_int_equal(str.len, 202);
	assert_int_equal(str.data[0], '1');
	assert_string_equal(str.data + 199, " r|");
	str_fini(&str);
}

static void clearing_an_unused_buffer(void **state)
{
	struct str str = {0};

	(void)state;
	str_clear(&str);
	assert_null(str.data);
	str_fini(&str);
}

static void affixes(void **state)
{
	(void)state;
	assert_true(str_starts_with("libc.so.6", "libc"));
	assert_true(str_starts_with("x", ""));
	assert_false(str_starts_with("lib", "libc"));
	assert_true(str_ends_with("a.tare", ".tare"));
	assert_true(str_ends_with("", ""));
	assert_false(str_ends_with("are", "tare"));
	assert_string_equal(path_basename("/usr/bin/x"), "x");
	assert_string_equal(path_basename("x"), "x");
	assert_string_equal(path_basename("dir/"), "");
}

static void distances(void **state)
{
	char text[200];

	(void)state;
	assert_int_equal(str_distance("", ""), 0);
	assert_int_equal(str_distance("functions", "functions"), 0);
	assert_int_equal(str_distance("fucntions", "functions"), 1);
	assert_int_equal(str_distance("kitten", "sitting"), 3);
	assert_int_equal(str_distance("", "abc"), 3);
	assert_int_equal(str_distance("abc", ""), 3);
	assert_int_equal(str_distance("a cat", "an abct"), 4);
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	assert_int_equal(str_distance(text, "a"), 199);
	assert_int_equal(str_distance(text + 199 - 64, text + 199 - 63), 1);
	assert_int_equal(str_distance(text + 199 - 64, text + 199 - 64), 0);
	assert_int_equal(str_distance(text + 199 - 65, text + 199 - 65), 65); /* not looked at */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appending_grows_and_terminates),
		cmocka_unit_test(lengths_around_the_capacity),
		cmocka_unit_test(formatted_text),
		cmocka_unit_test(clearing_an_unused_buffer),
		cmocka_unit_test(affixes),
		cmocka_unit_test(distances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
