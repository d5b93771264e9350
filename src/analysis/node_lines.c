/*
 * See node_lines.h. A stack's chain of locations and a node's chain of callers are climbed side by
 * side. Each stack of a thread is met once: what was sampled below it is added up on the way, from
 * the innermost stacks, which have the largest ids, outwards.
 */
#include "analysis/node_lines.h"

#include "analysis/stack_counts.h"

const struct analysis_node_line *analysis_lines_of_node(const struct analysis_line_table *table,
							uint32_t node, size_t *count)
{
	*count = table->first ? table->first[node + 1] - table->first[node] : 0;
	return *count ? &table->rows.data[table->first[node]] : NULL;
}

bool analysis_wants_node_lines(const struct analysis_options *options)
{
	return options->node_lines && !options->my_code && !options->root &&
	       !options->fold_recursion && !options->merge_threads;
}

struct line_loader {
	struct analysis *analysis;
	const struct profile_location_line *lines;
	uint32_t *first; /* of each location its lines */
};

/* Line `depth` of a location, from the innermost one; location 0: it is not known. */
static void add_line(struct line_loader *loader, struct analysis_line_table *table,
		     struct analysis_node_line row, int64_t location, uint32_t depth)
{
	const uint32_t at = location ? loader->first[location - 1] + depth : 0;

	row.source = ANALYSIS_NONE;
	if (location && at < loader->first[location] && loader->lines[at].source &&
	    loader->lines[at].line) {
		row.source = (uint32_t)(loader->lines[at].source - 1);
		row.line = loader->lines[at].line;
	}
	vec_push(&table->rows, row);
}

