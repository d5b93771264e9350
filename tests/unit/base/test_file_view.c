/* Views of whole files: what they have, that they share a mapping, and how long that stays. */
#include "base/file_view.h"

#include "base/file.h"
#include "tests/support/own_directory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-test-view-XXXXXX";

static const char *at(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static struct file_view view_of(const char *name)
{
	struct file_view view;
	struct error err = {0};

	assert_true(file_view_open(&view, at(name), &err));
	return view;
}

/* Of mappings whose file has such a name. */
static size_t mapped_count(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	size_t count = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		count += strstr(line, directory) && strstr(line, name);
	fclose(maps);
	return count;
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

static void whole_file_is_mapped(void **state)
{
	struct file_view view;
	struct error err = {0};

	(void)state;
	write_file(at("f"), "content");
	assert_int_equal(chmod(at("f"), 0640), 0);
	assert_true(file_view_open(&view, at("f"), &err));
	assert_int_equal(view.size, 7);
	assert_memory_equal(view.data, "content", 7);
	assert_int_equal(view.mode, 0640);
	file_view_close(&view);
	file_view_close(&view);
}

static void empty_file_has_no_data(void **state)
{
	struct file_view view;
	struct error err = {0};

	(void)state;
	write_file(at("empty"), "");
	assert_true(file_view_open(&view, at("empty"), &err));
	assert_int_equal(view.size, 0);
	assert_null(view.data);
	file_view_close(&view);
}

static void what_is_no_file_is_refused(void **state)
{
	struct file_view view;
	struct error err = {0};

	(void)state;
	assert_false(file_view_open(&view, at("missing"), &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_non_null(strstr(err.message, "missing"));
	assert_false(file_view_open(&view, directory, &err));
	assert_int_equal(err.code, ERROR_INPUT);
	/* Opening a FIFO must not wait for a writer. */
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	assert_false(file_view_open(&view, at("fifo"), &err));
	assert_int_equal(err.code, ERROR_INPUT);
}

static void views_share_a_mapping(void **state)
{
	(void)state;
	write_file(at("shared"), "first");
	struct file_view one = view_of("shared"), other = view_of("shared");
	assert_ptr_equal(one.data, other.data);
	file_view_close(&one);
	assert_memory_equal(other.data, "first", 5);
	const void *data = other.data;
	file_view_close(&other);
	one = view_of("shared");
	assert_ptr_equal(one.data, data);
	file_view_close(&one);
}

/* What is written into the file is seen by those who have it, and by others. */
static void what_is_written_is_seen(void **state)
{
	const struct timespec times[] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	(void)state;
	write_file(at("written"), "first");
	assert_int_equal(utimensat(AT_FDCWD, at("written"), times, 0), 0);
	struct file_view before = view_of("written");
	const int fd = open(at("written"), O_WRONLY);
	assert_int_equal(pwrite(fd, "later", 5, 0), 5);
	close(fd);
	struct file_view behind = view_of("written");
	assert_ptr_not_equal(before.data, behind.data);
	assert_memory_equal(before.data, "later", 5);
	assert_memory_equal(behind.data, "later", 5);
	file_view_close(&before);
	file_view_close(&behind);
}

static void one_that_grew_is_another(void **state)
{
	(void)state;
	write_file(at("grows"), "short");
	struct file_view before = view_of("grows");
	write_file(at("grows"), "much longer");
	struct file_view behind = view_of("grows");
	assert_int_equal(behind.size, 11);
	assert_memory_equal(behind.data, "much longer", 11);
	assert_ptr_not_equal(before.data, behind.data);
	file_view_close(&before);
	file_view_close(&behind);
}

static void one_in_its_place_is_another(void **state)
{
	(void)state;
	write_file(at("place"), "old");
	struct file_view old = view_of("place");
	file_view_close(&old);
	char from[256];
	snprintf(from, sizeof(from), "%s", at("new"));
	write_file(from, "new");
	assert_int_equal(rename(from, at("place")), 0);
	struct file_view view = view_of("place");
	assert_memory_equal(view.data, "new", 3);
	file_view_close(&view);
}

static void few_stay_mapped(void **state)
{
	enum { FILES = 3 * FILE_VIEWS_KEPT };
	struct file_view views[FILES];
	char name[32];

	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "many%zu", i);
		write_file(at(name), name);
		views[i] = view_of(name);
	}
	assert_int_equal(mapped_count("many"), FILES);
	for (size_t i = 0; i < FILES; i++)
		file_view_close(&views[i]);
	assert_int_equal(mapped_count("many"), FILE_VIEWS_KEPT);
	/* The last ones. */
	assert_int_equal(mapped_count(name), 1);
}

static void large_ones_do_not_stay(void **state)
{
	(void)state;
	write_file(at("large"), "x");
	assert_int_equal(truncate(at("large"), (off_t)FILE_VIEW_KEPT_BYTES + 1), 0);
	struct file_view view = view_of("large");
	assert_int_equal(mapped_count("large"), 1);
	file_view_close(&view);
	assert_int_equal(mapped_count("large"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_file_is_mapped),
		cmocka_unit_test(empty_file_has_no_data),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(views_share_a_mapping),
		cmocka_unit_test(what_is_written_is_seen),
		cmocka_unit_test(one_that_grew_is_another),
		cmocka_unit_test(one_in_its_place_is_another),
		cmocka_unit_test(few_stay_mapped),
		cmocka_unit_test(large_ones_do_not_stay),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
