/*
 * Gives every piece of the new segment its address, then fills the fixups. The image is laid out as
 *
 *     room for program headers, note | code of all copied ranges | jump tables | dense maps |
 *     what counters count | flow graphs
 *
 * and output.c appends exception tables and unwind data. Writable data (slots, arming bytes,
 * counters) lies in a segment of its own before it.
 */
#include "rewrite/private.h"

#include "abi/module.h"

#include <assert.h>
#include <string.h>

uint64_t copied_code(const struct program *program, uint64_t addr, const struct range *jump_from)
{
	struct range *range;
	const struct insn *insn = program_insn(program, addr, &range);

	if (!insn) {
		/* A jump over a lock prefix lands one byte into the instruction. */
		insn = program_insn(program, addr - 1, &range);
		if (insn && insn->prefix_lock && range->copied)
			return range->copy_addr + range->copy_offset[insn - range->insns] + 1;
		return addr;
	}
	if (!range->copied)
		return addr;
	assert(insn >= range->insns && insn < range->insns + range->insn_count);
	if (addr == range->begin && range->entry && range != jump_from)
		return range->copy_addr;
	return range->copy_addr + range->copy_offset[insn - range->insns];
}

/* Up to where the body has its place modulo LINE_BYTES. */
static void put_range_filler(struct program *program, const struct range *range)
{
	while ((image_end(program) + range->body_offset - range->begin) % LINE_BYTES)
		put_u8(&program->file, 0xcc);
}

static void place_code(struct program *program)
{
	program->code_begin = image_end(program);
	vec_foreach (range, &program->ranges) {
		if (!range->copied)
			continue;
		put_range_filler(program, range);
		range->copy_addr = image_end(program);
		assert(range->code.len);
		put_bytes(&program->file, range->code.data, range->code.len);
	}
	program->code_end = image_end(program);
	program->statistics->code_bytes = program->code_end - program->code_begin;
}

static void place_table(struct program *program, const struct unit *unit, struct jump_table *table)
{
	if (table->within) {
		const struct jump_table *whole = &unit->tables.data[table->within - 1];
		assert(table->within <= unit->tables.len && table->source >= whole->source);
		table->copy_addr = whole->copy_addr + (table->source - whole->source);
		return;
	}
	put_align(&program->file, 8, 0);
	table->copy_addr = image_end(program);
	vec_foreach (target, &table->targets) {
		const uint64_t copy = copied_code(program, *target, table->from);
		if (table->kind == TABLE_OFFSETS)
			put_u32(&program->file, (uint32_t)(copy - table->base));
		else
			put_u64(&program->file, copy - table->base);
	}
}

static void place_tables(struct program *program)
{
	vec_foreach (unit, &program->units) {
		vec_foreach (table, &unit->tables)
			place_table(program, unit, table);
	}
}

/* Per original byte the distance to the copy; to the original inside instructions. */
static void place_map(struct program *program, struct range *range, enum map_kind kind)
{
	put_align(&program->file, 4, 0);
	range->map_addr[kind] = image_end(program);
	for (uint64_t addr = range_map_begin(range); addr < range->end; addr++) {
		const uint32_t number = range_insn_number(range, addr - range->begin);
		const uint64_t target =
			number ? range->copy_addr + range->copy_offset[number - 1] : addr;
		const uint64_t from = kind == MAP_FROM_MAP ? range->map_addr[kind] : addr;
		put_u32(&program->file, (uint32_t)(target - from));
	}
	assert(image_end(program) - range->map_addr[kind] ==
	       (range->end - range_map_begin(range)) * sizeof(uint32_t));
}

static void place_maps(struct program *program)
{
	const size_t before = program->file.len;

	vec_foreach (range, &program->ranges) {
		for (enum map_kind kind = 0; kind < MAP_KINDS; kind++)
			if (range->needs_map[kind])
				place_map(program, range, kind);
	}
	program->statistics->map_bytes = program->file.len - before;
}

static uint64_t body_of(const struct program *program, uint64_t function)
{
	const struct range *range = program_range(program, function);

	assert(range && range->copied && range->begin == function);
	return range->copy_addr + range->body_offset;
}

