/*
 * What the counters count, for those who read and change them (struct tare_counted), and the flow
 * graphs from which executions follow (abi/flow.h).
 */
#include "rewrite/graph.h"

#include "abi/flow.h"
#include "abi/module.h"
#include "base/partition.h"

#include <assert.h>
#include <string.h>

/* Its number in the file: functions, then call sites, then edges or body calls. */
static uint64_t site_number(const struct program *program, const struct range *range, uint64_t site)
{
	assert(site < range->sites.len);
	return program->function_count + range->first_site + site;
}

static uint64_t edge_number(const struct program *program, const struct range *range, uint64_t edge)
{
	assert(edge < range->edge_counters.len);
	return (uint64_t)program->function_count + program->site_count + range->first_edge_counter +
	       edge;
}

static uint64_t body_call_number(const struct program *program, const struct range *range,
				 uint64_t call)
{
	assert(call < range->body_calls.len && !program->edge_counter_count);
	return (uint64_t)program->function_count + program->site_count + range->first_body_call +
	       call;
}

static uint64_t counter_number(const struct program *program, const struct range *range,
			       const struct fixup *fixup)
{
	switch ((enum fixup_kind)fixup->kind) {
	case FIXUP_SITE_COUNTER:
		return site_number(program, range, fixup->target);
	case FIXUP_EDGE_COUNTER:
		return edge_number(program, range, fixup->target);
	case FIXUP_BODY_COUNTER:
		return body_call_number(program, range, fixup->target);
	default:
		return range->function;
	}
}

uint64_t fixup_counter_addr(const struct program *program, const struct range *range,
			    const struct fixup *fixup)
{
	uint64_t number = counter_number(program, range, fixup);

	if (fixup->kind == FIXUP_EDGE_COUNTER)
		number -= range->edge_counters.data[fixup->target].behind;
	return program->counters_addr + number * sizeof(uint64_t);
}

/* ---- what they count ---- */

static bool is_counter(const struct fixup *fixup)
{
	return fixup->kind == FIXUP_COUNTER || fixup->kind == FIXUP_SITE_COUNTER ||
	       fixup->kind == FIXUP_EDGE_COUNTER || fixup->kind == FIXUP_BODY_COUNTER;
}

static bool counts_many(const struct edge_counter *counter)
{
	return counter->copies || counter->behind;
}

/* Of a call its target, or 0; of a function its begin, of an edge that of its range, or 0. */
static uint64_t counted_addr(const struct range *range, const struct fixup *fixup)
{
	switch ((enum fixup_kind)fixup->kind) {
	case FIXUP_SITE_COUNTER:
		return range->sites.data[fixup->target].target;
	case FIXUP_BODY_COUNTER:
		return range->body_calls.data[fixup->target];
	case FIXUP_EDGE_COUNTER:
		return counts_many(&range->edge_counters.data[fixup->target]) ? 0 : range->begin;
	default:
		return range->begin;
	}
}

static void describe_counter(struct program *program, const struct range *range,
			     const struct fixup *fixup)
{
	const uint64_t number = counter_number(program, range, fixup);
	const uint64_t target = counted_addr(range, fixup);
	const uint64_t prefix =
		range->copy_addr + fixup->position - TARE_COUNT_CODE_BYTES - program->code_begin;
	const struct tare_counted counted = {
		.target = target ? (int32_t)(target - program->note_addr) : 0,
		.prefix = (uint32_t)prefix};

	assert(number < program_counter_count(program));
	assert(fixup->position >= TARE_COUNT_CODE_BYTES);
	memcpy(program->file.data + (program->counted_addr - program->file_addr) +
		       number * sizeof(counted),
	       &counted, sizeof(counted));
}

static void place_counted(struct program *program)
{
	const uint64_t count = program_counter_count(program);

	put_align(&program->file, 8, 0);
	program->counted_addr = image_end(program);
	for (uint64_t i = 0; i < count; i++)
		put_u64(&program->file, 0);
	vec_foreach (range, &program->ranges) {
		vec_foreach (fixup, &range->fixups)
			if (range->copied && is_counter(fixup))
				describe_counter(program, range, fixup);
	}
}

/* ---- flow graphs ---- */

/* 1 + the number of the counter at the call, which is the block's last instruction. */
static uint32_t site_counter(const struct program *program, const struct range *range,
			     uint32_t call)
{
	const size_t site = partition_point(range->sites.len, i, range->sites.data[i].insn < call);

	assert(site < range->sites.len && range->sites.data[site].insn == call);
	return (uint32_t)site_number(program, range, site) + 1;
}

static uint32_t edge_counter(const struct program *program, const struct range *range,
			     uint32_t counter)
{
	return counter ? (uint32_t)edge_number(program, range, counter - 1) + 1 : 0;
}

static void put_block(struct program *program, const struct graph_block *block, uint32_t unit)
{
	const struct range *range = &program->ranges.data[block->range];
	const uint64_t begin = range->insns[block->first].addr;
	const struct tare_flow_block put = {
		.addr = (int32_t)(begin - program->note_addr),
		.size = (uint32_t)(insn_end(&range->insns[block->last]) - begin),
		.insn_count = block->last - block->first + 1,
		.flags = (block->from_outside ? TARE_FLOW_ENTERED : 0u) |
			 (block->to_outside ? TARE_FLOW_LEFT : 0u) |
			 (block->entry ? TARE_FLOW_BEGIN : 0u),
		.unit = unit,
		.counter = block->is_site ? site_counter(program, range, block->last)
					  : edge_counter(program, range, block->counter),
		.entry = block->entry ? range->function + 1 : 0};

	put_bytes(&program->file, &put, sizeof(put));
}

static void put_edge(struct program *program, const struct graph *graph,
		     const struct graph_edge *edge, uint32_t first)
{
	const struct range *range = &program->ranges.data[graph->blocks.data[edge->from].range];
	const struct tare_flow_edge put = {.from = first + edge->from,
					   .to = edge->to == GRAPH_OUTSIDE ? TARE_FLOW_OUTSIDE
									   : first + edge->to,
					   .kind = edge->taken ? TARE_FLOW_TAKEN : TARE_FLOW_NEXT,
					   .counter = edge_counter(program, range, edge->counter)};

	put_bytes(&program->file, &put, sizeof(put));
}

static void place_flow(struct program *program)
{
	struct tare_flow flow = {0};
	uint32_t first = 0;

	put_align(&program->file, 8, 0);
	program->flow_addr = image_end(program);
	vec_foreach (unit, &program->units) {
		flow.block_count += unit->graph ? (uint32_t)unit->graph->blocks.len : 0;
		flow.edge_count += unit->graph ? (uint32_t)unit->graph->edges.len : 0;
	}
	put_bytes(&program->file, &flow, sizeof(flow));
	for (size_t i = 0; i < program->units.len; i++) {
		const struct graph *graph = program->units.data[i].graph;
		for (size_t k = 0; graph && k < graph->blocks.len; k++)
			put_block(program, &graph->blocks.data[k], (uint32_t)i);
	}
	vec_foreach (unit, &program->units) {
		const struct graph *graph = unit->graph;
		for (size_t k = 0; graph && k < graph->edges.len; k++)
			put_edge(program, graph, &graph->edges.data[k], first);
		first += graph ? (uint32_t)graph->blocks.len : 0;
	}
}

void program_place_counters(struct program *program)
{
	place_counted(program);
	if (program_counts(program) && program->options->count_executions)
		place_flow(program);
}
