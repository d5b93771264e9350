/* Files of many modules that are read at once are what each is alone. */
#include "resolve/module_files.h"

#include "resolve/resolve.h"

#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROUNDS = 8 };

static void expect_symbols(const struct object *object, const struct object *alone)
{
	size_t count, count_alone;

	object_symbols(object, &count);
	object_symbols(alone, &count_alone);
	assert_int_equal(count, count_alone);
	assert_true(count > 0);
}

/* Often enough the C library that it is worth other threads. */
static void test_many(void **state)
{
	Dl_info info;
	char libc[PATH_MAX], self[PATH_MAX];
	struct module_files alone = {.path = libc}, many[4 * ROUNDS] = {{0}};

	(void)state;
	assert_int_not_equal(dladdr((void *)abort, &info), 0);
	assert_non_null(realpath(info.dli_fname, libc));
	assert_non_null(realpath("/proc/self/exe", self));
	for (size_t i = 0; i < ROUNDS; i++) {
		many[4 * i].path = libc;
		many[4 * i + 1].path = "/nowhere/at/all";
		many[4 * i + 2].path = RESOLVE_VDSO_PATH;
		many[4 * i + 3].path = self;
	}
	module_files_read(&alone);
	module_files_read_all(many, 4 * ROUNDS);
	for (size_t i = 0; i < ROUNDS; i++) {
		expect_symbols(many[4 * i].object, alone.object);
		assert_null(many[4 * i + 1].object);
		assert_non_null(many[4 * i + 2].object);
		assert_string_equal(object_path(many[4 * i + 3].object), self);
	}
	for (size_t i = 0; i < 4 * ROUNDS; i++)
		module_files_fini(&many[i]);
	module_files_fini(&alone);
	module_files_read_all(NULL, 0);
}

/* Without an entry of the cache that can be read nothing is known of its functions. */
static void test_no_entry(void **state)
{
	const struct recording_module known = {.path = "/nowhere",
					       .copy = "",
					       .entry = "/nowhere/entry",
					       .refusal = "",
					       .stat = ""};
	struct module_files files = {.path = known.path, .known = &known};

	(void)state;
	module_files_read(&files);
	assert_null(files.object);
	assert_false(files.covered);
	module_files_fini(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_no_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
