/*
 * Instructions of a unit -> blocks and edges.
 *
 *   begins    of ranges; targets of branches; what follows a transfer of control; landing pads,
 *             labels and entries of jump tables, which control reaches from outside
 *   ends      branches, returns, traps; calls that may not come back, or more than once
 *
 * The flow is not known where an indirect jump may lead to code that no known label is on, and
 * where others may go on in the original.
 */
#include "rewrite/graph.h"

#include <assert.h>
#include <stdlib.h>

enum begin_flags { BEGINS = 1, FROM_OUTSIDE = 2, SKIPS_LOCK = 4 };

struct building {
	const struct program *program;
	const struct unit *unit;
	struct graph *graph;
	unsigned char **begins; /* per range of the unit, per instruction: enum begin_flags */
	uint32_t **blocks;	/* the same: 1 + number of the block that begins there */
};

/* ---- begins ---- */

static void mark(struct building *building, uint64_t addr, unsigned flags)
{
	struct range *range;
	const struct insn *insn = program_insn(building->program, addr, &range);

	if (!insn) {
		insn = program_insn(building->program, addr - 1, &range);
		if (!insn || !insn->prefix_lock)
			return;
		flags |= SKIPS_LOCK;
	}
	if (range_is_in_unit(building->program, range, building->unit) && range->copied)
		building->begins[range->slot][insn - range->insns] |=
			(unsigned char)(flags | BEGINS);
}

static bool ends_block(const struct program *program, const struct insn *insn)
{
	if (insn_is_call(insn))
		return call_escapes(program, insn);
	return insn->kind != INSN_PLAIN || insn->rel_bits;
}

/* A call into the own unit that is no call of a function. */
static bool calls_inside(const struct building *building, const struct insn *insn)
{
	const struct range *callee =
		insn->kind == INSN_CALL ? program_range(building->program, insn->target) : NULL;

	return callee && range_is_in_unit(building->program, callee, building->unit) &&
	       (insn->target != callee->begin || !callee->entry);
}

static void mark_insn(struct building *building, const struct range *range, uint32_t number)
{
	const struct insn *insn = &range->insns[number];

	if (insn_is_branch(insn))
		mark(building, insn->target, 0);
	else if (calls_inside(building, insn) || (insn->kind == INSN_PLAIN && insn->rel_bits))
		mark(building, insn->target, FROM_OUTSIDE);
	if (ends_block(building->program, insn))
		mark(building, insn_end(insn), 0);
}

static void mark_range(struct building *building, const struct range *range)
{
	mark(building, range->begin, 0);
	for (uint32_t i = 0; i < range->insn_count; i++)
		mark_insn(building, range, i);
	vec_foreach (pad, &range->landing_pads)
		mark(building, *pad, FROM_OUTSIDE);
	vec_foreach (offset, &range->labels)
		mark(building, range->begin + *offset, FROM_OUTSIDE);
}

static void mark_all(struct building *building)
{
	for (size_t i = 0; i < building->unit->ranges.len; i++) {
		const struct range *range = unit_range(building->program, building->unit, i);
		if (range->copied)
			mark_range(building, range);
	}
	vec_foreach (table, &building->unit->tables)
		vec_foreach (target, &table->targets)
			mark(building, *target, FROM_OUTSIDE);
}

/* ---- blocks ---- */

static void add_block(struct building *building, const struct range *range, uint32_t first)
{
	const unsigned begins = building->begins[range->slot][first];
	const struct graph_block block = {
		.range = (uint32_t)(range - building->program->ranges.data),
		.first = first,
		.last = first,
		.entry = first == 0 && range->entry,
		.from_outside = begins & FROM_OUTSIDE,
		.skips_lock = begins & SKIPS_LOCK,
	};

	vec_push(&building->graph->blocks, block);
	building->blocks[range->slot][first] = (uint32_t)building->graph->blocks.len;
}

static void add_blocks(struct building *building)
{
	for (size_t slot = 0; slot < building->unit->ranges.len; slot++) {
		const struct range *range = unit_range(building->program, building->unit, slot);
		for (uint32_t i = 0; range->copied && i < range->insn_count; i++) {
			if (building->begins[slot][i])
				add_block(building, range, i);
			vec_last(&building->graph->blocks).last = i;
		}
	}
}

/* ---- edges ---- */

/* Number of the block that a jump from `range` to `addr` leads to; GRAPH_OUTSIDE: to none. */
static uint32_t block_at(const struct building *building, const struct range *from, uint64_t addr)
{
	struct range *range;

	if (!branch_is_inside(building->program, from, addr))
		return GRAPH_OUTSIDE;
	const struct insn *insn = program_insn(building->program, addr, &range);
	if (!insn)
		insn = program_insn(building->program, addr - 1, &range);
	assert(insn && building->blocks[range->slot][insn - range->insns]);
	return building->blocks[range->slot][insn - range->insns] - 1;
}