static const struct jump_table *fixup_table(const struct program *program,
					    const struct range *range, const struct fixup *fixup)
{
	assert(fixup->target < program->units.data[range->unit].tables.len);
	return &program->units.data[range->unit].tables.data[fixup->target];
}

/* What the base register of the table's read holds. */
static uint64_t table_register_value(const struct jump_table *table)
{
	return table->kind == TABLE_OFFSETS ? table->source : table->base;
}

/* The address that the fixup's four bytes have to lead to. */
static uint64_t fixup_target(const struct program *program, const struct range *range,
			     const struct fixup *fixup)
{
	const uint64_t sites = program->arm_addr + program->function_count;

	switch ((enum fixup_kind)fixup->kind) {
	case FIXUP_CODE:
		return copied_code(program, fixup->target, NULL);
	case FIXUP_CODE_JUMP:
		return copied_code(program, fixup->target, range);
	case FIXUP_CODE_BODY:
		return body_of(program, fixup->target);
	case FIXUP_ADDRESS:
		return fixup->target;
	case FIXUP_ARM:
		return program->arm_addr + range->function;
	case FIXUP_SITE_ARM:
		assert(fixup->target < range->sites.len);
		return sites + range->first_site + fixup->target;
	case FIXUP_SYSCALL_ARM:
		return sites + program->site_count;
	case FIXUP_COUNTER:
	case FIXUP_SITE_COUNTER:
	case FIXUP_EDGE_COUNTER:
	case FIXUP_BODY_COUNTER:
		return fixup_counter_addr(program, range, fixup);
	case FIXUP_SLOT:
		return program->slots_addr + fixup->target;
	case FIXUP_TABLE:
		return fixup_table(program, range, fixup)->copy_addr;
	case FIXUP_MAP:
		assert(program->ranges.data[fixup->target].needs_map[MAP_FROM_MAP]);
		return program->ranges.data[fixup->target].map_addr[MAP_FROM_MAP];
	case FIXUP_MAP_FROM:
		assert(program->ranges.data[fixup->target].needs_map[MAP_FROM_ORIGINAL]);
		return program->ranges.data[fixup->target].map_addr[MAP_FROM_ORIGINAL];
	case FIXUP_COMPANION:
		return program->companion.addr + fixup->target;
	}
	return 0;
}

/* The address that is added to the fixup's four bytes. */
static uint64_t fixup_base(const struct program *program, const struct range *range,
			   const struct fixup *fixup)
{
	if (fixup->kind == FIXUP_TABLE)
		return table_register_value(fixup_table(program, range, fixup));
	if (fixup->kind == FIXUP_MAP_FROM)
		return range_map_begin(&program->ranges.data[fixup->target]);
	return range->copy_addr + fixup->position + 4 + fixup->trailing;
}

static bool apply_fixup(struct program *program, const struct range *range,
			const struct fixup *fixup)
{
	const uint64_t field = range->copy_addr + fixup->position;
	const int64_t value =
		(int64_t)(fixup_target(program, range, fixup) - fixup_base(program, range, fixup));

	assert(fixup->position + 4 + fixup->trailing <= range->code.len);
	assert(field >= program->code_begin && field + 4 <= program->code_end);
	if (value < INT32_MIN || value > INT32_MAX)
		return false;
	set_u32(&program->file, field - program->file_addr, (uint32_t)value);
	return true;
}

static bool entry_jump_reaches(const struct range *range)
{
	const int64_t distance =
		(int64_t)(range->copy_addr - (range_patch_addr(range) + ENTRY_JUMP_BYTES));

	return !range->entry || (distance >= INT32_MIN && distance <= INT32_MAX);
}

static bool apply_fixups(struct program *program, struct error *err)
{
	vec_foreach (range, &program->ranges) {
		if (!range->copied)
			continue;
		bool fits = entry_jump_reaches(range);
		vec_foreach (fixup, &range->fixups)
			fits = fits && apply_fixup(program, range, fixup);
		if (!fits)
			return error_set(err, ERROR_TOO_LARGE,
					 "%s is too large: the copied code would lie more than "
					 "2 GB from what it uses",
					 object_path(program->object));
	}
	return true;
}

bool program_place(struct program *program, struct error *err)
{
	place_code(program);
	place_tables(program);
	place_maps(program);
	program_place_counters(program);
	return apply_fixups(program, err);
}
