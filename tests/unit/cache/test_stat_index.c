/* Digests of files that have not changed are known; of those that changed a moment ago they are
 * not. */
#include "cache/stat_index.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 4096, LONG_AGO = 1000 };

static char base[] = "/tmp/tare-test-stat-index-XXXXXX";
static struct cache cache;
static int fd;
static struct stat settled;
static char first[DIGEST_TEXT_BYTES];

static void fill(char byte)
{
	char bytes[SIZE];

	memset(bytes, byte, sizeof(bytes));
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), 0), SIZE);
}

static void digest_of(const struct stat *info, enum stat_index_kind kind, char *digest)
{
	assert_true(stat_index_digest(&cache, fd, info, kind, digest));
}

/* A file that is known as it was long ago. */
static int set_up(void **state)
{
	char root[sizeof(base) + 8];
	struct error err;

	(void)state;
	strcpy(strrchr(base, '-'), "-XXXXXX");
	assert_non_null(mkdtemp(base));
	snprintf(root, sizeof(root), "%s/cache", base);
	assert_true(cache_open(&cache, root, 1 << 20, &err));
	snprintf(root, sizeof(root), "%s/file", base);
	fd = open(root, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	fill('a');
	assert_int_equal(fstat(fd, &settled), 0);
	settled.st_mtim.tv_sec -= LONG_AGO;
	settled.st_ctim.tv_sec -= LONG_AGO;
	digest_of(&settled, STAT_INDEX_WHOLE, first);
	fill('b');
	return 0;
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	close(fd);
	cache_close(&cache);
	return directory_remove(base, &err) ? 0 : -1;
}

static void a_known_file_is_not_read(void **state)
{
	char digest[DIGEST_TEXT_BYTES];

	(void)state;
	digest_of(&settled, STAT_INDEX_WHOLE, digest);
	assert_string_equal(digest, first);
}

static void each_sort_of_digest_is_its_own(void **state)
{
	char sparse[DIGEST_TEXT_BYTES], digest[DIGEST_TEXT_BYTES];

	(void)state;
	digest_of(&settled, STAT_INDEX_SPARSE, sparse);
	assert_string_not_equal(sparse, first);
	fill('c');
	digest_of(&settled, STAT_INDEX_SPARSE, digest);
	assert_string_equal(digest, sparse);
	digest_of(&settled, STAT_INDEX_WHOLE, digest);
	assert_string_equal(digest, first);
}

static void a_changed_file_is_read(void **state)
{
	char digest[DIGEST_TEXT_BYTES];
	struct stat changed = settled;

	(void)state;
	changed.st_ctim.tv_nsec ^= 1;
	digest_of(&changed, STAT_INDEX_WHOLE, digest);
	assert_string_not_equal(digest, first);
}

/* It may change again without a new time. */
static void a_file_of_this_moment_is_always_read(void **state)
{
	char digest[DIGEST_TEXT_BYTES], again[DIGEST_TEXT_BYTES];
	struct stat now = settled;

	(void)state;
	now.st_ctim.tv_sec = time(NULL);
	digest_of(&now, STAT_INDEX_WHOLE, digest);
	fill('c');
	digest_of(&now, STAT_INDEX_WHOLE, again);
	assert_string_not_equal(digest, again);
}

int main(void)
{
#define INDEX_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		INDEX_TEST(a_known_file_is_not_read),
		INDEX_TEST(each_sort_of_digest_is_its_own),
		INDEX_TEST(a_changed_file_is_read),
		INDEX_TEST(a_file_of_this_moment_is_always_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
