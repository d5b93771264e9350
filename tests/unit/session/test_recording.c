/* The recording file: written line by line, read back, cut off, damaged. */
#include "session/recording_file.h"

#include "session/session_dir.h"
#include "tests/support/own_directory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-test-recording-XXXXXX";
static struct session session;

static int set_up(void **state)
{
	struct error err;

	(void)state;
	return own_directory_make(directory) && session_open(&session, directory, &err) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	session_close(&session, true);
	return 0;
}

static void write_recording(void)
{
	struct recording recording;
	struct error err;
	const struct recording_module module = {.path = "/bin/a\tb\nc",
						.copy = "/cache/a",
						.entry = "/cache",
						.refusal = "",
						.stat = "1 2"};

	assert_true(recording_create(&recording, session.fd, &err));
	recording_put_text(&recording, "command_line", "a 'b\\\n'");
	recording_put_number(&recording, "begin_ticks", 1234567890123);
	recording_put_number(&recording, "follow", 0);
	recording_put_clock(&recording);
	recording_put_module(&recording, &module);
	recording_put_number(&recording, "exit_status", 3);
	assert_false(recording.failed);
	recording_fini(&recording);
}

static void test_round_trip(void **state)
{
	struct recording recording;
	struct error err = {0};

	(void)state;
	write_recording();
	if (!recording_read(&recording, session.fd, &err))
		fail_msg("%s", err.message);
	assert_string_equal(recording.command_line, "a 'b\\\n'");
	assert_string_equal(recording.host, "");
	assert_int_equal(recording.begin_ticks, 1234567890123);
	assert_false(recording.follow);
	assert_true(recording.exited);
	assert_int_equal(recording.exit_status, 3);
	assert_int_equal(recording.clock.len, 1);
	assert_int_equal(recording.modules.len, 1);
	assert_string_equal(recording.modules.data[0].path, "/bin/a\tb\nc");
	assert_ptr_equal(recording_find(&recording, "/cache/a"), recording.modules.data);
	assert_ptr_equal(recording_find(&recording, "/bin/a\tb\nc"), recording.modules.data);
	assert_null(recording_find(&recording, ""));
	recording_fini(&recording);
}

static void test_every_cut_is_readable_or_refused(void **state)
{
	struct recording recording;
	struct error err;
	bool read_some = false;

	(void)state;
	write_recording();
	const int fd = openat(session.fd, "recording", O_RDWR);
	assert_true(fd >= 0);
	for (off_t size = lseek(fd, 0, SEEK_END) - 1; size >= 0; size--) {
		assert_int_equal(ftruncate(fd, size), 0);
		if (!recording_read(&recording, session.fd, &err))
			continue;
		read_some = true;
		assert_false(recording.exited);
		recording_fini(&recording);
	}
	close(fd);
	assert_true(read_some);
	assert_non_null(strstr(err.message, "not the directory of a recording"));
}

static void test_no_recording_at_all(void **state)
{
	struct recording recording;
	struct error err;

	(void)state;
	assert_false(recording_read(&recording, session.fd, &err));
	assert_non_null(strstr(err.message, "not the directory of a recording"));
}

int main(void)
{
#define RECORDING_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		RECORDING_TEST(test_round_trip),
		RECORDING_TEST(test_every_cut_is_readable_or_refused),
		RECORDING_TEST(test_no_recording_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
