/*
 * How often the blocks and edges of a unit may run, guessed from its shape: eight times as often
 * for each loop that they are in, seldom where only errors lead (landing pads, cold parts, calls
 * that do not return). Loops are strongly connected components; without the block where it is
 * entered a component falls apart into the loops inside it.
 */
#include "rewrite/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 6, LOOP_SHIFT = 3, ONCE = 64, SELDOM = 1, COLD_ROUNDS = 8 };

/* ---- strongly connected components, as Tarjan finds them ---- */

struct components {
	struct graph *graph;
	uint32_t *first;     /* per block: its first edge; one more at the end */
	uint32_t *order;     /* when it was met, from 1 on */
	uint32_t *low;	     /* the earliest that it leads back to */
	uint32_t *next;	     /* its next edge to follow */
	uint32_t *component; /* 1 + number; 0: not known yet */
	unsigned char *gone; /* taken out of the graph: it was the begin of a loop */
	struct vec_of(uint32_t) path, open;
	uint32_t met, count;
};

static bool is_edge(const struct components *work, const struct graph_edge *edge)
{
	return edge->to != GRAPH_OUTSIDE && !work->gone[edge->to];
}

static void meet(struct components *work, uint32_t block)
{
	work->order[block] = work->low[block] = ++work->met;
	work->next[block] = work->first[block];
	vec_push(&work->path, block);
	vec_push(&work->open, block);
}

static void lower(uint32_t *low, uint32_t to)
{
	if (to < *low)
		*low = to;
}

static void close_component(struct components *work, uint32_t block)
{
	uint32_t member;

	work->count++;
	do {
		member = work->open.data[--work->open.len];
		work->component[member] = work->count;
	} while (member != block);
}

static void leave(struct components *work, uint32_t block)
{
	work->path.len--;
	if (work->low[block] == work->order[block])
		close_component(work, block);
	if (work->path.len)
		lower(&work->low[vec_last(&work->path)], work->low[block]);
}

static void follow(struct components *work, uint32_t begin)
{
	meet(work, begin);
	while (work->path.len) {
		const uint32_t block = vec_last(&work->path);
		if (work->next[block] == work->first[block + 1]) {
			leave(work, block);
			continue;
		}
		const struct graph_edge *edge = &work->graph->edges.data[work->next[block]++];
		if (!is_edge(work, edge))
			continue;
		if (!work->order[edge->to])
			meet(work, edge->to);
		else if (!work->component[edge->to])
			lower(&work->low[block], work->order[edge->to]);
	}
}

static void find_components(struct components *work)
{
	const size_t count = work->graph->blocks.len;

	memset(work->order, 0, count * sizeof(*work->order));
	memset(work->component, 0, count * sizeof(*work->component));
	work->met = work->count = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!work->gone[i] && !work->order[i])
			follow(work, i);
}

/* ---- loops ---- */

enum component_flags { IS_LOOP = 1, HAS_BEGIN = 2 };

/* Blocks of loops lie one deeper. Takes out where each is entered; false: there are no loops. */
static bool deepen(struct components *work)
{
	struct graph *graph = work->graph;
	unsigned char *flags = mem_zalloc(work->count + 1);
	bool found = false;

	vec_foreach (edge, &graph->edges)
		if (!work->gone[edge->from] && is_edge(work, edge) &&
		    work->component[edge->from] == work->component[edge->to])
			flags[work->component[edge->to]] |= IS_LOOP;
	for (size_t i = 0; i < graph->blocks.len; i++)
		if (!work->gone[i] && flags[work->component[i]] & IS_LOOP)
			graph->blocks.data[i].depth++;
	vec_foreach (edge, &graph->edges) {
		if (!is_edge(work, edge) || !(flags[work->component[edge->to]] & IS_LOOP) ||
		    (flags[work->component[edge->to]] & HAS_BEGIN) ||
		    (!work->gone[edge->from] &&
		     work->component[edge->from] == work->component[edge->to]))
			continue;
		flags[work->component[edge->to]] |= HAS_BEGIN;
		work->gone[edge->to] = 1;
		found = true;
	}
	/* What nothing leads to but itself is entered at its first block. */
	for (uint32_t i = 0; i < graph->blocks.len; i++) {
		unsigned char *flag = &flags[work->component[i]];
		if (work->gone[i] || (*flag & (IS_LOOP | HAS_BEGIN)) != IS_LOOP)
			continue;
		*flag |= HAS_BEGIN;
		work->gone[i] = 1;
		found = true;
	}
	free(flags);
	return found;
}

