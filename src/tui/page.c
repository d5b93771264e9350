/* See page.h. Refuses views that write while they read; their rows are too many to move over. */
#include "tui/page.h"

#include "report/text/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void add_flat_rows(struct tui_page *page)
{
	const struct report_table *table = &page->report.tables[0];

	page->rows.len = 0;
	vec_reserve(&page->rows, table->rows.len);
	vec_foreach (row, &table->rows) {
		if (row->heading)
			vec_push(&page->rows, ((struct tui_row){.heading = row->heading}));
		vec_push(&page->rows, ((struct tui_row){.row = *row}));
	}
	if (page->rows.len && page->rows.data[0].heading)
		page->cursor = 1;
}

static bool is_tree(const struct report *report)
{
	return report->view->id == VIEW_CALLTREE || report->view->id == VIEW_CALLTREE_INVERTED;
}

/* Fills the report, of a tree the first rows. */
static bool fill(struct tui_page *page, const struct analysis *analysis, struct error *err)
{
	struct report *report = &page->report;

	if (!report_prepare(report, analysis, &page->options, err))
		return false;
	page->is_filled = true;
	/* Who can move over rows sees all of them. */
	if (page->options.limit == REPORT_LIMIT_DEFAULT && report->view->id != VIEW_SUMMARY)
		page->options.limit = 0;
	if (report->view->streams)
		return error_set(err, ERROR_USAGE,
				 "the view %s has too many rows to move over; see it with tare "
				 "report %s FILE",
				 report->view->name, report->view->name);
	if (is_tree(report)) {
		page->kind = PAGE_TREE;
		report_add_table(report, "calltree", NULL, NULL);
		tui_tree_begin(page);
		return true;
	}
	if (!report->view->fill(report, err))
		return false;
	page->kind = report->view->id == VIEW_SUMMARY ? PAGE_TEXT : PAGE_TABLE;
	if (page->kind == PAGE_TABLE)
		add_flat_rows(page);
	return true;
}

struct tui_page *tui_page_new(const struct analysis *analysis, const struct report_options *options,
			      const struct tui_target *target, struct error *err)
{
	struct tui_page *page = mem_zalloc(sizeof(*page));

	page->options = *options;
	page->function = target->function ? mem_strdup(target->function) : NULL;
	page->module = target->module ? mem_strdup(target->module) : NULL;
	page->options.view = target->view;
	page->options.function = page->function;
	page->options.inverted = target->inverted;
	page->options.assembly = target->assembly;
	if (page->module)
		page->options.modules = (struct analysis_globs){
			.items = (const char *const *)&page->module, .count = 1};
	if (!fill(page, analysis, err)) {
		tui_page_free(page);
		return NULL;
	}
	tui_page_show_values(page, VALUES_ALL);
	return page;
}

static void split_lines(struct tui_page *page)
{
	page->lines.len = 0;
	for (char *line = page->text; line && *line;) {
		char *end = strchr(line, '\n');
		vec_push(&page->lines, line);
		if (!end)
			break;
		*end = 0;
		line = end + 1;
	}
}

struct tui_page *tui_page_of_text(const char *text)
{
	struct tui_page *page = mem_zalloc(sizeof(*page));

	page->kind = PAGE_TEXT;
	page->text = mem_strdup(text);
	split_lines(page);
	return page;
}

void tui_page_free(struct tui_page *page)
{
	if (!page)
		return;
	if (page->is_filled)
		report_close(&page->report);
	vec_fini(&page->rows);
	vec_fini(&page->shown.rows);
	vec_fini(&page->lines);
	free(page->function);
	free(page->module);
	free(page->sort);
	free(page->text);
	free(page->wanted);
	free(page->function_found);
	free(page->node_found);
	free(page);
}

void tui_page_fit(struct tui_page *page, int width)
{
	char *text = NULL;
	size_t length = 0;

	page->options.width = width;
	if (page->kind != PAGE_TEXT || !page->is_filled || page->text_width == width)
		return;
	FILE *stream = open_memstream(&text, &length);
	if (!stream)
		return;
	report_write_text(&page->report, stream);
	fclose(stream);
	free(page->text);
	page->text = text;
	page->text_width = width;
	split_lines(page);
}

/* ---- cursor ---- */

size_t tui_page_length(const struct tui_page *page)
{
	return page->kind == PAGE_TEXT ? page->lines.len : page->rows.len;
}

const struct report_row *tui_page_row(const struct tui_page *page)
{
	if (page->kind == PAGE_TEXT || page->cursor >= page->rows.len ||
	    page->rows.data[page->cursor].heading)
		return NULL;
	return &page->rows.data[page->cursor].row;
}

static bool is_heading(const struct tui_page *page, size_t index)
{
	return page->kind != PAGE_TEXT && page->rows.data[index].heading;
}

void tui_page_move(struct tui_page *page, size_t to, bool backward)
{
	const size_t length = tui_page_length(page);

	if (!length)
		return;
	page->cursor = to < length ? to : length - 1;
	if (!is_heading(page, page->cursor))
		return;
	if (backward && page->cursor)
		page->cursor--;
	else
		page->cursor++;
	assert(page->cursor < length); /* a row stands below each heading */
}

