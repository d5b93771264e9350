/*
 * How each indirect jump of a unit is handled.
 *
 * A jump table is proven when the jump reads it by one of the compilers' forms
 *
 *     lea T(%rip),B … movslq (B,I,4),D … add B,D … jmp *D          offsets relative to T
 *     the same with (B,I,1), where I is a distance in bytes
 *     lea L(%rip),E, and add E,D in the place of add B,D            to a label of the function
 *     jmp *T(,I,8)   or   mov T(,I,8),D … jmp *D                    absolute, in non-PIE files
 *     lea T(%rip),B … mov (B,I,8),D … jmp *D  or  jmp *(B,I,8)      relocated pointers
 *
 * and, where there is a B or E, every definition of it that reaches the read (the addition) is that
 * lea. Control does not go on behind calls that do not return (noreturn.c): what they would do to
 * the register does not matter. The copy then gets a table of its own: B stays as it is, and the
 * read's displacement leads to the new table, whose entries are relative to T or L (for relocated
 * pointers, too: then an addition follows). A bound by `cmp; ja` is a lower bound of the table's
 * length only: entries are taken as long as they lead into the unit, single strange ones as they
 * are.
 *
 * A table that the program can change while it runs is no proof: `static void *labels[]`.
 *
 * A pointer to a label that comes from memory leads there by way of the original (label_jumps.c).
 *
 * All else is translated at run time, or leaves the function where the stack is as at its entry and
 * no label of the unit is known.
 */
#include "rewrite/definitions.h"

#include <string.h>

enum {
	TABLE_ENTRIES_MAX = 65536,
	TABLE_HOLE_MAX = 4,	    /* strange entries in a row that do not yet end a table */
	LOOK_BACK_INSNS = 8,	    /* from the jump to the table's read */
	LOOK_BACK_BOUND = 14,	    /* from there to the comparison */
	ENTRIES_READ_MAX = 8000000, /* per unit, so that no file makes the work endless */
};

static bool take_base(struct definition_search *search, const struct insn *insn)
{
	if (!insn->is_lea || !insn->rip_offset || (search->base && search->base != insn->target))
		return false;
	search->base = insn->target;
	return true;
}

/* The address that register `reg` holds before `node` on every path, or 0. */
static uint64_t base_of(const struct flow_graph *graph, uint32_t node, uint8_t reg)
{
	struct definition_search search = {.graph = graph, .reg = reg, .take = take_base};

	return takes_definitions(&search, node) ? search.base : 0;
}

/* ---- forms ---- */

static bool describe(const struct program *program, const struct insn *insn,
		     struct insn_detail *detail)
{
	const unsigned char *bytes = insn_bytes(program, insn);

	return bytes && insn_describe(bytes, insn, detail);
}

/* movzbl (B,I),REG: the index of one table comes out of another, as in glibc's vfprintf. */
static bool is_byte_lookup(const struct program *program, const struct insn *insn, uint8_t reg)
{
	struct insn_detail detail;

	if (reg == REG_NONE || !(insn->writes & REG_BIT(reg)) || !insn->modrm_offset ||
	    !describe(program, insn, &detail))
		return false;
	const unsigned char *modrm = insn_bytes(program, insn) + insn->modrm_offset;
	return modrm[-1] == 0xb6 && insn->modrm_offset >= 2 && modrm[-2] == 0x0f &&
	       (modrm[0] & 0xc0) != 0xc0 && detail.destination == reg &&
	       detail.memory.index != REG_NONE;
}

/* Length of the table by the comparison before instruction `at`, which reads it; -1 if there is
   none of its index. */
static int64_t table_bound(const struct program *program, const struct range *range, uint32_t at)
{
	struct insn_detail read;

	if (!describe(program, &range->insns[at], &read) || read.memory.scale == 1)
		return -1;
	for (uint32_t back = 1; back <= LOOK_BACK_BOUND && back < at; back++) {
		const struct insn *insn = &range->insns[at - back];
		struct insn_detail branch, compare;
		if (insn->kind == INSN_CALL || insn->kind == INSN_RETURN ||
		    insn->kind == INSN_JUMP || is_byte_lookup(program, insn, read.memory.index))
			return -1;
		if (insn->kind != INSN_BRANCH || !describe(program, insn, &branch) ||
		    !describe(program, insn - 1, &compare) || compare.form != INSN_FORM_CMP_IMM ||
		    compare.immediate > TABLE_ENTRIES_MAX)
			continue;
		if (branch.condition == 7) /* ja */
			return (int64_t)compare.immediate + 1;
		if (branch.condition == 3) /* jae */
			return (int64_t)compare.immediate;
	}
	return -1;
}

