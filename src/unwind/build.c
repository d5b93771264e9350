/*
 * From call-frame programs to rows of rules. Rules are few: each is kept once.
 *
 *   FDEs, by address ── rows of cfi ── rule (form or program) ── index of the equal rule
 */
#include "unwind/build.h"

#include "insn/insn.h"
#include "object/cfi.h"
#include "unwind/from_code.h"

#include <string.h>

enum { GAP_BYTES_MAX = 64, GAPS_MAX = 64 }; /* where the code is followed */
/* Instructions that are followed in a file, some 100 ns each: of libx265 4.6 million. */
enum { CODE_STEPS_MAX = 6 << 20 };

struct builder {
	struct vec_of(uint32_t) starts;
	struct vec_of(uint32_t) row_rules;
	struct vec_of(struct unwind_rule) rules;
	struct byte_vec programs;
	struct map rules_by_hash, programs_by_hash;
	uint64_t base;
	struct cfi_rows rows; /* of one function */
	size_t gap_count;     /* in which the code was followed */
	size_t code_steps;    /* left to be followed where a file has no information */
};

/* The slot of UNWIND_SAVED_*, or -1 for registers that functions do not preserve. */
static int saved_slot(unsigned number)
{
	switch (number) {
	case UNWIND_RBX:
		return UNWIND_SAVED_RBX;
	case UNWIND_RBP:
		return UNWIND_SAVED_RBP;
	case UNWIND_R12:
		return UNWIND_SAVED_R12;
	case UNWIND_R13:
		return UNWIND_SAVED_R13;
	case UNWIND_R14:
		return UNWIND_SAVED_R14;
	case UNWIND_R15:
		return UNWIND_SAVED_R15;
	default:
		return -1;
	}
}

/* Nobody needs what is lost, or it is what the form says anyway. */
static bool is_implied(unsigned number, const struct cfi_rule *rule)
{
	if (number == UNWIND_RA)
		return rule->kind == CFI_OFFSET && rule->offset == -8;
	if (rule->kind == CFI_SAME || rule->kind == CFI_UNDEFINED)
		return true;
	return number == UNWIND_RSP && rule->kind == CFI_VAL_OFFSET && rule->offset == 0;
}

/* The rule as a form, false if it is none. */
static bool make_form(const struct cfi_state *state, struct unwind_rule *rule)
{
	if (state->cfa.kind != CFI_OFFSET || state->cfa_register >= UNWIND_REGISTERS ||
	    state->cfa.offset != (int32_t)state->cfa.offset)
		return false;
	rule->cfa_register = (uint8_t)state->cfa_register;
	rule->cfa_offset = (int32_t)state->cfa.offset;
	for (int i = 0; i < UNWIND_SAVED_COUNT; i++)
		rule->saved[i] = UNWIND_SAME;
	for (unsigned number = 0; number < CFI_REGISTERS; number++) {
		const struct cfi_rule *value = &state->registers[number];
		const int slot = saved_slot(number);

		if (is_implied(number, value))
			continue;
		if (slot < 0 || value->kind != CFI_OFFSET || value->offset <= UNWIND_SAME ||
		    value->offset > INT16_MAX)
			return false;
		rule->saved[slot] = (int16_t)value->offset;
	}
	return true;
}

/* ---- programs ---- */

static bool put_offset(struct byte_vec *out, int64_t offset)
{
	put_u32(out, (uint32_t)offset);
	return offset == (int32_t)offset;
}

static bool put_expression(struct byte_vec *out, const struct cfi_rule *rule)
{
	if (rule->expression_size > UINT16_MAX)
		return false;
	put_u16(out, (unsigned)rule->expression_size);
	put_bytes(out, rule->expression, rule->expression_size);
	return true;
}