void tui_page_scroll(struct tui_page *page, size_t height)
{
	const size_t length = tui_page_length(page);

	if (page->cursor >= length)
		page->cursor = length ? length - 1 : 0;
	if (page->cursor < page->top)
		page->top = page->cursor;
	if (page->cursor >= page->top + height)
		page->top = page->cursor - height + 1;
	/* What stands above the first row is seen with it. */
	if (page->top == 1 && page->kind != PAGE_TEXT && is_heading(page, 0) && height > 1)
		page->top = 0;
	if (page->top + height > length)
		page->top = length > height ? length - height : 0;
}

/* ---- columns and order ---- */

static bool is_shown(const struct column *column, enum tui_values values)
{
	const bool share = column->type == CELL_PERCENT || column->type == CELL_BAR;
	const bool amount = column->type == CELL_TIME || column->type == CELL_COUNT;

	return values == VALUES_SHARES ? !amount : values == VALUES_AMOUNTS ? !share : true;
}

void tui_page_show_values(struct tui_page *page, enum tui_values values)
{
	if (page->kind == PAGE_TEXT)
		return;
	const struct report_table *table = &page->report.tables[0];
	const struct report_rows rows = {.data = page->shown.rows.data,
					 .len = page->shown.rows.len,
					 .cap = page->shown.rows.cap};

	page->values = values;
	page->shown = *table;
	memcpy(&page->shown.rows, &rows, sizeof(rows));
	page->shown.column_count = 0;
	for (size_t i = 0; i < table->column_count; i++)
		if (is_shown(table->columns[i], values))
			page->shown.columns[page->shown.column_count++] = table->columns[i];
}

const char *tui_page_order(const struct tui_page *page)
{
	if (page->kind == PAGE_TEXT)
		return NULL;
	return page->sort ? page->sort : report_layout(&page->report)->sort;
}

/* Columns that rows can be sorted by: those that can be named, and have titles. */
static bool is_sortable(const struct column *column)
{
	return column->title[0] && column->type != CELL_BAR && column->role != ROLE_FRAME &&
	       column->role != ROLE_MARGIN;
}

/* Which column the order begins with; the number of columns where it is none that is shown. */
static size_t sorted_column(const struct tui_page *page)
{
	const char *order = tui_page_order(page);
	const size_t sign = order && (order[0] == '-' || order[0] == '+');
	size_t index = 0;

	while (order && index < page->shown.column_count) {
		const char *name = page->shown.columns[index]->name;
		const size_t length = strlen(name);
		if (strncmp(order + sign, name, length) == 0 && strchr(",", order[sign + length]))
			break;
		index++;
	}
	return order ? index : page->shown.column_count;
}

static size_t next_column(const struct tui_page *page, int steps)
{
	const size_t count = page->shown.column_count, from = sorted_column(page);
	size_t index = from;

	for (size_t tried = 0; tried < count; tried++) {
		if (steps > 0)
			index = index + 1 < count ? index + 1 : 0;
		else
			index = index && index <= count ? index - 1 : count - 1;
		if (is_sortable(page->shown.columns[index]))
			return index;
	}
	return from;
}

/* Numbers begin with the largest, names with the first, unless that is turned round. */
static char *order_of(const struct column *column, bool reversed)
{
	const bool ascending = (column->type == CELL_TEXT) != reversed;
	struct str order = {0};

	str_printf(&order, "%c%s", ascending ? '+' : '-', column->name);
	return order.data;
}

/* The same the other way round; of several columns the first decides. */
static char *order_reversed(const struct tui_page *page, const char *order, struct error *err)
{
	const bool sign = order[0] == '-' || order[0] == '+';
	const struct column *column =
		column_find(page->report.view, order + sign, strcspn(order + sign, ","), err);

	if (!column)
		return NULL;
	return order_of(column, !sign || (order[0] == '+') == (column->type == CELL_TEXT));
}

/* The rows of one section, or all, stay among themselves. */
static void sort_flat(struct tui_page *page)
{
	struct report_rows *rows = &page->report.tables[0].rows;

	for (size_t begin = 0, end; begin < rows->len; begin = end) {
		const char *heading = rows->data[begin].heading;
		rows->data[begin].heading = NULL;
		for (end = begin + 1; end < rows->len && !rows->data[end].heading;)
			end++;
		report_sort(&page->report, rows->data + begin, end - begin, page->sort);
		rows->data[begin].heading = heading;
	}
	add_flat_rows(page);
}

bool tui_page_sort(struct tui_page *page, int steps, struct error *err)
{
	const char *before = tui_page_order(page);
	char *order = NULL;

	if (!before)
		return error_set(err, ERROR_USAGE, "these lines have an order of their own");
	const size_t index = steps ? next_column(page, steps) : 0;
	if (steps && index >= page->shown.column_count)
		return error_set(err, ERROR_USAGE, "no column here can be sorted by");
	order = steps ? order_of(page->shown.columns[index], false)
		      : order_reversed(page, before, err);
	if (!order)
		return false;
	free(page->sort);
	page->sort = order;
	page->options.sort = page->sort;
	page->cursor = page->top = 0;
	if (page->kind == PAGE_TREE)
		tui_tree_sort(page);
	else
		sort_flat(page);
	return true;
}
