/*
 * The screen as lines: the views, what is looked at, the titles of the columns, the rows that fit,
 * and the state or a message. Columns are measured by the first rows and by those that are seen, so
 * that a million rows cost what some do.
 */
#include "tui/browser.h"

#include "report/table/calltree.h"
#include "report/text/text.h"
#include "report/words/name.h"
#include "report/words/number.h"
#include "report/words/style.h"

#include <stdio.h>
#include <string.h>

#define REVERSE "\033[7m"

enum { MEASURED_ROWS = 100, WIDE = 4000, MARK_WIDTH = 2 };

void browser_screen_fini(struct browser_screen *screen)
{
	vec_foreach (line, &screen->lines)
		free(line->text);
	vec_fini(&screen->lines);
}

static struct browser_line *add(struct browser_screen *screen, const char *text)
{
	vec_push(&screen->lines, ((struct browser_line){.text = mem_strdup(text ? text : "")}));
	return &vec_last(&screen->lines);
}

/* Names within are escaped already, or are tare's own. */
static void add_bar(struct browser_screen *screen, const char *style, const char *text)
{
	struct str line = {0};

	str_printf(&line, "%s%s" STYLE_OFF, style, text ? text : "");
	add(screen, line.data)->is_bar = true;
	str_fini(&line);
}

static bool is_unicode(const struct browser *browser)
{
	return browser->options->report->unicode;
}

/* ---- above the rows ---- */

static size_t tab_width(size_t tab)
{
	return strlen(browser_tabs[tab].name) + 4;
}

/* The first tab shown, so that the present one is. */
static size_t first_tab(const struct browser *browser)
{
	size_t width = 0, first = browser->tab;

	while (first < browser_tab_count) {
		width += tab_width(first);
		if (!first || width + tab_width(first - 1) > (size_t)browser->width)
			return first;
		first--;
	}
	return 0;
}

static void draw_tabs(const struct browser *browser, struct browser_screen *screen)
{
	struct str line = {0};

	for (size_t i = first_tab(browser); i < browser_tab_count; i++) {
		const bool chosen = i == browser->tab;
		str_append(&line, chosen ? REVERSE : "");
		if (i < 9)
			str_printf(&line, " %zu %s ", i + 1, browser_tabs[i].name);
		else
			str_printf(&line, " %s ", browser_tabs[i].name);
		str_append(&line, chosen ? STYLE_OFF : "");
	}
	add_bar(screen, "", line.data);
	str_fini(&line);
}

static void append_safe(const struct browser *browser, struct str *out, const char *text)
{
	name_append_escaped(out, text ? text : "", is_unicode(browser));
}

/* What the page is of, where that is less than the whole profile. */
static void append_page(const struct browser *browser, const struct tui_page *page, struct str *out)
{
	if (!page || !browser->above.len || !page->is_filled)
		return;
	str_append(out, page->report.view->name ? page->report.view->name : "");
	if (page->function)
		str_append(out, " of ");
	append_safe(browser, out, page->function);
	if (!page->function && page->module) {
		str_append(out, " of ");
		append_safe(browser, out, page->module);
	}
	str_append(out, "; ");
}

/* What the command line leaves of the rows. */
static void append_filters(const struct browser *browser, struct str *out)
{
	const struct report_options *options = browser->options->report;
	const struct analysis_globs *const lists[] = {&options->modules, &options->functions,
						      &options->filters, &options->expressions};
	const char *before = "rows of ";

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (size_t j = 0; j < lists[i]->count; j++) {
			str_append(out, before);
			append_safe(browser, out, lists[i]->items[j]);
			before = ", ";
		}
	str_append(out, before[0] == ',' ? "; " : "");
}

/* Of which part of the time samples are. */
static void append_time(const struct browser *browser, const char *before, const char *time,
			struct str *out)
{
	if (!time)
		return;
	str_append(out, before);
	append_safe(browser, out, time);
	str_append(out, "; ");
}

static void draw_context(const struct browser *browser, const struct tui_page *page,
			 struct browser_screen *screen)
{
	const struct profile_session *session = profile_session(browser->source.profile);
	struct str line = {0};