static bool put_cfa(struct byte_vec *out, const struct cfi_state *state)
{
	if (state->cfa.kind == CFI_EXPRESSION) {
		put_u8(out, UNWIND_ITEM_CFA_EXPRESSION);
		return put_expression(out, &state->cfa);
	}
	put_u8(out, UNWIND_ITEM_CFA);
	put_u8(out, state->cfa_register);
	return state->cfa.kind == CFI_OFFSET && state->cfa_register < UNWIND_REGISTERS &&
	       put_offset(out, state->cfa.offset);
}

static enum unwind_item item_of(enum cfi_rule_kind kind)
{
	switch (kind) {
	case CFI_OFFSET:
		return UNWIND_ITEM_AT;
	case CFI_VAL_OFFSET:
		return UNWIND_ITEM_IS;
	case CFI_REGISTER:
		return UNWIND_ITEM_REGISTER;
	case CFI_EXPRESSION:
		return UNWIND_ITEM_AT_EXPRESSION;
	case CFI_VAL_EXPRESSION:
		return UNWIND_ITEM_IS_EXPRESSION;
	case CFI_SAME:
	case CFI_UNDEFINED:
		break;
	}
	return UNWIND_ITEM_UNDEFINED;
}

static bool put_register(struct byte_vec *out, unsigned number, const struct cfi_rule *rule)
{
	if (rule->kind == CFI_SAME)
		return true;
	put_u8(out, item_of(rule->kind));
	put_u8(out, number);
	switch (rule->kind) {
	case CFI_OFFSET:
	case CFI_VAL_OFFSET:
		return put_offset(out, rule->offset);
	case CFI_REGISTER:
		put_u8(out, (unsigned)rule->offset);
		return rule->offset >= 0 && rule->offset < UNWIND_REGISTERS;
	case CFI_EXPRESSION:
	case CFI_VAL_EXPRESSION:
		return put_expression(out, rule);
	default:
		return true;
	}
}

static bool make_program(const struct cfi_state *state, struct byte_vec *out)
{
	if (!put_cfa(out, state))
		return false;
	for (unsigned number = 0; number < CFI_REGISTERS; number++)
		if (!put_register(out, number, &state->registers[number]))
			return false;
	put_u8(out, UNWIND_ITEM_END);
	return true;
}

/* Its offset among the programs, where each stands once. */
static uint32_t keep_program(struct builder *builder, const struct byte_vec *program)
{
	const uint64_t hash = hash_bytes(program->data, program->len);
	const uint64_t *known = map_get(&builder->programs_by_hash, hash);

	if (known && builder->programs.len - *known >= program->len &&
	    memcmp(builder->programs.data + *known, program->data, program->len) == 0)
		return (uint32_t)*known;
	const size_t offset = builder->programs.len;

	put_bytes(&builder->programs, program->data, program->len);
	map_put(&builder->programs_by_hash, hash, offset);
	return (uint32_t)offset;
}

/* ---- rows ---- */

static uint32_t keep_rule(struct builder *builder, const struct unwind_rule *rule)
{
	const uint64_t hash = hash_bytes(rule, sizeof(*rule));
	const uint64_t *known = map_get(&builder->rules_by_hash, hash);

	if (known && memcmp(&builder->rules.data[*known], rule, sizeof(*rule)) == 0)
		return (uint32_t)*known;
	const uint32_t index = (uint32_t)builder->rules.len;

	vec_push(&builder->rules, *rule);
	map_put(&builder->rules_by_hash, hash, index);
	return index;
}

static uint32_t make_rule(struct builder *builder, const struct cfi_state *state, bool signal_frame)
{
	struct unwind_rule rule = {.flags = signal_frame ? UNWIND_SIGNAL_FRAME : 0};

	if (state->registers[UNWIND_RA].kind == CFI_UNDEFINED) {
		rule.flags |= UNWIND_OUTERMOST;
		return keep_rule(builder, &rule);
	}
	if (make_form(state, &rule))
		return keep_rule(builder, &rule);
	struct byte_vec program = {0};
	uint32_t index = UNWIND_RULE_NONE;

	if (make_program(state, &program)) {
		rule = (struct unwind_rule){.flags = (uint8_t)(rule.flags | UNWIND_BY_PROGRAM),
					    .cfa_offset = (int32_t)keep_program(builder, &program)};
		index = keep_rule(builder, &rule);
	}
	vec_fini(&program);
	return index;
}

