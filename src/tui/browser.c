/* See browser.h. What cannot be shown is said in the last line, or on the page in its place. */
#include "tui/browser.h"

#include <string.h>

/* ---- pages ---- */

struct tui_page *browser_page(const struct browser *browser)
{
	if (browser->help)
		return browser->help;
	return browser->above.len ? vec_last(&browser->above) : browser->tabs[browser->tab];
}

static void say(struct browser *browser, const char *text)
{
	str_clear(&browser->message);
	str_append(&browser->message, text);
}

static void announce(const struct browser *browser, const char *view)
{
	struct browser_screen screen = {0};

	if (!browser->announce || tui_source_has(&browser->source, view))
		return;
	browser_draw_reading(browser, &screen);
	browser->announce(&screen);
	browser_screen_fini(&screen);
}

static struct tui_page *make_page(struct browser *browser, const struct tui_target *target,
				  struct error *err)
{
	announce(browser, target->view);
	const struct analysis *analysis = tui_source_analysis(&browser->source, target->view, err);

	if (!analysis)
		return NULL;
	struct tui_page *page = tui_page_new(analysis, browser->options->report, target, err);
	if (page)
		tui_page_fit(page, browser->width);
	return page;
}

/* A view that cannot be shown is a page that says why. */
static void show_tab(struct browser *browser, size_t tab)
{
	const struct browser_tab *chosen = &browser_tabs[tab];
	struct error err = {0};

	browser->tab = tab;
	if (browser->tabs[tab])
		return;
	browser->tabs[tab] = make_page(
		browser, &(struct tui_target){.view = chosen->view, .inverted = chosen->inverted},
		&err);
	if (!browser->tabs[tab])
		browser->tabs[tab] = tui_page_of_text(err.message);
}

static void leave_page(struct browser *browser)
{
	if (browser->above.len)
		tui_page_free(browser->above.data[--browser->above.len]);
}

static void leave_all(struct browser *browser)
{
	while (browser->above.len)
		leave_page(browser);
	for (size_t i = 0; i < browser_tab_count; i++) {
		tui_page_free(browser->tabs[i]);
		browser->tabs[i] = NULL;
	}
}

/* A page above the present one, or the reason why there is none in the last line. */
static void show_above(struct browser *browser, const struct tui_target *target)
{
	struct error err = {0};
	struct tui_page *page = make_page(browser, target, &err);

	if (page)
		vec_push(&browser->above, page);
	else
		say(browser, err.message);
}

/* A view of the row's function alone. */
static void show_function(struct browser *browser, const char *view, bool assembly)
{
	const struct report_row *row = tui_page_row(browser_page(browser));
	struct str function = {0}, module = {0};

	if (!row || !row->function) {
		say(browser, "this row is no function");
		return;
	}
	tui_append_glob(&function, row->function->name);
	if (row->module)
		tui_append_glob(&module, row->module->path);
	show_above(browser, &(struct tui_target){.view = view,
						 .function = function.data,
						 .module = module.data,
						 .assembly = assembly});
	str_fini(&function);
	str_fini(&module);
}

static void show_module(struct browser *browser, const struct report_row *row)
{
	struct str module = {0};

	tui_append_glob(&module, row->module->path);
	show_above(browser, &(struct tui_target){.view = "functions", .module = module.data});
	str_fini(&module);
}

/* Whether the page in front is a function's source or instructions; turns these round. */
static bool turn_assembly(struct browser *browser)
{
	const struct tui_page *page = browser_page(browser);

	if (!page->is_filled || page->report.view->id != VIEW_ANNOTATE)
		return false;
	const struct tui_target target = {.view = "annotate",
					  .function = page->function,
					  .module = page->module,
					  .assembly = !page->options.assembly};
	struct error err = {0};
	struct tui_page *other = make_page(browser, &target, &err);
	if (other) {
		leave_page(browser);
		vec_push(&browser->above, other);
	} else {
		say(browser, err.message);
	}
	return true;
}

/* ---- threads ---- */

/* After a change of what is looked at, from the same view on. */
static void begin_anew(struct browser *browser)
{
	leave_all(browser);
	show_tab(browser, browser->tab);
}

