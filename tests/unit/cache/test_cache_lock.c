/*
 * The lock of a key when its holder lets go at the worst moment: between the opening of the file
 * and the lock. Whoever takes it then must not hold the lock of a file that nobody finds any more.
 */
#include "cache/cache_lock.h"
#include "tests/support/own_directory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char key[] = "0123456789abcdef";

static char base[] = "/tmp/tare-test-cache-lock-XXXXXX";
static struct cache cache;
static char lock_path[128];
static int removals; /* still to come */

/* The linker puts these in the places of the C library's. */
int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
	if (operation == (LOCK_EX | LOCK_NB) && removals > 0) {
		removals--;
		assert_int_equal(unlink(lock_path), 0);
	}
	return __real_flock(fd, operation);
}

static int set_up(void **state)
{
	struct error err;
	char root[64];

	(void)state;
	if (!own_directory_make(base))
		return -1;
	snprintf(root, sizeof(root), "%s/cache", base);
	snprintf(lock_path, sizeof(lock_path), "%s/lock/%s", root, key);
	if (!cache_open(&cache, root, 1 << 20, &err))
		return -1;
	cache.limit_ms = 0;
	return 0;
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	removals = 0;
	cache_close(&cache);
	return directory_remove(base, &err) ? 0 : -1;
}

static enum cache_lock_result take(struct cache_lock *lock)
{
	struct error err;

	return cache_lock_take(&cache, key, "a program", lock, &err);
}

static void test_lock_of_a_removed_file_is_none(void **state)
{
	struct cache_lock first, second;
	struct stat held, named;

	(void)state;
	removals = 2;
	assert_int_equal(take(&first), CACHE_LOCK_TAKEN);
	assert_int_equal(removals, 0);
	assert_int_equal(fstat(first.fd, &held), 0);
	assert_int_equal(stat(lock_path, &named), 0);
	assert_int_equal(held.st_ino, named.st_ino);
	assert_int_equal(take(&second), CACHE_LOCK_BUSY);
	cache_lock_release(&cache, &first);
	assert_int_equal(access(lock_path, F_OK), -1);
	assert_int_equal(take(&second), CACHE_LOCK_TAKEN);
	cache_lock_release(&cache, &second);
}

static void test_trim_leaves_what_is_held(void **state)
{
	struct cache_lock lock;

	(void)state;
	assert_int_equal(take(&lock), CACHE_LOCK_TAKEN);
	cache_lock_trim(&cache);
	assert_int_equal(access(lock_path, F_OK), 0);
	cache_lock_release(&cache, &lock);
}

int main(void)
{
#define LOCK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		LOCK_TEST(test_lock_of_a_removed_file_is_none),
		LOCK_TEST(test_trim_leaves_what_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
