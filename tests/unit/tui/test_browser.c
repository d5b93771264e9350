/*
 * Keys and what they show, without a terminal: rows, order, search, open and closed calls; names
 * that anybody has chosen; any keys at any size.
 */
#include "report/words/name.h"
#include "tests/support/small_profile.h"
#include "tui/browser.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];
static struct browser browser;
static struct browser_screen screen;
static const struct analysis_options all;
static struct report_options shown = {
	.unicode = true, .color = true, .limit = REPORT_LIMIT_DEFAULT};
static struct tui_options options;

/* Two threads of one name: main calls parse and evaluate, which calls itself and tiny. */
static void write_profile(void)
{
	static const struct small_node nodes[] = {
		{.thread = 1, .elapsed = 10},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 100},
		{.thread = 1, .parent = 2, .function = 2, .calls = 7, .elapsed = 4000},
		{.thread = 1, .parent = 2, .function = 3, .calls = 5, .elapsed = 300},
		{.thread = 1, .parent = 4, .function = 3, .calls = 4, .elapsed = 200},
		{.thread = 1, .parent = 5, .function = 4, .calls = 900, .elapsed = 2000},
		{.thread = 2, .elapsed = 20},
		{.thread = 2, .parent = 7, .function = 3, .calls = 2, .elapsed = 70},
		{.thread = 2, .parent = 8, .function = 5, .calls = 1, .elapsed = 3},
	};
	struct profile_writer *writer = small_profile_open(path);

	small_process(writer, 100, "work");
	small_thread(writer, 1, 101, 6610, 0);
	small_thread(writer, 1, 102, 93, 0);
	small_module(writer, "/usr/bin/work");
	small_function(writer, 1, "main", 0x1000);
	small_function(writer, 1, "parse", 0x1100);
	small_function(writer, 1, "evaluate", 0x1200);
	small_function(writer, 1, "tiny", 0x1300);
	small_function(writer, 1, "bad\033[2J\n\x9b\xe2\x80\xae\xe4\xb8\xad\xcc\x81[x]*", 0x1400);
	small_nodes(writer, nodes, sizeof(nodes) / sizeof(nodes[0]));
	small_profile_commit(writer);
}

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "test_browser.%ld.tare", (long)getpid());
	write_profile();
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void open_at(const char *view)
{
	struct error err = {0};

	options = (struct tui_options){
		.path = path, .view = view, .selection = &all, .report = &shown};
	if (!browser_open(&browser, &options, &err))
		fail_msg("%s", err.message);
	browser_resize(&browser, 100, 20);
	if (!browser_begin(&browser, &err))
		fail_msg("%s", err.message);
}

static void close_it(void)
{
	browser_screen_fini(&screen);
	browser_close(&browser);
}

static void press(const char *keys)
{
	for (; *keys; keys++)
		browser_press(&browser, *keys);
}

/* The line without its styles. */
static const char *plain(const char *text)
{
	static char line[8192];
	size_t length = 0;

	while (*text && length + 1 < sizeof(line)) {
		if (text[0] == '\033') {
			text += strcspn(text, "m") + 1;
			continue;
		}
		line[length++] = *text++;
	}
	line[length] = 0;
	return line;
}

/* Whether a line of the screen has it. */
static bool shows(const char *text)
{
	browser_draw(&browser, &screen);
	vec_foreach (line, &screen.lines)
		if (strstr(plain(line->text), text))
			return true;
	return false;
}

/* The line at the cursor has it. */
static void is_at(const char *text)
{
	browser_draw(&browser, &screen);
	vec_foreach (line, &screen.lines) {
		if (!line->is_current)
			continue;
		if (!strstr(plain(line->text), text))
			fail_msg("the cursor is at \"%s\", not at %s", plain(line->text), text);
		return;
	}
	fail_msg("there is no cursor, which should be at %s", text);
}

/* The names of the functions in the order of the rows. */
static void has_rows(const char *expected)
{
	const struct tui_page *page = browser_page(&browser);
	struct str names = {0};

	vec_foreach (row, &page->rows) {
		const char *name = row->heading	       ? "|"
				   : row->row.function ? row->row.function->name
				   : row->row.thread   ? "thread"
				   : row->row.process  ? "process"
						       : "outside";
		str_printf(&names, "%s%.8s", names.len ? " " : "", name);
	}
	assert_string_equal(names.data ? names.data : "", expected);
	str_fini(&names);
}

