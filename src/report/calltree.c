/*
 * The call tree view: processes, below them threads, below them call paths, in depth-first order,
 * siblings sorted. A limit keeps the rows with the largest inclusive values: as no child has more
 * than its parent, what is kept is always connected.
 */
#include "report/table.h"

#include <string.h>

struct tree {
	struct report *report;
	struct report_table *table;
	bool *keep;		  /* per node: it or a descendant is selected; NULL: all are */
	bool *keep_process;	  /* per process, likewise */
	uint32_t *first_thread;	  /* per process, ANALYSIS_NONE: none */
	uint32_t *next_thread;	  /* per thread, of the same process */
	uint64_t threshold;	  /* rows with less are left out */
	uint64_t ties;		  /* rows with exactly as much that are still wanted */
	struct report_rows stack; /* rows to come, the next one last */
	struct analysis_path hot;
};

/* Whether the row is the step of the hot path at its level. */
static bool is_hot(const struct tree *tree, const struct report_row *row)
{
	const struct analysis *analysis = tree->report->analysis;

	if (row->level >= tree->hot.len)
		return false;
	const struct analysis_step *step = &tree->hot.data[row->level];
	if (step->kind == STEP_PROCESS)
		return row->process == &analysis->processes.data[step->index];
	if (step->kind == STEP_THREAD)
		return row->thread == &analysis->threads.data[step->index];
	return row->node == step->index;
}

/* Whether the row belongs to what is shown; if not, nothing below it does. */
static bool tree_wants(struct tree *tree, const struct report_row *row)
{
	const uint64_t inclusive = analysis_inclusive(tree->report->analysis, row->values);
	const double least = tree->report->options->min_percent;

	if (row->node != ANALYSIS_NONE && tree->keep && !tree->keep[row->node])
		return false;
	if (least > 0 && !(analysis_share(tree->report->analysis, row->values) >= least))
		return false;
	if (inclusive != tree->threshold)
		return inclusive > tree->threshold;
	if (!tree->ties)
		return false;
	tree->ties--;
	return true;
}

static struct report_row node_row(const struct analysis *analysis, const struct report_row *parent,
				  uint32_t index)
{
	const struct analysis_node *node = &analysis->nodes.data[index];
	struct report_row row = *parent;

	row.function = &analysis->functions.data[node->function];
	row.module = &analysis->modules.data[row.function->module];
	row.values = &node->values;
	row.node = index;
	row.level = parent->level + 1;
	return row;
}

/* Pushes rows[0..count) sorted, so that the first of them is popped first. */
static void push_sorted(struct tree *tree, struct report_rows *rows)
{
	report_sort(tree->report, rows->data, rows->len, NULL);
	for (size_t i = rows->len; i-- > 0;)
		vec_push(&tree->stack, rows->data[i]);
	vec_fini(rows);
}

static bool process_is_kept(const struct tree *tree, const struct analysis_process *process)
{
	return process->selected &&
	       (!tree->keep_process ||
		tree->keep_process[process - tree->report->analysis->processes.data]);
}

static void push_processes(struct tree *tree)
{
	struct report_rows rows = {0};

	vec_foreach (process, &tree->report->analysis->processes) {
		if (process_is_kept(tree, process))
			vec_push(&rows, ((struct report_row){.process = process,
							     .values = &process->tree,
							     .node = ANALYSIS_NONE}));
	}
	push_sorted(tree, &rows);
}

static void push_threads(struct tree *tree, const struct report_row *parent)
{
	const struct analysis *analysis = tree->report->analysis;
	struct report_rows rows = {0};
	uint32_t at = tree->first_thread[parent->process - analysis->processes.data];

	for (; at != ANALYSIS_NONE; at = tree->next_thread[at]) {
		const struct analysis_thread *thread = &analysis->threads.data[at];
		struct report_row row = *parent;
		if (!thread->selected || thread->root == ANALYSIS_NONE)
			continue;
		row.thread = thread;
		row.values = &analysis->nodes.data[thread->root].values;
		row.node = thread->root;
		row.level = parent->level + 1;
		vec_push(&rows, row);
	}
	push_sorted(tree, &rows);
}

static void push_children(struct tree *tree, const struct report_row *parent)
{
	const struct analysis_node *nodes = tree->report->analysis->nodes.data;
	struct report_rows rows = {0};

	for (uint32_t at = nodes[parent->node].first_child; at != ANALYSIS_NONE;
	     at = nodes[at].next_sibling)
		vec_push(&rows, node_row(tree->report->analysis, parent, at));
	push_sorted(tree, &rows);
}

