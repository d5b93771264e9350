/*
 * See outline.h. Parents precede their children, so each step is one pass over the nodes; only the
 * limit needs an order, of the rows that are left by then.
 */
#include "analysis/outline.h"

#include "analysis/private.h"

#include <string.h>

enum state { UNWANTED, TRIMMED, COLLAPSED, SHOWN };

struct outliner {
	const struct analysis *analysis;
	const struct analysis_outline_options *options;
	struct analysis_outline *outline;
	uint8_t *state;	      /* by node, enum state */
	uint32_t *only_child; /* of those that are shown; ANALYSIS_NONE: none or several */
	uint32_t *first;      /* by node: where its row begins */
	uint8_t *process_state;
};

static bool is_small(const struct analysis *analysis, const struct analysis_values *values,
		     double percent)
{
	return percent > 0 && !(analysis_share(analysis, values) >= percent);
}

static void trim(struct outliner *outliner)
{
	const struct analysis *analysis = outliner->analysis;
	const struct analysis_outline_options *options = outliner->options;
	struct analysis_outline *outline = outliner->outline;

	for (size_t i = 0; i < analysis->processes.len; i++) {
		const struct analysis_process *process = &analysis->processes.data[i];
		if (!process->selected || !process->merged || analysis->is_rooted ||
		    (options->processes_wanted && !options->processes_wanted[i]))
			continue;
		const bool small = is_small(analysis, &process->tree, options->trim);
		outliner->process_state[i] = small ? TRIMMED : SHOWN;
		outline->trimmed += small;
	}
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		if (options->wanted && !options->wanted[i])
			continue;
		const bool below =
			node->parent != ANALYSIS_NONE && outliner->state[node->parent] == TRIMMED;
		outliner->state[i] =
			below || is_small(analysis, &node->values, options->trim) ? TRIMMED : SHOWN;
		if (outliner->state[i] == SHOWN)
			continue;
		outline->trimmed++;
		outline->trimmed_value += analysis_exclusive(analysis, &node->values);
	}
}

static void mark_hot(const struct analysis *analysis, struct analysis_outline *outline)
{
	struct analysis_path path = {0};

	outline->hot_process = ANALYSIS_NONE;
	analysis_hot_path(analysis, ANALYSIS_HOT_SHARE, &path);
	vec_foreach (step, &path) {
		if (step->kind == STEP_PROCESS)
			outline->hot_process = step->index;
		else if (step->kind == STEP_THREAD)
			outline->hot[analysis->threads.data[step->index].root] = true;
		else
			outline->hot[step->index] = true;
	}
	vec_fini(&path);
}

/* Only what is on the hot path, and what its callers call beside. */
static void collapse_cold(struct outliner *outliner)
{
	const struct analysis *analysis = outliner->analysis;

	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const uint32_t parent = analysis->nodes.data[i].parent;
		if (outliner->state[i] != SHOWN || parent == ANALYSIS_NONE ||
		    outliner->outline->hot[parent])
			continue;
		outliner->state[i] = COLLAPSED;
	}
}

/* ---- rows ---- */

static bool is_apart(const struct outliner *outliner, uint32_t node)
{
	const struct analysis_node *row = &outliner->analysis->nodes.data[node];

	return row->parent == ANALYSIS_NONE || row->folded ||
	       (outliner->options->apart && outliner->options->apart[node]);
}

static bool shares_row(const struct outliner *outliner, uint32_t parent, uint32_t node)
{
	const struct analysis *analysis = outliner->analysis;
	const struct analysis_values *values = &analysis->nodes.data[parent].values;
	const bool *hot = outliner->outline->hot;

	return outliner->options->fold > 0 && outliner->only_child[parent] == node &&
	       hot[parent] == hot[node] && !is_apart(outliner, parent) &&
	       !is_apart(outliner, node) &&
	       !(analysis_exclusive_share(analysis, values) >= outliner->options->fold);
}

static void find_only_children(struct outliner *outliner)
{
	const struct analysis_node *nodes = outliner->analysis->nodes.data;
	uint32_t *only = outliner->only_child;

	for (uint32_t i = 0; i < outliner->analysis->nodes.len; i++) {
		uint32_t shown = 0;
		only[i] = ANALYSIS_NONE;
		for (uint32_t at = nodes[i].first_child; at != ANALYSIS_NONE && shown < 2;
		     at = nodes[at].next_sibling) {
			if (outliner->state[at] != SHOWN)
				continue;
			only[i] = shown++ ? ANALYSIS_NONE : at;
		}
	}
}

static void make_rows(struct outliner *outliner)
{
	const struct analysis *analysis = outliner->analysis;
	struct analysis_outline *outline = outliner->outline;

	for (uint32_t i = 0; i < analysis->nodes.len; i++) {
		const uint32_t parent = analysis->nodes.data[i].parent;
		outline->last[i] = ANALYSIS_NONE;
		outliner->first[i] = i;
		if (outliner->state[i] != SHOWN)
			continue;
		if (parent != ANALYSIS_NONE && shares_row(outliner, parent, i))
			outliner->first[i] = outliner->first[parent];
		outline->last[outliner->first[i]] = i;
	}
}

