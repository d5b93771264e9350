/* Trees that are opened row by row, each level when it is asked for; filters alone leave out rows.
 */
#include "report/table/calltree.h"

static void add_processes(const struct report *report, struct report_rows *rows)
{
	const struct analysis *analysis = report->analysis;

	for (uint32_t i = 0; i < analysis->processes.len; i++) {
		struct report_row row = report_row_empty(ROW_PATH);
		row.process = &analysis->processes.data[i];
		row.values = &row.process->tree;
		row.hot = i == report->outline.hot_process;
		if (row.process->selected && row.process->merged &&
		    report_keeps_process(report, row.process))
			vec_push(rows, row);
	}
}

static void add_threads(const struct report *report, const struct report_row *above,
			struct report_rows *rows)
{
	const struct analysis *analysis = report->analysis;

	vec_foreach (thread, &analysis->threads) {
		struct report_row row = *above;
		if (!thread->selected || thread->root == ANALYSIS_NONE ||
		    !report_keeps_node(report, thread->root) ||
		    &analysis->processes.data[thread->process] != above->process)
			continue;
		row.thread = thread;
		row.values = &analysis->nodes.data[thread->root].values;
		row.node = row.last = thread->root;
		row.level = row.indent = above->level + 1;
		row.hot = report->outline.hot[thread->root];
		vec_push(rows, row);
	}
}

static void add_node(const struct report *report, const struct report_row *above, uint32_t node,
		     struct report_rows *rows)
{
	if (!report_keeps_node(report, node))
		return;
	struct report_row row = report_row_of_node(report->analysis, above, node);
	row.indent = above->indent + (above->process || above->function);
	row.hot = report->outline.hot[node];
	vec_push(rows, row);
}

static void add_roots(const struct report *report, struct report_rows *rows)
{
	const struct report_row above = report_row_empty(ROW_PATH);

	for (uint32_t i = 0; i < report->analysis->nodes.len; i++)
		if (report->analysis->nodes.data[i].parent == ANALYSIS_NONE)
			add_node(report, &above, i, rows);
}

static void add_children(const struct report *report, const struct report_row *above,
			 struct report_rows *rows)
{
	const struct analysis_node *nodes = report->analysis->nodes.data;

	for (uint32_t at = nodes[above->last].first_child; at != ANALYSIS_NONE;
	     at = nodes[at].next_sibling)
		add_node(report, above, at, rows);
}

static void add_callers(struct report *report, const struct report_row *above,
			struct report_rows *rows)
{
	struct analysis_inverted_rows level = {0};

	if (above)
		analysis_inverted_callers(report->analysis, above->inverted, &report->arena,
					  &level);
	else
		analysis_inverted_tops(report->analysis, &report->arena, &level);
	vec_foreach (item, &level) {
		const struct report_row row = report_inverted_row(report, *item);
		const bool is_left_out = !above && report_is_selective(report) &&
					 (!report_is_selected(report, (*item)->function) ||
					  !report_passes(report, &row));
		if (!is_left_out && analysis_was_seen(report->analysis, row.values))
			vec_push(rows, row);
	}
	vec_fini(&level);
}

void report_add_level(struct report *report, const struct report_row *above,
		      struct report_rows *rows)
{
	const size_t first = rows->len;

	if (!report->outline.hot)
		analysis_outline_hot(report->analysis, &report->outline);
	report_find_kept(report);
	if (report->view->id == VIEW_CALLTREE_INVERTED)
		add_callers(report, above, rows);
	else if (!above && report->analysis->is_rooted)
		add_roots(report, rows);
	else if (!above)
		add_processes(report, rows);
	else if (above->node == ANALYSIS_NONE)
		add_threads(report, above, rows);
	else
		add_children(report, above, rows);
	report_sort(report, rows->data + first, rows->len - first, NULL);
}

bool report_has_level(const struct report *report, const struct report_row *row)
{
	const struct analysis *analysis = report->analysis;

	if (row->inverted)
		return analysis_inverted_has_callers(analysis, row->inverted);
	if (row->node == ANALYSIS_NONE)
		return true;
	const struct analysis_node *nodes = analysis->nodes.data;
	uint32_t child = nodes[row->last].first_child;
	while (child != ANALYSIS_NONE && !report_keeps_node(report, child))
		child = nodes[child].next_sibling;
	return child != ANALYSIS_NONE;
}
