/*
 * Units: ranges that share code must be copied together or not at all. A range belongs with the
 * one into whose interior it jumps, with the cold part that it jumps to, with the ranges that hold
 * its landing pads, and with the one it falls into.
 *
 * Cold parts are recognised by name (.cold), by an FDE whose first rule stands before any advance
 * (the frame is already set up when the code begins), or, in stripped files, by being reached by
 * jumps of their own unit only. What is called is a function all the same: LLVM outlines cold code
 * into functions that it names .cold, too.
 */
#include "object/lsda.h"
#include "rewrite/private.h"

#include <assert.h>
#include <string.h>

static size_t find_root(size_t *parents, size_t i)
{
	while (parents[i] != i)
		i = parents[i] = parents[parents[i]];
	return i;
}

static void join(size_t *parents, size_t a, size_t b)
{
	parents[find_root(parents, a)] = find_root(parents, b);
}

static size_t range_number(const struct program *program, const struct range *range)
{
	assert(range >= program->ranges.data && range < program->ranges.data + program->ranges.len);
	return (size_t)(range - program->ranges.data);
}

/* The FDE's program changes the state at the very first address. */
static bool begins_with_frame(const struct range *range)
{
	if (!range->fde->program_size)
		return false;
	const unsigned char op = range->fde->program[0];
	const bool advances = (op & 0xc0) == 0x40 || (op >= 1 && op <= 4);
	return op != 0 && !advances;
}

static void find_cold(struct program *program)
{
	vec_foreach (range, &program->ranges) {
		if (!range->called && (strstr(range->name, ".cold") || begins_with_frame(range)))
			range->entry = false;
	}
}

static bool is_usable(const struct range *range)
{
	return range && range->decoded && range->verdict == REWRITE_INSTRUMENTED;
}

static void read_landing_pads(const struct program *program, struct range *range)
{
	struct error err;
	struct lsda lsda = {0};

	if (!range->fde->lsda || !is_usable(range))
		return;
	if (!lsda_read(program->object, range->fde, &lsda, &err)) {
		range->verdict = REWRITE_BAD_UNWIND;
		return;
	}
	vec_foreach (site, &lsda.call_sites) {
		if (!site->landing_pad)
			continue;
		if (!program_insn(program, site->landing_pad, NULL))
			range->verdict = REWRITE_BAD_UNWIND;
		vec_push(&range->landing_pads, site->landing_pad);
	}
	lsda_fini(&lsda);
}

static void landing_pads_piece(void *program_at, unsigned worker, size_t begin, size_t end)
{
	const struct program *program = program_at;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		read_landing_pads(program, &program->ranges.data[i]);
}

static void find_landing_pads(struct program *program)
{
	program_run(program, landing_pads_piece, program->ranges.len);
	vec_foreach (range, &program->ranges) {
		vec_foreach (pad, &range->landing_pads) {
			struct insn *insn = program_insn(program, *pad, NULL);
			if (insn)
				insn->is_landing_pad = true;
		}
	}
}

static void join_by_branches(struct program *program, size_t number, size_t *parents)
{
	const struct range *range = &program->ranges.data[number];

	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct insn *insn = &range->insns[i];
		if (!insn_is_branch(insn) ||
		    (insn->target >= range->begin && insn->target < range->end))
			continue;
		const struct range *other = program_range(program, insn->target);
		if (is_usable(other) && (insn->target != other->begin || !other->entry))
			join(parents, number, range_number(program, other));
	}
}

static void join_by_falling(struct program *program, size_t number, size_t *parents)
{
	const struct range *range = &program->ranges.data[number];
	assert(range->insn_count);
	const struct insn *last = &range->insns[range->insn_count - 1];

	if (!insn_falls_through(last) || insn_is_call(last) || range->padding)
		return;
	struct range *next = program_range(program, range->end);
	if (is_usable(next) && !next->called && !object_symbol_at(program->object, next->begin))
		join(parents, number, range_number(program, next));
}

static void join_by_landing_pads(struct program *program, size_t number, size_t *parents)
{
	const struct range *range = &program->ranges.data[number];

	vec_foreach (pad, &range->landing_pads) {
		const struct range *other = program_range(program, *pad);
		if (is_usable(other) && other != range)
			join(parents, number, range_number(program, other));
	}
}

static void collect_units(struct program *program, size_t *parents)
{
	struct map units = {0};

	map_init(&units);
	for (size_t i = 0; i < program->ranges.len; i++) {
		const size_t root = find_root(parents, i);
		assert(root < program->ranges.len && parents[root] == root);
		const uint64_t number = *map_put(&units, root, program->units.len);
		if (number == program->units.len) {
			const struct unit unit = {0};
			vec_push(&program->units, unit);
		}
		program->ranges.data[i].unit = number;
		program->ranges.data[i].slot = (uint32_t)program->units.data[number].ranges.len;
		vec_push(&program->units.data[number].ranges, (uint32_t)i);
	}
	assert(program->units.len <= program->ranges.len);
	map_fini(&units);
	program->statistics->units = program->units.len;
}

/* In stripped files: a range of a larger unit that only its own unit jumps to is no function. */
static void find_unnamed_cold(struct program *program)
{
	vec_foreach (branch, &program->branches) {
		const struct range *from = program_range(program, branch->from);
		struct range *to = program_range(program, branch->to);
		if (!from || !to || from == to || branch->call || branch->to != to->begin ||
		    from->unit != to->unit)
			continue;
		if (!to->called && !object_symbol_at(program->object, to->begin) &&
		    !program_is_pointed_to(program, to->begin))
			to->entry = false;
	}
}

void program_find_units(struct program *program)
{
	size_t *parents = mem_alloc(program->ranges.len * sizeof(*parents));

	find_cold(program);
	find_landing_pads(program);
	for (size_t i = 0; i < program->ranges.len; i++)
		parents[i] = i;
	for (size_t i = 0; i < program->ranges.len; i++) {
		if (!is_usable(&program->ranges.data[i]))
			continue;
		join_by_branches(program, i, parents);
		join_by_falling(program, i, parents);
		join_by_landing_pads(program, i, parents);
	}
	collect_units(program, parents);
	find_unnamed_cold(program);
	free(parents);
}