/* Rows deeper than asked for; a row's depth is one more than that of the row above. */
static void collapse_deep(struct outliner *outliner)
{
	const struct analysis *analysis = outliner->analysis;
	uint32_t *depth = mem_zalloc((analysis->nodes.len + 1) * sizeof(*depth));

	for (uint32_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		depth[i] =
			node->parent == ANALYSIS_NONE ? analysis->is_rooted : depth[node->parent];
		if (node->parent != ANALYSIS_NONE && outliner->first[i] == i)
			depth[i]++;
		if (outliner->state[i] != SHOWN || depth[i] <= outliner->options->levels)
			continue;
		outliner->state[i] = COLLAPSED;
		outliner->outline->last[i] = ANALYSIS_NONE;
	}
	free(depth);
}

/* ---- limit ---- */

/* A row by its rank: processes count from 0, nodes behind them. */
struct ranked {
	uint64_t value;
	size_t place;
};

struct ranked_rows vec_of(struct ranked);

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Rows above others have no less, and come first of equals: what is kept is connected. */
static bool above_is_kept(const struct outliner *outliner, const bool *kept, size_t place)
{
	const struct analysis *analysis = outliner->analysis;
	const size_t processes = analysis->processes.len;

	if (place < processes || (analysis->is_rooted &&
				  analysis->nodes.data[place - processes].parent == ANALYSIS_NONE))
		return true;
	const struct analysis_node *node = &analysis->nodes.data[place - processes];
	return node->parent == ANALYSIS_NONE ? kept[analysis->threads.data[node->thread].process]
					     : kept[processes + outliner->first[node->parent]];
}

static void limit(struct outliner *outliner)
{
	const struct analysis *analysis = outliner->analysis;
	struct analysis_outline *outline = outliner->outline;
	const size_t processes = analysis->processes.len;
	struct ranked_rows rows = {0};
	bool *kept = mem_zalloc(processes + analysis->nodes.len + 1);

	for (size_t i = 0; i < processes; i++)
		if (outliner->process_state[i] == SHOWN)
			vec_push(&rows, ((struct ranked){.value = analysis_inclusive(
								 analysis,
								 &analysis->processes.data[i].tree),
							 .place = i}));
	for (size_t i = 0; i < analysis->nodes.len; i++)
		if (outline->last[i] != ANALYSIS_NONE)
			vec_push(&rows, ((struct ranked){
						.value = analysis_inclusive(
							analysis, &analysis->nodes.data[i].values),
						.place = processes + i}));
	if (rows.len > outliner->options->limit)
		vec_sort(&rows, by_rank);
	for (size_t i = 0; i < rows.len; i++) {
		const size_t place = rows.data[i].place;
		kept[place] = outline->rows < outliner->options->limit &&
			      above_is_kept(outliner, kept, place);
		outline->rows += kept[place];
		outline->hidden += !kept[place];
		if (!kept[place] && place >= processes)
			outline->last[place - processes] = ANALYSIS_NONE;
	}
	memcpy(outline->processes, kept, processes);
	free(kept);
	vec_fini(&rows);
}

static void count(struct outliner *outliner)
{
	const struct analysis *analysis = outliner->analysis;
	struct analysis_outline *outline = outliner->outline;

	for (uint32_t i = 0; i < analysis->nodes.len; i++) {
		const uint32_t first = outliner->first[i];
		outline->collapsed += outliner->state[i] == COLLAPSED;
		if (outliner->state[i] != SHOWN || outline->last[first] == ANALYSIS_NONE ||
		    outline->last[first] == first)
			continue;
		outline->shared_frames++;
		outline->shared += first == i;
	}
}

void analysis_outline_make(const struct analysis *analysis,
			   const struct analysis_outline_options *options,
			   struct analysis_outline *outline)
{
	const size_t nodes = analysis->nodes.len + 1;
	struct outliner outliner = {.analysis = analysis,
				    .options = options,
				    .outline = outline,
				    .state = mem_zalloc(nodes),
				    .only_child = mem_alloc(nodes * sizeof(uint32_t)),
				    .first = mem_alloc(nodes * sizeof(uint32_t)),
				    .process_state = mem_zalloc(analysis->processes.len + 1)};

	*outline = (struct analysis_outline){.last = mem_alloc(nodes * sizeof(uint32_t)),
					     .processes = mem_zalloc(analysis->processes.len + 1),
					     .hot = mem_zalloc(nodes)};
	trim(&outliner);
	mark_hot(analysis, outline);
	if (options->expand == EXPAND_HOT)
		collapse_cold(&outliner);
	find_only_children(&outliner);
	make_rows(&outliner);
	if (options->expand == EXPAND_LEVELS)
		collapse_deep(&outliner);
	limit(&outliner);
	count(&outliner);
	free(outliner.state);
	free(outliner.only_child);
	free(outliner.first);
	free(outliner.process_state);
}

void analysis_outline_hot(const struct analysis *analysis, struct analysis_outline *outline)
{
	*outline = (struct analysis_outline){.hot = mem_zalloc(analysis->nodes.len + 1)};
	mark_hot(analysis, outline);
}

void analysis_outline_fini(struct analysis_outline *outline)
{
	free(outline->last);
	free(outline->processes);
	free(outline->hot);
}

struct analysis_values analysis_outline_values(const struct analysis *analysis,
					       const struct analysis_outline *outline,
					       uint32_t first)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	struct analysis_values values = nodes[first].values;

	for (uint32_t at = outline->last[first]; at != first; at = nodes[at].parent)
		analysis_values_absorb(&values, &nodes[at].values);
	return values;
}
