/*
 * Trees made anew: without the functions of system modules (my code), from chosen
 * functions down (root), without recursion, of threads of one name. Every node goes into one of the
 * new tree, as a node of its own or into that of a caller; what meets there becomes one. So
 * exclusive values are moved, never made or lost, and inclusive ones are summed up again.
 *
 * Nodes are as before they are linked: their inclusive values are those that have folded (see
 * folded_nodes.c), and add up too.
 */
#include "analysis/private.h"

#include <assert.h>
#include <string.h>

struct reshaping {
	struct analysis *analysis;
	__typeof__(((struct analysis *)0)->nodes) nodes; /* the new ones */
	uint32_t *to;	  /* from old to new; ANALYSIS_NONE: left out */
	struct map known; /* (parent, function) → new node */
};

static void reshaping_begin(struct reshaping *reshaping, struct analysis *analysis)
{
	*reshaping = (struct reshaping){.analysis = analysis};
	reshaping->to = mem_alloc((analysis->nodes.len + 1) * sizeof(*reshaping->to));
	map_init(&reshaping->known);
	map_reserve(&reshaping->known, analysis->nodes.len);
}

/* Nodes of the profile, or of stacks, are those of the new tree; the one of calls or of samples. */
static void reshaping_end(struct reshaping *reshaping, bool of_calls)
{
	struct analysis *analysis = reshaping->analysis;

	vec_foreach (thread, &analysis->threads)
		if (thread->root != ANALYSIS_NONE)
			thread->root = reshaping->to[thread->root];
	for (size_t i = 0; i < analysis->node_of.len && of_calls; i++)
		if (analysis->node_of.data[i] != ANALYSIS_NONE)
			analysis->node_of.data[i] = reshaping->to[analysis->node_of.data[i]];
	for (size_t i = 0; i < analysis->stack_nodes.cap && !of_calls; i++)
		if (analysis->stack_nodes.slots[i].used &&
		    analysis->stack_nodes.slots[i].value != ANALYSIS_NONE)
			analysis->stack_nodes.slots[i].value =
				reshaping->to[analysis->stack_nodes.slots[i].value];
	assert(reshaping->nodes.len <= analysis->nodes.len); /* nodes meet, none is made */
	vec_fini(&analysis->nodes);
	memcpy(&analysis->nodes, &reshaping->nodes, sizeof(analysis->nodes));
	map_fini(&reshaping->known);
	free(reshaping->to);
}

/* Adds all values; calls are calls of it. */
static void join(struct reshaping *reshaping, uint32_t into, const struct analysis_node *node)
{
	struct analysis_node *to = &reshaping->nodes.data[into];

	assert(into < reshaping->nodes.len);
	assert(to->function == node->function && to->folded == node->folded);
	analysis_calls_join(&to->values, &node->values);
	analysis_values_add_exclusive(&reshaping->analysis->arena, &to->values, &node->values);
	analysis_values_add_inclusive(&to->values, &node->values);
	analysis_folded_sum(&to->folded_time, &node->folded_time);
	if (to->thread != node->thread)
		to->thread = ANALYSIS_NONE;
}

/* The time of a call that is not shown is its caller's own. */
static void absorb(struct reshaping *reshaping, uint32_t into, const struct analysis_node *node)
{
	struct analysis_node *to = &reshaping->nodes.data[into];

	assert(into < reshaping->nodes.len && !node->folded);
	analysis_values_absorb(&to->values, &node->values);
	analysis_values_add_inclusive(&to->values, &node->values);
	analysis_folded_sum(&to->folded_time, &node->folded_time);
}

/* A node of its own below `parent`, or part of that of the same function there. */
static uint32_t put(struct reshaping *reshaping, const struct analysis_node *node, uint32_t parent)
{
	const uint32_t subject = node->function == ANALYSIS_NONE ? node->thread
				 : node->folded			 ? node->function | ANALYSIS_FOLDED
								 : node->function;
	assert(node->function == ANALYSIS_NONE || node->function < ANALYSIS_FOLDED);
	assert(parent == ANALYSIS_NONE || parent < reshaping->nodes.len);
	const size_t fresh = reshaping->nodes.len;
	const uint32_t index =
		(uint32_t)*map_put(&reshaping->known, (uint64_t)parent << 32 | subject, fresh);

	if (index != fresh) {
		join(reshaping, index, node);
		return index;
	}
	assert(index == reshaping->nodes.len);
	vec_push(&reshaping->nodes, *node);
	struct analysis_node *new = &reshaping->nodes.data[index];
	new->parent = parent;
	new->first_child = new->next_sibling = ANALYSIS_NONE;
	new->level = 0;
	return index;
}

/* ---- my code ---- */

static bool is_mine(const struct analysis *analysis, const struct analysis_node *node)
{
	return node->function != ANALYSIS_NONE &&
	       !analysis->modules.data[analysis->functions.data[node->function].module].system;
}

