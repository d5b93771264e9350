/*
 * Callers and callees of one function, and the hot path. One walk below its outermost calls: an
 * edge's inclusive values are those of its outermost occurrences, found as for functions in tree.c.
 * Of paths that have folded nobody knows who called: they have an edge of their own.
 */
#include "analysis/private.h"

#include <assert.h>

/* Edges by the function at the other end; behind those, two slots for what is none. */
enum { NO_FUNCTION, FOLDED, OTHER_SLOTS };

struct edge_walk {
	const struct analysis *analysis;
	uint32_t function;
	uint32_t *caller_depth, *callee_depth;
	struct map callers, callees; /* slot → index into edges */
	struct analysis_edges *edges;
};

static struct analysis_edge *edge_of(struct edge_walk *walk, bool caller, size_t slot)
{
	struct analysis_edges *edges = walk->edges;
	const size_t functions = walk->analysis->functions.len;
	const size_t len = caller ? edges->callers.len : edges->callees.len;
	assert(slot < functions + OTHER_SLOTS);
	const uint64_t index = *map_put(caller ? &walk->callers : &walk->callees, slot, len);
	const struct analysis_edge fresh = {.function = slot < functions ? (uint32_t)slot
									 : ANALYSIS_NONE,
					    .folded = slot == functions + FOLDED,
					    .values = analysis_values_zero()};

	assert(index <= len);
	if (index == len && caller)
		vec_push(&edges->callers, fresh);
	else if (index == len)
		vec_push(&edges->callees, fresh);
	return caller ? &edges->callers.data[index] : &edges->callees.data[index];
}

static size_t caller_slot(const struct edge_walk *walk, const struct analysis_node *node)
{
	const uint32_t caller = walk->analysis->nodes.data[node->parent].function;

	assert(caller == ANALYSIS_NONE || caller < walk->analysis->functions.len);
	if (caller != ANALYSIS_NONE)
		return caller;
	return walk->analysis->functions.len + (node->folded ? FOLDED : NO_FUNCTION);
}

static void add_path(struct edge_walk *walk, struct analysis_edge *edge,
		     const struct analysis_node *node)
{
	analysis_calls_join(&edge->values, &node->values);
	analysis_values_add_exclusive(&walk->edges->arena, &edge->values, &node->values);
}

static void edge_enter(uint32_t index, void *context)
{
	struct edge_walk *walk = context;
	const struct analysis_node *node = &walk->analysis->nodes.data[index];

	if (node->parent == ANALYSIS_NONE)
		return;
	assert(node->function < walk->analysis->functions.len); /* only roots have none */
	const size_t caller = caller_slot(walk, node);
	if (node->function == walk->function) {
		struct analysis_edge *edge = edge_of(walk, true, caller);
		add_path(walk, edge, node);
		if (walk->caller_depth[caller]++ == 0)
			analysis_values_add_outermost(&edge->values, node);
	}
	if (caller == walk->function) {
		struct analysis_edge *edge = edge_of(walk, false, node->function);
		add_path(walk, edge, node);
		if (walk->callee_depth[node->function]++ == 0)
			analysis_values_add_outermost(&edge->values, node);
	}
}

static void edge_leave(uint32_t index, void *context)
{
	struct edge_walk *walk = context;
	const struct analysis_node *node = &walk->analysis->nodes.data[index];

	if (node->parent == ANALYSIS_NONE)
		return;
	const size_t caller = caller_slot(walk, node);
	assert(node->function != walk->function || walk->caller_depth[caller]);
	assert(caller != walk->function || walk->callee_depth[node->function]);
	if (node->function == walk->function)
		walk->caller_depth[caller]--;
	if (caller == walk->function)
		walk->callee_depth[node->function]--;
}

static int edge_compare(const void *a, const void *b, void *analysis)
{
	const struct analysis_edge *x = a, *y = b;
	const uint64_t left = analysis_inclusive(analysis, &x->values);
	const uint64_t right = analysis_inclusive(analysis, &y->values);

	if (left != right)
		return left > right ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->folded - y->folded;
}

/* Elsewhere no edge of the function is. Parents precede their children. */
static void walk_below_calls(const struct analysis *analysis, uint32_t function,
			     const struct analysis_visitor *visitor)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	bool *below = mem_zalloc(analysis->nodes.len + 1); /* or such a call itself */

	for (uint32_t i = 0; i < analysis->nodes.len; i++) {
		const bool is_call = nodes[i].function == function;
		const bool inside = nodes[i].parent != ANALYSIS_NONE && below[nodes[i].parent];
		below[i] = inside || is_call;
		if (is_call && !inside)
			analysis_walk(analysis, i, visitor);
	}
	free(below);
}

void analysis_edges_find(const struct analysis *analysis, uint32_t function,
			 struct analysis_edges *edges)
{
	const size_t slots = analysis->functions.len + OTHER_SLOTS;
	struct edge_walk walk = {
		.analysis = analysis,
		.function = function,
		.caller_depth = mem_zalloc(slots * sizeof(uint32_t)),
		.callee_depth = mem_zalloc(slots * sizeof(uint32_t)),
		.edges = edges,
	};
	const struct analysis_visitor visitor = {edge_enter, edge_leave, &walk};

