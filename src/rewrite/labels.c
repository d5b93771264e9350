/*
 * Labels: where the indirect jumps of a unit may lead, other than to functions. Sources are code
 * pointers in data, lea of own code, tables of 32-bit offsets that a lea in the unit points at
 * (relative to themselves, or to an own label as glibc's vfprintf has them), and in non-PIE files
 * immediates. In the medium and large code models the address of a table is the sum of a lea's
 * target, the GOT, and a 64-bit immediate.
 *
 * The set serves liveness and the question whether an indirect jump can be a goto at all. It need
 * not be complete for correctness: translated jumps handle every instruction. Code that nothing
 * known leads to marks the unit incomplete; no jump goes by way of the original's labels then.
 */
#include "rewrite/private.h"

#include <string.h>

enum { OWN_LABELS_MAX = 64, ENTRIES_MAX = 4000000, MOVABS_BYTES = 10 };

struct label_search {
	struct program *program;
	struct unit *unit;
	struct vec_of(uint64_t) own;	 /* lea targets inside the unit */
	struct vec_of(uint64_t) outside; /* and outside of code */
	uint32_t entries; /* of tables that were looked at; beyond a limit they are not */
};

/* Notes `addr` if it is an instruction of the unit; false if it is not. */
static bool add_label(struct label_search *search, uint64_t addr)
{
	struct range *range;

	if (!program_insn(search->program, addr, &range) ||
	    !range_is_in_unit(search->program, range, search->unit))
		return false;
	if (addr != range->begin || !range->entry)
		vec_push(&range->labels, (uint32_t)(addr - range->begin));
	return true;
}

/* Entries of a table of offsets from `base`, as long as they lead into the unit. */
static void add_table(struct label_search *search, uint64_t table, uint64_t base)
{
	for (uint64_t at = table;; at += 4) {
		if (search->entries == ENTRIES_MAX) {
			search->unit->incomplete = true;
			return;
		}
		search->entries++;
		const unsigned char *bytes = object_at(search->program->object, at, 4);
		int32_t offset;
		if (!bytes)
			return;
		memcpy(&offset, bytes, sizeof(offset));
		const uint64_t target = base + (uint64_t)(int64_t)offset;
		if (!add_label(search, target) &&
		    !unit_ends_at(search->program, search->unit, target))
			return;
	}
}

/* An address that the code makes: of a label or, maybe, of a table. */
static void add_made_address(struct label_search *search, uint64_t addr)
{
	if (program_range(search->program, addr)) {
		add_label(search, addr);
		return;
	}
	if (!object_is_mapped(search->program->object, addr))
		return;
	add_table(search, addr, addr);
	vec_foreach (label, &search->own)
		add_table(search, addr, *label);
}

/* movabs: what it gives to a register may be an address, or an offset from the GOT. */
static void add_movabs(struct label_search *search, const struct insn *insn, bool fixed)
{
	const unsigned char *bytes = insn_bytes(search->program, insn);
	uint64_t value;

	if (insn->length != MOVABS_BYTES || !bytes || (bytes[0] & 0xf8) != 0x48 ||
	    (bytes[1] & 0xf8) != 0xb8)
		return;
	memcpy(&value, bytes + 2, sizeof(value));
	if (fixed)
		add_made_address(search, value);
	vec_foreach (target, &search->outside)
		add_made_address(search, *target + value);
}

/* A 32-bit immediate or displacement at the end of the instruction that is an own address. */
static void add_immediate(struct label_search *search, const struct range *range,
			  const struct insn *insn)
{
	const unsigned char *bytes = insn_bytes(search->program, insn);
	uint32_t value;

	if (insn->length < 5 || !bytes)
		return;
	memcpy(&value, bytes + insn->length - 4, sizeof(value));
	if (value > range->begin && value < range->end)
		add_label(search, value);
}

static void note_lea(struct label_search *search, uint64_t target)
{
	const struct range *range = program_range(search->program, target);

	if (!range) {
		vec_foreach (known, &search->outside) {
			if (*known == target)
				return;
		}
		if (search->outside.len < OWN_LABELS_MAX)
			vec_push(&search->outside, target);
	} else if (range_is_in_unit(search->program, range, search->unit) &&
		   search->own.len < OWN_LABELS_MAX) {
		vec_push(&search->own, target);
	}
}

static void find_leas(struct label_search *search)
{
	for (size_t i = 0; i < search->unit->ranges.len; i++) {
		const struct range *range = unit_range(search->program, search->unit, i);
		for (uint32_t k = 0; k < range->insn_count; k++) {
			if (range->insns[k].is_lea && range->insns[k].rip_offset)
				note_lea(search, range->insns[k].target);
		}
	}
}

static void add_pointers(struct label_search *search, const struct range *range)
{
	const struct program *program = search->program;

	for (size_t i = program_first_pointer(program, range->begin);
	     i < program->pointer_count && program->pointers[i] < range->end; i++)
		add_label(search, program->pointers[i]);
}