void analysis_hide_system(struct analysis *analysis, bool of_calls)
{
	struct analysis_totals *totals = &analysis->totals;
	const bool shown = of_calls == (analysis->method == ANALYSIS_INSTRUMENT);
	bool *hidden = mem_zalloc(analysis->modules.len + 1);
	struct reshaping reshaping = {0};

	reshaping_begin(&reshaping, analysis);
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		const uint32_t parent =
			node->parent == ANALYSIS_NONE ? ANALYSIS_NONE : reshaping.to[node->parent];
		/* What no caller of mine has is the thread's, outside of its functions. Of what has
		   folded, callers are not known, and it stays.
		 */
		if (parent == ANALYSIS_NONE || node->folded || is_mine(analysis, node)) {
			reshaping.to[i] = put(&reshaping, node, parent);
			continue;
		}
		absorb(&reshaping, parent, node);
		reshaping.to[i] = parent;
		bool *module = &hidden[analysis->functions.data[node->function].module];
		totals->frames_hidden += shown;
		totals->modules_hidden += shown && !*module;
		*module = true;
	}
	reshaping_end(&reshaping, of_calls);
	free(hidden);
}

/* ---- what is shown of the tree ---- */

/* Takes back what analysis_link_nodes has summed up; the links stay. */
static void unlink_values(struct analysis *analysis)
{
	struct analysis_node *nodes = analysis->nodes.data;

	for (size_t i = 0; i < analysis->nodes.len; i++) {
		struct analysis_node *node = &nodes[i];
		if (node->parent != ANALYSIS_NONE && !node->folded) {
			assert(node->parent < i);
			struct analysis_folded_time *above = &nodes[node->parent].folded_time;
			analysis_values_subtract_inclusive(&nodes[node->parent].values,
							   &node->values);
			above->application -= node->folded_time.application;
			above->disturbed -= node->folded_time.disturbed;
			above->waited -= node->folded_time.waited;
		}
		analysis_values_subtract_own(&node->values);
	}
}

struct rooting {
	struct reshaping reshaping;
	const struct analysis_globs *wanted;
	bool by_thread;
	bool *is_wanted; /* by function */
	uint32_t *tops;	 /* by thread: its new root */
};

/* The root of a thread stays as the place of what is below, without time of its own. */
static uint32_t root_thread(struct rooting *rooting, const struct analysis_node *node)
{
	struct analysis_node top = *node;

	if (!rooting->by_thread)
		return ANALYSIS_NONE;
	top.values = analysis_values_zero();
	top.folded_time = (struct analysis_folded_time){0};
	assert(node->thread < rooting->reshaping.analysis->threads.len);
	rooting->tops[node->thread] = put(&rooting->reshaping, &top, ANALYSIS_NONE);
	return rooting->tops[node->thread];
}

/* An outermost call of a function that is wanted. Of folded ones only what was not below others. */
static uint32_t root_call(struct rooting *rooting, const struct analysis_node *node)
{
	struct analysis_node call = *node;

	if (call.folded) {
		analysis_values_add_folded(&call.values, &call.folded_time);
		call.folded_time = (struct analysis_folded_time){0};
		call.folded = false;
	}
	rooting->reshaping.analysis->totals.root_paths++;
	return put(&rooting->reshaping, &call,
		   rooting->by_thread ? rooting->tops[node->thread] : ANALYSIS_NONE);
}

static uint32_t root_node(struct rooting *rooting, const struct analysis_node *node)
{
	const struct reshaping *reshaping = &rooting->reshaping;

	if (node->parent == ANALYSIS_NONE)
		return root_thread(rooting, node);
	const uint32_t parent = reshaping->to[node->parent];
	const bool inside =
		parent != ANALYSIS_NONE && reshaping->nodes.data[parent].function != ANALYSIS_NONE;
	assert(node->function < reshaping->analysis->functions.len);
	if (inside)
		return put(&rooting->reshaping, node, parent);
	return rooting->is_wanted[node->function] ? root_call(rooting, node) : ANALYSIS_NONE;
}

static bool set_root(struct analysis *analysis, const struct analysis_options *options,
		     struct error *err)
{
	const struct analysis_globs wanted = {.items = &options->root, .count = 1};
	struct rooting rooting = {.wanted = &wanted, .by_thread = options->root_by_thread};
	bool any = false;

	rooting.is_wanted = mem_zalloc(analysis->functions.len + 1);
	for (uint32_t i = 0; i < analysis->functions.len; i++)
		rooting.is_wanted[i] = analysis_function_matches(analysis, i, &wanted);
	vec_foreach (node, &analysis->nodes)
		any |= node->function != ANALYSIS_NONE && rooting.is_wanted[node->function];
	if (!any) {
		free(rooting.is_wanted);
		return analysis_fail_unknown(analysis, options->root, err);
	}
	rooting.tops = mem_zalloc((analysis->threads.len + 1) * sizeof(*rooting.tops));
	reshaping_begin(&rooting.reshaping, analysis);
	unlink_values(analysis);
	for (size_t i = 0; i < analysis->nodes.len; i++)
		rooting.reshaping.to[i] = root_node(&rooting, &analysis->nodes.data[i]);
	reshaping_end(&rooting.reshaping, analysis->method == ANALYSIS_INSTRUMENT);
	analysis_link_nodes(analysis);
	analysis->root = options->root;
	analysis->is_rooted = !options->root_by_thread;
	free(rooting.tops);
	free(rooting.is_wanted);
	return true;
}

