/* What is kept is found again by its name, in folders of this user alone; the oldest goes. */
#include "cache/derived.h"
#include "tests/support/own_directory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char cache[] = "/tmp/tare-test-derived-XXXXXX";

static const char *at(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/tare/derived%s%s", cache, *name ? "/" : "", name);
	return path;
}

static int set_up(void **state)
{
	(void)state;
	return own_directory_make(cache) ? setenv("XDG_CACHE_HOME", cache, 1) : -1;
}

static int tear_down(void **state)
{
	struct error ignored;

	(void)state;
	directory_remove(cache, &ignored);
	return 0;
}

static void expect(const char *name, const char *text)
{
	struct file_view view;

	assert_true(derived_open(name, &view));
	assert_int_equal(view.size, strlen(text));
	assert_memory_equal(view.data, text, view.size);
	file_view_close(&view);
}

static void test_what_is_kept_is_found(void **state)
{
	struct file_view view;

	(void)state;
	assert_false(derived_open("a", &view));
	derived_keep("a", "first", 5);
	derived_keep("b", "second", 6);
	expect("a", "first");
	expect("b", "second");
	assert_false(derived_open("c", &view));
	setenv("XDG_CACHE_HOME", "/nowhere", 1);
	assert_false(derived_open("a", &view));
}

static void test_only_own_files_are_believed(void **state)
{
	struct file_view view;

	(void)state;
	derived_keep("a", "first", 5);
	assert_int_equal(symlink("a", at("link")), 0);
	assert_false(derived_open("link", &view));
	assert_int_equal(chmod(at(""), 0777), 0);
	assert_false(derived_open("a", &view));
	derived_keep("b", "second", 6);
	assert_int_equal(access(at("b"), F_OK), -1);
	assert_int_equal(chmod(at(""), 0700), 0);
	expect("a", "first");
}

static void make_large(const char *name, time_t used)
{
	const struct timespec times[2] = {{.tv_sec = used}, {.tv_sec = used}};
	const int fd = open(at(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(ftruncate(fd, DERIVED_LIMIT_BYTES / 2), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static void test_what_was_used_last_stays(void **state)
{
	struct file_view view;

	(void)state;
	derived_keep("a", "first", 5);
	make_large("old", 1000);
	make_large("older", 900);
	make_large("new", 2000);
	derived_keep("b", "second", 6);
	assert_int_equal(access(at("older"), F_OK), -1);
	assert_int_equal(access(at("old"), F_OK), -1);
	assert_int_equal(access(at("new"), F_OK), 0);
	expect("a", "first");
	/* To be read is to be used. */
	make_large("other", 1500);
	assert_true(derived_open("other", &view));
	file_view_close(&view);
	derived_keep("c", "third", 5);
	assert_int_equal(access(at("other"), F_OK), 0);
	assert_int_equal(access(at("new"), F_OK), -1);
}

int main(void)
{
#define DERIVED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		DERIVED_TEST(test_what_is_kept_is_found),
		DERIVED_TEST(test_only_own_files_are_believed),
		DERIVED_TEST(test_what_was_used_last_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