static void put_row(struct builder *builder, uint64_t addr, uint32_t rule)
{
	const uint32_t start = (uint32_t)(addr - builder->base);

	/* The end of a function is where the next begins. */
	if (builder->starts.len && vec_last(&builder->starts) == start) {
		builder->starts.len--;
		builder->row_rules.len--;
	}
	if (builder->row_rules.len && vec_last(&builder->row_rules) == rule)
		return;
	vec_push(&builder->starts, start);
	vec_push(&builder->row_rules, rule);
}

static bool put_function(struct builder *builder, const struct object_fde *fde)
{
	uint64_t other_register;
	struct error err;

	builder->rows.len = 0;
	const bool known = fde->end - builder->base <= UINT32_MAX &&
			   cfi_rows_read_known(fde, &builder->rows, &other_register, &err);
	if (!known) {
		if (fde->begin - builder->base <= UINT32_MAX)
			put_row(builder, fde->begin, UNWIND_RULE_NONE);
		return false;
	}
	vec_foreach (row, &builder->rows)
		put_row(builder, row->addr,
			make_rule(builder, &row->state, fde->cie->signal_frame));
	put_row(builder, fde->end, UNWIND_RULE_NONE);
	return true;
}

/*
 * Where the kernel starts a program has often no unwind information (the loader's _start), and
 * nothing before it. `next`: where the code with information goes on.
 */
static void put_entry(struct builder *builder, uint64_t entry, uint64_t next)
{
	const struct unwind_rule outermost = {.flags = UNWIND_OUTERMOST};
	const bool in_gap = builder->row_rules.len &&
			    vec_last(&builder->row_rules) == UNWIND_RULE_NONE &&
			    entry >= builder->base + vec_last(&builder->starts);

	if (!in_gap || entry >= next || next - builder->base > UINT32_MAX)
		return;
	put_row(builder, entry, keep_rule(builder, &outermost));
	put_row(builder, next - entry < UNWIND_ENTRY_BYTES ? next : entry + UNWIND_ENTRY_BYTES,
		UNWIND_RULE_NONE);
}

/*
 * C libraries end the information of clone before its system call, as it would be wrong in the
 * child, and begin it anew some instructions later. The parent goes on there: what the kernel takes
 * to make a thread is sampled behind the call. The code tells how it returns.
 */
static bool put_system_call(struct builder *builder, const struct object *object, uint64_t begin,
			    uint64_t end)
{
	const unsigned char *bytes = object_at(object, begin, end - begin);
	struct unwind_rule rule;
	struct insn insn;

	if (!bytes || end - begin > GAP_BYTES_MAX || builder->gap_count == GAPS_MAX ||
	    !insn_decode(bytes, end - begin, begin, &insn) || !insn.is_syscall)
		return false;
	builder->gap_count++;
	for (uint64_t addr = begin; addr < end; addr += insn.length) {
		const bool known = unwind_rule_from_code(object, addr, &rule);

		put_row(builder, addr, known ? keep_rule(builder, &rule) : UNWIND_RULE_NONE);
		if (!insn_decode(bytes + (addr - begin), end - addr, addr, &insn))
			break;
	}
	put_row(builder, end, UNWIND_RULE_NONE);
	return true;
}

/* What is data, or made by rules of its own, is given up soon: it costs more. */
static uint32_t rule_from_code(struct builder *builder, const struct object *object, uint64_t addr)
{
	enum { VAIN_COST = 8 };
	struct unwind_rule rule;
	const size_t before = builder->code_steps;

	if (unwind_rule_from_code_within(object, addr, &rule, &builder->code_steps)) {
		rule.flags |= UNWIND_FROM_CODE;
		return keep_rule(builder, &rule);
	}
	const size_t more = (before - builder->code_steps) * (VAIN_COST - 1);

	builder->code_steps -= more < builder->code_steps ? more : builder->code_steps;
	return UNWIND_RULE_NONE;
}

