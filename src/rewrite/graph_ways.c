/*
 * Ways of control through a unit, and the loops that they make: the edges of its graph, and
 * indirect jumps by a table or to a label, which have no edges. A table is one vertex more, all
 * labels another: jumps lead there, and from there to where they may go.
 *
 * Loops are strongly connected components; without the vertex where it is entered a component falls
 * apart into the loops inside it.
 */
#include "rewrite/graph_ways.h"

#include "base/partition.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 6 };

/* ---- ways ---- */

struct ways_building {
	const struct program *program;
	const struct unit *unit;
	const struct graph *graph;
	struct graph_ways *ways;
	uint32_t vertex; /* whose ways are added */
};

/* The block that begins with the instruction at `addr`, or GRAPH_OUTSIDE. */
static uint32_t block_beginning(const struct ways_building *building, uint64_t addr)
{
	const struct graph *graph = building->graph;
	struct range *range;
	const struct insn *insn = program_insn(building->program, addr, &range);

	if (!insn || !range->copied || !range_is_in_unit(building->program, range, building->unit))
		return GRAPH_OUTSIDE;
	const uint32_t number = (uint32_t)(range - building->program->ranges.data);
	const uint32_t first = (uint32_t)(insn - range->insns);
	const size_t at = partition_point(graph->blocks.len, i,
					  graph->blocks.data[i].range < number ||
						  (graph->blocks.data[i].range == number &&
						   graph->blocks.data[i].first < first));
	const bool found = at < graph->blocks.len && graph->blocks.data[at].range == number &&
			   graph->blocks.data[at].first == first;

	return found ? (uint32_t)at : GRAPH_OUTSIDE;
}

static void add_way(struct ways_building *building, uint32_t to)
{
	const struct graph_way way = {.from = building->vertex, .to = to};

	vec_push(&building->ways->ways, way);
}

/* The vertex that the indirect jump at the block's end leads to, or GRAPH_OUTSIDE. */
static uint32_t vertex_of_jump(const struct ways_building *building,
			       const struct graph_block *block)
{
	const struct range *range = &building->program->ranges.data[block->range];
	const uint32_t blocks = (uint32_t)building->graph->blocks.len;
	const struct indirect_jump *jump = NULL;

	if (range->insns[block->last].kind == INSN_JUMP_INDIRECT)
		jump = range_jump_at(range, block->last);
	if (!jump || jump->way == JUMP_LEAVES)
		return GRAPH_OUTSIDE;
	return jump->way == JUMP_TABLE ? blocks + jump->table
				       : blocks + (uint32_t)building->unit->tables.len;
}

static void begin_vertex(struct ways_building *building, uint32_t vertex)
{
	building->vertex = vertex;
	building->ways->first[vertex] = (uint32_t)building->ways->ways.len;
}

static void add_blocks(struct ways_building *building)
{
	const struct graph *graph = building->graph;
	size_t edge = 0;

	for (uint32_t i = 0; i < graph->blocks.len; i++) {
		begin_vertex(building, i);
		for (; edge < graph->edges.len && graph->edges.data[edge].from == i; edge++)
			add_way(building, graph->edges.data[edge].to);
		const uint32_t vertex = vertex_of_jump(building, &graph->blocks.data[i]);
		if (vertex != GRAPH_OUTSIDE)
			add_way(building, vertex);
	}
}

static void add_target(struct ways_building *building, uint64_t addr)
{
	const uint32_t block = block_beginning(building, addr);

	if (block != GRAPH_OUTSIDE)
		add_way(building, block);
}

static void add_labels(struct ways_building *building)
{
	for (size_t i = 0; i < building->unit->ranges.len; i++) {
		const struct range *range = unit_range(building->program, building->unit, i);
		vec_foreach (offset, &range->labels)
			add_target(building, range->begin + *offset);
	}
}

