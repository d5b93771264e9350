/*
 * How often the blocks and edges of a unit may run, guessed from its code: chances of each branch,
 * of which several hints that agree make one, and what follows from them, from the begins of
 * functions on. A loop goes round eight times. (Wu and Larus, "Static branch frequency and program
 * profile analysis", 1994; the hints are theirs and Ball and Larus', "Branch prediction for free",
 * 1993, and the compiler's order of blocks.)
 */
#include "rewrite/graph_ways.h"

#include <assert.h>
#include <stdlib.h>

enum { COLD_ROUNDS = 8 };
/* Rounds of a loop; and what runs seldom, if at all, beside a call of its function. */
static const double LOOP_ROUNDS = 8, SELDOM = 1.0 / 512;
/* A function's begin has this weight; and what is the most. */
static const double WEIGHT_OF_ONE = 4096, WEIGHT_MAX = 1e15;

struct weighing {
	const struct program *program;
	const struct unit *unit;
	struct graph *graph;
	struct graph_ways ways;
	unsigned char *cold; /* per block */
	double *share;	     /* per way: how many of its vertex take it */
	double *weight;	     /* per vertex */
};

static const struct range *range_of(const struct weighing *weighing, uint32_t block)
{
	return &weighing->program->ranges.data[weighing->graph->blocks.data[block].range];
}

static const struct insn *last_insn(const struct weighing *weighing, uint32_t block)
{
	return &range_of(weighing, block)->insns[weighing->graph->blocks.data[block].last];
}

/* ---- what is cold ---- */

/* By itself: it belongs to a cold part, or ends without going on, or an exception leads here. */
static bool is_cold(const struct weighing *weighing, uint32_t number)
{
	const struct program *program = weighing->program;
	const struct graph_block *block = &weighing->graph->blocks.data[number];
	const struct range *range = range_of(weighing, number);
	const struct insn *last = last_insn(weighing, number);

	return (!range->entry && weighing->unit->ranges.len > 1) || last->kind == INSN_TRAP ||
	       (insn_is_call(last) && !control_goes_on(program, last)) ||
	       range->insns[block->first].is_landing_pad;
}

/* So are blocks that lead to such alone. */
static bool spread_cold(struct weighing *weighing)
{
	const struct graph_ways *ways = &weighing->ways;
	bool changed = false;

	for (uint32_t i = 0; i < weighing->graph->blocks.len; i++) {
		bool warm = ways->first[i] == ways->first[i + 1];
		for (uint32_t k = ways->first[i]; k < ways->first[i + 1]; k++) {
			const uint32_t to = ways->ways.data[k].to;
			warm |= to >= weighing->graph->blocks.len || !weighing->cold[to];
		}
		changed |= !warm && !weighing->cold[i];
		weighing->cold[i] |= !warm;
	}
	return changed;
}

static void find_cold(struct weighing *weighing)
{
	for (uint32_t i = 0; i < weighing->graph->blocks.len; i++)
		weighing->cold[i] = is_cold(weighing, i);
	for (int round = 0; round < COLD_ROUNDS && spread_cold(weighing); round++)
		;
}

/* ---- chances of branches ---- */

/* What a branch's two ways are like. */
struct side {
	bool is_block, cold, ends_loop, back, calls, returns;
};

static struct side side_of(const struct weighing *weighing, uint32_t from, uint32_t way_number)
{
	const struct graph_way *way = &weighing->ways.ways.data[way_number];

	if (way->to >= weighing->graph->blocks.len)
		return (struct side){.returns = true};
	const struct insn *last = last_insn(weighing, way->to);
	return (struct side){.is_block = true,
			     .cold = weighing->cold[way->to],
			     .ends_loop =
				     weighing->ways.depth[way->to] < weighing->ways.depth[from],
			     .back = way->back,
			     .calls = insn_is_call(last),
			     .returns = last->kind == INSN_RETURN};
}

/* Two hints that know nothing of each other (Dempster and Shafer). */
static double both(double chance, double hint)
{
	return chance * hint / (chance * hint + (1 - chance) * (1 - hint));
}

/* `hint` is the chance of the side that has the property, where one alone has it. */
static double hinted(double chance, bool taken_has, bool next_has, double hint)
{
	if (taken_has == next_has)
		return chance;
	return both(chance, taken_has ? hint : 1 - hint);
}

/* By the condition: equality, negative and overflowing values are rare. */
static double condition_chance(const struct weighing *weighing, uint32_t block)
{
	const struct insn *last = last_insn(weighing, block);
	struct insn_detail detail;

	if (last->kind != INSN_BRANCH ||
	    !insn_describe(insn_bytes(weighing->program, last), last, &detail))
		return 0.5;
	static const double chances[16] = {
		[0x0] = 0.02, [0x1] = 0.98, /* overflow */
		[0x2] = 0.5,  [0x3] = 0.5,  /* below */
		[0x4] = 0.4,  [0x5] = 0.6,  /* equal */
		[0x6] = 0.5,  [0x7] = 0.4,  /* above */
		[0x8] = 0.2,  [0x9] = 0.8,  /* negative */
		[0xa] = 0.1,  [0xb] = 0.9,  /* parity */
		[0xc] = 0.4,  [0xd] = 0.6,  /* less */
		[0xe] = 0.4,  [0xf] = 0.6,  /* greater */
	};
	return chances[detail.condition & 15];
}

