/*
 * Reaching definitions, backward from where a register is used: of the few registers that are asked
 * for, so nothing is kept for the others (Aho, Lam, Sethi, Ullman, Compilers, 9.2.4, has the
 * whole).
 */
#include "rewrite/definitions.h"

enum {
	LABEL_EDGES_MAX = 1000000,
	SEARCHED_MAX = 1000000000, /* instructions that a unit's searches may visit */
};

/* Node of the instruction at `addr`, or UINT32_MAX if it is not in the unit. */
static uint32_t graph_node(const struct flow_graph *graph, uint64_t addr)
{
	struct range *range;
	const struct insn *insn = program_insn(graph->program, addr, &range);

	if (!insn || !range_is_in_unit(graph->program, range, graph->unit))
		return UINT32_MAX;
	return graph->first_node[range->slot] + (uint32_t)(insn - range->insns);
}

/* Counts (sources NULL) or enters the edge. */
static void add_edge(struct flow_graph *graph, uint32_t from, uint64_t to_addr)
{
	const uint32_t to = graph_node(graph, to_addr);

	if (to == UINT32_MAX)
		return;
	if (!graph->sources)
		graph->first_edge[to + 1]++;
	else
		graph->sources[--graph->first_edge[to + 1]] = from;
}

static void mark_origin(struct flow_graph *graph, uint64_t addr)
{
	const uint32_t node = graph_node(graph, addr);

	if (node != UINT32_MAX)
		graph->origin[node] = 1;
}

static void add_range_edges(struct flow_graph *graph, const struct range *range)
{
	const uint32_t base = graph->first_node[range->slot];

	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct insn *insn = &range->insns[i];
		graph->insns[base + i] = insn;
		if (insn_is_branch(insn))
			add_edge(graph, base + i, insn->target);
		if (insn->kind == INSN_CALL && insn->target != range->begin)
			mark_origin(graph, insn->target);
		if (control_goes_on(graph->program, insn))
			add_edge(graph, base + i, insn_end(insn));
	}
	if (range->entry)
		mark_origin(graph, range->begin);
	vec_foreach (pad, &range->landing_pads)
		mark_origin(graph, *pad);
}

static void add_edges_from_jumps(struct flow_graph *graph, uint64_t to_addr)
{
	for (size_t i = 0; i < graph->unit->ranges.len; i++) {
		const struct range *range = unit_range(graph->program, graph->unit, i);
		vec_foreach (jump, &range->jumps)
			add_edge(graph, graph->first_node[i] + jump->insn, to_addr);
	}
}

/*
 * Every indirect jump of the unit may lead there, which is one of `target_count` such places. Where
 * that would be too many edges, it counts as entered from unknown places.
 */
static void add_jump_target(struct flow_graph *graph, uint64_t addr, size_t target_count)
{
	if (target_count * graph->jump_count > LABEL_EDGES_MAX)
		mark_origin(graph, addr);
	else
		add_edges_from_jumps(graph, addr);
}

static void add_all_edges(struct flow_graph *graph)
{
	size_t label_count = 0;

	for (size_t i = 0; i < graph->unit->ranges.len; i++)
		label_count += unit_range(graph->program, graph->unit, i)->labels.len;
	for (size_t i = 0; i < graph->unit->ranges.len; i++) {
		const struct range *range = unit_range(graph->program, graph->unit, i);
		add_range_edges(graph, range);
		vec_foreach (offset, &range->labels)
			add_jump_target(graph, range->begin + *offset, label_count);
	}
}

static void add_orphan_edges(struct flow_graph *graph)
{
	vec_foreach (orphan, &graph->orphans)
		add_jump_target(graph, *orphan, graph->orphans.len);
}

/* Edges to `node` are counted only. */
static bool is_led_to(const struct flow_graph *graph, uint32_t node, bool behind_filler)
{
	return graph->first_edge[node + 1] > behind_filler || graph->origin[node];
}

/*
 * What stands behind a call that does not return, fillers skipped, is entered from elsewhere. Where
 * nothing known leads there, it may be a case of a table.
 */