static void select_row(struct browser *browser, bool open_tree)
{
	const struct report_row *row = tui_page_row(browser_page(browser));

	if (!row || (!row->process && !row->thread)) {
		say(browser, "this row is of no thread or process; T shows all");
		return;
	}
	const struct report_row chosen = *row;
	leave_all(browser);
	tui_source_select(&browser->source, &chosen);
	if (open_tree)
		browser->tab = browser_tab_of("calltree", false);
	show_tab(browser, browser->tab);
}

static void select_all(struct browser *browser)
{
	if (!browser->source.filter.len)
		return;
	leave_all(browser);
	tui_source_select(&browser->source, NULL);
	show_tab(browser, browser->tab);
}

static void merge(struct browser *browser)
{
	leave_all(browser);
	tui_source_merge(&browser->source, !browser->source.merge_threads);
	begin_anew(browser);
	say(browser, browser->source.merge_threads
			     ? "threads of one name are merged in the call tree; m takes them apart"
			     : "threads are apart again");
}

/* ---- rows ---- */

static void open_or_close(struct browser *browser, struct tui_page *page)
{
	if (!tui_page_row(page))
		return;
	if (page->rows.data[page->cursor].is_open)
		tui_tree_close(page, page->cursor);
	else if (!tui_tree_open(page, page->cursor))
		say(browser, "nothing is called from here");
}

static void enter(struct browser *browser, struct tui_page *page)
{
	const struct report_row *row = tui_page_row(page);

	if (page->kind == PAGE_TREE)
		open_or_close(browser, page);
	else if (!row)
		return;
	else if (row->type == ROW_MODULE || row->type == ROW_COVERAGE)
		show_module(browser, row);
	else if (row->type == ROW_THREAD || row->type == ROW_PROCESS)
		select_row(browser, true);
	else
		show_function(browser, "callers", false);
}

static void shift(struct tui_page *page, int columns)
{
	page->wide = page->wide || columns > 0;
	if (columns < 0 && page->shift < (size_t)-columns)
		page->shift = 0;
	else
		page->shift += (size_t)columns;
}

static void go_right(struct tui_page *page)
{
	if (page->kind != PAGE_TREE) {
		shift(page, 8);
		return;
	}
	if (!page->rows.len || page->rows.data[page->cursor].is_open ||
	    !tui_tree_open(page, page->cursor))
		if (page->rows.len && page->rows.data[page->cursor].is_open)
			tui_page_move(page, page->cursor + 1, false);
}

static void go_left(struct tui_page *page)
{
	if (page->kind != PAGE_TREE) {
		shift(page, -8);
		return;
	}
	if (!page->rows.len)
		return;
	if (page->rows.data[page->cursor].is_open)
		tui_tree_close(page, page->cursor);
	else
		tui_page_move(page, tui_tree_above(page, page->cursor), true);
}

static void open_hot(struct browser *browser, struct tui_page *page)
{
	if (page->kind == PAGE_TREE && page->rows.len)
		tui_tree_open_hot(page, page->cursor);
	else
		say(browser, "only rows of a call tree are opened");
}

static void close_all(struct browser *browser, struct tui_page *page)
{
	if (page->kind != PAGE_TREE) {
		say(browser, "only rows of a call tree are closed");
		return;
	}
	tui_tree_close_all(page);
	page->cursor = page->top = 0;
}

/* ---- search ---- */

static void find(struct browser *browser, struct tui_page *page, bool backward)
{
	bool wrapped = false;

	if (!browser->wanted.len) {
		say(browser, "nothing is searched for yet: /");
		return;
	}
	if (!page->wanted || strcmp(page->wanted, browser->wanted.data) != 0)
		tui_page_search(page, browser->wanted.data);
	if (!tui_page_find(page, backward, &wrapped)) {
		str_clear(&browser->message);
		str_printf(&browser->message, "\"%s\" is nowhere on this page",
			   browser->wanted.data);
	} else if (wrapped) {
		say(browser, backward ? "found from the end on" : "found from the begin on");
	}
}

static void append_character(struct str *out, unsigned character)
{
	char bytes[4];
	size_t length = 0;

	if (character < 0x80) {
		bytes[length++] = (char)character;
	} else if (character < 0x800) {
		bytes[length++] = (char)(0xc0 | character >> 6);
	} else if (character < 0x10000) {
		bytes[length++] = (char)(0xe0 | character >> 12);
		bytes[length++] = (char)(0x80 | (character >> 6 & 0x3f));
	} else {
		bytes[length++] = (char)(0xf0 | character >> 18);
		bytes[length++] = (char)(0x80 | (character >> 12 & 0x3f));
		bytes[length++] = (char)(0x80 | (character >> 6 & 0x3f));
	}
	if (character >= 0x80)
		bytes[length++] = (char)(0x80 | (character & 0x3f));
	str_append_bytes(out, bytes, length);
}

