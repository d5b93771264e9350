/*
 * The call tree view: processes, below them threads, below them call paths, in depth-first order,
 * siblings sorted; or what is below chosen functions. Which rows there are says the outline.
 */
#include "report/table/calltree.h"

#include "report/table/table.h"

#include <math.h>

enum { SAMPLES_MIN = 40 };

/* As text: what most trees are readable with. */
#define TRIM_DEFAULT 0.5
#define FOLD_DEFAULT 1.0

struct tree {
	struct report *report;
	struct report_table *table;
	const struct analysis_outline *outline;
	uint32_t *first_thread;	  /* per process, ANALYSIS_NONE: none */
	uint32_t *next_thread;	  /* per thread, of the same process */
	struct report_rows stack; /* rows to come, the next one last */
};

/* ---- rows ---- */

/* The values of a row of several frames are its own. */
static const struct analysis_values *row_values(struct report *report, uint32_t node)
{
	const struct analysis *analysis = report->analysis;

	if (report->outline.last[node] == node)
		return &analysis->nodes.data[node].values;
	struct analysis_values *values = arena_alloc(&report->arena, sizeof(*values));
	*values = analysis_outline_values(analysis, &report->outline, node);
	return values;
}

struct report_row report_row_of_node(const struct analysis *analysis,
				     const struct report_row *above, uint32_t index)
{
	const struct analysis_node *node = &analysis->nodes.data[index];
	struct report_row row = *above;

	row.function = &analysis->functions.data[node->function];
	row.module = &analysis->modules.data[row.function->module];
	row.values = &node->values;
	row.node = row.last = index;
	row.level = node->level + !analysis->is_rooted;
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

static void push_processes(struct tree *tree)
{
	const struct analysis *analysis = tree->report->analysis;
	struct report_rows rows = {0};

	for (uint32_t i = 0; i < analysis->processes.len; i++) {
		struct report_row row = report_row_empty(ROW_PATH);
		row.process = &analysis->processes.data[i];
		row.values = &row.process->tree;
		row.hot = i == tree->outline->hot_process;
		if (tree->outline->processes[i])
			vec_push(&rows, row);
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
		if (!thread->selected || thread->root == ANALYSIS_NONE ||
		    tree->outline->last[thread->root] == ANALYSIS_NONE)
			continue;
		row.thread = thread;
		row.values = &analysis->nodes.data[thread->root].values;
		row.node = row.last = thread->root;
		row.level = row.indent = parent->level + 1;
		row.hot = tree->outline->hot[thread->root];
		vec_push(&rows, row);
	}
	push_sorted(tree, &rows);
}

static void push_node(struct tree *tree, struct report_rows *rows, const struct report_row *parent,
		      uint32_t index)
{
	if (tree->outline->last[index] == ANALYSIS_NONE)
		return;
	struct report_row row = report_row_of_node(tree->report->analysis, parent, index);
	row.indent = parent->indent + (parent->process || parent->function);
	row.values = row_values(tree->report, index);
	row.last = tree->outline->last[index];
	row.hot = tree->outline->hot[index];
	vec_push(rows, row);
}

static void push_children(struct tree *tree, const struct report_row *parent)
{
	const struct analysis_node *nodes = tree->report->analysis->nodes.data;
	struct report_rows rows = {0};

	for (uint32_t at = nodes[parent->last].first_child; at != ANALYSIS_NONE;
	     at = nodes[at].next_sibling)
		push_node(tree, &rows, parent, at);
	push_sorted(tree, &rows);
}

/* Of a rooted tree. What is of one thread only has it. */
static void push_roots(struct tree *tree)
{
	const struct analysis *analysis = tree->report->analysis;
	const struct report_row above = report_row_empty(ROW_PATH);
	struct report_rows rows = {0};

	for (uint32_t i = 0; i < analysis->nodes.len; i++)
		if (analysis->nodes.data[i].parent == ANALYSIS_NONE)
			push_node(tree, &rows, &above, i);
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

/* ---- outline ---- */

/* A path that one sample was taken on says little; of very few samples all are shown. */
static double trim_default(const struct analysis *analysis)
{
	const double samples = (double)analysis->totals.samples.kept;

	if (analysis->method != ANALYSIS_SAMPLE || samples < SAMPLES_MIN)
		return TRIM_DEFAULT;
	return fmax(TRIM_DEFAULT, 100 * 1.5 / samples);
}

double report_trim(const struct report *report)
{
	const struct report_options *options = report->options;

	if (options->noise)
		return 0;
	if (options->trim_given)
		return options->trim;
	/* What was asked for by name is shown, however little it has. */
	const bool by_default =
		options->format == REPORT_TEXT || report->view->id == VIEW_CALLTREE_INVERTED;
	return by_default && !report_is_selective(report) ? trim_default(report->analysis) : 0;
}

static double fold_of(const struct report *report)
{
	const struct report_options *options = report->options;

	if (options->noise)
		return 0;
	if (options->fold_given)
		return options->fold;
	return options->format == REPORT_TEXT ? FOLD_DEFAULT : 0;
}

/* `kept`: what filters leave. */
static void make_outline(struct report *report, const struct report_kept *kept, uint64_t limit)
{
	const struct report_options *options = report->options;
	const double trim = report_trim(report);
	const struct analysis_outline_options outline = {
		.trim = trim > options->min_percent ? trim : options->min_percent,
		.fold = fold_of(report),
		.wanted = kept->nodes,
		.apart = kept->passing,
		.processes_wanted = kept->processes,
		.expand = options->expand,
		.levels = options->levels,
		.limit = limit};

	analysis_outline_make(report->analysis, &outline, &report->outline);
	report->is_outlined = outline.trim > 0 || outline.fold > 0 || outline.expand != EXPAND_ALL;
}

static uint64_t frames_of(const struct analysis *analysis, const struct report_row *row)
{
	const struct analysis_node *nodes = analysis->nodes.data;

	return nodes[row->last].level - nodes[row->node].level + 1;
}

/* A step that begins a row; the calls of a row of several are one. */
static struct report_row step_row(struct report *report, const struct analysis_step *step)
{
	const struct analysis *analysis = report->analysis;
	struct report_row row = report_row_empty(ROW_STEP);

	row.values = step->values;
	if (step->kind == STEP_PROCESS) {
		row.process = &analysis->processes.data[step->index];
	} else if (step->kind == STEP_THREAD) {
		row.thread = &analysis->threads.data[step->index];
	} else {
		row = report_row_of_node(analysis, &row, step->index);
		if (report->outline.last[step->index] != ANALYSIS_NONE) {
			row.last = report->outline.last[step->index];
			row.values = row_values(report, step->index);
		}
	}
	return row;
}

void report_add_hot_path(struct report *report, struct report_table *table)
{
	const struct report_kept all = {0};
	struct analysis_outline *outline = &report->outline;
	struct analysis_path path = {0};
	uint32_t next = 0; /* nodes below it are in a row that is there */

	make_outline(report, &all, UINT64_MAX);
	/* Of the rest of the tree nothing is to be seen here. */
	outline->trimmed = outline->collapsed = outline->shared = outline->shared_frames = 0;
	analysis_hot_path(report->analysis, ANALYSIS_HOT_SHARE, &path);
	for (uint32_t i = 0; i < path.len; i++) {
		if (path.data[i].kind == STEP_NODE && path.data[i].index < next)
			continue;
		struct report_row row = step_row(report, &path.data[i]);
		row.level = i;
		row.indent = (uint32_t)table->rows.len;
		if (row.last != row.node) {
			outline->shared++;
			outline->shared_frames += frames_of(report->analysis, &row);
		}
		if (row.node != ANALYSIS_NONE)
			next = row.last + 1;
		vec_push(&table->rows, row);
	}
	vec_fini(&path);
}

/* The whole hot path, or so many levels, need no limit but one that was asked for. */
static uint64_t limit_of(const struct report *report)
{
	const struct report_options *options = report->options;

	return options->limit == REPORT_LIMIT_DEFAULT && options->is_expanded
		       ? UINT64_MAX
		       : (uint64_t)report_limit(report);
}

bool report_fill_calltree(struct report *report, struct error *err)
{
	struct tree tree = {.report = report,
			    .table = report_add_table(report, "calltree", NULL, NULL),
			    .outline = &report->outline};

	(void)err;
	link_threads(&tree);
	report_find_kept(report);
	make_outline(report, &report->kept, limit_of(report));
	if (report->analysis->is_rooted)
		push_roots(&tree);
	else
		push_processes(&tree);
	while (tree.stack.len) {
		const struct report_row row = tree.stack.data[--tree.stack.len];
		vec_push(&tree.table->rows, row);
		if (row.node != ANALYSIS_NONE)
			push_children(&tree, &row);
		else
			push_threads(&tree, &row);
	}
	tree.table->hidden = report->outline.hidden;
	vec_fini(&tree.stack);
	return true;
}