#define BAD "bad\033[2J\n"

static void test_functions(void **state)
{
	(void)state;
	open_at("functions");
	has_rows("parse tiny evaluate main " BAD);
	is_at("parse");
	browser_press(&browser, TUI_KEY_DOWN);
	is_at("tiny");
	browser_press(&browser, TUI_KEY_END);
	browser_press(&browser, TUI_KEY_DOWN);
	assert_int_equal(browser_page(&browser)->cursor, 4);
	browser_press(&browser, TUI_KEY_HOME);
	browser_press(&browser, TUI_KEY_UP);
	is_at("parse");
	press("r");
	has_rows(BAD " main evaluate tiny parse");
	press("r");
	has_rows("parse tiny evaluate main " BAD);
	/* By each column once and back to the first. */
	const char *first = mem_strdup(tui_page_order(browser_page(&browser)));
	bool by_name = false;
	for (int i = 0; i < 12; i++) {
		press("s");
		by_name |= strcmp(tui_page_order(browser_page(&browser)), "+function") == 0;
	}
	assert_true(by_name);
	while (strcmp(tui_page_order(browser_page(&browser)), "+function") != 0)
		press("S");
	has_rows(BAD " evaluate main parse tiny");
	free((char *)first);
	close_it();
}

static void test_columns(void **state)
{
	(void)state;
	open_at("functions");
	assert_true(shows(" % "));
	assert_true(shows("Calls"));
	press("p");
	assert_false(shows("Calls"));
	assert_true(shows("excl %"));
	press("p");
	assert_false(shows("excl %"));
	assert_true(shows("Calls"));
	press("p");
	press(">");
	assert_int_equal(browser_page(&browser)->shift, 8);
	press("<<");
	assert_int_equal(browser_page(&browser)->shift, 0);
	close_it();
}

static void test_callers(void **state)
{
	(void)state;
	open_at("functions");
	press("/eval\n");
	is_at("evaluate");
	press("\n");
	has_rows("| main evaluate outside | evaluate | evaluate tiny " BAD);
	assert_true(shows("callers of evaluate"));
	/* Over headings, and on to a callee. */
	browser_press(&browser, TUI_KEY_UP);
	browser_press(&browser, TUI_KEY_UP);
	assert_int_equal(browser_page(&browser)->cursor, 1);
	browser_press(&browser, TUI_KEY_END);
	browser_press(&browser, TUI_KEY_UP);
	is_at("tiny");
	press("c");
	assert_true(shows("callers of tiny"));
	browser_press(&browser, TUI_KEY_ESCAPE);
	assert_true(shows("callers of evaluate"));
	browser_press(&browser, TUI_KEY_BACK);
	has_rows("parse tiny evaluate main " BAD);
	browser_press(&browser, TUI_KEY_BACK);
	assert_true(shows("this is the first page"));
	/* What cannot be annotated says why, and stays. */
	press("a");
	assert_true(shows("the view annotate needs samples or call sites"));
	has_rows("parse tiny evaluate main " BAD);
	close_it();
}

static void test_tree(void **state)
{
	(void)state;
	open_at("calltree");
	/* Open along the hot path. */
	has_rows("process thread main parse evaluate thread");
	press("E");
	has_rows("process");
	press("\n");
	has_rows("process thread thread");
	browser_press(&browser, TUI_KEY_RIGHT); /* open: to the first below */
	browser_press(&browser, TUI_KEY_RIGHT);
	has_rows("process thread main thread");
	browser_press(&browser, TUI_KEY_LEFT);
	has_rows("process thread thread");
	browser_press(&browser, TUI_KEY_LEFT);
	assert_int_equal(browser_page(&browser)->cursor, 0);
	/* Rows that are closed are searched, too, and in both directions. */
	press("/TINY\n");
	has_rows("process thread main parse evaluate evaluate tiny thread");
	is_at("tiny");
	press("/eval\n");
	assert_true(shows("found from the begin on") || browser_page(&browser)->cursor == 8);
	has_rows("process thread main parse evaluate evaluate tiny thread evaluate");
	press("N");
	assert_int_equal(browser_page(&browser)->cursor, 5);
	press("N");
	assert_int_equal(browser_page(&browser)->cursor, 4);
	press("/nothing such\n");
	assert_true(shows("\"nothing such\" is nowhere on this page"));
	/* Siblings are sorted, what is below them stays there. */
	press("r");
	has_rows("process thread evaluate thread main evaluate evaluate tiny parse");
	close_it();
}

