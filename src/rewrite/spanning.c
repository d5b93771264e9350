/*
 * Which blocks and edges get a counter: those that a spanning tree of the flow graph leaves over.
 * As much comes into a block as leaves it, so the rest follows from these. The tree takes what runs
 * most often. (Knuth and Stevenson, "Optimal measurement points for program frequency counts",
 * 1973; Ball and Larus, "Optimally profiling and tracing programs", 1994.)
 *
 * A block is two vertices, in and out, with an edge between them, which its own counter counts. One
 * more vertex is all that is outside. Edges to and from there have no place where a counter could
 * stand, so they are in the tree; they are a star, which has no circle. What is counted anyway, the
 * begins of functions and calls that have a counter, is left over for nothing.
 */
#include "rewrite/graph.h"

#include <stdlib.h>

/* What a counter takes at its place, as others do: beside it, with the jump back from its stub,
   with the flags kept. */
enum { COST_COUNTER = 2, COST_JUMP = 1, COST_FLAGS = 22 };
/* Instructions of a block that are looked at for a place where no flags have to be kept. */
enum { PLACES_MAX = 24 };

/* An edge between two vertices. */
struct span {
	uint32_t from, to;
	uint32_t number; /* of the block, or blocks + number of the edge */
	uint32_t insn;	 /* blocks: where the counter may stand */
	uint64_t weight;
	uint32_t copies; /* edges: see unroll.c */
	bool flags_live, no_place;
};

struct spanning {
	const struct program *program;
	struct graph *graph;
	struct vec_of(struct span) links;
	uint32_t *parents; /* per vertex, of sets that the tree connects */
};

enum { VERTEX_OUTSIDE = 0 };

static uint32_t vertex_in(uint32_t block)
{
	return 1 + 2 * block;
}

static uint32_t vertex_out(uint32_t block)
{
	return 2 + 2 * block;
}

/* ---- sets of vertices ---- */

static uint32_t set_of(struct spanning *spanning, uint32_t vertex)
{
	uint32_t *parents = spanning->parents;

	while (parents[vertex] != vertex) {
		parents[vertex] = parents[parents[vertex]];
		vertex = parents[vertex];
	}
	return vertex;
}

/* False where they are connected already. */
static bool unite(struct spanning *spanning, uint32_t a, uint32_t b)
{
	a = set_of(spanning, a);
	b = set_of(spanning, b);
	spanning->parents[a] = b;
	return a != b;
}

/* ---- places ---- */

static const struct range *range_of(const struct spanning *spanning, uint32_t block)
{
	return &spanning->program->ranges.data[spanning->graph->blocks.data[block].range];
}

/* Filler may be dropped, a mark has to come first, and jumps may step over a lock prefix. */
static bool may_stand_before(const struct graph_block *block, const struct insn *insn,
			     uint32_t number)
{
	return !insn->is_nop && !insn->is_endbr && !(number == block->first && block->skips_lock);
}

/* The first instruction of the block before which a counter does no harm. */
static void find_place(const struct spanning *spanning, uint32_t number, struct span *link)
{
	const struct graph_block *block = &spanning->graph->blocks.data[number];
	const struct range *range = range_of(spanning, number);
	uint32_t looked_at = 0;

	link->no_place = true;
	for (uint32_t i = block->first; i <= block->last && looked_at < PLACES_MAX; i++) {
		if (!may_stand_before(block, &range->insns[i], i))
			continue;
		looked_at++;
		const bool live = flags_live(spanning->program, range->insns[i].addr);
		if (link->no_place || !live) {
			link->insn = i;
			link->flags_live = live;
		}
		link->no_place = false;
		if (!live)
			return;
	}
}

static bool edge_has_live_flags(const struct spanning *spanning, const struct graph_edge *edge)
{
	const struct range *range = range_of(spanning, edge->from);
	const struct insn *last = &range->insns[spanning->graph->blocks.data[edge->from].last];
	const uint64_t addr = edge->taken ? last->target : insn_end(last);

	return flags_live(spanning->program, addr) ||
	       (edge->to == GRAPH_OUTSIDE && range->returns_flags);
}

/* ---- links ---- */

static void add_block(struct spanning *spanning, uint32_t number)
{
	const struct graph_block *block = &spanning->graph->blocks.data[number];
	struct span link = {.from = vertex_in(number), .to = vertex_out(number), .number = number};

	if (block->from_outside)
		unite(spanning, VERTEX_OUTSIDE, link.from);
	if (block->to_outside)
		unite(spanning, link.to, VERTEX_OUTSIDE);
	/* The call's counter counts it. */
	if (block->is_site)
		return;
	find_place(spanning, number, &link);
	link.weight = block->weight * (COST_COUNTER + (link.flags_live ? COST_FLAGS : 0));
	vec_push(&spanning->links, link);
}