static bool is_table_read(const struct insn_detail *detail)
{
	return detail->form == INSN_FORM_MOVSXD && detail->memory.base != REG_NONE &&
	       detail->memory.index != REG_NONE &&
	       (detail->memory.scale == 4 || detail->memory.scale == 1) &&
	       detail->memory.disp == 0 && !detail->memory.segment;
}

/* Read and jump, and the addition between them. */
struct table_jump {
	uint32_t read, add;
	uint8_t table_register; /* holds the table's address at the read */
	uint8_t base_register;	/* is added to what was read */
};

/* The other register of an addition that has `offset` as one of its two, or REG_NONE. */
static uint8_t added_register(const struct insn_detail *add, uint8_t offset, uint8_t result)
{
	if (add->form != INSN_FORM_ADD || add->destination != result ||
	    add->destination == add->source)
		return REG_NONE;
	return add->destination == offset ? add->source
	       : add->source == offset	  ? add->destination
					  : REG_NONE;
}

/* Between the read and the jump: exactly one addition to the offset, nothing else to it. */
static bool adds_base_once(const struct program *program, const struct range *range,
			   const struct insn_detail *read, uint32_t jump_at,
			   struct table_jump *found)
{
	const uint8_t result = range->insns[jump_at].jump_register;
	unsigned watched = REG_BIT(read->destination) | REG_BIT(result);

	found->base_register = REG_NONE;
	for (uint32_t i = found->read + 1; i < jump_at; i++) {
		const struct insn *insn = &range->insns[i];
		struct insn_detail detail;
		if (!(insn->writes & watched))
			continue;
		if (found->base_register != REG_NONE || !describe(program, insn, &detail))
			return false;
		found->add = i;
		found->base_register = added_register(&detail, read->destination, result);
		if (found->base_register == REG_NONE)
			return false;
	}
	return found->base_register != REG_NONE;
}

static bool find_table_jump(const struct program *program, const struct range *range,
			    uint32_t jump_at, struct table_jump *found)
{
	struct insn_detail read;

	if (range->insns[jump_at].jump_register == REG_NONE)
		return false;
	for (uint32_t back = 1; back <= LOOK_BACK_INSNS && back <= jump_at; back++) {
		found->read = jump_at - back;
		if (range->insns[found->read].kind != INSN_PLAIN)
			return false;
		if (!describe(program, &range->insns[found->read], &read) || !is_table_read(&read))
			continue;
		found->table_register = read.memory.base;
		return adds_base_once(program, range, &read, jump_at, found);
	}
	return false;
}

/* ---- tables ---- */

static bool leads_into_unit(const struct program *program, const struct unit *unit, uint64_t target)
{
	struct range *range;

	if (program_insn(program, target, &range)) {
		if (range_is_in_unit(program, range, unit))
			return range->verdict == REWRITE_INSTRUMENTED;
		/* Cases that trap or abort may have become functions: nothing comes back. */
		if (!program->units.data[range->unit].returns && target == range->begin)
			return true;
	}
	/* Unreachable cases lead to the end, where another function may begin. */
	return unit_ends_at(program, unit, target);
}

static bool in_segment(const Elf64_Phdr *segment, uint64_t addr)
{
	return addr >= segment->p_vaddr && addr - segment->p_vaddr < segment->p_memsz;
}

/*
 * Whether the program cannot change what stands at `addr` once it runs: no writable segment, or the
 * part of one that the loader protects, or that a compiler chose for constants.
 */
static bool is_constant(const struct program *program, uint64_t addr)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(program->object, &count);
	bool writable = false;

	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type == PT_GNU_RELRO && in_segment(&segments[i], addr))
			return true;
		writable |= segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_W) &&
			    in_segment(&segments[i], addr);
	}
	if (!writable)
		return true;
	const struct object_section *sections = object_sections(program->object, &count);
	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *header = &sections[i].header;
		if (addr - header->sh_addr < header->sh_size && (header->sh_flags & SHF_ALLOC) &&
		    str_starts_with(sections[i].name, ".data.rel.ro"))
			return true;
	}
	return false;
}