/* Whether what is the caller's stays where it was: the rule holds behind it, too. */
static bool keeps_rule(const struct insn *insn)
{
	return insn_falls_through(insn) &&
	       (insn_is_call(insn) || !((insn->writes | insn->merges) & REGS_CALLEE_SAVED));
}

/*
 * Assembler code has often no information (libx264, GMP, libjpeg): what it does until it returns is
 * followed from each instruction behind one that changed the stack or a register of the caller's.
 * What is no code is decoded as if it were, and has rules that nobody asks for.
 */
static void put_code(struct builder *builder, const struct object *object, uint64_t begin,
		     uint64_t end)
{
	const unsigned char *bytes = object_at(object, begin, end - begin);
	uint64_t addr = begin;
	bool holds = false;
	struct insn insn;

	while (bytes && addr < end && builder->code_steps) {
		const bool decoded = insn_decode(bytes + (addr - begin), end - addr, addr, &insn);
		const bool fills = decoded && insn.is_nop && !holds; /* between functions */

		if (!decoded || fills)
			put_row(builder, addr, UNWIND_RULE_NONE);
		else if (!holds)
			put_row(builder, addr, rule_from_code(builder, object, addr));
		holds = decoded && !fills && keeps_rule(&insn);
		addr += decoded ? insn.length : 1;
	}
	put_row(builder, addr, UNWIND_RULE_NONE);
}

static bool is_code(const Elf64_Phdr *segment)
{
	return segment->p_type == PT_LOAD && segment->p_flags & PF_X;
}

struct code_bounds {
	uint64_t begin, end;
};

/* What of the gap is in `part`. Parts come one behind the other: the gap goes on behind it. */
static void put_part(struct builder *builder, const struct object *object, struct code_bounds *gap,
		     struct code_bounds part)
{
	const uint64_t begin = gap->begin > part.begin ? gap->begin : part.begin;
	const uint64_t end = gap->end < part.end ? gap->end : part.end;

	if (begin >= end)
		return;
	put_code(builder, object, begin, end);
	gap->begin = end;
}

/* Where there is no information. Of sections, if there are any, as segments may have data. */
static void put_gap(struct builder *builder, const struct object *object, struct code_bounds gap)
{
	size_t count, segment_count;
	const struct object_section *sections = object_sections(object, &count);
	const Elf64_Phdr *segments = object_segments(object, &segment_count);

	if (gap.begin >= gap.end || gap.end - builder->base > UINT32_MAX ||
	    put_system_call(builder, object, gap.begin, gap.end) || !builder->code_steps)
		return;
	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *header = &sections[i].header;

		if (header->sh_flags & SHF_EXECINSTR)
			put_part(builder, object, &gap,
				 (struct code_bounds){header->sh_addr,
						      header->sh_addr + header->sh_size});
	}
	for (size_t i = 0; i < segment_count && !count; i++)
		if (is_code(&segments[i]))
			put_part(builder, object, &gap,
				 (struct code_bounds){segments[i].p_vaddr,
						      segments[i].p_vaddr + segments[i].p_filesz});
}

static struct unwind_table *assemble(const struct builder *builder)
{
	const size_t rows = builder->starts.len, rules = builder->rules.len;
	const size_t row_bytes = rows * sizeof(uint32_t);
	const size_t rule_bytes = rules * sizeof(struct unwind_rule);
	const size_t size =
		sizeof(struct unwind_table) + 2 * row_bytes + rule_bytes + builder->programs.len;
	struct unwind_table *table = mem_alloc(size);

