/*
 * A block is two vertices, in and out, with a link between them; links to and from outside have no
 * counter but where a function begins. The links without a counter are a tree, so there is always a
 * vertex with one link that is not known: the others tell its value. See rewrite/spanning.c.
 */
#include "assemble/flow_graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static bool block_makes_sense(const struct tare_flow_block *block, uint32_t counter_count)
{
	return block->counter <= counter_count && block->entry <= counter_count &&
	       !(block->flags & TARE_FLOW_BEGIN) == !block->entry;
}

static bool edge_makes_sense(const struct flow *flow, const struct tare_flow_edge *edge,
			     uint32_t counter_count)
{
	return edge->from < flow->block_count &&
	       (edge->to < flow->block_count || edge->to == TARE_FLOW_OUTSIDE) &&
	       edge->counter <= counter_count && edge->kind <= TARE_FLOW_TAKEN;
}

static bool makes_sense(const struct flow *flow, uint32_t counter_count)
{
	for (uint32_t i = 0; i < flow->block_count; i++)
		if (!block_makes_sense(&flow->blocks[i], counter_count) ||
		    (i && flow->blocks[i].unit < flow->blocks[i - 1].unit))
			return false;
	for (uint32_t i = 0; i < flow->edge_count; i++)
		if (!edge_makes_sense(flow, &flow->edges[i], counter_count) ||
		    (i && flow->edges[i].from < flow->edges[i - 1].from))
			return false;
	return true;
}

static void sum_up(uint32_t *first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		first[i + 1] += first[i];
}

static void index_edges(struct flow *flow)
{
	const uint32_t blocks = flow->block_count;
	uint32_t *next = mem_zalloc((blocks + (size_t)1) * sizeof(*next));

	flow->first_out = mem_zalloc((blocks + (size_t)1) * sizeof(*flow->first_out));
	flow->first_in = mem_zalloc((blocks + (size_t)1) * sizeof(*flow->first_in));
	flow->in = mem_zalloc((flow->edge_count + (size_t)1) * sizeof(*flow->in));
	for (uint32_t i = 0; i < flow->edge_count; i++) {
		flow->first_out[flow->edges[i].from + 1]++;
		if (flow->edges[i].to != TARE_FLOW_OUTSIDE)
			flow->first_in[flow->edges[i].to + 1]++;
	}
	sum_up(flow->first_out, blocks);
	sum_up(flow->first_in, blocks);
	memcpy(next, flow->first_in, blocks * sizeof(*next));
	for (uint32_t i = 0; i < flow->edge_count; i++)
		if (flow->edges[i].to != TARE_FLOW_OUTSIDE)
			flow->in[next[flow->edges[i].to]++] = i;
	free(next);
}

bool flow_read(struct flow *flow, const unsigned char *bytes, size_t size, uint32_t counter_count)
{
	struct tare_flow header;

	*flow = (struct flow){0};
	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	const uint64_t block_bytes = (uint64_t)header.block_count * sizeof(*flow->blocks);
	const uint64_t edge_bytes = (uint64_t)header.edge_count * sizeof(*flow->edges);
	if (block_bytes + edge_bytes > size - sizeof(header))
		return false;
	flow->block_count = header.block_count;
	flow->edge_count = header.edge_count;
	flow->blocks = mem_alloc(block_bytes + 1);
	flow->edges = mem_alloc(edge_bytes + 1);
	memcpy(flow->blocks, bytes + sizeof(header), block_bytes);
	memcpy(flow->edges, bytes + sizeof(header) + block_bytes, edge_bytes);
	if (!makes_sense(flow, counter_count)) {
		flow_fini(flow);
		return false;
	}
	index_edges(flow);
	return true;
}

void flow_fini(struct flow *flow)
{
	free(flow->blocks);
	free(flow->edges);
	free(flow->first_out);
	free(flow->first_in);
	free(flow->in);
	*flow = (struct flow){0};
}

uint64_t flow_block_addr(const struct flow *flow, uint32_t block, uint64_t note_addr)
{
	return note_addr + (uint64_t)(int64_t)flow->blocks[block].addr;
}

/* ---- solving ---- */

/* Values are counted as two's complement: what leads elsewhere than counters say is negative. */
struct link {
	uint64_t value;
	bool known;
};

struct solving {
	const struct flow *flow;
	struct link *inner, *edges;    /* per block, per edge */
	struct link *begun, *ended;    /* per block: from and to outside, without a counter */
	uint32_t *unknown;	       /* per vertex: 2 * block, and one more for its out */
	struct vec_of(uint32_t) ready; /* vertices with one unknown link */
};

static uint32_t vertex_in(uint32_t block)
{
	return 2 * block;
}

static uint32_t vertex_out(uint32_t block)
{
	return 2 * block + 1;
}

static void count_unknown(struct solving *solving, uint32_t vertex, const struct link *link)
{
	solving->unknown[vertex] += !link->known;
}

static struct link known(const uint64_t *values, uint32_t counter)
{
	const struct link link = {.value = counter ? values[counter - 1] : 0,
				  .known = counter != 0};

	return link;
}

