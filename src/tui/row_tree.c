/*
 * Trees of rows: of each row that is open, the rows below it follow at once, indented by one more.
 * Levels are made when a row is opened, and thrown away when it is closed.
 */
#include "tui/page.h"

#include "report/table/calltree.h"

#include <string.h>

enum { HOT_LEVELS_MAX = 500 };

static uint32_t depth_at(const struct tui_page *page, size_t index)
{
	return page->rows.data[index].row.indent;
}

size_t tui_tree_end(const struct tui_page *page, size_t index)
{
	size_t end = index + 1;

	while (end < page->rows.len && depth_at(page, end) > depth_at(page, index))
		end++;
	return end;
}

size_t tui_tree_above(const struct tui_page *page, size_t index)
{
	size_t above = index;

	while (above && depth_at(page, above) >= depth_at(page, index))
		above--;
	return depth_at(page, above) < depth_at(page, index) ? above : index;
}

/* Makes room for `count` rows at `at`. */
static void insert_rows(struct tui_rows *rows, size_t at, const struct report_rows *level)
{
	vec_reserve(rows, level->len);
	memmove(rows->data + at + level->len, rows->data + at,
		(rows->len - at) * sizeof(*rows->data));
	for (size_t i = 0; i < level->len; i++)
		rows->data[at + i] = (struct tui_row){.row = level->data[i]};
	rows->len += level->len;
}

void tui_tree_begin(struct tui_page *page)
{
	struct report_rows level = {0};

	page->rows.len = 0;
	report_add_level(&page->report, NULL, &level);
	if (level.len)
		insert_rows(&page->rows, 0, &level);
	vec_fini(&level);
	if (page->rows.len)
		tui_tree_open_hot(page, 0);
}

bool tui_tree_open(struct tui_page *page, size_t index)
{
	struct report_rows level = {0};
	struct tui_row *row = &page->rows.data[index];

	if (row->is_open)
		return true;
	if (!report_has_level(&page->report, &row->row))
		return false;
	const struct report_row above = row->row;
	row->is_open = true;
	report_add_level(&page->report, &above, &level);
	const bool any = level.len > 0;
	if (any)
		insert_rows(&page->rows, index + 1, &level);
	vec_fini(&level);
	return any;
}

void tui_tree_close(struct tui_page *page, size_t index)
{
	const size_t end = tui_tree_end(page, index);

	page->rows.data[index].is_open = false;
	memmove(page->rows.data + index + 1, page->rows.data + end,
		(page->rows.len - end) * sizeof(*page->rows.data));
	page->rows.len -= end - index - 1;
}

/* The row that has most of those below `index`. */
static size_t largest_below(const struct tui_page *page, size_t index)
{
	const struct analysis *analysis = page->report.analysis;
	const size_t end = tui_tree_end(page, index);
	size_t best = index + 1;

	for (size_t at = index + 1; at < end; at++)
		if (depth_at(page, at) == depth_at(page, index) + 1 &&
		    analysis_inclusive(analysis, page->rows.data[at].row.values) >
			    analysis_inclusive(analysis, page->rows.data[best].row.values))
			best = at;
	return best;
}

void tui_tree_open_hot(struct tui_page *page, size_t index)
{
	const struct analysis *analysis = page->report.analysis;
	size_t at = index;

	for (int levels = 0; levels < HOT_LEVELS_MAX && tui_tree_open(page, at); levels++) {
		const uint64_t all = analysis_inclusive(analysis, page->rows.data[at].row.values);
		const size_t best = largest_below(page, at);
		const uint64_t most =
			analysis_inclusive(analysis, page->rows.data[best].row.values);
		if ((double)most < ANALYSIS_HOT_SHARE * (double)all)
			return;
		at = best;
	}
}

void tui_tree_close_all(struct tui_page *page)
{
	for (size_t i = 0; i < page->rows.len; i++)
		if (page->rows.data[i].is_open)
			tui_tree_close(page, i);
}

/* ---- order ---- */

struct sorting {
	struct tui_page *page;
	struct tui_rows old;
};

/* The values of a row are its own: so they tell where it was. */
static uint64_t key_of(const struct report_row *row)
{
	return (uint64_t)(uintptr_t)row->values;
}

/* Puts old[begin..end), rows of one level and those below them, behind the new ones. */
static void put_level(struct sorting *sorting, size_t begin, size_t end)
{
	const struct tui_row *old = sorting->old.data;
	const uint32_t depth = old[begin].row.indent;
	struct report_rows level = {0};
	struct map places = {0};

	for (size_t i = begin; i < end; i++) {
		if (old[i].row.indent != depth)
			continue;
		*map_put(&places, key_of(&old[i].row), i) = i;
		vec_push(&level, old[i].row);
	}
	report_sort(&sorting->page->report, level.data, level.len, sorting->page->sort);
	vec_foreach (row, &level) {
		const size_t place = *map_get(&places, key_of(row));
		size_t next = place + 1;
		vec_push(&sorting->page->rows, old[place]);
		while (next < end && old[next].row.indent > depth)
			next++;
		if (next > place + 1)
			put_level(sorting, place + 1, next);
	}
	vec_fini(&level);
	map_fini(&places);
}

void tui_tree_sort(struct tui_page *page)
{
	struct sorting sorting = {.page = page};

	if (!page->rows.len)
		return;
	memcpy(&sorting.old, &page->rows, sizeof(sorting.old));
	page->rows = (struct tui_rows){0};
	put_level(&sorting, 0, sorting.old.len);
	vec_fini(&sorting.old);
}