/* Keys while the text is typed. */
static void type(struct browser *browser, int key)
{
	struct str *typed = &browser->typed;

	if (key == TUI_KEY_ESCAPE) {
		browser->is_typing = false;
	} else if (key == TUI_KEY_ENTER || key == '\r') {
		browser->is_typing = false;
		if (typed->len) {
			str_clear(&browser->wanted);
			str_append(&browser->wanted, typed->data);
		}
		find(browser, browser_page(browser), false);
	} else if (key == TUI_KEY_BACK) {
		/* A character is its first byte and those that continue it. */
		while (typed->len && ((unsigned char)typed->data[typed->len - 1] & 0xc0) == 0x80)
			typed->data[--typed->len] = 0;
		if (typed->len)
			typed->data[--typed->len] = 0;
	} else if (key >= ' ' && key < TUI_KEY_FIRST) {
		append_character(typed, (unsigned)key);
	}
}

/* ---- help ---- */

/* The words on lines that fit, from a column on; the first line begins there already. */
static void append_wrapped(struct str *out, const char *text, int column, int width)
{
	int at = column;

	while (*text) {
		const int length = (int)strcspn(text, " ");
		if (at > column && at + 1 + length > width) {
			str_printf(out, "\n%*s", column, "");
			at = column;
		}
		str_append(out, at > column ? " " : "");
		str_append_bytes(out, text, (size_t)length);
		at += length + (at > column);
		text += length + (text[length] == ' ');
	}
}

static void show_help(struct browser *browser)
{
	enum { NAME_WIDTH = 16 };
	struct str text = {0};

	for (size_t i = 0; i < tui_key_count; i++) {
		if (!tui_keys[i].help)
			continue;
		str_printf(&text, " %-*s", NAME_WIDTH - 1, tui_keys[i].name);
		append_wrapped(&text, tui_keys[i].help, NAME_WIDTH, browser->width);
		str_append(&text, "\n");
	}
	browser->help = tui_page_of_text(text.data);
	str_fini(&text);
}

static void back(struct browser *browser)
{
	if (browser->help) {
		tui_page_free(browser->help);
		browser->help = NULL;
	} else if (browser->above.len) {
		leave_page(browser);
	} else {
		say(browser, "this is the first page; q quits");
	}
}

/* ---- actions ---- */

static void go_to_tab(struct browser *browser, size_t tab)
{
	while (browser->above.len)
		leave_page(browser);
	show_tab(browser, tab);
}

static void sort(struct browser *browser, struct tui_page *page, int steps)
{
	struct error err = {0};

	if (!tui_page_sort(page, steps, &err))
		say(browser, err.message);
}

static bool act_on_cursor(struct browser *browser, struct tui_page *page, enum tui_action action)
{
	const size_t at = page->cursor, length = tui_page_length(page);
	const size_t step = browser->height > TUI_HEIGHT_MIN
				    ? (size_t)(browser->height - TUI_HEIGHT_MIN + 1)
				    : 1;

	if (action == ACT_UP)
		tui_page_move(page, at ? at - 1 : 0, true);
	else if (action == ACT_DOWN)
		tui_page_move(page, at + 1, false);
	else if (action == ACT_PAGE_UP)
		tui_page_move(page, at > step ? at - step : 0, true);
	else if (action == ACT_PAGE_DOWN)
		tui_page_move(page, at + step, false);
	else if (action == ACT_HOME)
		tui_page_move(page, 0, false);
	else if (action == ACT_END)
		tui_page_move(page, length ? length - 1 : 0, false);
	else
		return false;
	return true;
}