static void begin(struct solving *solving, const uint64_t *values)
{
	const struct flow *flow = solving->flow;

	for (uint32_t i = 0; i < flow->block_count; i++) {
		const struct tare_flow_block *block = &flow->blocks[i];
		solving->inner[i] = known(values, block->counter);
		solving->begun[i].known = !(block->flags & TARE_FLOW_ENTERED);
		solving->ended[i].known = !(block->flags & TARE_FLOW_LEFT);
		count_unknown(solving, vertex_in(i), &solving->inner[i]);
		count_unknown(solving, vertex_out(i), &solving->inner[i]);
		count_unknown(solving, vertex_in(i), &solving->begun[i]);
		count_unknown(solving, vertex_out(i), &solving->ended[i]);
	}
	for (uint32_t i = 0; i < flow->edge_count; i++) {
		const struct tare_flow_edge *edge = &flow->edges[i];
		solving->edges[i] = known(values, edge->counter);
		count_unknown(solving, vertex_out(edge->from), &solving->edges[i]);
		if (edge->to != TARE_FLOW_OUTSIDE)
			count_unknown(solving, vertex_in(edge->to), &solving->edges[i]);
	}
	for (uint32_t i = 0; i < 2 * flow->block_count; i++)
		if (solving->unknown[i] == 1)
			vec_push(&solving->ready, i);
}

/* One unknown link less. */
static void settle_vertex(struct solving *solving, uint32_t vertex)
{
	if (--solving->unknown[vertex] == 1)
		vec_push(&solving->ready, vertex);
}

/* What is known of one side of a vertex, and its unknown link, if that is on this side. */
struct side {
	uint64_t sum;
	struct link *unknown;
	uint32_t other; /* vertex at the other end of that; UINT32_MAX: outside */
};

static void add_link(struct side *side, struct link *link, uint32_t other)
{
	if (link->known) {
		side->sum += link->value;
		return;
	}
	side->unknown = link;
	side->other = other;
}

static struct side side_in(struct solving *solving, uint32_t block, const uint64_t *values)
{
	const struct flow *flow = solving->flow;
	const uint32_t entry = flow->blocks[block].entry;
	struct side side = {.sum = entry ? values[entry - 1] : 0};

	add_link(&side, &solving->begun[block], UINT32_MAX);
	for (uint32_t i = flow->first_in[block]; i < flow->first_in[block + 1]; i++)
		add_link(&side, &solving->edges[flow->in[i]],
			 vertex_out(flow->edges[flow->in[i]].from));
	return side;
}

static struct side side_out(struct solving *solving, uint32_t block)
{
	const struct flow *flow = solving->flow;
	struct side side = {0};

	add_link(&side, &solving->ended[block], UINT32_MAX);
	for (uint32_t i = flow->first_out[block]; i < flow->first_out[block + 1]; i++)
		add_link(&side, &solving->edges[i],
			 flow->edges[i].to == TARE_FLOW_OUTSIDE ? UINT32_MAX
								: vertex_in(flow->edges[i].to));
	return side;
}

static void settle(struct solving *solving, uint32_t vertex, const uint64_t *values)
{
	const uint32_t block = vertex / 2;
	const bool out = vertex % 2;
	struct side side = out ? side_out(solving, block) : side_in(solving, block, values);
	struct side inner = {0};

	add_link(&inner, &solving->inner[block], out ? vertex_in(block) : vertex_out(block));
	struct side *from = side.unknown ? &side : &inner;
	struct link *link = from->unknown;
	if (!link)
		return;
	link->value = from == &side ? inner.sum - side.sum : side.sum - inner.sum;
	link->known = true;
	solving->unknown[vertex]--;
	if (from->other != UINT32_MAX)
		settle_vertex(solving, from->other);
}

static bool solve(struct solving *solving, const uint64_t *values)
{
	begin(solving, values);
	while (solving->ready.len) {
		const uint32_t vertex = solving->ready.data[--solving->ready.len];
		if (solving->unknown[vertex] == 1)
			settle(solving, vertex, values);
	}
	for (uint32_t i = 0; i < 2 * solving->flow->block_count; i++)
		if (solving->unknown[i])
			return false;
	return true;
}

static uint64_t *take_values(const struct link *links, uint32_t count, uint64_t *in_progress)
{
	uint64_t *values = mem_alloc((count + (size_t)1) * sizeof(*values));

	for (uint32_t i = 0; i < count; i++) {
		const bool negative = links[i].value > INT64_MAX;
		values[i] = negative ? 0 : links[i].value;
		*in_progress += negative ? 0 - links[i].value : 0;
	}
	return values;
}

bool flow_solve(const struct flow *flow, const uint64_t *values, struct flow_counts *counts)
{
	const size_t blocks = flow->block_count + (size_t)1, edges = flow->edge_count + (size_t)1;
	struct solving solving = {.flow = flow,
				  .inner = mem_zalloc(blocks * sizeof(*solving.inner)),
				  .begun = mem_zalloc(blocks * sizeof(*solving.begun)),
				  .ended = mem_zalloc(blocks * sizeof(*solving.ended)),
				  .edges = mem_zalloc(edges * sizeof(*solving.edges)),
				  .unknown = mem_zalloc(2 * blocks * sizeof(*solving.unknown))};
	const bool ok = solve(&solving, values);

	*counts = (struct flow_counts){0};
	if (ok) {
		counts->blocks =
			take_values(solving.inner, flow->block_count, &counts->in_progress);
		counts->edges = take_values(solving.edges, flow->edge_count, &counts->in_progress);
	}
	free(solving.inner);
	free(solving.begun);
	free(solving.ended);
	free(solving.edges);
	free(solving.unknown);
	vec_fini(&solving.ready);
	return ok;
}

void flow_counts_fini(struct flow_counts *counts)
{
	free(counts->blocks);
	free(counts->edges);
}