/*
 * The node of the same function on the path to `from` in the new tree; ANALYSIS_NONE: none. There,
 * what recursion has called stands below its first call: so every caller is one that there was.
 */
static uint32_t find_above(const struct reshaping *reshaping, uint32_t from,
			   const struct analysis_node *node)
{
	const struct analysis_node *nodes = reshaping->nodes.data;
	uint32_t at = from;

	while (at != ANALYSIS_NONE &&
	       (nodes[at].function != node->function || nodes[at].folded != node->folded))
		at = nodes[at].parent;
	return at;
}

static void fold_recursion(struct analysis *analysis)
{
	struct reshaping reshaping = {0};

	reshaping_begin(&reshaping, analysis);
	unlink_values(analysis);
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		const uint32_t parent =
			node->parent == ANALYSIS_NONE ? ANALYSIS_NONE : reshaping.to[node->parent];
		reshaping.to[i] = find_above(&reshaping, parent, node);
		if (reshaping.to[i] == ANALYSIS_NONE) {
			reshaping.to[i] = put(&reshaping, node, parent);
			continue;
		}
		join(&reshaping, reshaping.to[i], node);
		analysis->totals.recursion_folded++;
	}
	reshaping_end(&reshaping, analysis->method == ANALYSIS_INSTRUMENT);
	analysis_link_nodes(analysis);
	analysis->recursion_is_folded = true;
}

/* ---- threads of one name ---- */

/* The first process of the name has the tree of all. Its number, by process. */
static uint32_t *merge_processes(struct analysis *analysis)
{
	uint32_t *first = mem_alloc((analysis->processes.len + 1) * sizeof(*first));
	struct strmap names = {0};

	for (uint32_t i = 0; i < analysis->processes.len; i++) {
		struct analysis_process *process = &analysis->processes.data[i];
		first[i] = i;
		if (!process->selected)
			continue;
		const char *name = process->row->name ? process->row->name : "";
		first[i] = (uint32_t)*strmap_put(&names, name, i);
		if (first[i] == i)
			continue;
		analysis_values_sum(&analysis->processes.data[first[i]].tree, &process->tree);
		analysis->processes.data[first[i]].merged++;
		process->tree = analysis_values_zero();
		process->merged = 0;
	}
	strmap_fini(&names);
	return first;
}

/* Likewise of threads with a tree, which is handed over later: nodes are of the first one. */
static uint32_t *choose_threads(struct analysis *analysis, const uint32_t *processes)
{
	uint32_t *first = mem_alloc((analysis->threads.len + 1) * sizeof(*first));
	struct strmap names = {0};

	for (uint32_t i = 0; i < analysis->threads.len; i++) {
		struct analysis_thread *thread = &analysis->threads.data[i];
		first[i] = i;
		if (!thread->selected || thread->root == ANALYSIS_NONE)
			continue;
		thread->process = processes[thread->process];
		const char *name = thread->row->name ? thread->row->name : "";
		first[i] = (uint32_t)*strmap_put(
			&names, arena_printf(&analysis->arena, "%u %s", thread->process, name), i);
		if (first[i] == i)
			continue;
		analysis->threads.data[first[i]].merged++;
		thread->merged = 0;
		thread->root = ANALYSIS_NONE;
	}
	strmap_fini(&names);
	return first;
}

static void merge_threads(struct analysis *analysis)
{
	uint32_t *processes = merge_processes(analysis);
	uint32_t *threads = choose_threads(analysis, processes);
	struct reshaping reshaping = {0};

	reshaping_begin(&reshaping, analysis);
	unlink_values(analysis);
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		struct analysis_node node = analysis->nodes.data[i];
		node.thread = threads[node.thread];
		reshaping.to[i] = put(&reshaping, &node,
				      node.parent == ANALYSIS_NONE ? ANALYSIS_NONE
								   : reshaping.to[node.parent]);
	}
	reshaping_end(&reshaping, analysis->method == ANALYSIS_INSTRUMENT);
	analysis_link_nodes(analysis);
	free(threads);
	free(processes);
}

bool analysis_reshape(struct analysis *analysis, const struct analysis_options *options,
		      struct error *err)
{
	if (options->root && !set_root(analysis, options, err))
		return false;
	if (options->fold_recursion)
		fold_recursion(analysis);
	if (options->merge_threads && !analysis->is_rooted)
		merge_threads(analysis);
	/* Threads that are shown as one are many paths all the same. */
	if (options->root || options->fold_recursion)
		analysis->totals.nodes = analysis->nodes.len;
	return true;
}