static bool table_entry(const struct program *program, uint64_t addr,
			const struct jump_table *table, uint64_t *target)
{
	if (!is_constant(program, addr))
		return false;
	if (table->kind == TABLE_POINTERS)
		return object_code_word(program->object, addr, target);
	const unsigned char *bytes =
		object_at(program->object, addr, table->kind == TABLE_ADDRESSES ? 8 : 4);
	int32_t offset;

	if (!bytes)
		return false;
	if (table->kind == TABLE_ADDRESSES) {
		memcpy(target, bytes, sizeof(*target));
	} else {
		memcpy(&offset, bytes, sizeof(offset));
		*target = table->base + (uint64_t)(int64_t)offset;
	}
	return true;
}

/* Not where functions begin, which tables of function pointers lead to. */
static bool leads_between(const struct program *program, uint64_t target)
{
	struct range *range;

	return program_insn(program, target, &range) && !(range->entry && target == range->begin);
}

/*
 * Reads the original's entries; true if there are enough of them, and one at least leads between
 * the unit's begin and its end. Else they are functions' that are called last, and where the table
 * ends nobody knows.
 */
static bool read_table(const struct program *program, struct unit *unit, int64_t bound,
		       struct jump_table *table)
{
	uint64_t addr = table->source, target;
	size_t good = 0;
	bool any_between = false;

	while (table->targets.len < TABLE_ENTRIES_MAX && unit->entries_read < ENTRIES_READ_MAX &&
	       table_entry(program, addr, table, &target)) {
		vec_push(&table->targets, target);
		unit->entries_read++;
		if (leads_into_unit(program, unit, target)) {
			good = table->targets.len;
			any_between |= leads_between(program, target);
		} else if (table->targets.len - good > TABLE_HOLE_MAX) {
			break;
		}
		addr += table->kind == TABLE_OFFSETS ? 4 : 8;
	}
	table->targets.len = good;
	return any_between && (bound < 0 || (int64_t)good >= bound) &&
	       unit->entries_read < ENTRIES_READ_MAX;
}

/*
 * As a table is read until something leads elsewhere, it takes in those that follow it. Without
 * this, a function with many switches would get the last one's table as often as it has switches.
 */
static bool is_end_of(const struct jump_table *table, const struct jump_table *known, int64_t bound)
{
	const uint64_t entry_bytes = table->kind == TABLE_OFFSETS ? 4 : 8;
	const uint64_t distance = table->source - known->source, number = distance / entry_bytes;

	return table->kind == known->kind && table->base == known->base && !known->within &&
	       table->from == known->from && distance % entry_bytes == 0 &&
	       number < known->targets.len && (int64_t)(known->targets.len - number) >= bound;
}

/* The end of a table planned before, or a new one; UINT32_MAX if it is not proven. */
static uint32_t find_table(const struct program *program, struct unit *unit, int64_t bound,
			   struct jump_table table)
{
	for (size_t i = 0; i < unit->tables.len; i++) {
		if (!is_end_of(&table, &unit->tables.data[i], bound))
			continue;
		table.within = (uint32_t)i + 1;
		vec_push(&unit->tables, table);
		return (uint32_t)unit->tables.len - 1;
	}
	if (!read_table(program, unit, bound, &table)) {
		vec_fini(&table.targets);
		return UINT32_MAX;
	}
	vec_push(&unit->tables, table);
	return (uint32_t)unit->tables.len - 1;
}

static bool plan_table(const struct program *program, struct unit *unit, struct jump_table table,
		       struct indirect_jump *jump)
{
	const struct range *range = table.from;

	jump->table =
		find_table(program, unit, table_bound(program, range, jump->table_insn), table);
	if (jump->table == UINT32_MAX)
		return false;
	jump->way = JUMP_TABLE;
	return true;
}