	*table = (struct unwind_table){.magic = UNWIND_TABLE_MAGIC,
				       .version = UNWIND_TABLE_VERSION,
				       .row_count = (uint32_t)rows,
				       .base = builder->base,
				       .rule_count = (uint32_t)rules,
				       .program_bytes = (uint32_t)builder->programs.len,
				       .size_bytes = size};
	char *at = (char *)(table + 1);
	if (rows) {
		memcpy(at, builder->starts.data, row_bytes);
		memcpy(at + row_bytes, builder->row_rules.data, row_bytes);
	}
	memcpy(at + 2 * row_bytes, builder->rules.data, rule_bytes);
	if (builder->programs.len)
		memcpy(at + 2 * row_bytes + rule_bytes, builder->programs.data,
		       builder->programs.len);
	return table;
}

static void builder_init(struct builder *builder, uint64_t base)
{
	const struct unwind_rule none = {0};

	*builder = (struct builder){.base = base};
	map_init(&builder->rules_by_hash);
	map_init(&builder->programs_by_hash);
	vec_push(&builder->rules, none);
}

static struct unwind_table *builder_finish(struct builder *builder)
{
	struct unwind_table *table = assemble(builder);

	map_fini(&builder->rules_by_hash);
	map_fini(&builder->programs_by_hash);
	vec_fini(&builder->starts);
	vec_fini(&builder->row_rules);
	vec_fini(&builder->rules);
	vec_fini(&builder->programs);
	vec_fini(&builder->rows);
	return table;
}

struct fde_list vec_of(const struct object_fde *);

/* The FDEs of .eh_frame, and between them those of .debug_frame. */
static void list_functions(const struct object *object, struct fde_list *list)
{
	size_t count, debug_count, next = 0;
	const struct object_fde *fdes = object_fdes(object, &count);
	const struct object_fde *debug = object_debug_fdes(object, &debug_count);
	uint64_t end = 0;

	for (size_t i = 0; i <= count; i++) {
		const uint64_t begin = i < count ? fdes[i].begin : UINT64_MAX;

		for (; next < debug_count && debug[next].begin < begin; next++)
			if (debug[next].begin >= end && debug[next].end <= begin)
				vec_push(list, &debug[next]);
		if (i == count)
			break;
		vec_push(list, &fdes[i]);
		end = fdes[i].end;
	}
}

/* From the first to the last of the file's code. */
static struct code_bounds code_bounds_of(const struct object *object, const struct fde_list *list)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);
	struct code_bounds code = {.begin = UINT64_MAX};

	for (size_t i = 0; i < count; i++) {
		if (!is_code(&segments[i]))
			continue;
		if (segments[i].p_vaddr < code.begin)
			code.begin = segments[i].p_vaddr;
		if (segments[i].p_vaddr + segments[i].p_filesz > code.end)
			code.end = segments[i].p_vaddr + segments[i].p_filesz;
	}
	if (list->len && list->data[0]->begin < code.begin)
		code.begin = list->data[0]->begin;
	return code;
}

struct unwind_table *unwind_table_build(const struct object *object, enum unwind_gaps gaps,
					struct unwind_build_statistics *statistics)
{
	const uint64_t entry = object_header(object)->e_entry;
	struct fde_list list = {0};
	struct builder builder = {0};

	list_functions(object, &list);
	*statistics = (struct unwind_build_statistics){.functions = list.len};
	const struct code_bounds code = code_bounds_of(object, &list);
	builder_init(&builder, code.begin);
	builder.code_steps = gaps == UNWIND_GAPS_FOLLOWED ? CODE_STEPS_MAX : 0;
	uint64_t end = code.begin;
	for (size_t i = 0; i <= list.len; i++) {
		const uint64_t next = i < list.len ? list.data[i]->begin : code.end;

		if (i && entry >= end && entry < next)
			put_entry(&builder, entry, next);
		else
			put_gap(&builder, object, (struct code_bounds){end, next});
		if (i == list.len)
			break;
		statistics->refused += !put_function(&builder, list.data[i]);
		end = list.data[i]->end;
	}
	vec_fini(&list);
	return builder_finish(&builder);
}

struct unwind_table *unwind_table_build_function(const struct object_fde *fde)
{
	struct builder builder = {0};

	builder_init(&builder, fde->begin);
	put_function(&builder, fde);
	return builder_finish(&builder);
}