	*edges = (struct analysis_edges){0};
	arena_init(&edges->arena);
	map_init(&walk.callers);
	map_init(&walk.callees);
	walk_below_calls(analysis, function, &visitor);
	if (edges->callers.len)
		qsort_r(edges->callers.data, edges->callers.len, sizeof(*edges->callers.data),
			edge_compare, (void *)analysis);
	if (edges->callees.len)
		qsort_r(edges->callees.data, edges->callees.len, sizeof(*edges->callees.data),
			edge_compare, (void *)analysis);
	map_fini(&walk.callers);
	map_fini(&walk.callees);
	free(walk.caller_depth);
	free(walk.callee_depth);
}

void analysis_edges_fini(struct analysis_edges *edges)
{
	vec_fini(&edges->callers);
	vec_fini(&edges->callees);
	arena_fini(&edges->arena);
}

/* ---- hot path ---- */

static bool holds(uint64_t part, uint64_t whole, double share)
{
	return part && (double)part >= share * (double)whole;
}

static uint64_t process_inclusive(const struct analysis *analysis, uint32_t process)
{
	return analysis_inclusive(analysis, &analysis->processes.data[process].tree);
}

static uint64_t node_inclusive(const struct analysis *analysis, uint32_t node)
{
	return analysis_inclusive(analysis, &analysis->nodes.data[node].values);
}

static uint32_t hottest_process(const struct analysis *analysis)
{
	uint32_t best = ANALYSIS_NONE;

	for (uint32_t i = 0; i < analysis->processes.len; i++)
		if (best == ANALYSIS_NONE ||
		    process_inclusive(analysis, i) > process_inclusive(analysis, best))
			best = i;
	return best;
}

static uint32_t hottest_thread(const struct analysis *analysis, uint32_t process)
{
	uint32_t best = ANALYSIS_NONE;
	uint64_t most = 0;

	for (uint32_t i = 0; i < analysis->threads.len; i++) {
		const struct analysis_thread *thread = &analysis->threads.data[i];
		if (thread->process != process || thread->root == ANALYSIS_NONE)
			continue;
		assert(thread->root < analysis->nodes.len);
		const uint64_t inclusive = node_inclusive(analysis, thread->root);
		if (best == ANALYSIS_NONE || inclusive > most) {
			best = i;
			most = inclusive;
		}
	}
	return best;
}

static uint32_t hottest_child(const struct analysis *analysis, uint32_t node)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	uint32_t best = nodes[node].first_child;

	for (uint32_t at = best; at != ANALYSIS_NONE; at = nodes[at].next_sibling)
		if (node_inclusive(analysis, at) > node_inclusive(analysis, best))
			best = at;
	return best;
}

static uint32_t hottest_root(const struct analysis *analysis)
{
	uint32_t best = ANALYSIS_NONE;

	for (uint32_t i = 0; i < analysis->nodes.len; i++)
		if (analysis->nodes.data[i].parent == ANALYSIS_NONE &&
		    (best == ANALYSIS_NONE ||
		     node_inclusive(analysis, i) > node_inclusive(analysis, best)))
			best = i;
	return best;
}

/* From `node`, which is on the path, on. */
static void follow(const struct analysis *analysis, uint32_t node, double share,
		   struct analysis_path *path)
{
	const struct analysis_node *nodes = analysis->nodes.data;

	for (uint32_t at = node;;) {
		const uint32_t child = hottest_child(analysis, at);
		const double least = nodes[at].function == ANALYSIS_NONE ? 0 : share;
		if (child == ANALYSIS_NONE ||
		    !holds(node_inclusive(analysis, child), node_inclusive(analysis, at), least))
			return;
		assert(nodes[child].parent == at);
		vec_push(path, ((struct analysis_step){.kind = STEP_NODE,
						       .index = child,
						       .values = &nodes[child].values}));
		at = child;
	}
}

static void follow_root(const struct analysis *analysis, double share, struct analysis_path *path)
{
	const uint32_t root = hottest_root(analysis);

	if (root == ANALYSIS_NONE)
		return;
	vec_push(path, ((struct analysis_step){.kind = STEP_NODE,
					       .index = root,
					       .values = &analysis->nodes.data[root].values}));
	follow(analysis, root, share, path);
}

void analysis_hot_path(const struct analysis *analysis, double share, struct analysis_path *path)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	const uint32_t process = hottest_process(analysis);

	*path = (struct analysis_path){0};
	if (analysis->is_rooted) {
		follow_root(analysis, share, path);
		return;
	}
	if (process == ANALYSIS_NONE)
		return;
	if (!process_inclusive(analysis, process))
		return;
	vec_push(path, ((struct analysis_step){.kind = STEP_PROCESS,
					       .index = process,
					       .values = &analysis->processes.data[process].tree}));
	const uint32_t thread = hottest_thread(analysis, process);
	if (thread == ANALYSIS_NONE)
		return;
	const uint32_t root = analysis->threads.data[thread].root;
	if (!node_inclusive(analysis, root))
		return;
	vec_push(path,
		 ((struct analysis_step){
			 .kind = STEP_THREAD, .index = thread, .values = &nodes[root].values}));
	follow(analysis, root, share, path);
}