static void test_search_backward_opens(void **state)
{
	(void)state;
	open_at("calltree");
	press("E/tiny\nENN");
	is_at("tiny");
	close_it();
}

static void test_inverted(void **state)
{
	(void)state;
	open_at("functions");
	press("4");
	has_rows("parse main tiny evaluate main outside " BAD);
	browser_press(&browser, TUI_KEY_DOWN);
	browser_press(&browser, TUI_KEY_DOWN);
	is_at("tiny");
	press("e");
	has_rows("parse main tiny evaluate evaluate main evaluate main outside " BAD);
	close_it();
}

static void begin_filtered(const char *view)
{
	open_at(view);
	has_rows("tiny");
	assert_true(shows("rows of "));
	press("3"); /* with what stands above it */
	has_rows("process thread main evaluate");
	press("/tiny\n");
	has_rows("process thread main evaluate evaluate tiny");
	press("/parse\n");
	assert_true(shows("\"parse\" is nowhere on this page"));
	press("4"); /* with what is above it in the tree */
	has_rows("tiny evaluate evaluate main");
	close_it();
}

/* By name and by a condition, as the command line has it. */
static void test_filters(void **state)
{
	static const char *const names[] = {"tiny"}, *const conditions[] = {"calls>=900"};

	(void)state;
	shown.functions = (struct analysis_globs){.items = names, .count = 1};
	begin_filtered("functions");
	shown.functions = (struct analysis_globs){0};
	shown.filters = (struct analysis_globs){.items = names, .count = 1};
	begin_filtered("functions");
	shown.filters = (struct analysis_globs){0};
	shown.expressions = (struct analysis_globs){.items = conditions, .count = 1};
	begin_filtered("functions");
	shown.expressions = (struct analysis_globs){0};
}

static void test_threads(void **state)
{
	(void)state;
	open_at("threads");
	has_rows("thread thread");
	browser_press(&browser, TUI_KEY_DOWN);
	press("\n");
	assert_true(shows("only process work (100), thread worker (102)"));
	has_rows("process thread evaluate " BAD);
	press("T");
	has_rows("process thread main parse evaluate thread");
	press("m");
	assert_true(shows("worker (2 threads)"));
	has_rows("process thread main parse evaluate evaluate");
	press("m");
	has_rows("process thread main parse evaluate thread");
	close_it();
}

static void test_views(void **state)
{
	(void)state;
	open_at("summary");
	for (size_t i = 0; i < browser_tab_count; i++) {
		assert_int_equal(browser.tab, i);
		browser_draw(&browser, &screen);
		browser_press(&browser, TUI_KEY_TAB);
	}
	assert_int_equal(browser.tab, 0);
	browser_press(&browser, TUI_KEY_BACK_TAB);
	assert_int_equal(browser.tab, browser_tab_count - 1);
	/* What the profile has no data for is a page that says so. */
	press("8");
	assert_true(shows("the view lines needs samples or call sites"));
	/* Every key has its line in the help. */
	press("?");
	browser_resize(&browser, 100, 100);
	for (size_t i = 0; i < tui_key_count; i++)
		assert_true(!tui_keys[i].name || shows(tui_keys[i].name));
	press("x");
	assert_true(shows("the view lines"));
	press("q");
	assert_true(browser.has_quit);
	close_it();
}

/* The only escape sequences are those of styles; nothing is a control character. */
static void is_harmless(const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		if (*at != 033) {
			assert_true(*at >= ' ' && *at != 0x7f);
			continue;
		}
		assert_int_equal(at[1], '[');
		at += 2 + strspn((const char *)at + 2, "0123456789;");
		assert_int_equal(*at, 'm');
	}
	/* No C1 controls, and no turned direction. */
	assert_null(strstr(text, "\xc2\x9b"));
	assert_null(strstr(text, "\xe2\x80\xae"));
}

static void test_names(void **state)
{
	(void)state;
	open_at("functions");
	assert_true(shows("bad\\x1b[2J\\n\\x9b"));
	vec_foreach (line, &screen.lines)
		is_harmless(line->text);
	/* Its name is no pattern. */
	browser_press(&browser, TUI_KEY_END);
	press("\n");
	has_rows("| evaluate | " BAD);
	assert_true(shows("callers of bad\\x1b"));
	vec_foreach (line, &screen.lines)
		is_harmless(line->text);
	close_it();
	shown.unicode = false;
	open_at("functions");
	browser_draw(&browser, &screen);
	vec_foreach (line, &screen.lines)
		for (const char *at = line->text; *at; at++)
			assert_true((unsigned char)*at < 0x7f);
	close_it();
	shown.unicode = true;
}