static void add_ways(struct ways_building *building)
{
	const uint32_t blocks = (uint32_t)building->graph->blocks.len;
	const uint32_t tables = (uint32_t)building->unit->tables.len;

	add_blocks(building);
	for (uint32_t i = 0; i < tables; i++) {
		begin_vertex(building, blocks + i);
		vec_foreach (target, &building->unit->tables.data[i].targets)
			add_target(building, *target);
	}
	begin_vertex(building, blocks + tables);
	add_labels(building);
	begin_vertex(building, blocks + tables + 1);
}

/* ---- strongly connected components, as Tarjan finds them ---- */

struct components {
	struct graph_ways *ways;
	uint32_t *met;	     /* per vertex: when it was, from 1 on */
	uint32_t *low;	     /* the earliest that it leads back to */
	uint32_t *next;	     /* its next way to follow */
	uint32_t *component; /* 1 + number; 0: not known yet */
	unsigned char *gone; /* taken out: a loop began there */
	struct vec_of(uint32_t) path, open;
	uint32_t met_count, count;
};

static bool is_way(const struct components *work, const struct graph_way *way)
{
	return way->to != GRAPH_OUTSIDE && !work->gone[way->from] && !work->gone[way->to];
}

static void meet(struct components *work, uint32_t vertex)
{
	work->met[vertex] = work->low[vertex] = ++work->met_count;
	work->next[vertex] = work->ways->first[vertex];
	vec_push(&work->path, vertex);
	vec_push(&work->open, vertex);
}

static void lower(uint32_t *low, uint32_t to)
{
	if (to < *low)
		*low = to;
}

static void close_component(struct components *work, uint32_t vertex)
{
	uint32_t member;

	work->count++;
	do {
		member = work->open.data[--work->open.len];
		work->component[member] = work->count;
	} while (member != vertex);
}

static void leave(struct components *work, uint32_t vertex)
{
	work->path.len--;
	if (work->low[vertex] == work->met[vertex])
		close_component(work, vertex);
	if (work->path.len)
		lower(&work->low[vec_last(&work->path)], work->low[vertex]);
}

static void follow(struct components *work, uint32_t begin)
{
	meet(work, begin);
	while (work->path.len) {
		const uint32_t vertex = vec_last(&work->path);
		if (work->next[vertex] == work->ways->first[vertex + 1]) {
			leave(work, vertex);
			continue;
		}
		const struct graph_way *way = &work->ways->ways.data[work->next[vertex]++];
		if (!is_way(work, way))
			continue;
		if (!work->met[way->to])
			meet(work, way->to);
		else if (!work->component[way->to])
			lower(&work->low[vertex], work->met[way->to]);
	}
}

static void find_components(struct components *work)
{
	const size_t count = work->ways->count;

	memset(work->met, 0, count * sizeof(*work->met));
	memset(work->component, 0, count * sizeof(*work->component));
	work->met_count = work->count = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!work->gone[i] && !work->met[i])
			follow(work, i);
}

/* ---- loops ---- */

enum component_flags { IS_LOOP = 1, HAS_BEGIN = 2 };

/* Where a component is entered it falls apart. */
static bool begin_loop(struct components *work, unsigned char *flags, uint32_t vertex)
{
	unsigned char *flag = &flags[work->component[vertex]];

	if (work->gone[vertex] || (*flag & (IS_LOOP | HAS_BEGIN)) != IS_LOOP)
		return false;
	*flag |= HAS_BEGIN;
	work->gone[vertex] = 1;
	return true;
}

static bool is_inside(const struct components *work, const struct graph_way *way)
{
	return is_way(work, way) && work->component[way->from] == work->component[way->to];
}

/* Vertices of loops lie one deeper. Takes out where each is entered; false: there are no loops. */
static bool deepen(struct components *work)
{
	unsigned char *flags = mem_zalloc(work->count + 1);
	bool found = false;

	vec_foreach (way, &work->ways->ways)
		if (is_inside(work, way))
			flags[work->component[way->to]] |= IS_LOOP;
	for (size_t i = 0; i < work->ways->count; i++)
		if (!work->gone[i] && flags[work->component[i]] & IS_LOOP)
			work->ways->depth[i]++;
	vec_foreach (way, &work->ways->ways)
		if (way->to != GRAPH_OUTSIDE && !is_inside(work, way))
			found |= begin_loop(work, flags, way->to);
	/* What nothing leads to but itself is entered at its first block. */
	for (uint32_t i = 0; i < work->ways->count; i++)
		found |= begin_loop(work, flags, i);
	free(flags);
	return found;
}

