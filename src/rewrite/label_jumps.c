/*
 * Indirect jumps that go on as they are, by way of the original: where its labels are, the original
 * has jumps to their copies, as it has over entries.
 *
 *     copy                      original                    copy
 *     jmp *(pointer)  ───────▶  label: jmp label' ───────▶  label'
 *
 * Interpreters with direct threading (PHP, Ruby, Guile, SWI-Prolog) keep addresses of labels in the
 * program that they run, so no table can be copied, and have a value in every register there, so a
 * translation has to save some: it takes twenty times what the jump does.
 *
 * The pointer must come as it is from memory that is not the function's frame, or be the entry of a
 * table of offsets. What else is computed may lead anywhere, into unrolled loops for example.
 *
 * A label that is not known leads to the original's code, which runs as it always did, unseen, up
 * to the next label. So nothing may lead between the bytes of such a jump: no label, branch,
 * landing pad or entry, and no read of them as data. A label with less room has
 *
 *     nothing, where only filler is between it and the next label;
 *     a short jump to a long one nearby, in filler that control never meets, or behind another
 *     label's jump, where it does not any more.
 *
 * If one label of a unit has no room at all, none is used.
 *
 * Words of data that the loader fills with the address of such a label get the copy's instead,
 * which saves the jump each time: of what moving its code costs Ruby, that is half. The program
 * keeps these addresses and jumps there. None moves where
 *
 *     code makes the address of a label that data points at, too: the program might compare the
 *     two, or subtract one from the other;
 *     a jump of the unit is translated: it takes what is not the original's for another function.
 */
#include "rewrite/private.h"

enum { SHORT_JUMP_BYTES = 2, SHORT_REACH = 127 };

/* What is known of a byte of the original. */
enum mark {
	MARK_MET = 1,	/* something leads here */
	MARK_LABEL = 2, /* an indirect jump does */
	MARK_TAKEN = 4, /* part of a jump */
	MARK_FREE = 8,	/* never met by control */
};

struct label_plan {
	const struct program *program;
	struct unit *unit;
	unsigned char **marks; /* per range of the unit, per byte */
};

/* ---- marks ---- */

static void mark(struct label_plan *plan, uint64_t addr, unsigned char what)
{
	const struct range *range = program_range(plan->program, addr);

	if (range && range_is_in_unit(plan->program, range, plan->unit))
		plan->marks[range->slot][addr - range->begin] |= what;
}

static void mark_bytes(struct label_plan *plan, uint64_t addr, uint64_t size, unsigned char what)
{
	for (uint64_t i = 0; i < size; i++)
		mark(plan, addr + i, what);
}

/* Filler behind what does not fall through. */
static void mark_filler(struct label_plan *plan, const struct range *range)
{
	bool met = true;

	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct insn *insn = &range->insns[i];
		met = (met && !(i && !insn_falls_through(&insn[-1]))) || !insn->is_nop ||
		      insn->is_endbr || plan->marks[range->slot][insn->addr - range->begin];
		if (!met)
			mark_bytes(plan, insn->addr, insn->length, MARK_FREE);
	}
}

static void mark_range(struct label_plan *plan, const struct range *range)
{
	const struct program *program = plan->program;

	mark(plan, range->begin, MARK_MET);
	if (range->entry)
		mark_bytes(plan, range_patch_addr(range), ENTRY_JUMP_BYTES, MARK_TAKEN);
	vec_foreach (offset, &range->labels)
		mark(plan, range->begin + *offset, MARK_LABEL);
	vec_foreach (pad, &range->landing_pads)
		mark(plan, *pad, MARK_MET);
	for (uint32_t i = 0; i < range->insn_count; i++)
		if (insn_has_target(&range->insns[i]))
			mark(plan, range->insns[i].target, MARK_MET);
	for (size_t i = program_first_branch_to(program, range->begin);
	     i < program->branches.len && program->branches.data[i].to < range->end; i++)
		mark(plan, program->branches.data[i].to, MARK_MET);
}

/* ---- places ---- */

/* How many bytes from `addr` on nothing leads to, but to the first. */
static uint64_t room_at(const struct label_plan *plan, const struct range *range, uint64_t addr)
{
	const unsigned char *marks = plan->marks[range->slot];
	const uint64_t begin = addr - range->begin, end = range->end - range->begin;
	uint64_t at = begin;

	if (at < end && !(marks[at] & MARK_TAKEN))
		do
			at++;
		while (at < end && !(marks[at] & ~MARK_FREE));
	return at - begin;
}

/* Control goes on over filler to another label. */
static bool leads_to_label(const struct label_plan *plan, const struct range *range, uint64_t addr)
{
	const struct insn *insn = program_insn(plan->program, addr, NULL);

	while (insn && insn->is_nop && !insn->is_endbr) {
		addr = insn_end(insn);
		if (addr >= range->end)
			return false;
		if (plan->marks[range->slot][addr - range->begin] & MARK_LABEL)
			return true;
		insn = program_insn(plan->program, addr, NULL);
	}
	return false;
}