static void test_sizes(void **state)
{
	(void)state;
	open_at("calltree");
	for (int width = 1; width < 60; width += 3) {
		for (int height = 1; height < 14; height++) {
			browser_resize(&browser, width, height);
			browser_draw(&browser, &screen);
			assert_true(screen.lines.len <= (size_t)height);
			assert_true(screen.lines.len == 1 || screen.lines.len == (size_t)height);
			browser_press(&browser, TUI_KEY_PAGE_DOWN);
		}
	}
	close_it();
}

/* A key costs what is seen, however much there is: rows are made and measured for the screen. */
static void test_many_rows(void **state)
{
	enum { FUNCTIONS = 3000, MEASURED = 100, HEIGHT = 20 };
	struct small_node nodes[1 + FUNCTIONS] = {{.thread = 1, .elapsed = 1}};

	(void)state;
	struct profile_writer *writer = small_profile_open(path);
	small_process(writer, 100, "work");
	small_thread(writer, 1, 101, 1 + FUNCTIONS, 0);
	small_module(writer, "/usr/bin/work");
	for (int64_t i = 1; i <= FUNCTIONS; i++) {
		char name[16];
		snprintf(name, sizeof(name), "f%d", (int)i);
		small_function(writer, 1, name, 0x1000 * (uint64_t)i);
		/* Each calls two others. */
		nodes[i] = (struct small_node){
			.thread = 1, .parent = 1 + i / 2, .function = i, .calls = 1, .elapsed = 1};
	}
	small_nodes(writer, nodes, 1 + FUNCTIONS);
	small_profile_commit(writer);
	open_at("functions");
	assert_int_equal(browser_page(&browser)->rows.len, FUNCTIONS);
	browser_press(&browser, TUI_KEY_END);
	browser_draw(&browser, &screen);
	assert_true(browser_page(&browser)->shown.rows.len <= MEASURED + HEIGHT);
	is_at("f");
	press("3");
	press("E/f2999\n");
	is_at("f2999");
	/* The levels on the way to it, of two rows each. */
	assert_true(browser_page(&browser)->rows.len <= 2 * 12 + 2);
	press("4");
	assert_int_equal(browser_page(&browser)->rows.len, FUNCTIONS + 1);
	close_it();
	write_profile();
}

/* What a default recording has: calls, and samples of the same functions. */
static void write_both(void)
{
	static const struct small_node nodes[] = {
		{.thread = 1, .elapsed = 10},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 990},
	};
	struct profile_writer *writer = small_profile_open(path);

	small_process(writer, 100, "work");
	small_thread(writer, 1, 101, 1000, 0);
	small_module(writer, "/usr/bin/work");
	small_function(writer, 1, "main", 0x1000);
	small_function(writer, 1, "parse", 0x1100);
	small_nodes(writer, nodes, 2);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t main = small_stack(writer, 0, 1, 0x1010);
	const int64_t parse = small_stack(writer, main, 2, 0x1120);
	small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(1, event, main, 3, 0, 0));
	small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(1, event, parse, 9, 0, 0));
	small_profile_commit_as(writer, "instrument,sample");
}

static void test_places_of_samples(void **state)
{
	(void)state;
	write_both();
	open_at("functions");
	press("8");
	has_rows("parse main");
	browser_press(&browser, TUI_KEY_TAB);
	browser_press(&browser, TUI_KEY_TAB);
	assert_string_equal(browser_tabs[browser.tab].name, "instructions");
	has_rows("parse main");
	press("a");
	assert_false(shows("needs samples or call sites"));
	press("2");
	assert_true(shows("Calls"));
	close_it();
	write_profile();
}

