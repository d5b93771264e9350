/* What is shown of servers that are asked for debug files: by a clock that the tests set. */
#include "cli/fetch_progress.h"
#include "cli/print.h"
#include "record/debug_servers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct fetch_progress progress;
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

void debug_servers_ask(const struct debug_servers *servers)
{
	assert_ptr_equal(servers->context, &progress);
}

static void look(const char *file, long done, long all, int64_t now_ms, const char *expected)
{
	str_clear(&text);
	str_append(&text, "");
	fetch_progress_look(&progress, file, (const long[]){done, all}, now_ms);
	assert_string_equal(text.data, expected);
}

static void begin(bool quiet, bool is_terminal)
{
	fetch_progress_begin(&progress, NULL, quiet);
	progress.is_terminal = is_terminal;
}

static void a_line_on_a_terminal(void **state)
{
	(void)state;
	begin(false, true);
	look("/lib/first\n.so", 0, 0, 5000, "");
	look("/lib/first\n.so", 0, 0, 5999, "");
	look("/lib/first\n.so", 1, 0, 6000,
	     "<asking debuginfod servers for the names of first\\n.so, 1 s>");
	look("/lib/first\n.so", 1500000, 12000000, 6099, "");
	look("/lib/first\n.so", 1500000, 12000000, 6100,
	     "<asking debuginfod servers for the names of first\\n.so, 1.5 of 12.0 MB, 1 s>");
	look(NULL, 0, 0, 6101, "<erased>");
	/* Each file has its own second. */
	look("/lib/second.so", 0, 0, 9000, "");
	look("/lib/second.so", 0, 0, 9500, "");
	look(NULL, 0, 0, 9600, "");
}

static void a_note_elsewhere(void **state)
{
	(void)state;
	begin(false, false);
	look("/lib/first.so", 0, 0, 1000, "");
	look("/lib/first.so", 0, 0, 5999, "");
	look("/lib/first.so", 0, 0, 6000,
	     "asking debuginfod servers for the names of first.so takes a while; --no-debuginfod "
	     "does without");
	look("/lib/first.so", 0, 0, 60000, "");
	look(NULL, 0, 0, 60000, "");
}

static void nothing_if_quiet(void **state)
{
	(void)state;
	for (int is_terminal = 0; is_terminal < 2; is_terminal++) {
		begin(true, is_terminal);
		look("/lib/first.so", 0, 0, 1000, "");
		look("/lib/first.so", 0, 0, 60000, "");
		look(NULL, 0, 0, 60000, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_on_a_terminal),
		cmocka_unit_test(a_note_elsewhere),
		cmocka_unit_test(nothing_if_quiet),
	};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	str_fini(&text);
	return failed;
}
