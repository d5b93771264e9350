/*
 * The tree of nodes: lookups, links, and sums by function and module.
 *
 * As parents precede their children, subtree totals are sums in reverse order; a walk in
 * depth-first order, which follows the links and needs no stack, then knows for every node whether
 * its function or module already stands above it: only where it does not, the node's subtree
 * belongs to the function's inclusive values. Where the recording met a limit, parts of subtrees
 * have folded: see folded_nodes.c.
 */
#include "analysis/private.h"

#include <assert.h>

size_t analysis_node_position(const struct analysis *analysis, int64_t node_id)
{
	const int64_t *ids = analysis->node_ids.data;
	const size_t count = analysis->node_ids.len;

	if (node_id > 0 && (uint64_t)node_id <= count && ids[node_id - 1] == node_id)
		return (size_t)node_id - 1;
	const size_t low = partition_point(count, i, ids[i] < node_id);
	return low < count && ids[low] == node_id ? low : count;
}

uint32_t analysis_node_find(const struct analysis *analysis, int64_t node_id)
{
	const size_t position = analysis_node_position(analysis, node_id);

	assert(analysis->node_of.len == analysis->node_ids.len);
	return position < analysis->node_ids.len ? analysis->node_of.data[position] : ANALYSIS_NONE;
}

/* Lists of children are in the order of their indexes. */
void analysis_link_nodes(struct analysis *analysis)
{
	struct analysis_node *nodes = analysis->nodes.data;

	for (size_t i = analysis->nodes.len; i-- > 0;) {
		struct analysis_node *node = &nodes[i];
		struct analysis_values *values = &node->values;
		analysis_values_add_own(values);
		if (analysis->totals.residual && !node->folded)
			analysis_fit_ranges(values);
		if (node->parent == ANALYSIS_NONE)
			continue;
		assert(node->parent < i); /* so its sums are not taken yet */
		struct analysis_node *parent = &nodes[node->parent];
		node->next_sibling = parent->first_child;
		parent->first_child = (uint32_t)i;
		if (node->folded)
			continue;
		analysis_values_add_inclusive(&parent->values, values);
		analysis_folded_sum(&parent->folded_time, &node->folded_time);
	}
	analysis->links.len = 0;
	vec_reserve(&analysis->links, analysis->nodes.len);
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		if (nodes[i].parent != ANALYSIS_NONE)
			nodes[i].level = nodes[nodes[i].parent].level + 1;
		vec_push(&analysis->links,
			 ((struct analysis_link){nodes[i].parent, nodes[i].function}));
	}
	free(analysis->node_sums);
	analysis->node_sums = NULL;
}

/* How often each function and module stands on the stack of the node that is visited. */
struct depths {
	uint32_t *functions, *modules;
	struct analysis_folded_time *modules_folded; /* of the thread */
};

/* What the visits of a walk share. */
struct sums {
	struct analysis *analysis;
	struct depths depths;
	struct analysis_values *exclusive; /* by function: those of its nodes */
};

static void visit_enter(uint32_t index, void *context)
{
	struct sums *sums = context;
	struct analysis *analysis = sums->analysis;
	struct depths *depths = &sums->depths;
	const struct analysis_node *node = &analysis->nodes.data[index];

	if (node->function == ANALYSIS_NONE)
		return;
	assert(node->function < analysis->functions.len);
	struct analysis_function *function = &analysis->functions.data[node->function];
	struct analysis_module *module = &analysis->modules.data[function->module];

	assert(function->module < analysis->modules.len);
	analysis_values_add_exclusive(&analysis->arena, &sums->exclusive[node->function],
				      &node->values);
	if (depths->functions[node->function]++ == 0)
		analysis_values_add_outermost(&function->values, node);
	const bool outermost = depths->modules[function->module]++ == 0;
	analysis_folded_note(&depths->modules_folded[function->module], node, outermost);
	if (outermost && !node->folded)
		analysis_values_add_inclusive(&module->values, &node->values);
}

static void visit_leave(uint32_t index, void *context)
{
	struct sums *sums = context;
	const struct analysis *analysis = sums->analysis;
	const struct analysis_node *node = &analysis->nodes.data[index];

	if (node->function == ANALYSIS_NONE)
		return;
	assert(sums->depths.functions[node->function]); /* each is left as often as entered */
	assert(sums->depths.modules[analysis->functions.data[node->function].module]);
	sums->depths.functions[node->function]--;
	sums->depths.modules[analysis->functions.data[node->function].module]--;
}

void analysis_walk(const struct analysis *analysis, uint32_t root,
		   const struct analysis_visitor *visitor)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	uint32_t at = root;

	while (at != ANALYSIS_NONE) {
		assert(at < analysis->nodes.len);
		visitor->enter(at, visitor->context);
		if (nodes[at].first_child != ANALYSIS_NONE) {
			assert(nodes[nodes[at].first_child].parent == at);
			at = nodes[at].first_child;
			continue;
		}
		while (at != root && nodes[at].next_sibling == ANALYSIS_NONE) {
			visitor->leave(at, visitor->context);
			at = nodes[at].parent;
		}
		visitor->leave(at, visitor->context);
		if (at == root)
			break;
		assert(nodes[nodes[at].next_sibling].parent == nodes[at].parent);
		at = nodes[at].next_sibling;
	}
}

static void modules_add_folded(struct analysis *analysis, struct depths *depths)
{
	for (size_t i = 0; i < analysis->modules.len; i++)
		analysis_folded_add(&analysis->modules.data[i].values, &depths->modules_folded[i]);
}

/* Functions have the values of their nodes, and modules those of their functions. */
static void add_exclusive(struct analysis *analysis, const struct analysis_values *exclusive)
{
	for (size_t i = 0; i < analysis->functions.len; i++) {
		struct analysis_function *function = &analysis->functions.data[i];
		struct analysis_module *module = &analysis->modules.data[function->module];
		analysis_values_add_exclusive(&analysis->arena, &function->values, &exclusive[i]);
		analysis_values_add_exclusive(&analysis->arena, &module->values, &exclusive[i]);
	}
}

static struct analysis_values *no_values(size_t count)
{
	struct analysis_values *values = mem_alloc((count + 1) * sizeof(*values));

	for (size_t i = 0; i <= count; i++)
		values[i] = analysis_values_zero();
	return values;
}

void analysis_sum_functions(struct analysis *analysis)
{
	const size_t module_count = analysis->modules.len + 1;
	struct sums sums = {
		.analysis = analysis,
		.exclusive = no_values(analysis->functions.len),
		.depths = {
			.functions = mem_zalloc((analysis->functions.len + 1) * sizeof(uint32_t)),
			.modules = mem_zalloc(module_count * sizeof(uint32_t)),
			.modules_folded =
				mem_zalloc(module_count * sizeof(*sums.depths.modules_folded)),
		}};
	const struct analysis_visitor visitor = {visit_enter, visit_leave, &sums};

	vec_foreach (thread, &analysis->threads) {
		analysis_walk(analysis, thread->root, &visitor);
		if (thread->root != ANALYSIS_NONE)
			analysis_values_add_exclusive(&analysis->arena,
						      &sums.exclusive[analysis->functions.len],
						      &analysis->nodes.data[thread->root].values);
		if (thread->has_folded)
			modules_add_folded(analysis, &sums.depths);
	}
	add_exclusive(analysis, sums.exclusive);
	analysis->node_sums = sums.exclusive;
	free(sums.depths.functions);
	free(sums.depths.modules);
	free(sums.depths.modules_folded);
}