	if (browser->help) {
		str_append(&line, "Keys; any other key goes back");
	} else {
		append_page(browser, page, &line);
		append_filters(browser, &line);
		if (browser->source.filter.len) {
			str_append(&line, "only ");
			append_safe(browser, &line, browser->source.filter.data);
			str_append(&line, "; ");
		}
		append_time(browser, "from ", browser->source.from, &line);
		append_time(browser, "to ", browser->source.to, &line);
		str_append(&line, browser->source.merge_threads ? "threads merged; " : "");
		append_safe(browser, &line, browser->options->path);
		str_append(&line, ": ");
		append_safe(browser, &line, session->command_line);
	}
	add_bar(screen, STYLE_DIM, line.data);
	str_fini(&line);
}

/* ---- rows ---- */

/* The rows that the columns are measured by. */
static void choose_measured(struct tui_page *page, size_t height)
{
	struct report_rows *rows = &page->shown.rows;
	const size_t first = page->rows.len < MEASURED_ROWS ? page->rows.len : MEASURED_ROWS;

	rows->len = 0;
	for (size_t i = 0; i < first; i++)
		if (!page->rows.data[i].heading)
			vec_push(rows, page->rows.data[i].row);
	for (size_t i = page->top > first ? page->top : first;
	     i < page->top + height && i < page->rows.len; i++)
		if (!page->rows.data[i].heading)
			vec_push(rows, page->rows.data[i].row);
}

static const char *mark_of(const struct tui_page *page, const struct tui_row *row)
{
	if (page->kind != PAGE_TREE)
		return "";
	if (row->is_open)
		return "- ";
	return report_has_level(&page->report, &row->row) ? "+ " : "  ";
}

static void draw_row(const struct browser *browser, struct tui_page *page, struct text_table *lines,
		     size_t index, struct browser_screen *screen)
{
	const struct tui_row *row = &page->rows.data[index];
	struct str line = {0};

	if (row->heading) {
		str_append(&line, STYLE_BOLD);
		append_safe(browser, &line, row->heading);
		str_append(&line, STYLE_OFF);
	} else {
		str_append(&line, mark_of(page, row));
		str_append(&line, report_lines_row(lines, &row->row));
	}
	struct browser_line *drawn = add(screen, line.data);
	drawn->is_current = index == page->cursor;
	drawn->shift = row->heading ? 0 : page->shift;
	str_fini(&line);
}

static void add_title(struct tui_page *page, const char *style, const char *text,
		      struct browser_screen *screen)
{
	struct str line = {0};

	str_printf(&line, "%s%s", page->kind == PAGE_TREE ? "  " : "", text);
	add_bar(screen, style, line.data);
	vec_last(&screen->lines).shift = page->shift;
	str_fini(&line);
}

static void draw_table(struct browser *browser, struct tui_page *page, size_t height,
		       struct browser_screen *screen)
{
	const size_t body = height - 2;

	if (!page->rows.len) {
		add(screen, "(no rows)");
		return;
	}
	tui_page_scroll(page, body);
	choose_measured(page, body);
	page->options.width =
		page->wide ? WIDE : browser->width - (page->kind == PAGE_TREE ? MARK_WIDTH : 0);
	struct text_table *lines = report_lines_new(&page->report, &page->shown);
	add_title(page, STYLE_DIM, report_lines_groups(lines), screen);
	add_title(page, STYLE_BOLD, report_lines_titles(lines), screen);
	for (size_t i = page->top; i < page->top + body && i < page->rows.len; i++)
		draw_row(browser, page, lines, i, screen);
	report_lines_free(lines);
}

static void draw_text(struct browser *browser, struct tui_page *page, size_t height,
		      struct browser_screen *screen)
{
	tui_page_fit(page, page->wide ? WIDE : browser->width);
	tui_page_scroll(page, height);
	for (size_t i = page->top; i < page->top + height && i < page->lines.len; i++) {
		struct browser_line *line = add(screen, page->lines.data[i]);
		line->is_current = i == page->cursor;
		line->shift = page->shift;
	}
}

/* ---- the last line ---- */

static void append_state(const struct tui_page *page, struct str *out)
{
	static const char *const shown[VALUES_COUNT] = {"", "; shares", "; values"};
	const char *order = tui_page_order(page);
	const size_t length = tui_page_length(page);

	number_append(out, length ? page->cursor + 1 : 0);
	str_append(out, " of ");
	number_append(out, length);
	if (order)
		str_printf(out, "; by %.*s%s", (int)strcspn(order + strspn(order, "+-"), ","),
			   order + strspn(order, "+-"), order[0] == '+' ? " upwards" : "");
	str_append(out, shown[page->values]);
	str_append(out, page->wide ? "; wide" : "");
	str_append(out, "    ? keys  q quit");
}