static bool plan_relative_table(const struct program *program, const struct flow_graph *graph,
				const struct range *range, struct indirect_jump *jump)
{
	const uint32_t first = graph->first_node[range->slot];
	struct table_jump found;

	if (!find_table_jump(program, range, jump->insn, &found))
		return false;
	const uint64_t source = base_of(graph, first + found.read, found.table_register);
	const uint64_t base = source ? base_of(graph, first + found.add, found.base_register) : 0;
	if (!base)
		return false;
	jump->table_insn = found.read;
	return plan_table(program, graph->unit,
			  (struct jump_table){.source = source, .base = base, .from = range}, jump);
}

/* [I * 8 + T], by absolute address. */
static bool is_absolute_table(const struct insn_memory *memory)
{
	return memory->base == REG_NONE && memory->index != REG_NONE && memory->scale == 8 &&
	       !memory->rip_relative && !memory->segment;
}

/* The load that the jump's register comes from: its index, or UINT32_MAX. */
static uint32_t find_load(const struct program *program, const struct range *range,
			  uint32_t jump_at, struct insn_detail *load)
{
	const uint8_t reg = range->insns[jump_at].jump_register;

	for (uint32_t back = 1; back <= LOOK_BACK_INSNS && back <= jump_at; back++) {
		const struct insn *insn = &range->insns[jump_at - back];
		if (insn->kind != INSN_PLAIN)
			return UINT32_MAX;
		if (!((insn->writes | insn->reads) & REG_BIT(reg)))
			continue;
		return describe(program, insn, load) && load->form == INSN_FORM_LOAD &&
				       load->destination == reg
			       ? jump_at - back
			       : UINT32_MAX;
	}
	return UINT32_MAX;
}

static bool plan_absolute_table(const struct program *program, struct unit *unit,
				const struct insn_detail *read, const struct range *range,
				struct indirect_jump *jump)
{
	return object_header(program->object)->e_type == ET_EXEC &&
	       is_absolute_table(&read->memory) &&
	       plan_table(program, unit,
			  (struct jump_table){.kind = TABLE_ADDRESSES,
					      .source = (uint64_t)read->memory.disp,
					      .from = range},
			  jump);
}

/* [B + I * 8 + disp] */
static bool is_pointer_table(const struct insn_memory *memory)
{
	return memory->base != REG_NONE && memory->index != REG_NONE && memory->scale == 8 &&
	       !memory->rip_relative && !memory->segment;
}

static bool any_label_uses_flags(const struct program *program, const struct unit *unit)
{
	for (size_t i = 0; i < unit->ranges.len; i++) {
		const struct range *range = unit_range(program, unit, i);
		vec_foreach (offset, &range->labels) {
			if (flags_live(program, range->begin + *offset))
				return true;
		}
	}
	return false;
}

/* Nothing between the read and the jump changes the base, and nothing there or behind the jump
   needs the flags of before. */
static bool may_add_behind(const struct program *program, const struct unit *unit,
			   const struct range *range, const struct indirect_jump *jump)
{
	for (uint32_t i = jump->table_insn + 1; i < jump->insn; i++) {
		if (range->insns[i].writes & REG_BIT(jump->read_register))
			return false;
	}
	return !flags_live(program, insn_end(&range->insns[jump->table_insn])) &&
	       !any_label_uses_flags(program, unit);
}

static bool plan_pointer_table(const struct program *program, const struct flow_graph *graph,
			       const struct insn_detail *read, const struct range *range,
			       struct indirect_jump *jump)
{
	const uint8_t loaded = range->insns[jump->insn].jump_register;

	if (!is_pointer_table(&read->memory))
		return false;
	jump->base_register = read->memory.base;
	jump->index_register = read->memory.index;
	jump->read_register = loaded != REG_NONE ? loaded : jump->scratch_a;
	if (jump->read_register == REG_NONE || jump->read_register == jump->base_register ||
	    !may_add_behind(program, graph->unit, range, jump))
		return false;
	const uint64_t base = base_of(graph, graph->first_node[range->slot] + jump->table_insn,
				      jump->base_register);
	return base && plan_table(program, graph->unit,
				  (struct jump_table){.kind = TABLE_POINTERS,
						      .source = base + (uint64_t)read->memory.disp,
						      .base = base,
						      .from = range},
				  jump);
}

