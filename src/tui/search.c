/*
 * Search for a part of a name. Of a tree, first is found out which functions have it, then which
 * nodes stand above (or, from the leaves, below) such: so only rows are opened that lead to one.
 */
#include "tui/page.h"

#include "report/table/calltree.h"

#include <string.h>
#include <strings.h>

static bool contains(const char *text, const char *wanted)
{
	return text && strcasestr(text, wanted);
}

/* By function: whether its name has it. */
static void find_functions(struct tui_page *page)
{
	const struct analysis *analysis = page->report.analysis;

	page->function_found = mem_zalloc(analysis->functions.len + 1);
	for (size_t i = 0; i < analysis->functions.len; i++)
		page->function_found[i] = contains(analysis->functions.data[i].name, page->wanted);
}

/* By node: whether the path below it (inverted: from it up) has such a function. */
static void find_nodes(struct tui_page *page)
{
	const struct analysis *analysis = page->report.analysis;
	const struct analysis_link *nodes = analysis->links.data;
	const bool inverted = page->report.view->id == VIEW_CALLTREE_INVERTED;
	bool *found = page->node_found = mem_zalloc(analysis->nodes.len + 1);

	for (size_t i = 0; i < analysis->nodes.len; i++) {
		found[i] = nodes[i].function != ANALYSIS_NONE &&
			   page->function_found[nodes[i].function];
		if (inverted && nodes[i].parent != ANALYSIS_NONE)
			found[i] |= found[nodes[i].parent];
		else if (!inverted)
			found[i] &= report_keeps_node(&page->report, (uint32_t)i);
	}
	for (size_t i = analysis->nodes.len; i-- > 0 && !inverted;)
		if (found[i] && nodes[i].parent != ANALYSIS_NONE)
			found[nodes[i].parent] = true;
}

void tui_page_search(struct tui_page *page, const char *wanted)
{
	free(page->wanted);
	free(page->function_found);
	free(page->node_found);
	page->wanted = mem_strdup(wanted);
	page->function_found = page->node_found = NULL;
	if (page->kind != PAGE_TREE)
		return;
	find_functions(page);
	find_nodes(page);
}

/* ---- rows ---- */

static bool cells_have(struct tui_page *page, const struct report_row *row)
{
	struct str scratch = {0};
	bool found = false;

	for (size_t i = 0; i < page->report.tables[0].column_count && !found; i++) {
		struct cell cell;
		const struct column *column = page->report.tables[0].columns[i];
		if (column->type != CELL_TEXT)
			continue;
		column_read(column, &page->report, row, &scratch, &cell);
		found = cell.type == CELL_TEXT && contains(cell.text, page->wanted);
	}
	str_fini(&scratch);
	return found;
}

static bool is_found(struct tui_page *page, size_t index)
{
	if (page->kind == PAGE_TEXT)
		return contains(page->lines.data[index], page->wanted);
	const struct tui_row *row = &page->rows.data[index];
	if (row->heading)
		return false;
	if (page->kind == PAGE_TREE && row->row.function)
		return page
			->function_found[row->row.function - page->report.analysis->functions.data];
	return cells_have(page, &row->row);
}

/* Whether one of the rows below it would be found, were it open. */
static bool leads_to_one(const struct tui_page *page, const struct report_row *row)
{
	const struct analysis *analysis = page->report.analysis;
	const struct analysis_node *nodes = analysis->nodes.data;

	if (row->inverted) {
		for (size_t i = 0; i < row->inverted->count; i++) {
			const uint32_t above =
				analysis->links.data[row->inverted->paths[i].at].parent;
			if (above != ANALYSIS_NONE && page->node_found[above])
				return true;
		}
		return false;
	}
	if (row->node != ANALYSIS_NONE) {
		for (uint32_t at = nodes[row->last].first_child; at != ANALYSIS_NONE;
		     at = nodes[at].next_sibling)
			if (page->node_found[at])
				return true;
		return false;
	}
	vec_foreach (thread, &analysis->threads)
		if (thread->root != ANALYSIS_NONE && page->node_found[thread->root] &&
		    &analysis->processes.data[thread->process] == row->process)
			return true;
	return false;
}

static bool is_to_open(const struct tui_page *page, size_t index)
{
	const struct tui_row *row = page->kind == PAGE_TREE ? &page->rows.data[index] : NULL;

	return row && !row->is_open && leads_to_one(page, &row->row);
}

static bool find_forward(struct tui_page *page, bool *wrapped)
{
	size_t at = page->cursor;

	/* At most every row once, and those that are opened meanwhile. */
	for (size_t seen = 0; seen <= tui_page_length(page); seen++) {
		if (is_to_open(page, at))
			tui_tree_open(page, at);
		at++;
		if (at >= tui_page_length(page)) {
			at = 0;
			*wrapped = true;
		}
		if (is_found(page, at)) {
			page->cursor = at;
			return true;
		}
	}
	return false;
}

/* Opens the row, and then the last one below it, as long as they lead to one; that is returned. */
static size_t last_below(struct tui_page *page, size_t index)
{
	size_t at = index;

	while (is_to_open(page, at) && tui_tree_open(page, at))
		at = tui_tree_end(page, at) - 1;
	return at;
}

static bool find_backward(struct tui_page *page, bool *wrapped)
{
	size_t at = page->cursor;

	for (size_t seen = 0; seen <= tui_page_length(page); seen++) {
		if (at == 0) {
			at = tui_page_length(page);
			*wrapped = true;
		}
		at = last_below(page, at - 1);
		if (is_found(page, at)) {
			page->cursor = at;
			return true;
		}
	}
	return false;
}

bool tui_page_find(struct tui_page *page, bool backward, bool *wrapped)
{
	*wrapped = false;
	if (!page->wanted || !page->wanted[0] || !tui_page_length(page))
		return false;
	return backward ? find_backward(page, wrapped) : find_forward(page, wrapped);
}