static void find_depths(struct graph *graph)
{
	const size_t count = graph->blocks.len;
	struct components work = {.graph = graph,
				  .first = mem_zalloc((count + 1) * sizeof(uint32_t)),
				  .order = mem_zalloc(count * sizeof(uint32_t)),
				  .low = mem_zalloc(count * sizeof(uint32_t)),
				  .next = mem_zalloc(count * sizeof(uint32_t)),
				  .component = mem_zalloc(count * sizeof(uint32_t)),
				  .gone = mem_zalloc(count)};

	vec_foreach (edge, &graph->edges)
		work.first[edge->from + 1]++;
	for (size_t i = 0; i < count; i++)
		work.first[i + 1] += work.first[i];
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		find_components(&work);
		if (!deepen(&work))
			break;
	}
	free(work.first);
	free(work.order);
	free(work.low);
	free(work.next);
	free(work.component);
	free(work.gone);
	vec_fini(&work.path);
	vec_fini(&work.open);
}

/* ---- weights ---- */

/* By itself: it belongs to a cold part, or ends without going on, or an exception leads here. */
static bool is_cold(const struct program *program, const struct graph_block *block)
{
	const struct range *range = &program->ranges.data[block->range];
	const struct insn *last = &range->insns[block->last];

	return (!range->entry && program->units.data[range->unit].ranges.len > 1) ||
	       last->kind == INSN_TRAP || (insn_is_call(last) && !control_goes_on(program, last)) ||
	       (range->has_landing_pad &&
		map_get(&program->landing_pads, range->insns[block->first].addr));
}

/* So are blocks that lead to such alone. */
static bool spread_cold(struct graph *graph)
{
	unsigned char *warm = mem_zalloc(graph->blocks.len),
		      *has_edges = mem_zalloc(graph->blocks.len);
	bool changed = false;

	vec_foreach (edge, &graph->edges) {
		has_edges[edge->from] = 1;
		warm[edge->from] |=
			edge->to == GRAPH_OUTSIDE || graph->blocks.data[edge->to].weight != SELDOM;
	}
	for (size_t i = 0; i < graph->blocks.len; i++) {
		struct graph_block *block = &graph->blocks.data[i];
		const bool returns = block->to_outside && !has_edges[i];
		if (block->weight == SELDOM || warm[i] || returns || !has_edges[i])
			continue;
		block->weight = SELDOM;
		changed = true;
	}
	free(warm);
	free(has_edges);
	return changed;
}

/* Of an edge that shares its block with another: a loop goes on rather than ends. */
static uint32_t edge_weight(const struct graph *graph, const struct graph_edge *edge)
{
	assert(graph->blocks.data);
	const struct graph_block *from = &graph->blocks.data[edge->from];
	const struct graph_block *to =
		edge->to == GRAPH_OUTSIDE ? NULL : &graph->blocks.data[edge->to];

	if (to && to->weight == SELDOM)
		return SELDOM;
	if (!to || to->depth < from->depth)
		return from->weight >> LOOP_SHIFT;
	return from->weight / 2;
}

void graph_weigh(const struct program *program, struct graph *graph)
{
	find_depths(graph);
	vec_foreach (block, &graph->blocks)
		block->weight = is_cold(program, block)
					? SELDOM
					: (uint32_t)ONCE << LOOP_SHIFT * block->depth;
	for (int round = 0; round < COLD_ROUNDS && spread_cold(graph); round++)
		;
	for (size_t i = 0; i < graph->edges.len; i++) {
		struct graph_edge *edge = &graph->edges.data[i];
		const bool alone =
			(i == 0 || graph->edges.data[i - 1].from != edge->from) &&
			(i + 1 == graph->edges.len || graph->edges.data[i + 1].from != edge->from);
		edge->weight =
			alone ? graph->blocks.data[edge->from].weight : edge_weight(graph, edge);
	}
}
