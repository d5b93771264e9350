/* source_text: lines of a file, replaced prefixes, and why a file is not shown. */
#include "object/source_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];

static const char *write_file(const char *name, const char *bytes, size_t size)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	return path;
}

static void assert_line(const struct source_text *text, size_t number, const char *expected)
{
	size_t length;
	const char *line = source_text_line(text, number, &length);

	assert_non_null(line);
	assert_int_equal(length, strlen(expected));
	assert_memory_equal(line, expected, length);
}

static void test_lines(void **state)
{
	static const char bytes[] = "one\n\r\n\nfour\r\nlast";
	struct source_text text;
	struct error err;
	size_t length;

	(void)state;
	assert_true(
		source_text_open(&text, NULL, write_file("a.c", bytes, sizeof(bytes) - 1), &err));
	assert_line(&text, 1, "one");
	assert_line(&text, 2, "");
	assert_line(&text, 3, "");
	assert_line(&text, 4, "four");
	assert_line(&text, 5, "last");
	assert_null(source_text_line(&text, 0, &length));
	assert_null(source_text_line(&text, 6, &length));
	assert_true(text.modified_unix_ns > 0);
	source_text_close(&text);
	assert_true(source_text_open(&text, NULL, write_file("empty.c", "", 0), &err));
	assert_null(source_text_line(&text, 1, &length));
	source_text_close(&text);
}

static void test_refused(void **state)
{
	struct source_text text;
	struct error err;

	(void)state;
	assert_false(source_text_open(&text, NULL, write_file("b.c", "a\0b", 3), &err));
	assert_non_null(strstr(err.message, "is not text"));
	assert_false(source_text_open(&text, NULL, directory, &err));
	assert_non_null(strstr(err.message, "is not a regular file"));
	assert_false(source_text_open(&text, NULL, "/nonexistent/a.c", &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_false(source_text_open(&text, NULL, "a.c", &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	const char *path = write_file("large.c", "", 0);
	assert_int_equal(truncate(path, SOURCE_BYTES_MAX + 1), 0);
	assert_false(source_text_open(&text, NULL, path, &err));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
}

static void assert_mapped(const struct source_prefixes *prefixes, const char *path,
			  const char *expected)
{
	struct str mapped = {0};

	source_path_map(prefixes, path, &mapped);
	assert_string_equal(mapped.data, expected);
	str_fini(&mapped);
}

static void test_prefixes(void **state)
{
	struct source_prefixes prefixes = {0};
	struct source_text text;
	struct arena arena;
	struct error err;
	char option[128];

	(void)state;
	arena_init(&arena);
	assert_false(source_prefix_parse(&prefixes, &arena, "/build", &err));
	assert_non_null(strstr(err.message, "FROM=TO"));
	assert_false(source_prefix_parse(&prefixes, &arena, "=/x", &err));
	assert_false(source_prefix_parse(&prefixes, &arena, "/x=", &err));
	assert_true(source_prefix_parse(&prefixes, &arena, "/build=/home/me", &err));
	assert_true(source_prefix_parse(&prefixes, &arena, "/build/b/=/b", &err));
	assert_mapped(&prefixes, "/build/a/a.c", "/home/me/a/a.c");
	assert_mapped(&prefixes, "/build", "/home/me");
	assert_mapped(&prefixes, "/builder/a.c", "/builder/a.c");
	assert_mapped(&prefixes, "/build/b/a.c", "/b/a.c");
	assert_mapped(NULL, "/build/a.c", "/build/a.c");
	write_file("c.c", "text\n", 5);
	snprintf(option, sizeof(option), "src=%s", directory);
	assert_true(source_prefix_parse(&prefixes, &arena, option, &err));
	assert_true(source_text_open(&text, &prefixes, "src/c.c", &err));
	assert_line(&text, 1, "text");
	source_text_close(&text);
	vec_fini(&prefixes);
	arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_prefixes),
	};
	struct error err;

	strcpy(directory, "/tmp/tare-source-XXXXXX");
	if (!mkdtemp(directory))
		return 1;
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	return directory_remove(directory, &err) ? failed : 1;
}