static bool act_on_page(struct browser *browser, struct tui_page *page, enum tui_action action)
{
	if (action == ACT_ENTER)
		enter(browser, page);
	else if (action == ACT_RIGHT)
		go_right(page);
	else if (action == ACT_LEFT)
		go_left(page);
	else if (action == ACT_HOT)
		open_hot(browser, page);
	else if (action == ACT_COLLAPSE)
		close_all(browser, page);
	else if (action == ACT_NEXT_MATCH || action == ACT_LAST_MATCH)
		find(browser, page, action == ACT_LAST_MATCH);
	else if (action == ACT_SORT || action == ACT_SORT_BACK || action == ACT_REVERSE)
		sort(browser, page, action == ACT_SORT ? 1 : action == ACT_SORT_BACK ? -1 : 0);
	else if (action == ACT_VALUES)
		tui_page_show_values(page, (page->values + 1) % VALUES_COUNT);
	else if (action == ACT_SHIFT_LEFT || action == ACT_SHIFT_RIGHT)
		shift(page, action == ACT_SHIFT_RIGHT ? 8 : -8);
	else
		return false;
	return true;
}

static void widen(struct tui_page *page)
{
	page->wide = !page->wide;
	page->shift = 0;
}

static void act(struct browser *browser, enum tui_action action)
{
	const size_t tabs = browser_tab_count;

	switch (action) {
	case ACT_BACK:
		back(browser);
		break;
	case ACT_NEXT_VIEW:
		go_to_tab(browser, (browser->tab + 1) % tabs);
		break;
	case ACT_LAST_VIEW:
		go_to_tab(browser, (browser->tab + tabs - 1) % tabs);
		break;
	case ACT_CALLERS:
		show_function(browser, "callers", false);
		break;
	case ACT_ANNOTATE:
	case ACT_ASSEMBLY:
		if (!turn_assembly(browser))
			show_function(browser, "annotate", action == ACT_ASSEMBLY);
		break;
	case ACT_SEARCH:
		browser->is_typing = true;
		str_clear(&browser->typed);
		break;
	case ACT_THREAD:
		select_row(browser, false);
		break;
	case ACT_ALL_THREADS:
		select_all(browser);
		break;
	case ACT_MERGE:
		merge(browser);
		break;
	case ACT_WIDE:
		widen(browser_page(browser));
		break;
	default:
		break;
	}
}

/* On the help only moving, searching and leaving mean anything. */
static bool is_for_help(enum tui_action action)
{
	return action == ACT_BACK || action == ACT_SEARCH || action == ACT_QUIT;
}

void browser_press(struct browser *browser, int key)
{
	const enum tui_action action = tui_action_of(key);
	struct tui_page *page = browser_page(browser);

	str_clear(&browser->message);
	if (browser->is_typing)
		type(browser, key);
	else if (action == ACT_QUIT && browser->help)
		back(browser);
	else if (action == ACT_QUIT)
		browser->has_quit = true;
	else if (action == ACT_HELP)
		browser->help ? back(browser) : show_help(browser);
	else if (act_on_cursor(browser, page, action))
		return;
	else if (browser->help && !is_for_help(action) && action != ACT_NEXT_MATCH &&
		 action != ACT_LAST_MATCH)
		back(browser);
	else if (key >= '1' && key <= '9' && (size_t)(key - '1') < browser_tab_count)
		go_to_tab(browser, (size_t)(key - '1'));
	else if (!act_on_page(browser, page, action))
		act(browser, action);
}

/* ---- begin and end ---- */

bool browser_open(struct browser *browser, const struct tui_options *options, struct error *err)
{
	*browser = (struct browser){.options = options, .width = 80, .height = 24};
	return tui_source_open(&browser->source, options, err);
}

bool browser_begin(struct browser *browser, struct error *err)
{
	const struct tui_options *options = browser->options;
	const size_t tab = browser_tab_of(options->view, options->inverted);

	announce(browser, options->view);
	if (!tui_source_analysis(&browser->source, options->view, err))
		return false;
	if (tab < browser_tab_count) {
		show_tab(browser, tab);
		return true;
	}
	const struct tui_target target = {.view = options->view, .function = options->function};
	struct tui_page *page = make_page(browser, &target, err);
	if (!page)
		return false;
	show_tab(browser, browser_tab_of("functions", false));
	vec_push(&browser->above, page);
	return true;
}

void browser_close(struct browser *browser)
{
	leave_all(browser);
	tui_page_free(browser->help);
	vec_fini(&browser->above);
	tui_source_close(&browser->source);
	str_fini(&browser->message);
	str_fini(&browser->typed);
	str_fini(&browser->wanted);
}

void browser_resize(struct browser *browser, int width, int height)
{
	browser->width = width;
	browser->height = height;
}