static void find_orphans(struct flow_graph *graph, const struct range *range)
{
	const uint32_t base = graph->first_node[range->slot];

	for (uint32_t i = 0; i + 1 < range->insn_count; i++) {
		if (!insn_falls_through(&range->insns[i]) ||
		    control_goes_on(graph->program, &range->insns[i]))
			continue;
		uint32_t next = i + 1;

		while (next + 1 < range->insn_count && range->insns[next].is_nop &&
		       !is_led_to(graph, base + next, next > i + 1))
			next++;
		if (!is_led_to(graph, base + next, next > i + 1))
			vec_push(&graph->orphans, range->insns[next].addr);
	}
}

void flow_graph_init(struct flow_graph *graph, const struct program *program, struct unit *unit)
{
	*graph = (struct flow_graph){.program = program, .unit = unit};
	graph->first_node = mem_zalloc(unit->ranges.len * sizeof(*graph->first_node));
	for (size_t i = 0; i < unit->ranges.len; i++) {
		graph->first_node[i] = graph->node_count;
		graph->node_count += unit_range(program, unit, i)->insn_count;
		graph->jump_count += unit_range(program, unit, i)->jumps.len;
	}
	graph->origin = mem_zalloc(graph->node_count);
	graph->insns = mem_zalloc(graph->node_count * sizeof(*graph->insns));
	graph->first_edge = mem_zalloc((graph->node_count + 2) * sizeof(*graph->first_edge));
	add_all_edges(graph);
	for (size_t i = 0; i < unit->ranges.len; i++)
		find_orphans(graph, unit_range(program, unit, i));
	add_orphan_edges(graph);
	for (uint32_t i = 0; i < graph->node_count; i++)
		graph->first_edge[i + 1] += graph->first_edge[i];
	graph->first_edge[graph->node_count + 1] = graph->first_edge[graph->node_count];
	graph->sources =
		mem_zalloc((graph->first_edge[graph->node_count] + 1) * sizeof(*graph->sources));
	add_all_edges(graph);
	add_orphan_edges(graph);
}

void flow_graph_fini(struct flow_graph *graph)
{
	free(graph->first_node);
	free(graph->first_edge);
	free(graph->sources);
	free(graph->origin);
	vec_fini(&graph->orphans);
	free(graph->insns);
}

static void add_predecessors(struct definition_search *search, uint32_t node)
{
	const struct flow_graph *graph = search->graph;

	if (graph->origin[node]) {
		search->failed = true;
		return;
	}
	/* After filling, the edges of node n stand at first_edge[n + 1]…first_edge[n + 2]. */
	for (uint32_t e = graph->first_edge[node + 1]; e < graph->first_edge[node + 2]; e++) {
		const uint32_t source = graph->sources[e];
		if (!search->seen[source]) {
			search->seen[source] = 1;
			vec_push(&search->work, source);
		}
	}
}

static bool may_write(const struct insn *insn, uint8_t reg)
{
	if (insn_is_call(insn))
		return REGS_CALLER_SAVED & REG_BIT(reg);
	if (insn->is_syscall && (reg == REG_RCX || reg == REG_R11))
		return true;
	return (insn->writes | insn->merges) & REG_BIT(reg);
}

static void visit_definition(struct definition_search *search, uint32_t node)
{
	const struct insn *insn = search->graph->insns[node];

	if (!may_write(insn, search->reg))
		add_predecessors(search, node);
	else if (!search->take(search, insn))
		search->failed = true;
}

bool takes_definitions(struct definition_search *search, uint32_t node)
{
	struct unit *unit = search->graph->unit;

	if (unit->searched > SEARCHED_MAX)
		return false;
	unit->searched += search->graph->node_count;
	search->seen = mem_zalloc(search->graph->node_count);
	add_predecessors(search, node);
	while (search->work.len && !search->failed)
		visit_definition(search, search->work.data[--search->work.len]);
	free(search->seen);
	vec_fini(&search->work);
	return !search->failed;
}