/* A message takes the lines that it needs, half of the screen at most. */
static void draw_message(const struct browser *browser, struct browser_screen *screen)
{
	const size_t width = (size_t)browser->width - 2, most = (size_t)browser->height / 2;
	struct str safe = {0}, line = {0};

	append_safe(browser, &safe, browser->message.data);
	const size_t total = name_width(safe.data), wanted = 1 + total / (width * 4 / 5);
	const size_t height = total <= width ? 1 : wanted < most ? wanted : most;
	const char *at = safe.data;
	while (screen->lines.len + height > (size_t)browser->height)
		free(screen->lines.data[--screen->lines.len].text);
	for (size_t i = 0; i < height; i++) {
		size_t length = name_bytes_within(at, width);
		while (at[length] && length && at[length] != ' ')
			length--;
		if (!length)
			length = name_bytes_within(at, width);
		str_clear(&line);
		str_append(&line, " ");
		str_append_bytes(&line, at, length);
		add_bar(screen, REVERSE, line.data);
		at += length;
		at += *at == ' ';
	}
	str_fini(&safe);
	str_fini(&line);
}

static void draw_last(const struct browser *browser, const struct tui_page *page,
		      struct browser_screen *screen)
{
	struct str line = {0};

	str_append(&line, " ");
	if (browser->is_typing) {
		str_append(&line, "search: ");
		append_safe(browser, &line, browser->typed.data);
		str_append(&line, "_");
	} else {
		append_state(page, &line);
	}
	add_bar(screen, REVERSE, line.data);
	str_fini(&line);
}

/* The only line where there is no room for more. */
static bool draw_too_small(const struct browser *browser, struct browser_screen *screen)
{
	char line[80];

	if (browser->width >= TUI_WIDTH_MIN && browser->height >= TUI_HEIGHT_MIN)
		return false;
	snprintf(line, sizeof(line), "%d x %d is too small; %d x %d", browser->width,
		 browser->height, TUI_WIDTH_MIN, TUI_HEIGHT_MIN);
	add(screen, line);
	return true;
}

static void append_count(struct str *out, size_t count, const char *one, const char *many)
{
	number_append(out, count);
	str_printf(out, " %s", count == 1 ? one : many);
}

void browser_draw_reading(const struct browser *browser, struct browser_screen *screen)
{
	const struct profile *profile = browser->source.profile;
	const struct profile_session *session = profile_session(profile);
	struct str line = {0};
	size_t processes, threads;

	if (draw_too_small(browser, screen))
		return;
	profile_processes(profile, &processes);
	profile_threads(profile, &threads);
	draw_tabs(browser, screen);
	draw_context(browser, NULL, screen);
	add(screen, "");
	str_append(&line, "method ");
	append_safe(browser, &line, session->method);
	str_append(&line, ", ");
	append_count(&line, processes, "process", "processes");
	str_append(&line, ", ");
	append_count(&line, threads, "thread", "threads");
	add(screen, line.data);
	while (screen->lines.len + 1 < (size_t)browser->height)
		add(screen, "");
	add_bar(screen, REVERSE, " reading ...");
	str_fini(&line);
}

void browser_draw(struct browser *browser, struct browser_screen *screen)
{
	struct tui_page *page = browser_page(browser);
	const int height = browser->height;

	browser_screen_fini(screen);
	if (browser->width < TUI_WIDTH_MIN || height < TUI_HEIGHT_MIN) {
		char line[80];
		snprintf(line, sizeof(line), "%d x %d is too small; %d x %d", browser->width,
			 height, TUI_WIDTH_MIN, TUI_HEIGHT_MIN);
		add(screen, line);
		return;
	}
	draw_tabs(browser, screen);
	draw_context(browser, page, screen);
	if (page->kind == PAGE_TEXT)
		draw_text(browser, page, (size_t)height - 3, screen);
	else
		draw_table(browser, page, (size_t)height - 3, screen);
	while (screen->lines.len + 1 < (size_t)height)
		add(screen, "");
	if (browser->message.len && !browser->is_typing)
		draw_message(browser, screen);
	else
		draw_last(browser, page, screen);
}