static void add_edge(struct spanning *spanning, uint32_t number)
{
	struct graph *graph = spanning->graph;
	const struct graph_edge *edge = &graph->edges.data[number];
	struct span link = {.from = vertex_out(edge->from),
			    .to = edge->to == GRAPH_OUTSIDE ? VERTEX_OUTSIDE : vertex_in(edge->to),
			    .number = (uint32_t)graph->blocks.len + number,
			    .no_place = edge->fixed};

	if (!edge->fixed) {
		link.flags_live = edge_has_live_flags(spanning, edge);
		link.weight = edge->weight * (COST_COUNTER + (link.flags_live ? COST_FLAGS : 0));
		if (edge->taken)
			link.weight += edge->weight * COST_JUMP;
		if (!link.flags_live)
			link.copies = graph_copies(spanning->program, graph, edge);
		link.weight /= link.copies + 1;
	}
	vec_push(&spanning->links, link);
}

static int compare_links(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->no_place != y->no_place)
		return x->no_place ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- counters ---- */

/* Notes what the tree leaves over. False: it cannot be left over. */
static bool choose(struct spanning *spanning, const struct span **chosen)
{
	vec_sort(&spanning->links, compare_links);
	vec_foreach (link, &spanning->links) {
		if (unite(spanning, link->from, link->to))
			continue;
		if (link->no_place)
			return false;
		chosen[link->number] = link;
	}
	return true;
}

/* The counters of leaving the copies of a loop follow its own. */
static void put_exits(struct range *range, struct edge_counter counter)
{
	const uint8_t copies = counter.copies;

	counter.copies = 0;
	for (counter.behind = 1; counter.behind <= copies; counter.behind++)
		vec_push(&range->edge_counters, counter);
}

/* 1 + its number among those of the range. */
static uint32_t put_counter(struct spanning *spanning, const struct span *link,
			    struct edge_counter counter)
{
	const uint32_t count = (uint32_t)spanning->graph->blocks.len;
	const uint32_t block = link->number < count
				       ? link->number
				       : spanning->graph->edges.data[link->number - count].from;
	struct range *range =
		&spanning->program->ranges.data[spanning->graph->blocks.data[block].range];

	counter.flags_live = link->flags_live;
	vec_push(&range->edge_counters, counter);
	const uint32_t number = (uint32_t)range->edge_counters.len;
	put_exits(range, counter);
	return number;
}

/* In the order in which they are emitted. */
static void put_counters(struct spanning *spanning, const struct span *const *chosen)
{
	struct graph *graph = spanning->graph;
	size_t next = 0;

	for (uint32_t i = 0; i < graph->blocks.len; i++) {
		struct graph_block *block = &graph->blocks.data[i];
		struct edge_counter counter = {.place = COUNT_BEFORE};
		if (chosen[i]) {
			counter.insn = chosen[i]->insn;
			block->counter = put_counter(spanning, chosen[i], counter);
		}
		counter.insn = block->last;
		for (; next < graph->edges.len && graph->edges.data[next].from == i; next++) {
			struct graph_edge *edge = &graph->edges.data[next];
			const struct span *link = chosen[graph->blocks.len + next];
			counter.place = edge->taken ? COUNT_TAKEN : COUNT_NEXT;
			/* A counter in the block would have to stand in each copy. */
			counter.copies = link && !chosen[i] ? (uint8_t)link->copies : 0;
			if (link)
				edge->counter = put_counter(spanning, link, counter);
		}
	}
}

bool graph_count(const struct program *program, struct graph *graph)
{
	const uint32_t vertices = vertex_in((uint32_t)graph->blocks.len);
	const struct span **chosen =
		mem_zalloc((graph->blocks.len + graph->edges.len + 1) * sizeof(*chosen));
	struct spanning spanning = {.program = program,
				    .graph = graph,
				    .parents = mem_alloc(vertices * sizeof(*spanning.parents))};

	for (uint32_t i = 0; i < vertices; i++)
		spanning.parents[i] = i;
	for (uint32_t i = 0; i < graph->blocks.len; i++)
		add_block(&spanning, i);
	for (uint32_t i = 0; i < graph->edges.len; i++)
		add_edge(&spanning, i);
	const bool possible = choose(&spanning, chosen);
	if (possible)
		put_counters(&spanning, chosen);
	free(chosen);
	vec_fini(&spanning.links);
	free(spanning.parents);
	return possible;
}