static int compare_rows(const void *a, const void *b)
{
	const struct analysis_node_line *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void add_row(struct analysis_place *to, const struct analysis_place *from)
{
	analysis_place_add(to, from, INCLUSIVE);
	to->calls += from->calls;
}

/* Rows of the same place become one. */
static void finish(struct analysis_line_table *table, size_t nodes)
{
	size_t kept = 0, at = 0;

	vec_sort(&table->rows, compare_rows);
	for (size_t i = 0; i < table->rows.len; i++) {
		struct analysis_node_line *row = &table->rows.data[i];
		if (kept && compare_rows(&table->rows.data[kept - 1], row) == 0)
			add_row(&table->rows.data[kept - 1].values, &row->values);
		else
			table->rows.data[kept++] = *row;
	}
	table->rows.len = kept;
	table->first = mem_alloc((nodes + 1) * sizeof(*table->first));
	for (size_t node = 0; node <= nodes; node++) {
		while (at < kept && table->rows.data[at].node < node)
			at++;
		table->first[node] = at;
	}
}

static struct analysis_node_lines *loader_open(struct line_loader *loader,
					       struct analysis *analysis)
{
	size_t count;

	*loader = (struct line_loader){.analysis = analysis,
				       .lines = profile_location_lines(analysis->profile, &count),
				       .first = analysis_lines_of_locations(analysis)};
	analysis->node_lines = mem_zalloc(sizeof(*analysis->node_lines));
	return analysis->node_lines;
}

static void loader_close(struct line_loader *loader)
{
	struct analysis_node_lines *lines = loader->analysis->node_lines;

	finish(&lines->own, loader->analysis->nodes.len);
	finish(&lines->called, loader->analysis->nodes.len);
	free(loader->first);
}

/* ---- samples ---- */

struct stack_climber {
	struct line_loader loader;
	const struct profile_stack *stacks;
	const struct location_places *functions;
	struct analysis_place *below; /* by stack: its samples and those of stacks below */
	uint32_t *node_of;	      /* by stack: the node of its innermost function */
	bool *met;
	struct vec_of(uint32_t) path; /* stacks of the thread that were met, less one */
};

static uint32_t functions_at(const struct stack_climber *climber, int64_t location)
{
	return climber->functions->first[location] - climber->functions->first[location - 1];
}

static void meet(struct stack_climber *climber, const struct sample_value *value)
{
	const struct analysis_node *nodes = climber->loader.analysis->nodes.data;
	const uint64_t *found = map_get(&climber->loader.analysis->stack_nodes,
					(uint64_t)value->thread << 32 | value->stack);

	if (!value->stack || !found)
		return;
	uint32_t node = (uint32_t)*found;
	struct analysis_node_line row = {.node = node};
	analysis_place_add_sample(&row.values, value, INCLUSIVE);
	analysis_place_add(&climber->below[value->stack - 1], &row.values, INCLUSIVE);
	add_line(&climber->loader, &climber->loader.analysis->node_lines->own, row,
		 climber->stacks[value->stack - 1].location, 0);
	for (uint32_t at = value->stack; at && !climber->met[at - 1];
	     at = (uint32_t)climber->stacks[at - 1].parent) {
		climber->met[at - 1] = true;
		climber->node_of[at - 1] = node;
		vec_push(&climber->path, at - 1);
		for (uint32_t i = functions_at(climber, climber->stacks[at - 1].location); i-- > 0;)
			node = nodes[node].parent;
	}
}

/* The calls that a stack's location stands for: of what was inlined there, and of its function. */
static void add_calls(struct stack_climber *climber, uint32_t stack)
{
	const struct analysis *analysis = climber->loader.analysis;
	const struct profile_stack *row = &climber->stacks[stack];
	const uint32_t count = functions_at(climber, row->location);
	struct analysis_node_line line = {.node = climber->node_of[stack],
					  .values = climber->below[stack]};

	for (uint32_t depth = 1; depth <= count; depth++) {
		const bool inlined = depth < count;
		const int64_t caller = row->parent ? climber->stacks[row->parent - 1].location : 0;
		add_line(&climber->loader, &analysis->node_lines->called, line,
			 inlined ? row->location : caller, inlined ? depth : 0);
		line.node = analysis->nodes.data[line.node].parent;
	}
}

static int compare_descending(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x > y ? -1 : x < y;
}

/* What was met is of one thread. */
static void leave_thread(struct stack_climber *climber)
{
	vec_sort(&climber->path, compare_descending);
	vec_foreach (stack, &climber->path) {
		struct analysis_place *below = &climber->below[*stack];
		const int64_t parent = climber->stacks[*stack].parent;
		add_calls(climber, *stack);
		if (parent)
			analysis_place_add(&climber->below[parent - 1], below, INCLUSIVE);
		*below = (struct analysis_place){0};
		climber->met[*stack] = false;
	}
	climber->path.len = 0;
}

void analysis_load_sample_lines(struct analysis *analysis, const struct sample_values *values,
				const struct location_places *functions)
{
	size_t count;
	struct stack_climber climber = {.stacks = profile_stacks(analysis->profile, &count),
					.functions = functions};

	loader_open(&climber.loader, analysis);
	climber.below = mem_zalloc((count + 1) * sizeof(*climber.below));
	climber.node_of = mem_alloc((count + 1) * sizeof(*climber.node_of));
	climber.met = mem_zalloc(count + 1);
	for (size_t i = 0; i < values->len; i++) {
		if (i && values->data[i].thread != values->data[i - 1].thread)
			leave_thread(&climber);
		meet(&climber, &values->data[i]);
	}
	leave_thread(&climber);
	loader_close(&climber.loader);
	vec_fini(&climber.path);
	free(climber.below);
	free(climber.node_of);
	free(climber.met);
}

/* ---- calls ---- */

bool analysis_load_call_lines(struct analysis *analysis, struct profile *profile, struct error *err)
{
	struct line_loader loader = {0};
	struct analysis_stacks stacks = {0};

	if (analysis->method != ANALYSIS_INSTRUMENT || !profile_has_call_sites(profile))
		return true;
	struct analysis_node_lines *lines = loader_open(&loader, analysis);
	const bool ok = analysis_call_sites_init(&stacks, analysis, profile, err);
	for (size_t i = 0; i < stacks.count && ok; i++) {
		const uint32_t node = analysis->node_of.data[i];
		if (node != ANALYSIS_NONE)
			add_line(&loader, &lines->called,
				 (struct analysis_node_line){.node = node,
							     .values = stacks.values[i]},
				 stacks.rows[i].location, 0);
	}
	loader_close(&loader);
	analysis_stacks_fini(&stacks);
	return ok;
}

void analysis_node_lines_free(struct analysis_node_lines *lines)
{
	if (!lines)
		return;
	vec_fini(&lines->own.rows);
	vec_fini(&lines->called.rows);
	free(lines->own.first);
	free(lines->called.first);
	free(lines);
}
