/*
 * Selection: which ranges are wanted, and which must be left alone. A unit is copied as a whole;
 * one refused member that others share code with does not spoil it, as branches to it leave the
 * copy, but what a unit needs and cannot have refuses it as a whole.
 */
#include "rewrite/private.h"
#include "rewrite/unwind_out.h"

#include <string.h>

/*
 * A small function: its probes would cost more than its work, so it has a counter only. At most
 * this many instructions (markers and filler not counted), no loop, no call, no system call, no
 * jump elsewhere.
 */
enum { SMALL_FUNCTION_INSNS = 12 };

static bool is_small(const struct program *program, const struct range *range)
{
	uint32_t work = 0;

	if (program->units.data[range->unit].ranges.len > 1 || range->has_syscall ||
	    range->has_jump_indirect)
		return false;
	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct insn *insn = &range->insns[i];
		if (insn_is_call(insn) || insn->kind == INSN_LOOP)
			return false;
		if (insn_is_branch(insn) &&
		    (insn->target <= insn->addr || insn->target >= range->end))
			return false;
		work += !insn->is_nop && !insn->is_endbr;
	}
	return work <= SMALL_FUNCTION_INSNS;
}

static bool is_chosen(const struct program *program, const struct range *range)
{
	const struct rewrite_options *options = program->options;

	return !options->select ||
	       options->select(range->name, range->begin, options->select_context);
}

/* The verdict of a function that nothing is wrong with. A small one is copied to be counted. */
static enum rewrite_verdict wanted_verdict(const struct program *program, struct range *range)
{
	const struct rewrite_options *options = program->options;

	if (options->syscalls_only)
		return REWRITE_INSTRUMENTED;
	if (!is_chosen(program, range))
		return REWRITE_NOT_SELECTED;
	range->small =
		options->mode != REWRITE_NULL && !options->keep_small && is_small(program, range);
	return REWRITE_INSTRUMENTED;
}

static void set_unit(struct program *program, const struct unit *unit, enum rewrite_verdict verdict)
{
	vec_foreach (number, &unit->ranges) {
		struct range *range = &program->ranges.data[*number];
		if (range->verdict == REWRITE_INSTRUMENTED)
			range->verdict = verdict;
	}
}

static bool unit_has_syscall(const struct program *program, const struct unit *unit)
{
	vec_foreach (number, &unit->ranges) {
		if (program->ranges.data[*number].has_syscall)
			return true;
	}
	return false;
}

static bool unit_in_window(const struct program *program, size_t number)
{
	const struct rewrite_options *options = program->options;

	return options->last_unit == 0 ||
	       (number >= options->first_unit && number < options->last_unit);
}

static bool is_copied_unit(const struct program *program, const struct range *range, uint64_t from)
{
	const struct range *source = program_range(program, from);

	return source && source->unit == range->unit && source->verdict == REWRITE_INSTRUMENTED;
}

static bool range_is_entered_inside(const struct program *program, const struct range *range)
{
	const size_t pointer = program_first_pointer(program, range->begin + 1);

	if (range->label_is_taken ||
	    (pointer < program->pointer_count && program->pointers[pointer] < range->end))
		return true;
	for (size_t i = program_first_branch_to(program, range->begin + 1);
	     i < program->branches.len && program->branches.data[i].to < range->end; i++) {
		if (!is_copied_unit(program, range, program->branches.data[i].from))
			return true;
	}
	return false;
}

/* The original's code may run although all entries lead to the copy: a part of it is not copied,
   something leads into its middle that is not copied, or may be kept and used at any time
   (__builtin_setjmp). */
static bool unit_is_entered_inside(const struct program *program, const struct unit *unit)
{
	vec_foreach (number, &unit->ranges) {
		const struct range *range = &program->ranges.data[*number];
		if (range->verdict != REWRITE_INSTRUMENTED ||
		    range_is_entered_inside(program, range))
			return true;
	}
	return false;
}

/*
 * Something that may run as it was leads into the bytes that the entry jump overwrites. Filler
 * behind the range, where the jump may end, is not copied: what leads there leads to the original.
 */
static bool window_is_entered(const struct program *program, const struct range *range)
{
	const uint64_t patch = range_patch_addr(range);

	for (size_t i = program_first_branch_to(program, patch + 1);
	     i < program->branches.len && program->branches.data[i].to < patch + ENTRY_JUMP_BYTES;
	     i++)
		if (program->branches.data[i].to >= range->end ||
		    unit_is_entered_inside(program, &program->units.data[range->unit]))
			return true;
	for (uint64_t addr = patch + 1; addr < patch + ENTRY_JUMP_BYTES; addr++) {
		if (object_symbol_at(program->object, addr) && program_is_pointed_to(program, addr))
			return true;
	}
	return false;
}