/* Free bytes for a jump within the reach of a short one at `addr`; 0 if there are none. */
static uint64_t find_free(const struct label_plan *plan, const struct range *range, uint64_t addr)
{
	const unsigned char *marks = plan->marks[range->slot];
	const uint64_t end = range->end - range->begin;
	const uint64_t from = addr + SHORT_JUMP_BYTES - range->begin;
	const uint64_t first = from > SHORT_REACH ? from - SHORT_REACH : 0;
	const uint64_t last = from + SHORT_REACH + ENTRY_JUMP_BYTES;
	uint64_t free_bytes = 0;

	for (uint64_t at = first; at < end && at < last; at++) {
		free_bytes = marks[at] == MARK_FREE ? free_bytes + 1 : 0;
		if (free_bytes == ENTRY_JUMP_BYTES)
			return range->begin + at + 1 - ENTRY_JUMP_BYTES;
	}
	return 0;
}

static void add_jump(struct label_plan *plan, uint64_t addr, uint64_t by)
{
	const struct label_jump jump = {.addr = addr, .by = by};

	mark_bytes(plan, addr, by ? SHORT_JUMP_BYTES : ENTRY_JUMP_BYTES, MARK_TAKEN);
	if (by)
		mark_bytes(plan, by, ENTRY_JUMP_BYTES, MARK_TAKEN);
	vec_push(&plan->unit->label_jumps, jump);
}

static uint64_t jump_addr(const struct program *program, uint64_t label)
{
	const struct insn *insn = program_insn(program, label, NULL);

	return insn && insn->is_endbr ? insn_end(insn) : label;
}

static void add_long_jump(struct label_plan *plan, const struct range *range, uint64_t label)
{
	const uint64_t addr = jump_addr(plan->program, label), room = room_at(plan, range, addr);

	if (room < ENTRY_JUMP_BYTES)
		return;
	add_jump(plan, addr, 0);
	mark_bytes(plan, addr + ENTRY_JUMP_BYTES, room - ENTRY_JUMP_BYTES, MARK_FREE);
}

static bool is_in_entry_jump(const struct range *range, uint64_t addr)
{
	return range->entry && addr - range_patch_addr(range) < ENTRY_JUMP_BYTES;
}

/* Where there is no room for a long one. */
static bool add_short_jump(struct label_plan *plan, const struct range *range, uint64_t label)
{
	const uint64_t addr = jump_addr(plan->program, label);

	if (addr >= range->end || is_in_entry_jump(range, addr))
		return false;
	if (plan->marks[range->slot][addr - range->begin] & MARK_TAKEN)
		return true; /* by its long jump */
	if (leads_to_label(plan, range, addr))
		return true;
	const uint64_t by =
		room_at(plan, range, addr) >= SHORT_JUMP_BYTES ? find_free(plan, range, addr) : 0;
	if (by)
		add_jump(plan, addr, by);
	return by != 0;
}

static bool add_labels(struct label_plan *plan)
{
	for (size_t i = 0; i < plan->unit->ranges.len; i++) {
		const struct range *range = unit_range(plan->program, plan->unit, i);
		vec_foreach (offset, &range->labels)
			add_long_jump(plan, range, range->begin + *offset);
	}
	for (size_t i = 0; i < plan->unit->ranges.len; i++) {
		const struct range *range = unit_range(plan->program, plan->unit, i);
		if (!range->copied || range->code_is_read)
			return false;
		vec_foreach (offset, &range->labels)
			if (!add_short_jump(plan, range, range->begin + *offset))
				return false;
	}
	return true;
}

void unit_plan_label_jumps(const struct program *program, struct unit *unit)
{
	const size_t count = unit->ranges.len;
	struct label_plan plan = {program, unit, mem_zalloc(count * sizeof(*plan.marks))};

	for (size_t i = 0; i < count; i++) {
		const struct range *range = unit_range(program, unit, i);
		plan.marks[i] = mem_zalloc(range->end - range->begin);
	}
	for (size_t i = 0; i < count; i++)
		mark_range(&plan, unit_range(program, unit, i));
	for (size_t i = 0; i < count; i++)
		mark_filler(&plan, unit_range(program, unit, i));
	if (!add_labels(&plan))
		vec_fini(&unit->label_jumps);
	for (size_t i = 0; i < count; i++)
		free(plan.marks[i]);
	free(plan.marks);
	unit->labels_planned = true;
}

static bool has_translated_jump(const struct range *range)
{
	vec_foreach (jump, &range->jumps)
		if (jump->way == JUMP_TRANSLATE)
			return true;
	return false;
}

void unit_move_labels(const struct program *program, struct unit *unit)
{
	bool moves = unit->label_jumps.len > 0;

	for (size_t i = 0; moves && i < unit->ranges.len; i++) {
		const struct range *range = unit_range(program, unit, i);
		moves = !range->label_is_shared && !has_translated_jump(range);
	}
	unit->labels_move = moves;
}

bool label_moves(const struct program *program, uint64_t addr)
{
	struct range *range;
	const struct insn *insn = program_insn(program, addr, &range);

	return insn && range->copied && program->units.data[range->unit].labels_move &&
	       !(range->entry && addr == range->begin);
}
