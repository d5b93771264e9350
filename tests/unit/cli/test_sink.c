/* Files of commands' output: whole or not at all, and for whom. */
#include "cli/sink.h"
#include "tests/support/own_directory.h"

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

static char directory[] = "/tmp/tare-test-sink-XXXXXX";
static char path[64];

static int set_up(void **state)
{
	(void)state;
	umask(0022);
	if (!own_directory_make(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/out", directory);
	return 0;
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

static mode_t mode_of_output(unsigned flags)
{
	struct sink sink;
	struct stat info;
	struct error err;

	assert_true(sink_open(&sink, path, flags, &err));
	fputs("text", sink.stream);
	assert_true(sink_close(&sink, true, &err));
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_size, 4);
	return info.st_mode & 07777;
}

static void test_modes(void **state)
{
	(void)state;
	assert_int_equal(mode_of_output(0), 0644);
	assert_int_equal(mode_of_output(SINK_PRIVATE), 0600);
	umask(0027);
	assert_int_equal(mode_of_output(0), 0640);
}

static void set_file_limit(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A part in the middle found no room, and the end did: the old file stays. */
static void test_outputs_with_a_gap_are_discarded(void **state)
{
	static char block[1 << 20];
	struct sink sink;
	struct error err = {0};
	struct stat info;

	(void)state;
	mode_of_output(0);
	signal(SIGXFSZ, SIG_IGN);
	memset(block, 'x', sizeof(block));
	assert_true(sink_open(&sink, path, 0, &err));
	set_file_limit(4096);
	fwrite(block, 1, sizeof(block), sink.stream);
	fflush(sink.stream);
	set_file_limit(RLIM_INFINITY);
	fputs("end", sink.stream);
	assert_false(sink_close(&sink, true, &err));
	assert_non_null(strstr(err.message, path));
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_size, 4);
}

/* The command has failed for another reason, which it tells itself. */
static void test_outputs_of_failures_are_discarded(void **state)
{
	struct sink sink;
	struct error err = {0};

	(void)state;
	assert_true(sink_open(&sink, path, 0, &err));
	fputs("half", sink.stream);
	assert_false(sink_close(&sink, false, &err));
	assert_int_equal(access(path, F_OK), -1);
	assert_string_equal(err.message, "");
}

int main(void)
{
#define SINK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		SINK_TEST(test_modes),
		SINK_TEST(test_outputs_with_a_gap_are_discarded),
		SINK_TEST(test_outputs_of_failures_are_discarded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