/* Tables of whole addresses, read by the jump itself or by a load before it. */
static bool plan_address_table(const struct program *program, const struct flow_graph *graph,
			       const struct range *range, struct indirect_jump *jump)
{
	struct insn_detail read;

	jump->table_insn = jump->insn;
	if (range->insns[jump->insn].jump_register != REG_NONE)
		jump->table_insn = find_load(program, range, jump->insn, &read);
	else if (!describe(program, &range->insns[jump->insn], &read))
		return false;
	if (jump->table_insn == UINT32_MAX)
		return false;
	return plan_absolute_table(program, graph->unit, &read, range, jump) ||
	       plan_pointer_table(program, graph, &read, range, jump);
}

/* ---- translation ---- */

static uint8_t pick_register(unsigned allowed)
{
	static const uint8_t order[] = {REG_R11, REG_RAX, REG_RCX, REG_RDX, REG_RSI,
					REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_RBX,
					REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15};

	for (size_t i = 0; i < sizeof(order); i++) {
		if (allowed & REG_BIT(order[i]))
			return order[i];
	}
	return REG_NONE;
}

/* Registers that nothing needs behind the jump: two, or one where the jump goes through a register;
   at worst that one. The first, if it is another, is written before it is known whether the jump
   stays in the unit. */
static void pick_scratch(const struct program *program, struct unit *unit,
			 const struct range *range, struct indirect_jump *jump)
{
	const struct insn *insn = &range->insns[jump->insn];

	jump->scratch_a = jump->scratch_b = REG_NONE;
	if (unit->incomplete || !unit->has_labels || any_label_uses_flags(program, unit))
		return;
	if (!unit->liveness_known)
		unit_find_liveness(program, unit);
	const unsigned free_regs = unit->dead_strict | (unit->dead_medium & unit->clobbers) |
				   (unit->dead_soft & unit->clobbers & REG_BIT(REG_R11));
	const unsigned first = free_regs & ~(unsigned)insn->reads &
			       (jump->may_leave ? REG_BIT(REG_R11) : REGS_ALL);
	jump->scratch_a = pick_register(first);
	if (jump->scratch_a == REG_NONE && insn->jump_register != REG_NONE &&
	    free_regs & REG_BIT(insn->jump_register))
		jump->scratch_a = insn->jump_register;
	if (jump->scratch_a == REG_NONE || insn->jump_register != REG_NONE)
		return;
	jump->scratch_b = pick_register(free_regs & ~REG_BIT(jump->scratch_a));
	if (jump->scratch_b == REG_NONE)
		jump->scratch_a = REG_NONE;
}

/* The operand can be used by other instructions, with the stack pointer moved. */
static bool can_translate(const struct program *program, const struct range *range,
			  const struct indirect_jump *jump)
{
	const struct insn *insn = &range->insns[jump->insn];
	const struct insn_operation subtract = {.opcode = 0x2b, .wide = true};
	unsigned char bytes[24];
	size_t rip_offset;

	return !(insn->reads & REG_BIT(REG_RSP)) &&
	       insn_reuse_operand(insn_bytes(program, insn), insn, subtract, bytes, &rip_offset) >
		       0;
}

/* It does not come from the function's frame, where what was computed may have been kept. */
static bool is_stored_pointer(const struct insn_memory *memory, const struct indirect_jump *jump)
{
	return memory->base != REG_RSP && !(memory->base == REG_RBP && jump->has_frame);
}

static bool take_stored_pointer(struct definition_search *search, const struct insn *insn)
{
	struct insn_detail load;

	return insn->kind == INSN_PLAIN && describe(search->graph->program, insn, &load) &&
	       load.form == INSN_FORM_LOAD && load.destination == search->reg &&
	       is_stored_pointer(&load.memory, search->jump);
}

/* On every path to the jump; one that many cases go to together has a load in each of them. */
static bool register_is_loaded(const struct flow_graph *graph, const struct range *range,
			       const struct indirect_jump *jump)
{
	struct definition_search search = {.graph = graph,
					   .reg = range->insns[jump->insn].jump_register,
					   .take = take_stored_pointer,
					   .jump = jump};

	return takes_definitions(&search, graph->first_node[range->slot] + jump->insn);
}

