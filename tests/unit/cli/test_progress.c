/* What is shown of instrumentation, when, and where: by a clock that the tests set. */
#include "cli/print.h"
#include "cli/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct progress progress;
static struct str text;

bool print_is_unicode(void)
{
	return false;
}

void print_passing(const char *line)
{
	str_printf(&text, "<%s>", line ? line : "erased");
}

void print_note(const struct command *command, const char *format, ...)
{
	va_list args;

	assert_null(command);
	va_start(args, format);
	str_vprintf(&text, format, args);
	va_end(args);
}

static int set_up(void **state)
{
	(void)state;
	progress_begin(&progress, NULL, false);
	progress.is_terminal = false;
	progress.begin_ms = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	str_fini(&text);
	return 0;
}

/* The file is being instrumented from `begin_ms` on. */
static void begin_file(const char *path, int64_t begin_ms, struct instrument_progress now)
{
	snprintf(progress.file, sizeof(progress.file), "%s", path);
	progress.file_begin_ms = begin_ms;
	progress.now = now;
	progress.goes_on = true;
}

/* What has been written since the last call. */
static const char *written(void)
{
	static char copy[1024];

	snprintf(copy, sizeof(copy), "%s", text.data ? text.data : "");
	str_clear(&text);
	return copy;
}

static void a_bar_after_a_second(void **state)
{
	(void)state;
	progress.is_terminal = true;
	begin_file("/lib/first\n.so", 0,
		   (struct instrument_progress){.done = 0.5, .file = 3, .files = 20});
	progress_look(&progress, 999);
	assert_string_equal(written(), "");
	progress_look(&progress, 1000);
	assert_string_equal(written(), "<instrumenting [###############...............]  50 % "
				       "file 3 of 20, first\\n.so, 1 s>");
	progress_look(&progress, 1050);
	assert_string_equal(written(), "");
	begin_file("/lib/second", 1060, (struct instrument_progress){.done = 2});
	progress_look(&progress, 11500);
	assert_string_equal(written(), "<instrumenting [##############################] 100 % "
				       "second, 11 s>");
	progress_erase(&progress);
	assert_string_equal(written(), "<erased>");
	progress_erase(&progress);
	progress_look(&progress, 12000);
	assert_string_equal(written(), "");
}

static void elsewhere_one_line_after_ten(void **state)
{
	(void)state;
	progress.kept = true;
	begin_file("/lib/first", 0, (struct instrument_progress){.file = 1, .files = 9});
	progress_look(&progress, 9999);
	assert_string_equal(written(), "");
	begin_file("/lib/second", 9999, (struct instrument_progress){.file = 2, .files = 9});
	progress_look(&progress, 10000);
	assert_string_equal(written(), "instrumenting takes a while: file 2 of 9, "
				       "second; the next recording finds it done");
	progress_look(&progress, 60000);
	assert_string_equal(written(), "");
	progress_erase(&progress);
	assert_string_equal(written(), "");
}

static void the_commands_terminal_gets_one_line(void **state)
{
	const struct instrument_progress running = {.running = true};

	(void)state;
	progress.is_terminal = true;
	begin_file("/lib/first", 50000, running);
	progress_look(&progress, 59999);
	begin_file("/lib/second", 60000, running);
	progress_look(&progress, 69999);
	assert_string_equal(written(), "");
	progress_look(&progress, 70000);
	assert_string_equal(written(), "a process waits until a file is instrumented: "
				       "second");
	progress_look(&progress, 90000);
	assert_string_equal(written(), "");
}

static void the_commands_files_and_pipes_get_nothing(void **state)
{
	(void)state;
	begin_file("/lib/first", 0, (struct instrument_progress){.running = true});
	progress_look(&progress, 100000);
	assert_string_equal(written(), "");
}

static void nothing_if_quiet(void **state)
{
	struct progress quiet;

	(void)state;
	progress_begin(&quiet, NULL, true);
	progress_show(&(struct instrument_progress){.path = "/lib/first"}, &quiet);
	progress_look(&quiet, quiet.begin_ms + 100000);
	assert_false(quiet.has_thread || quiet.told || quiet.shown);
	progress_erase(&quiet);
	progress_end(&quiet);
}

static bool is_shown(void)
{
	pthread_mutex_lock(&progress.lock);
	const bool shown = progress.shown;
	pthread_mutex_unlock(&progress.lock);
	return shown;
}

/* One word, and no more while a pass takes long: the bar comes all the same. */
static void the_clock_goes_on_by_itself(void **state)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	(void)state;
	progress.is_terminal = true;
	progress_show(&(struct instrument_progress){.path = "/lib/first"}, &progress);
	for (int i = 0; i < 60000 && !is_shown(); i++)
		nanosleep(&pause, NULL);
	assert_true(is_shown());
	progress_show(&(struct instrument_progress){.path = "/lib/first", .done = 1}, &progress);
	progress_end(&progress);
	assert_false(progress.shown);
	assert_non_null(strstr(written(), "first"));
}

int main(void)
{
#define shown(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		shown(a_bar_after_a_second),
		shown(elsewhere_one_line_after_ten),
		shown(the_commands_terminal_gets_one_line),
		shown(the_commands_files_and_pipes_get_nothing),
		shown(nothing_if_quiet),
		shown(the_clock_goes_on_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
