/* Error sentences: codes, errno texts, prefixes, cutting at the buffer's end. */
#include "base/error.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void set_formats_and_returns_false(void **state)
{
	struct error err = {0};

	(void)state;
	assert_false(error_set(&err, ERROR_INPUT, "%s is no ELF file", "/bin/x"));
	assert_int_equal(err.code, ERROR_INPUT);
	assert_string_equal(err.message, "/bin/x is no ELF file");
}

static void errno_decides_code_and_ends_the_sentence(void **state)
{
	const struct {
		int errno_value;
		enum error_code code;
		const char *text;
	} cases[] = {
		{ENOENT, ERROR_NOT_FOUND, "cannot open f: No such file or directory"},
		{ENOTDIR, ERROR_NOT_FOUND, "cannot open f: Not a directory"},
		{EACCES, ERROR_PERMISSION, "cannot open f: Permission denied"},
		{EPERM, ERROR_PERMISSION, "cannot open f: Operation not permitted"},
		{ENOSPC, ERROR_SYSTEM, "cannot open f: No space left on device"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error err = {0};
		assert_false(error_set_errno(&err, cases[i].errno_value, "cannot open %s", "f"));
		assert_int_equal(err.code, cases[i].code);
		assert_string_equal(err.message, cases[i].text);
	}
}

static void prefix_keeps_code_and_rest(void **state)
{
	struct error err = {0};

	(void)state;
	error_set(&err, ERROR_UNSUPPORTED, "no unwind tables");
	assert_false(error_prefix(&err, "%s", "libx.so"));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	assert_string_equal(err.message, "libx.so: no unwind tables");
}

static void long_text_is_cut_and_terminated(void **state)
{
	char text[3 * ERROR_MESSAGE_BYTES];
	struct error err = {0};

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	error_set(&err, ERROR_INPUT, "%s", text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_BYTES - 1);
	error_set_errno(&err, EIO, "%s", text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_BYTES - 1);
	error_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_BYTES - 1);
	error_set(&err, ERROR_INPUT, "short");
	error_prefix(&err, "%.*s", ERROR_MESSAGE_BYTES - 4, text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_BYTES - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_formats_and_returns_false),
		cmocka_unit_test(errno_decides_code_and_ends_the_sentence),
		cmocka_unit_test(prefix_keeps_code_and_rest),
		cmocka_unit_test(long_text_is_cut_and_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
