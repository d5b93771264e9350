/* Output that appears only when complete, private directories, removal. */
#include "base/file.h"

#include "base/arena.h"
#include "base/file_view.h"
#include "base/str.h"
#include "tests/support/own_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-test-file-XXXXXX";
static size_t write_most_bytes; /* of one call; 0: any number */

/* The linker puts these in the places of the C library's. */
ssize_t __real_pwrite64(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t size, off_t offset);

ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t size, off_t offset)
{
	if (write_most_bytes && size > write_most_bytes)
		size = write_most_bytes;
	return __real_pwrite64(fd, bytes, size, offset);
}

static const char *at(const char *name)
{
	static char path[2][256];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", directory, name);
	return path[turn];
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static size_t entries_in(const char *path)
{
	DIR *dir = opendir(path);
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static int set_up(void **state)
{
	(void)state;
	return own_directory_make(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

static void output_appears_at_commit(void **state)
{
	struct file_output out;
	struct file_view view;
	struct stat info;
	struct error err = {0};

	(void)state;
	assert_true(file_output_open(&out, at("out"), &err));
	assert_int_equal(access(at("out"), F_OK), -1);
	assert_int_equal(fstat(out.fd, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_true(file_output_write(&out, "hello world", 11, &err));
	assert_true(file_output_commit(&out, 0755, &err));
	assert_int_equal(entries_in(directory), 1);
	assert_true(file_view_open(&view, at("out"), &err));
	assert_int_equal(view.size, 11);
	assert_memory_equal(view.data, "hello world", 11);
	assert_int_equal(view.mode, 0755);
	file_view_close(&view);
	file_output_discard(&out);
	assert_int_equal(access(at("out"), F_OK), 0);
}

static void discarded_output_leaves_the_old_file(void **state)
{
	struct file_output out;
	struct file_view view;
	struct error err = {0};

	(void)state;
	write_file(at("out"), "old");
	assert_true(file_output_open(&out, at("out"), &err));
	assert_true(file_output_write(&out, "newer", 5, &err));
	file_output_discard(&out);
	file_output_discard(&out);
	assert_int_equal(entries_in(directory), 1);
	assert_true(file_view_open(&view, at("out"), &err));
	assert_memory_equal(view.data, "old", 3);
	file_view_close(&view);
}

static void zeros_become_holes(void **state)
{
	enum { SIZE = (16 << 20) + 100 };
	unsigned char *bytes = calloc(1, SIZE);
	struct file_output out;
	struct file_view view;
	struct stat info;
	struct error err = {0};

	(void)state;
	bytes[5 << 20] = 1;
	bytes[(9 << 20) + FILE_PAGE_BYTES - 1] = 2;
	bytes[(9 << 20) + FILE_PAGE_BYTES] = 3;
	for (int last = 0; last < 2; last++) {
		bytes[SIZE - 1] = (unsigned char)last; /* the file ends with a hole, or with data */
		assert_true(file_output_open(&out, at("out"), &err));
		assert_true(file_output_write(&out, bytes, SIZE, &err));
		assert_true(file_output_commit(&out, 0600, &err));
		assert_int_equal(stat(at("out"), &info), 0);
		assert_true(info.st_blocks * 512 < 1 << 20);
		assert_true(file_view_open(&view, at("out"), &err));
		assert_int_equal(view.size, SIZE);
		assert_memory_equal(view.data, bytes, SIZE);
		file_view_close(&view);
	}
	free(bytes);
}

/* The kernel may write less than it is asked to. */
static void output_in_pieces_is_whole(void **state)
{
	static unsigned char bytes[3 * FILE_PAGE_BYTES];
	struct file_output out;
	struct file_view view;
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i % 251);
	assert_true(file_output_open(&out, at("out"), &err));
	write_most_bytes = 1000;
	const bool ok = file_output_write(&out, bytes, sizeof(bytes), &err);
	write_most_bytes = 0;
	assert_true(ok);
	assert_true(file_output_commit(&out, 0600, &err));
	assert_true(file_view_open(&view, at("out"), &err));
	assert_int_equal(view.size, sizeof(bytes));
	assert_memory_equal(view.data, bytes, sizeof(bytes));
	file_view_close(&view);
}

static void extents_are_runs_of_pages(void **state)
{
	unsigned char bytes[5 * FILE_PAGE_BYTES + 7] = {0};
	size_t begin = 0, end = 0;

	(void)state;
	assert_false(file_next_extent(bytes, 0, &begin, &end));
	assert_false(file_next_extent(bytes, sizeof(bytes), &begin, &end));
	bytes[FILE_PAGE_BYTES] = bytes[3 * FILE_PAGE_BYTES - 1] = bytes[sizeof(bytes) - 1] = 1;
	assert_true(file_next_extent(bytes, sizeof(bytes), &begin, &end));
	assert_int_equal(begin, FILE_PAGE_BYTES);
	assert_int_equal(end, 3 * FILE_PAGE_BYTES);
	begin = end;
	assert_true(file_next_extent(bytes, sizeof(bytes), &begin, &end));
	assert_int_equal(begin, 5 * FILE_PAGE_BYTES);
	assert_int_equal(end, sizeof(bytes));
	begin = end;
	assert_false(file_next_extent(bytes, sizeof(bytes), &begin, &end));
}

static void output_without_a_place_fails(void **state)
{
	struct file_output out;
	struct error err = {0};

	(void)state;
	assert_false(file_output_open(&out, at("no/such/dir"), &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	/* A directory in the way shows only at the rename. */
	assert_int_equal(mkdir(at("out"), 0700), 0);
	assert_true(file_output_open(&out, at("out"), &err));
	assert_false(file_output_commit(&out, 0644, &err));
	assert_non_null(strstr(err.message, "out"));
	assert_int_equal(entries_in(directory), 1);
}

static void full_file_system_is_an_error(void **state)
{
	const struct rlimit small = {4096, RLIM_INFINITY};
	struct rlimit before;
	struct file_output out;
	struct error err = {0};
	char block[8192];

	(void)state;
	memset(block, 'x', sizeof(block)); /* the first half is written, the second is not */
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_true(file_output_open(&out, at("out"), &err));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	const bool ok = file_output_write(&out, block, sizeof(block), &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_false(ok);
	assert_int_equal(err.code, ERROR_SYSTEM);
	file_output_discard(&out);
	assert_int_equal(entries_in(directory), 0);
}

static void private_directory_and_parents(void **state)
{
	struct stat info;
	struct error err = {0};

	(void)state;
	assert_true(directory_create_private(at("a/b/c"), &err));
	assert_int_equal(stat(at("a/b/c"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	assert_true(directory_create_private(at("a/b/c"), &err));
}

static void foreign_places_are_refused(void **state)
{
	struct error err = {0};

	(void)state;
	write_file(at("file"), "");
	assert_false(directory_create_private(at("file"), &err));
	assert_false(directory_create_private(at("file/below"), &err));
	assert_int_equal(mkdir(at("real"), 0700), 0);
	assert_int_equal(symlink(at("real"), at("link")), 0);
	assert_false(directory_create_private(at("link"), &err));
	assert_int_equal(err.code, ERROR_INPUT);
	assert_int_equal(mkdir(at("open"), 0700), 0);
	assert_true(directory_create_private(at("open"), &err));
	assert_int_equal(chmod(at("open"), 0755), 0);
	assert_true(directory_create_private(at("open"), &err));
	/* The group, and all. */
	for (size_t i = 0; i < 2; i++) {
		err = (struct error){0};
		assert_int_equal(chmod(at("open"), i ? 0702 : 0720), 0);
		assert_false(directory_create_private(at("open"), &err));
		assert_int_equal(err.code, ERROR_PERMISSION);
	}
}

static void another_users_directory_is_refused(void **state)
{
	struct error err = {0};

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: only root can give a directory to another user\n");
		skip();
	}
	assert_int_equal(mkdir(at("theirs"), 0700), 0);
	assert_int_equal(chown(at("theirs"), 65534, 65534), 0);
	assert_false(directory_create_private(at("theirs"), &err));
	assert_int_equal(err.code, ERROR_PERMISSION);
}

static void removal_does_not_follow_links(void **state)
{
	struct error err = {0};

	(void)state;
	assert_true(directory_create_private(at("keep"), &err));
	write_file(at("keep/file"), "x");
	assert_true(directory_create_private(at("gone/deep"), &err));
	write_file(at("gone/deep/file"), "x");
	assert_int_equal(symlink(at("keep"), at("gone/link")), 0);
	assert_true(directory_remove(at("gone"), &err));
	assert_int_equal(access(at("gone"), F_OK), -1);
	assert_int_equal(access(at("keep/file"), F_OK), 0);
	assert_true(directory_remove(at("gone"), &err));
}

int main(void)
{
#define in_directory(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		in_directory(output_appears_at_commit),
		in_directory(discarded_output_leaves_the_old_file),
		in_directory(zeros_become_holes),
		in_directory(output_in_pieces_is_whole),
		in_directory(extents_are_runs_of_pages),
		in_directory(output_without_a_place_fails),
		in_directory(full_file_system_is_an_error),
		in_directory(private_directory_and_parents),
		in_directory(foreign_places_are_refused),
		in_directory(another_users_directory_is_refused),
		in_directory(removal_does_not_follow_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