/* Control goes on in the filler behind the range. */
static bool runs_past_end(const struct range *range)
{
	const struct insn *last = &range->insns[range->insn_count - 1];

	return insn_falls_through(last) && !insn_is_call(last);
}

static enum rewrite_verdict entry_verdict(const struct program *program, const struct range *range)
{
	const uint64_t patch_end = range_patch_addr(range) + ENTRY_JUMP_BYTES;
	const uint64_t end = runs_past_end(range) ? range->end : range->end + range->padding;

	if (patch_end > end)
		return REWRITE_ENTRY_TOO_SHORT;
	if (range->window_is_read || window_is_entered(program, range))
		return REWRITE_ENTRY_BRANCHED;
	return REWRITE_INSTRUMENTED;
}

/* Unwind tables that cannot be carried over, landing pads in code that is not copied. */
static bool unwind_is_carried(const struct program *program, const struct range *range)
{
	if (!range->unwind_is_known)
		return false;
	vec_foreach (pad, &range->landing_pads) {
		const struct range *holder = program_range(program, *pad);
		if (!holder || holder->verdict != REWRITE_INSTRUMENTED ||
		    holder->unit != range->unit)
			return false;
	}
	return true;
}

/* Refusals that spread over the unit. */
static void judge_unit(struct program *program, struct unit *unit)
{
	vec_foreach (number, &unit->ranges) {
		struct range *range = &program->ranges.data[*number];
		if (range->verdict != REWRITE_INSTRUMENTED)
			continue;
		if (!unwind_is_carried(program, range)) {
			set_unit(program, unit, REWRITE_BAD_UNWIND);
			return;
		}
		const enum rewrite_verdict verdict =
			range->entry ? entry_verdict(program, range) : REWRITE_INSTRUMENTED;
		if (verdict != REWRITE_INSTRUMENTED) {
			set_unit(program, unit, verdict);
			return;
		}
	}
}

static bool is_orphan(const struct program *program, const struct unit *unit)
{
	vec_foreach (number, &unit->ranges) {
		if (program->ranges.data[*number].entry)
			return false;
	}
	return true;
}

/* A unit is wanted when one of its functions is; then all of it is copied. */
static void select_unit(struct program *program, struct unit *unit)
{
	enum rewrite_verdict verdict =
		is_orphan(program, unit) ? REWRITE_ORPHAN : REWRITE_NOT_SELECTED;

	vec_foreach (number, &unit->ranges) {
		struct range *range = &program->ranges.data[*number];
		if (range->verdict != REWRITE_INSTRUMENTED || !range->entry)
			continue;
		verdict = wanted_verdict(program, range);
		if (verdict == REWRITE_INSTRUMENTED)
			break;
	}
	if (verdict != REWRITE_INSTRUMENTED)
		set_unit(program, unit, verdict);
	else if (program->options->syscalls_only && !unit_has_syscall(program, unit))
		set_unit(program, unit, REWRITE_NO_SYSCALL);
}

static bool unit_has_entry(const struct program *program, const struct unit *unit)
{
	vec_foreach (number, &unit->ranges) {
		const struct range *range = &program->ranges.data[*number];
		if (range->entry && range->verdict == REWRITE_INSTRUMENTED)
			return true;
	}
	return false;
}

static void check_unwind_piece(void *program_at, unsigned worker, size_t begin, size_t end)
{
	const struct program *program = program_at;
	struct error ignored;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		struct range *range = &program->ranges.data[i];
		range->unwind_is_known = range->verdict == REWRITE_INSTRUMENTED &&
					 unwind_out_check(program->object, range->fde, &ignored);
	}
}

void program_select(struct program *program)
{
	for (size_t i = 0; i < program->units.len; i++) {
		struct unit *unit = &program->units.data[i];
		if (!unit_in_window(program, i))
			set_unit(program, unit, REWRITE_NOT_SELECTED);
		else
			select_unit(program, unit);
	}
	program_run(program, check_unwind_piece, program->ranges.len);
	vec_foreach (unit, &program->units) {
		judge_unit(program, unit);
		if (!unit_has_entry(program, unit))
			set_unit(program, unit, REWRITE_NOT_SELECTED);
	}
}
