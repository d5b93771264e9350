/* The row of the run: losses by the names, and in the units, that JSON has. */
#include "report/export/fleet.h"

#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The table `run` of a thread that has these losses, where two ticks are a nanosecond. */
static char *run_of(const struct profile_thread *losses)
{
	struct profile_writer *writer = small_profile_open(path);
	struct profile_session session = small_profile_session();
	struct profile_thread thread = *losses;
	struct error err = {0};
	char *text = NULL;
	size_t size = 0;

	session.ticks_per_second = 2e9;
	thread.process = small_process(writer, 5, "p");
	thread.tid = 5;
	thread.begin_ticks = 1500;
	thread.end_ticks = 2500;
	assert_true(profile_add_thread(writer, &thread, &err));
	small_require(profile_write_session(writer, &session, &err), &err);
	small_require(profile_writer_commit(writer, &err), &err);
	analysed_open(NULL);
	FILE *stream = open_memstream(&text, &size);
	assert_true(fleet_write(analysis, &(struct export_options){.table = "run"}, stream, &err));
	fclose(stream);
	return text;
}

/* Interrupted intervals and switched stacks are counted, but no losses. */
static void test_without_key(void **state)
{
	char *text = run_of(&(struct profile_thread){.flagged = 5719, .stack_switches = 2});

	(void)state;
	assert_null(strstr(text, "null"));
	assert_null(strstr(text, "5719"));
	assert_non_null(strstr(text, ",1,\"\",\"0.1.0\","));
	free(text);
}

static void test_losses(void **state)
{
	char *text = run_of(&(struct profile_thread){
		.dropped = 3, .flagged = 5719, .off_ticks = 1000, .cut = 7});

	(void)state;
	assert_non_null(strstr(text, ",\"events_dropped=3 off_ns=500 calls_ended_while_off=7\","));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_without_key, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_losses, analysed_begin, analysed_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