static double taken_chance(const struct weighing *weighing, uint32_t block, uint32_t taken,
			   const struct side *next)
{
	const struct side there = side_of(weighing, block, taken);
	const struct insn *last = last_insn(weighing, block);
	double chance = condition_chance(weighing, block);

	chance = hinted(chance, there.cold, next->cold, 0.01);
	chance = hinted(chance, there.ends_loop, next->ends_loop, 0.12);
	if (there.ends_loop == next->ends_loop)
		chance = hinted(chance, there.back, next->back, 0.8);
	chance = hinted(chance, there.calls, next->calls, 0.35);
	chance = hinted(chance, there.returns, next->returns, 0.45);
	/* The compiler lets what is likely follow. */
	if (last->target > last->addr && !there.back)
		chance = both(chance, 0.45);
	return chance;
}

/* A branch with another way, maybe to outside. */
static void share_branch(struct weighing *weighing, uint32_t block)
{
	const struct graph_ways *ways = &weighing->ways;
	const uint32_t first = ways->first[block], count = ways->first[block + 1] - first;
	const struct side outside = {.returns = true};
	const struct graph_edge *edges = weighing->graph->edges.data;
	const uint32_t edge = weighing->graph->blocks.data[block].first_edge;
	const uint32_t taken = count == 2 && !edges[edge].taken;
	const struct side next = count == 2 ? side_of(weighing, block, first + !taken) : outside;
	const double chance = taken_chance(weighing, block, first + taken, &next);

	weighing->share[first + taken] = chance;
	if (count == 2)
		weighing->share[first + !taken] = 1 - chance;
}

static void share_block(struct weighing *weighing, uint32_t block)
{
	const uint32_t first = weighing->ways.first[block];
	const uint32_t count = weighing->ways.first[block + 1] - first;
	const struct insn *last = last_insn(weighing, block);

	if (count && (last->kind == INSN_BRANCH || last->kind == INSN_LOOP) &&
	    (count == 2 || weighing->graph->blocks.data[block].to_outside))
		share_branch(weighing, block);
	else if (count)
		weighing->share[first] = 1;
}

/* Those of tables and labels are alike. */
static void share_all(struct weighing *weighing)
{
	const struct graph_ways *ways = &weighing->ways;

	for (uint32_t i = 0; i < ways->count; i++) {
		const uint32_t count = ways->first[i + 1] - ways->first[i];
		if (i < weighing->graph->blocks.len)
			share_block(weighing, i);
		else
			for (uint32_t k = ways->first[i]; k < ways->first[i + 1]; k++)
				weighing->share[k] = 1.0 / count;
	}
}

/* ---- weights ---- */

static void begin_vertex(struct weighing *weighing, uint32_t vertex)
{
	const struct graph *graph = weighing->graph;

	if (vertex < graph->blocks.len && graph->blocks.data[vertex].entry)
		weighing->weight[vertex] += 1;
	else if (vertex < graph->blocks.len)
		weighing->weight[vertex] += SELDOM;
}

static void propagate(struct weighing *weighing)
{
	const struct graph_ways *ways = &weighing->ways;
	unsigned char *begins_loop = mem_zalloc(ways->count);

	vec_foreach (way, &ways->ways)
		if (way->back)
			begins_loop[way->to] = 1;
	for (uint32_t i = 0; i < ways->count; i++) {
		const uint32_t vertex = ways->order[i];
		double *weight = &weighing->weight[vertex];
		begin_vertex(weighing, vertex);
		if (begins_loop[vertex])
			*weight *= LOOP_ROUNDS;
		if (*weight > WEIGHT_MAX / WEIGHT_OF_ONE)
			*weight = WEIGHT_MAX / WEIGHT_OF_ONE;
		for (uint32_t k = ways->first[vertex]; k < ways->first[vertex + 1]; k++) {
			const struct graph_way *way = &ways->ways.data[k];
			if (way->to != GRAPH_OUTSIDE && !way->back)
				weighing->weight[way->to] += *weight * weighing->share[k];
		}
	}
	free(begins_loop);
}

static uint64_t whole(double weight)
{
	return 1 + (uint64_t)(weight * WEIGHT_OF_ONE);
}

static void note_weights(struct weighing *weighing)
{
	struct graph *graph = weighing->graph;
	size_t edge = 0;

	for (uint32_t i = 0; i < graph->blocks.len; i++) {
		graph->blocks.data[i].weight = whole(weighing->weight[i]);
		uint32_t way = weighing->ways.first[i];
		for (; edge < graph->edges.len && graph->edges.data[edge].from == i; edge++)
			graph->edges.data[edge].weight =
				whole(weighing->weight[i] * weighing->share[way++]);
	}
}

void graph_weigh(const struct program *program, const struct unit *unit, struct graph *graph)
{
	struct weighing weighing = {.program = program, .unit = unit, .graph = graph};

	graph_ways_init(&weighing.ways, program, unit, graph);
	weighing.cold = mem_zalloc(graph->blocks.len + 1);
	weighing.share = mem_zalloc((weighing.ways.ways.len + 1) * sizeof(*weighing.share));
	weighing.weight = mem_zalloc(weighing.ways.count * sizeof(*weighing.weight));
	find_cold(&weighing);
	share_all(&weighing);
	propagate(&weighing);
	note_weights(&weighing);
	free(weighing.cold);
	free(weighing.share);
	free(weighing.weight);
	graph_ways_fini(&weighing.ways);
}