/* What --lines counts: branches have it, and lines without any samples. */
static void write_executed(void)
{
	static const struct small_node nodes[] = {
		{.thread = 1, .elapsed = 10},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 990},
	};
	struct profile_writer *writer = small_profile_open(path);
	struct error err = {0};

	small_process(writer, 100, "work");
	small_thread(writer, 1, 101, 1000, 0);
	small_module(writer, "/usr/bin/work");
	small_function(writer, 1, "main", 0x1000);
	small_nodes(writer, nodes, 2);
	const struct profile_source source = {.path = "/src/work.c"};
	const int64_t file = profile_add_source(writer, &source, &err);
	const struct profile_block block = {.module = 1,
					    .function = 1,
					    .link_addr = 0x1010,
					    .size = 8,
					    .instructions = 2,
					    .branches = true,
					    .source = file,
					    .line = 7};
	small_require(profile_add_block(writer, &block, &err) == 1, &err);
	const struct profile_execution executed = {
		.thread = 1, .block = 1, .count = 50, .taken = 49};
	small_require(profile_add_execution(writer, &executed, &err), &err);
	const struct profile_line_execution line = {
		.thread = 1, .function = 1, .source = file, .line = 7, .count = 50};
	small_require(profile_add_line_execution(writer, &line, &err), &err);
	small_profile_commit(writer);
}

static void test_executions(void **state)
{
	(void)state;
	write_executed();
	open_at("branches");
	has_rows("main");
	assert_true(shows("98.0"));
	press("8");
	has_rows("main");
	assert_true(shows("work.c:7"));
	close_it();
	write_profile();
}

/* Samples of a part of the time; what is of calls says that it has none. */
static void test_part_of_the_time(void **state)
{
	(void)state;
	struct profile_writer *writer = small_profile_open(path);
	small_process(writer, 100, "work");
	small_thread(writer, 1, 101, 0, 0);
	small_module(writer, "/usr/bin/work");
	small_function(writer, 1, "main", 0x1000);
	small_function(writer, 1, "parse", 0x1100);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t main = small_stack(writer, 0, 1, 0x1010);
	const int64_t parse = small_stack(writer, main, 2, 0x1120);
	small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(1, event, main, 1, 1000, 0));
	small_samples(writer,
		      &(struct profile_stack_value)SMALL_VALUE(1, event, parse, 1, 1000, 0));
	small_chunk(writer,
		    (struct profile_sample_chunk){
			    .thread = 1, .event = event, .begin_ticks = 1000, .samples = 2},
		    (struct small_sample[]){{0, (uint64_t)main, 1000},
					    {1500000, (uint64_t)parse, 1000}});
	small_profile_commit_as(writer, "sample");
	shown.to = "1";
	open_at("functions");
	has_rows("main");
	assert_true(shows("to 1; "));
	press("8");
	has_rows("main");
	close_it();
	write_both();
	struct error err = {0};
	assert_true(browser_open(&browser, &options, &err));
	assert_false(browser_begin(&browser, &err));
	assert_non_null(strstr(err.message, "--from and --to choose among samples"));
	close_it();
	shown.to = NULL;
	write_profile();
}

/* As tare report has it: the hot path of all threads of a name. */
static void test_summary(void **state)
{
	(void)state;
	open_at("summary");
	browser_resize(&browser, 100, 100);
	assert_true(shows("worker (2 threads)"));
	press("3");
	assert_false(shows("worker (2 threads)"));
	close_it();
}

/* Whatever is pressed, the cursor is at a row, and that row on the screen. */
static void test_any_keys(void **state)
{
	static const char letters[] = "/\nnNsSrptTmwecaAE?<>123456789\t";
	uint64_t random = 88172645463325252U;

	(void)state;
	open_at("summary");
	for (int i = 0; i < 4000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		const unsigned choice = (unsigned)(random >> 40);
		if (choice % 97 == 0)
			browser_resize(&browser, 1 + (int)(choice / 97 % 120),
				       1 + (int)(choice % 30));
		else if (choice % 2)
			browser_press(&browser, TUI_KEY_FIRST + (int)(choice / 2 % 12));
		else
			browser_press(&browser, letters[choice / 2 % (sizeof(letters) - 1)]);
		browser_draw(&browser, &screen);
		const struct tui_page *page = browser_page(&browser);
		const size_t length = tui_page_length(page);
		size_t current = 0;
		assert_true(length == 0 || page->cursor < length);
		assert_true(screen.lines.len <= (size_t)browser.height);
		vec_foreach (line, &screen.lines) {
			current += line->is_current;
			is_harmless(line->text);
		}
		assert_true(current <= 1);
		assert_true(current == 1 || !length || browser.message.len ||
			    screen.lines.len == 1);
	}
	close_it();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_search_backward_opens),
		cmocka_unit_test(test_inverted),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_places_of_samples),
		cmocka_unit_test(test_executions),
		cmocka_unit_test(test_part_of_the_time),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_any_keys),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
