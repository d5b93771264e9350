/* Lines of fields: what is escaped, what is a number, and how large a file may be. */
#include "session/text_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_fields_come_back(void **state)
{
	static const char *const fields[] = {"plain", "", "a\tb\nc\\d", "\x01\x7f", "\\x41"};
	struct str text = {0};
	struct text_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		text_put_field(&text, fields[i]);
	text_end_line(&text);
	char *at = text.data;
	assert_true(text_next_line(&at, &line));
	/* a field is written with the tab before it, unless it is the first */
	const size_t first = line.count - sizeof(fields) / sizeof(*fields);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		assert_string_equal(text_field(&line, first + i), fields[i]);
	assert_string_equal(text_field(&line, line.count), "");
	assert_false(text_next_line(&at, &line));
	str_fini(&text);
}

static void test_escapes(void **state)
{
	char text[] = "a\\x41b\t\\x4\t\\x4g\t\\xg4\t\\y41\t\\\n";
	char *at = text;
	struct text_line line;

	(void)state;
	assert_true(text_next_line(&at, &line));
	assert_int_equal(line.count, 6);
	assert_string_equal(text_field(&line, 0), "aAb");
	assert_string_equal(text_field(&line, 1), "\\x4");
	assert_string_equal(text_field(&line, 2), "\\x4g");
	assert_string_equal(text_field(&line, 3), "\\xg4");
	assert_string_equal(text_field(&line, 4), "\\y41");
	assert_string_equal(text_field(&line, 5), "\\");
}

static void test_numbers(void **state)
{
	char text[] = "12\t0x1f\t12x\t\t-3\t 4\t18446744073709551615\t18446744073709551616\n";
	char *at = text;
	struct text_line line;
	uint64_t number;
	int64_t whole;

	(void)state;
	assert_true(text_next_line(&at, &line));
	assert_true(text_u64(&line, 0, &number));
	assert_int_equal(number, 12);
	assert_true(text_u64(&line, 1, &number));
	assert_int_equal(number, 0x1f);
	for (size_t i = 2; i < 6; i++)
		assert_false(text_u64(&line, i, &number));
	assert_true(text_u64(&line, 6, &number));
	assert_true(number == UINT64_MAX);
	assert_false(text_u64(&line, 7, &number));
	assert_false(text_u64(&line, 8, &number));
	assert_true(text_i64(&line, 4, &whole));
	assert_int_equal(whole, -3);
	assert_false(text_i64(&line, 2, &whole));
	assert_false(text_i64(&line, 3, &whole));
}

static void test_hex_numbers(void **state)
{
	char text[] = "0xffffffffffffffff\t0x10000000000000000\t0x\t0x1g\t0\t0x0\n";
	char *at = text;
	struct text_line line;
	uint64_t number;

	(void)state;
	assert_true(text_next_line(&at, &line));
	assert_true(text_u64(&line, 0, &number));
	assert_true(number == UINT64_MAX);
	for (size_t i = 1; i < 4; i++)
		assert_false(text_u64(&line, i, &number));
	for (size_t i = 4; i < 6; i++) {
		assert_true(text_u64(&line, i, &number));
		assert_int_equal(number, 0);
	}
}

static void test_sizes(void **state)
{
	char directory[] = "/tmp/tare-test-text-XXXXXX";
	struct error err;

	(void)state;
	assert_non_null(mkdtemp(directory));
	const int dir_fd = open(directory, O_RDONLY | O_DIRECTORY);
	const int fd = openat(dir_fd, "ten", O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	char *text = text_read_file(dir_fd, "ten", 10, &err);
	assert_non_null(text);
	assert_string_equal(text, "0123456789");
	free(text);
	assert_null(text_read_file(dir_fd, "ten", 9, &err));
	assert_non_null(strstr(err.message, "larger than the 9 bytes"));
	assert_int_equal(unlinkat(dir_fd, "ten", 0), 0);
	close(dir_fd);
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_come_back),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_hex_numbers),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