/* The target is what stands in memory, or the entry of a table of offsets. */
static bool is_loaded(const struct flow_graph *graph, const struct range *range,
		      const struct indirect_jump *jump)
{
	const struct program *program = graph->program;
	const struct insn *insn = &range->insns[jump->insn];
	struct insn_detail load;
	struct table_jump found;

	if (find_table_jump(program, range, jump->insn, &found))
		return true;
	if (insn->jump_register == REG_NONE)
		return describe(program, insn, &load) && load.form == INSN_FORM_JUMP_MEM &&
		       is_stored_pointer(&load.memory, jump);
	return (find_load(program, range, jump->insn, &load) != UINT32_MAX &&
		is_stored_pointer(&load.memory, jump)) ||
	       register_is_loaded(graph, range, jump);
}

static bool labels_lead(const struct program *program, struct unit *unit)
{
	if (!unit->labels_planned)
		unit_plan_label_jumps(program, unit);
	return unit->label_jumps.len > 0;
}

/* Where not all labels are known, one may lie between the bytes of another's jump. */
static bool goes_by_labels(const struct flow_graph *graph, const struct range *range,
			   const struct indirect_jump *jump)
{
	return graph->unit->has_labels && !graph->unit->incomplete && !jump->may_leave &&
	       is_loaded(graph, range, jump) && labels_lead(graph->program, graph->unit);
}

static void plan_jump(const struct program *program, struct flow_graph *graph,
		      const struct range *range, struct indirect_jump *jump,
		      struct rewrite_statistics *statistics)
{
	struct unit *unit = graph->unit;

	statistics->jumps_indirect++;
	pick_scratch(program, unit, range, jump);
	if (plan_relative_table(program, graph, range, jump) ||
	    plan_address_table(program, graph, range, jump)) {
		statistics->jumps_table_static++;
		return;
	}
	if ((jump->may_leave && !unit->has_labels) || !can_translate(program, range, jump)) {
		jump->way = JUMP_LEAVES;
		statistics->jumps_tail++;
		return;
	}
	if (goes_by_labels(graph, range, jump)) {
		jump->way = JUMP_BY_LABELS;
		statistics->jumps_by_labels++;
		return;
	}
	jump->way = JUMP_TRANSLATE;
	if (jump->scratch_a == REG_NONE)
		statistics->jumps_saved++;
	else
		statistics->jumps_translated++;
}

/* Of a row of registers: the stack pointer stands where it stood at the function's entry. */
static bool stack_is_as_at_entry(const struct cfi_row *row)
{
	return !row || row->state.cfa.kind != CFI_OFFSET ||
	       (row->state.cfa_register == 7 && row->state.cfa.offset == 8);
}

static bool has_frame(const struct cfi_row *row)
{
	return !row || row->state.cfa.kind != CFI_OFFSET || row->state.cfa_register == 6;
}

static void find_jumps(struct range *range)
{
	struct error err;
	struct cfi_rows rows = {0};

	if (!range->has_jump_indirect)
		return;
	const bool known = cfi_rows_read(range->fde, &rows, &err);
	for (uint32_t i = 0; i < range->insn_count; i++) {
		if (range->insns[i].kind != INSN_JUMP_INDIRECT)
			continue;
		const struct cfi_row *row = known ? cfi_row_at(&rows, range->insns[i].addr) : NULL;
		const struct indirect_jump jump = {.insn = i,
						   .may_leave = stack_is_as_at_entry(row),
						   .has_frame = has_frame(row),
						   .scratch_a = REG_NONE,
						   .scratch_b = REG_NONE};
		vec_push(&range->jumps, jump);
	}
	vec_fini(&rows);
}

static bool unit_has_jumps(const struct program *program, const struct unit *unit)
{
	bool any = false;

	vec_foreach (number, &unit->ranges) {
		struct range *range = &program->ranges.data[*number];
		if (range->verdict != REWRITE_INSTRUMENTED)
			continue;
		find_jumps(range);
		any |= range->jumps.len > 0;
	}
	return any;
}

void unit_plan_jumps(struct program *program, struct unit *unit, struct worker *worker)
{
	struct flow_graph graph = {0};

	if (!unit_has_jumps(program, unit))
		return;
	unit_find_labels(program, unit);
	flow_graph_init(&graph, program, unit);
	vec_foreach (number, &unit->ranges) {
		struct range *range = &program->ranges.data[*number];
		vec_foreach (jump, &range->jumps)
			plan_jump(program, &graph, range, jump, &worker->statistics);
	}
	unit_move_labels(program, unit);
	flow_graph_fini(&graph);
}
