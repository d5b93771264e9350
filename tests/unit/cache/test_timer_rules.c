/* Unwind rules of a file are made once: in the cache where its contents are settled, else in the
 * session. */
#include "cache/timer_rules.h"

#include "abi/timer.h"
#include "base/file_view.h"
#include "tests/support/own_directory.h"
#include "unwind/rule_table.h"

#include <dirent.h>
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

static char folder[] = "/tmp/tare-test-rules-XXXXXX";
static struct session session;
static struct timer_rules rules;
static char session_folder[64], cache_folder[64], file[64];
static const char settled[] = "/bin/true";

static void copy_file(const char *from, const char *to)
{
	struct error err;
	struct file_view view;
	FILE *out = fopen(to, "w");

	assert_non_null(out);
	assert_true(file_view_open(&view, from, &err));
	assert_int_equal(fwrite(view.data, 1, view.size, out), view.size);
	assert_int_equal(fclose(out), 0);
	file_view_close(&view);
}

static int set_up(void **state)
{
	struct error err;

	(void)state;
	if (!own_directory_make(folder) || setenv("XDG_CACHE_HOME", folder, 1) < 0)
		return -1;
	snprintf(session_folder, sizeof(session_folder), "%s/session", folder);
	snprintf(cache_folder, sizeof(cache_folder), "%s/tare/derived/", folder);
	snprintf(file, sizeof(file), "%s/file", folder);
	if (mkdir(session_folder, 0700) < 0 || !session_open(&session, session_folder, &err))
		return -1;
	copy_file(settled, file);
	return 0;
}

static int tear_down(void **state)
{
	struct error ignored;

	(void)state;
	directory_remove(folder, &ignored);
	return 0;
}

static int begin(void **state)
{
	(void)state;
	unlinkat(session.fd, "rules.0", 0); /* of the test before */
	unlinkat(session.fd, "rules.1", 0);
	timer_rules_init(&rules);
	return 0;
}

static int end(void **state)
{
	(void)state;
	timer_rules_fini(&rules);
	return 0;
}

/* A table, in that folder, that is one and for nobody else. */
static char *get(const char *path, const char *copy, const char *where)
{
	struct error err;
	struct file_view view;
	struct stat info;
	const char *found = timer_rules_get(&rules, &session, path, copy);

	assert_non_null(found);
	if (strncmp(found, where, strlen(where)) != 0)
		fail_msg("%s is not in %s", found, where);
	assert_int_equal(stat(found, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_true(file_view_open(&view, found, &err));
	assert_true(unwind_table_check((const void *)view.data, view.size));
	file_view_close(&view);
	return strdup(found);
}

static void test_settled_are_kept(void **state)
{
	struct stat before, after;

	(void)state;
	char *first = get(settled, NULL, cache_folder);
	assert_int_equal(stat(first, &before), 0);
	assert_string_equal(timer_rules_get(&rules, &session, settled, NULL), first);
	end(state);
	begin(state);
	char *again = get(settled, NULL, cache_folder);
	assert_string_equal(again, first);
	assert_int_equal(stat(again, &after), 0);
	assert_int_equal(after.st_ino, before.st_ino);
	free(first);
	free(again);
}

/* It may be written again within the same time stamp; a copy in the cache is not. */
static void test_new_files_are_not_kept(void **state)
{
	(void)state;
	free(get(file, NULL, session_folder));
	end(state);
	begin(state);
	free(get(settled, file, cache_folder));
}

static void test_without_the_cache(void **state)
{
	(void)state;
	rules.in_session = true;
	char *first = get(settled, NULL, session_folder);
	free(get(settled, file, session_folder));
	assert_string_equal(timer_rules_get(&rules, &session, settled, NULL), first);
	free(first);
}

/* The kernel's code in each process is no file. */
static void test_vdso(void **state)
{
	(void)state;
	free(get("/" TARE_TIMER_VDSO, NULL, session_folder));
}

static void test_no_rules(void **state)
{
	(void)state;
	assert_null(timer_rules_get(&rules, &session, "/etc/passwd", NULL));
	assert_null(timer_rules_get(&rules, &session, "/no/such/file", NULL));
	assert_null(timer_rules_get(&rules, &session, "/no/such/file", NULL));
}

/* Another program, of the same path: what tells them apart is asked each time. */
static void test_changed_file(void **state)
{
	(void)state;
	char *first = get(settled, file, cache_folder);
	struct error err;
	struct file_view view;

	assert_int_equal(unlink(file), 0);
	copy_file("/bin/sh", file);
	char *second = get(settled, file, cache_folder);
	assert_string_not_equal(first, second);
	assert_true(file_view_open(&view, first, &err));
	file_view_close(&view);
	free(first);
	free(second);
}

static bool is_followed(const char *path)
{
	const char *base = strrchr(path, '/');

	return strstr(base, ".code.") != NULL;
}

static int kept_count(void)
{
	DIR *entries = opendir(cache_folder);
	int count = 0;

	assert_non_null(entries);
	while (readdir(entries))
		count++;
	closedir(entries);
	return count;
}

/* What is known of a file holds for its copies, too, those that are made later included. */
static void test_code_is_followed(void **state)
{
	(void)state;
	char *before = get(settled, NULL, cache_folder);
	assert_false(is_followed(before));
	timer_rules_follow_code(settled, NULL);
	assert_string_equal(timer_rules_get(&rules, &session, settled, NULL), before);
	end(state);
	begin(state);
	char *after = get(settled, NULL, cache_folder);
	char *copied = get(settled, file, cache_folder);
	assert_true(is_followed(after));
	assert_true(is_followed(copied));
	assert_string_not_equal(after, copied);
	const int kept = kept_count();
	char other[96];
	snprintf(other, sizeof(other), "%s/other", folder);
	copy_file(settled, other);
	timer_rules_follow_code(other, NULL); /* it may change yet */
	assert_int_equal(kept_count(), kept);
	timer_rules_follow_code("/no/such/file", NULL);
	free(before);
	free(after);
	free(copied);
}

int main(void)
{
#define RULES_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		RULES_TEST(test_settled_are_kept),  RULES_TEST(test_new_files_are_not_kept),
		RULES_TEST(test_without_the_cache), RULES_TEST(test_vdso),
		RULES_TEST(test_no_rules),	    RULES_TEST(test_changed_file),
		RULES_TEST(test_code_is_followed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