static void add_from_code(struct label_search *search, const struct range *range)
{
	const bool fixed = object_header(search->program->object)->e_type == ET_EXEC;

	for (uint32_t k = 0; k < range->insn_count; k++) {
		const struct insn *insn = &range->insns[k];
		if (insn->kind != INSN_PLAIN && !(fixed && insn->kind == INSN_JUMP_INDIRECT))
			continue;
		if (insn->is_lea && insn->rip_offset)
			add_made_address(search, insn->target);
		else if (insn->length == MOVABS_BYTES)
			add_movabs(search, insn, fixed);
		else if (fixed && !insn->rip_offset)
			add_immediate(search, range, insn);
	}
}

/* ---- reachability ---- */

struct reach {
	struct label_search *search;
	unsigned char **seen; /* per range of the unit, per instruction */
	struct vec_of(uint64_t) work;
};

static void reach_add(struct reach *reach, uint64_t addr)
{
	struct range *range;
	const struct insn *insn = program_insn(reach->search->program, addr, &range);

	if (!insn || !range_is_in_unit(reach->search->program, range, reach->search->unit))
		return;
	unsigned char *seen = &reach->seen[range->slot][insn - range->insns];
	if (!*seen) {
		*seen = 1;
		vec_push(&reach->work, addr);
	}
}

static void reach_drain(struct reach *reach)
{
	while (reach->work.len) {
		const uint64_t addr = reach->work.data[--reach->work.len];
		const struct insn *insn = program_insn(reach->search->program, addr, NULL);
		if (insn_is_branch(insn) || insn->kind == INSN_CALL)
			reach_add(reach, insn->target);
		if (insn_falls_through(insn))
			reach_add(reach, insn_end(insn));
	}
}

static void reach_from_known(struct reach *reach)
{
	for (size_t i = 0; i < reach->search->unit->ranges.len; i++) {
		const struct range *range =
			unit_range(reach->search->program, reach->search->unit, i);
		reach_add(reach, range->begin);
		vec_foreach (offset, &range->labels)
			reach_add(reach, range->begin + *offset);
		vec_foreach (pad, &range->landing_pads)
			reach_add(reach, *pad);
	}
	reach_drain(reach);
}

/* Unreached code begins behind a call that does not return, or is a label that is not known. */
static void add_unreached(struct reach *reach)
{
	for (size_t i = 0; i < reach->search->unit->ranges.len; i++) {
		struct range *range = unit_range(reach->search->program, reach->search->unit, i);
		for (uint32_t k = 0; k < range->insn_count; k++) {
			const struct insn *insn = &range->insns[k];
			if (reach->seen[i][k] || insn->is_nop)
				continue;
			if (insn->kind != INSN_TRAP &&
			    !(k && range->insns[k - 1].kind == INSN_CALL)) {
				vec_push(&range->labels, (uint32_t)(insn->addr - range->begin));
				reach->search->unit->incomplete = true;
			}
			reach_add(reach, insn->addr);
			reach_drain(reach);
		}
	}
}

static void find_unreached(struct label_search *search)
{
	const size_t count = search->unit->ranges.len;
	struct reach reach = {.search = search, .seen = mem_zalloc(count * sizeof(*reach.seen))};

	for (size_t i = 0; i < count; i++)
		reach.seen[i] =
			mem_zalloc(unit_range(search->program, search->unit, i)->insn_count);
	reach_from_known(&reach);
	add_unreached(&reach);
	for (size_t i = 0; i < count; i++)
		free(reach.seen[i]);
	free(reach.seen);
	vec_fini(&reach.work);
}

static int compare_offsets(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static void sort_labels(struct range *range)
{
	size_t kept = 0;

	vec_sort(&range->labels, compare_offsets);
	for (size_t i = 0; i < range->labels.len; i++) {
		if (!kept || range->labels.data[kept - 1] != range->labels.data[i])
			range->labels.data[kept++] = range->labels.data[i];
	}
	range->labels.len = kept;
}

void unit_find_labels(struct program *program, struct unit *unit)
{
	struct label_search search = {.program = program, .unit = unit};

	find_leas(&search);
	for (size_t i = 0; i < unit->ranges.len; i++) {
		const struct range *range = unit_range(program, unit, i);
		if (!range->decoded)
			continue;
		add_pointers(&search, range);
		add_from_code(&search, range);
	}
	for (size_t i = 0; i < unit->ranges.len; i++)
		sort_labels(unit_range(program, unit, i));
	find_unreached(&search);
	for (size_t i = 0; i < unit->ranges.len; i++) {
		struct range *range = unit_range(program, unit, i);
		sort_labels(range);
		unit->has_labels |= range->labels.len > 0;
	}
	vec_fini(&search.own);
	vec_fini(&search.outside);
}