/* Lists of each process's threads, in their order. */
static void link_threads(struct tree *tree)
{
	const struct analysis *analysis = tree->report->analysis;
	struct arena *arena = &tree->report->arena;

	tree->first_thread = arena_array(arena, uint32_t, analysis->processes.len + 1);
	tree->next_thread = arena_array(arena, uint32_t, analysis->threads.len + 1);
	for (size_t i = 0; i < analysis->processes.len; i++)
		tree->first_thread[i] = ANALYSIS_NONE;
	for (size_t i = analysis->threads.len; i-- > 0;) {
		uint32_t *first = &tree->first_thread[analysis->threads.data[i].process];
		tree->next_thread[i] = *first;
		*first = (uint32_t)i;
	}
}

static bool node_passes(const struct tree *tree, uint32_t index)
{
	const struct analysis *analysis = tree->report->analysis;
	const struct analysis_node *node = &analysis->nodes.data[index];
	struct report_row row = report_row_empty();

	if (!tree->report->filters.len)
		return true;
	row.thread = &analysis->threads.data[node->thread];
	row.process = &analysis->processes.data[row.thread->process];
	row = node_row(analysis, &row, index);
	row.level = node->level + 1;
	return report_passes(tree->report, &row);
}

/* A node is kept when it or anything below it is selected. */
static void mark_kept(struct tree *tree)
{
	const struct analysis *analysis = tree->report->analysis;
	const struct report_options *options = tree->report->options;

	if (!options->modules.count && !options->functions.count && !options->filters.count &&
	    !tree->report->filters.len)
		return;
	bool *function_kept = mem_zalloc(analysis->functions.len + 1);
	for (uint32_t i = 0; i < analysis->functions.len; i++)
		function_kept[i] = report_is_selected(tree->report, i);
	tree->keep = mem_zalloc(analysis->nodes.len + 1);
	for (size_t i = analysis->nodes.len; i-- > 0;) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		if (node->function != ANALYSIS_NONE && function_kept[node->function] &&
		    node_passes(tree, (uint32_t)i))
			tree->keep[i] = true;
		if (tree->keep[i] && node->parent != ANALYSIS_NONE)
			tree->keep[node->parent] = true;
	}
	free(function_kept);
	tree->keep_process = mem_zalloc(analysis->processes.len + 1);
	vec_foreach (thread, &analysis->threads) {
		if (thread->root != ANALYSIS_NONE && tree->keep[thread->root])
			tree->keep_process[thread->process] = true;
	}
}

static int descending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* Finds the value of the last row within the limit, and how many rows of that value fit. */
static void find_threshold(struct tree *tree)
{
	const struct analysis *analysis = tree->report->analysis;
	const uint64_t limit = (uint64_t)report_limit(tree->report);
	struct vec_of(uint64_t) values = {0};

	tree->ties = UINT64_MAX;
	vec_foreach (process, &analysis->processes) {
		if (process_is_kept(tree, process))
			vec_push(&values, analysis_inclusive(analysis, &process->tree));
	}
	for (size_t i = 0; i < analysis->nodes.len; i++)
		if (!tree->keep || tree->keep[i])
			vec_push(&values,
				 analysis_inclusive(analysis, &analysis->nodes.data[i].values));
	if (values.len > limit) {
		vec_sort(&values, descending);
		tree->threshold = values.data[limit - 1];
		tree->ties = 0;
		for (uint64_t i = limit; i-- > 0 && values.data[i] == tree->threshold;)
			tree->ties++;
	}
	tree->table->hidden = values.len;
	vec_fini(&values);
}

bool report_fill_calltree(struct report *report, struct error *err)
{
	struct tree tree = {.report = report,
			    .table = report_add_table(report, "calltree", NULL, NULL)};

	(void)err;
	link_threads(&tree);
	mark_kept(&tree);
	find_threshold(&tree);
	analysis_hot_path(report->analysis, 0.5, &tree.hot);
	push_processes(&tree);
	while (tree.stack.len) {
		struct report_row row = tree.stack.data[--tree.stack.len];
		if (!tree_wants(&tree, &row))
			continue;
		row.hot = is_hot(&tree, &row);
		vec_push(&tree.table->rows, row);
		if (row.node != ANALYSIS_NONE)
			push_children(&tree, &row);
		else
			push_threads(&tree, &row);
	}
	tree.table->hidden -= tree.table->rows.len;
	vec_fini(&tree.hot);
	vec_fini(&tree.stack);
	free(tree.keep);
	free(tree.keep_process);
	return true;
}