static void add_edge(struct building *building, uint32_t from, uint32_t to, bool taken)
{
	const struct graph_edge edge = {.from = from, .to = to, .taken = taken};

	vec_push(&building->graph->edges, edge);
}

static void add_next(struct building *building, uint32_t number, const struct range *range)
{
	struct graph_block *block = &building->graph->blocks.data[number];
	const uint64_t end = insn_end(&range->insns[block->last]);
	const uint32_t next = block->last + 1 < range->insn_count
				      ? building->blocks[range->slot][block->last + 1] - 1
				      : block_at(building, range, end);

	if (next == GRAPH_OUTSIDE)
		block->to_outside = true;
	else
		add_edge(building, number, next, false);
}

static void add_taken(struct building *building, uint32_t number, const struct range *range)
{
	struct graph_block *block = &building->graph->blocks.data[number];
	const struct insn *insn = &range->insns[block->last];
	const uint32_t target = block_at(building, range, insn->target);

	if (insn->kind != INSN_JUMP) {
		add_edge(building, number, target, true);
	} else if (target == GRAPH_OUTSIDE) {
		block->to_outside = true;
	} else {
		add_edge(building, number, target, true);
		/* The block's own counter says the same. */
		vec_last(&building->graph->edges).fixed = true;
	}
}

static void add_edges_of(struct building *building, uint32_t number)
{
	struct graph_block *block = &building->graph->blocks.data[number];
	const struct range *range = &building->program->ranges.data[block->range];
	const struct insn *last = &range->insns[block->last];

	block->first_edge = (uint32_t)building->graph->edges.len;
	block->is_site = insn_is_call(last) && call_is_counted(building->program, range, last);
	block->to_outside = !insn_is_branch(last) && ends_block(building->program, last);
	if (insn_is_branch(last))
		add_taken(building, number, range);
	if (control_goes_on(building->program, last))
		add_next(building, number, range);
}

/* ---- the graph ---- */

static bool is_unit_addr(const struct program *program, const struct unit *unit, uint64_t addr)
{
	const struct range *range = program_range(program, addr);

	return range && range_is_in_unit(program, range, unit);
}

/* Some indirect jump of the unit may take the addresses that its code makes of instructions. */
static bool jumps_to_labels(const struct program *program, const struct unit *unit)
{
	for (size_t i = 0; i < unit->ranges.len; i++)
		vec_foreach (jump, &unit_range(program, unit, i)->jumps)
			if (jump_goes_to_labels(jump))
				return true;
	vec_foreach (table, &unit->tables)
		if (is_unit_addr(program, unit, table->base))
			return true;
	return false;
}

/* An address is kept for others, who go on in the original (__builtin_setjmp). */
static bool label_is_kept(const struct program *program, const struct unit *unit)
{
	bool taken = false;

	for (size_t i = 0; i < unit->ranges.len; i++)
		taken |= unit_range(program, unit, i)->label_is_taken;
	return taken && !jumps_to_labels(program, unit);
}

/* Jumps lead nowhere but where labels, tables and landing pads are. */
static bool flow_is_known(const struct program *program, const struct unit *unit)
{
	bool copied = false;

	if (label_is_kept(program, unit))
		return false;

	for (size_t i = 0; i < unit->ranges.len; i++) {
		const struct range *range = unit_range(program, unit, i);
		copied |= range->copied;
		vec_foreach (jump, &range->jumps)
			if (jump_goes_to_labels(jump) && (unit->incomplete || !unit->has_labels))
				return false;
	}
	return copied;
}

static void make(struct building *building)
{
	mark_all(building);
	add_blocks(building);
	for (uint32_t i = 0; i < building->graph->blocks.len; i++)
		add_edges_of(building, i);
}

struct graph *graph_make(const struct program *program, const struct unit *unit)
{
	const size_t count = unit->ranges.len;

	if (!flow_is_known(program, unit))
		return NULL;
	struct building building = {.program = program,
				    .unit = unit,
				    .graph = mem_zalloc(sizeof(struct graph)),
				    .begins = mem_zalloc(count * sizeof(*building.begins)),
				    .blocks = mem_zalloc(count * sizeof(*building.blocks))};
	for (size_t i = 0; i < count; i++) {
		const size_t insns = unit_range(program, unit, i)->insn_count;
		building.begins[i] = mem_zalloc(insns * sizeof(**building.begins) + 1);
		building.blocks[i] = mem_zalloc(insns * sizeof(**building.blocks) + 1);
	}
	make(&building);
	for (size_t i = 0; i < count; i++) {
		free(building.begins[i]);
		free(building.blocks[i]);
	}
	free(building.begins);
	free(building.blocks);
	return building.graph;
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	vec_fini(&graph->blocks);
	vec_fini(&graph->edges);
	free(graph);
}