static void find_depths(struct graph_ways *ways)
{
	struct components work = {.ways = ways,
				  .met = mem_zalloc(ways->count * sizeof(uint32_t)),
				  .low = mem_zalloc(ways->count * sizeof(uint32_t)),
				  .next = mem_zalloc(ways->count * sizeof(uint32_t)),
				  .component = mem_zalloc(ways->count * sizeof(uint32_t)),
				  .gone = mem_zalloc(ways->count)};

	ways->depth = mem_zalloc(ways->count);
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		find_components(&work);
		if (!deepen(&work))
			break;
	}
	free(work.met);
	free(work.low);
	free(work.next);
	free(work.component);
	free(work.gone);
	vec_fini(&work.path);
	vec_fini(&work.open);
}

/* ---- order ---- */

/* Depth first: a way to a vertex that is still open goes back; vertices end behind all others that
   they lead to. */
struct ordering {
	struct graph_ways *ways;
	unsigned char *state; /* per vertex */
	uint32_t *next;
	uint32_t left; /* places of the order that are free, from the first on */
	struct vec_of(uint32_t) path;
};

enum { NOT_MET, OPEN, DONE };

static void order_meet(struct ordering *ordering, uint32_t vertex)
{
	ordering->state[vertex] = OPEN;
	ordering->next[vertex] = ordering->ways->first[vertex];
	vec_push(&ordering->path, vertex);
}

static void order_step(struct ordering *ordering)
{
	const uint32_t vertex = vec_last(&ordering->path);
	struct graph_ways *ways = ordering->ways;

	if (ordering->next[vertex] == ways->first[vertex + 1]) {
		ordering->state[vertex] = DONE;
		ways->order[--ordering->left] = vertex;
		ordering->path.len--;
		return;
	}
	struct graph_way *way = &ways->ways.data[ordering->next[vertex]++];
	if (way->to == GRAPH_OUTSIDE)
		return;
	way->back = ordering->state[way->to] == OPEN;
	if (ordering->state[way->to] == NOT_MET)
		order_meet(ordering, way->to);
}

static void order_from(struct ordering *ordering, uint32_t vertex)
{
	if (ordering->state[vertex] != NOT_MET)
		return;
	order_meet(ordering, vertex);
	while (ordering->path.len)
		order_step(ordering);
}

/* From the begins of functions first, so that loops are entered where these enter them. */
static void find_order(struct graph_ways *ways, const struct graph *graph)
{
	struct ordering ordering = {.ways = ways,
				    .state = mem_zalloc(ways->count),
				    .next = mem_zalloc(ways->count * sizeof(uint32_t)),
				    .left = ways->count};

	ways->order = mem_zalloc(ways->count * sizeof(*ways->order));
	for (uint32_t i = 0; i < graph->blocks.len; i++)
		if (graph->blocks.data[i].entry)
			order_from(&ordering, i);
	for (uint32_t i = 0; i < ways->count; i++)
		order_from(&ordering, i);
	free(ordering.state);
	free(ordering.next);
	vec_fini(&ordering.path);
}

void graph_ways_init(struct graph_ways *ways, const struct program *program,
		     const struct unit *unit, const struct graph *graph)
{
	struct ways_building building = {program, unit, graph, ways, 0};

	*ways = (struct graph_ways){.count = (uint32_t)(graph->blocks.len + unit->tables.len + 1)};
	ways->first = mem_zalloc((ways->count + (size_t)1) * sizeof(*ways->first));
	add_ways(&building);
	find_depths(ways);
	find_order(ways, graph);
}

void graph_ways_fini(struct graph_ways *ways)
{
	vec_fini(&ways->ways);
	free(ways->first);
	free(ways->depth);
	free(ways->order);
}
