/*
 * Interpreter for call-frame programs. Refused: DW_CFA_set_loc and DW_CFA_GNU_window_save, which no
 * x86-64 compiler writes, and rules for registers beyond the return address (vector registers of
 * functions with the Windows convention): the caller then treats the function as not understood.
 */
#include "object/cfi.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

enum { REMEMBERED_MAX = 64 };

struct machine {
	const struct object_fde *fde;
	struct byte_reader program;
	struct cfi_state state, initial;
	struct cfi_state remembered[REMEMBERED_MAX];
	unsigned remembered_count;
	uint64_t other_register; /* the last one beyond CFI_REGISTERS that has a rule, or 0 */
	uint64_t addr;
	bool in_cie;
	struct cfi_rows *rows;
	size_t first_row;
	struct error *err;
};

static bool fail_damaged(const struct machine *machine, const char *what)
{
	return error_set(machine->err, ERROR_INPUT,
			 "the unwind information of the code at 0x%" PRIx64 " is damaged: %s",
			 machine->fde->begin, what);
}

static bool fail_unsupported(const struct machine *machine, unsigned op)
{
	return error_set(machine->err, ERROR_UNSUPPORTED,
			 "the unwind information of the code at 0x%" PRIx64
			 " uses instruction 0x%02x, which is not supported",
			 machine->fde->begin, op);
}

/* ---- rows ---- */

bool cfi_rule_equal(const struct cfi_rule *a, const struct cfi_rule *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case CFI_SAME:
	case CFI_UNDEFINED:
		return true;
	case CFI_OFFSET:
	case CFI_VAL_OFFSET:
	case CFI_REGISTER:
		return a->offset == b->offset;
	case CFI_EXPRESSION:
	case CFI_VAL_EXPRESSION:
		return a->expression_size == b->expression_size &&
		       (!a->expression_size ||
			memcmp(a->expression, b->expression, a->expression_size) == 0);
	}
	return false;
}

bool cfi_cfa_equal(const struct cfi_state *a, const struct cfi_state *b)
{
	return cfi_rule_equal(&a->cfa, &b->cfa) &&
	       (a->cfa.kind != CFI_OFFSET || a->cfa_register == b->cfa_register);
}

bool cfi_state_equal(const struct cfi_state *a, const struct cfi_state *b)
{
	if (!cfi_cfa_equal(a, b) || a->args_size != b->args_size)
		return false;
	for (size_t i = 0; i < CFI_REGISTERS; i++)
		if (!cfi_rule_equal(&a->registers[i], &b->registers[i]))
			return false;
	return true;
}

/* The present state holds from machine->addr on; what it says about the same address is final. */
static void row_put(struct machine *machine)
{
	struct cfi_rows *rows = machine->rows;

	if (machine->addr >= machine->fde->end)
		return;
	if (rows->len > machine->first_row && vec_last(rows).addr == machine->addr)
		rows->len--;
	if (rows->len > machine->first_row &&
	    cfi_state_equal(&vec_last(rows).state, &machine->state))
		return;
	vec_reserve(rows, 1);
	rows->data[rows->len].addr = machine->addr;
	rows->data[rows->len++].state = machine->state;
}

static bool advance(struct machine *machine, uint64_t factored)
{
	uint64_t delta, addr;

	if (machine->in_cie)
		return fail_damaged(machine, "its common part moves the location");
	if (__builtin_mul_overflow(factored, machine->fde->cie->code_align, &delta) ||
	    __builtin_add_overflow(machine->addr, delta, &addr))
		return fail_damaged(machine, "a location lies outside the address space");
	if (delta)
		row_put(machine);
	machine->addr = addr;
	return true;
}

/* ---- rules ---- */

static bool rule_set(struct machine *machine, uint64_t number, struct cfi_rule rule)
{
	if (machine->program.failed)
		return true;
	if (number < CFI_REGISTERS)
		machine->state.registers[number] = rule;
	else
		machine->other_register = number;
	return true;
}

static bool rule_restore(struct machine *machine, uint64_t number)
{
	if (machine->in_cie)
		return fail_damaged(machine, "its common part restores a register");
	return rule_set(machine, number,
			number < CFI_REGISTERS ? machine->initial.registers[number]
					       : (struct cfi_rule){0});
}

static struct cfi_rule rule_offset(const struct machine *machine, enum cfi_rule_kind kind,
				   uint64_t factored)
{
	return (struct cfi_rule){
		.kind = kind,
		.offset = (int64_t)(factored * (uint64_t)machine->fde->cie->data_align)};
}

static struct cfi_rule rule_expression(struct machine *machine, enum cfi_rule_kind kind)
{
	struct cfi_rule rule = {.kind = kind};

	rule.expression_size = read_uleb(&machine->program);
	rule.expression = machine->program.at;
	read_skip(&machine->program, rule.expression_size);
	return rule;
}

static bool cfa_set_register(struct machine *machine, uint64_t number)
{
	if (number >= CFI_REGISTERS)
		return fail_damaged(machine, "the frame address is in an unknown register");
	machine->state.cfa_register = (unsigned)number;
	return true;
}

static bool cfa_set(struct machine *machine, uint64_t number, uint64_t offset)
{
	machine->state.cfa = (struct cfi_rule){.kind = CFI_OFFSET, .offset = (int64_t)offset};
	return cfa_set_register(machine, number);
}

static bool cfa_needs_definition(const struct machine *machine)
{
	return machine->state.cfa.kind != CFI_UNDEFINED ||
	       fail_damaged(machine, "it changes a frame address that it has not defined");
}

/* As libgcc and gdb have it: behind an expression the offset of before is in force again, and a
   new offset waits for a register. */
static bool cfa_change_register(struct machine *machine, uint64_t number)
{
	if (!cfa_needs_definition(machine))
		return false;
	machine->state.cfa.kind = CFI_OFFSET;
	return cfa_set_register(machine, number);
}

static void cfa_set_expression(struct machine *machine)
{
	const int64_t offset = machine->state.cfa.offset;

	machine->state.cfa = rule_expression(machine, CFI_EXPRESSION);
	machine->state.cfa.offset = offset;
}

static bool state_remember(struct machine *machine)
{
	if (machine->remembered_count == REMEMBERED_MAX)
		return fail_damaged(machine, "it remembers too many states");
	machine->remembered[machine->remembered_count++] = machine->state;
	return true;
}

static bool state_restore(struct machine *machine)
{
	const uint64_t args_size = machine->state.args_size;

	if (!machine->remembered_count)
		return fail_damaged(machine, "it restores a state that it has not remembered");
	machine->state = machine->remembered[--machine->remembered_count];
	machine->state.args_size = args_size;
	return true;
}

/* ---- instructions ---- */

static bool execute_cfa(struct machine *machine, unsigned op)
{
	struct byte_reader *program = &machine->program;
	const uint64_t factor = (uint64_t)machine->fde->cie->data_align;
	uint64_t number;

	switch (op) {
	case DW_CFA_def_cfa:
		number = read_uleb(program);
		return cfa_set(machine, number, read_uleb(program));
	case DW_CFA_def_cfa_sf:
		number = read_uleb(program);
		return cfa_set(machine, number, (uint64_t)read_sleb(program) * factor);
	case DW_CFA_def_cfa_register:
		return cfa_change_register(machine, read_uleb(program));
	case DW_CFA_def_cfa_offset:
		machine->state.cfa.offset = (int64_t)read_uleb(program);
		return cfa_needs_definition(machine);
	case DW_CFA_def_cfa_offset_sf:
		machine->state.cfa.offset = (int64_t)((uint64_t)read_sleb(program) * factor);
		return cfa_needs_definition(machine);
	case DW_CFA_def_cfa_expression:
		cfa_set_expression(machine);
		return true;
	default:
		return fail_unsupported(machine, op);
	}
}

static bool execute_rule(struct machine *machine, unsigned op)
{
	struct byte_reader *program = &machine->program;
	const uint64_t number = read_uleb(program);

	switch (op) {
	case DW_CFA_offset_extended:
		return rule_set(machine, number,
				rule_offset(machine, CFI_OFFSET, read_uleb(program)));
	case DW_CFA_offset_extended_sf:
		return rule_set(machine, number,
				rule_offset(machine, CFI_OFFSET, (uint64_t)read_sleb(program)));
	case DW_CFA_GNU_negative_offset_extended:
		return rule_set(machine, number,
				rule_offset(machine, CFI_OFFSET, -read_uleb(program)));
	case DW_CFA_val_offset:
		return rule_set(machine, number,
				rule_offset(machine, CFI_VAL_OFFSET, read_uleb(program)));
	case DW_CFA_val_offset_sf:
		return rule_set(machine, number,
				rule_offset(machine, CFI_VAL_OFFSET, (uint64_t)read_sleb(program)));
	case DW_CFA_register:
		return rule_set(machine, number,
				(struct cfi_rule){.kind = CFI_REGISTER,
						  .offset = (int64_t)read_uleb(program)});
	case DW_CFA_restore_extended:
		return rule_restore(machine, number);
	case DW_CFA_undefined:
		return rule_set(machine, number, (struct cfi_rule){.kind = CFI_UNDEFINED});
	case DW_CFA_same_value:
		return rule_set(machine, number, (struct cfi_rule){.kind = CFI_SAME});
	case DW_CFA_expression:
		return rule_set(machine, number, rule_expression(machine, CFI_EXPRESSION));
	case DW_CFA_val_expression:
		return rule_set(machine, number, rule_expression(machine, CFI_VAL_EXPRESSION));
	default:
		return fail_unsupported(machine, op);
	}
}

static bool execute_extended(struct machine *machine, unsigned op)
{
	struct byte_reader *program = &machine->program;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_advance_loc1:
		return advance(machine, read_u8(program));
	case DW_CFA_advance_loc2:
		return advance(machine, read_u16(program));
	case DW_CFA_advance_loc4:
		return advance(machine, read_u32(program));
	case DW_CFA_remember_state:
		return state_remember(machine);
	case DW_CFA_restore_state:
		return state_restore(machine);
	case DW_CFA_GNU_args_size:
		machine->state.args_size = read_uleb(program);
		return true;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_expression:
		return execute_cfa(machine, op);
	default:
		return execute_rule(machine, op);
	}
}

static bool execute(struct machine *machine)
{
	const unsigned op = read_u8(&machine->program), low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(machine, low);
	case DW_CFA_offset:
		return rule_set(machine, low,
				rule_offset(machine, CFI_OFFSET, read_uleb(&machine->program)));
	case DW_CFA_restore:
		return rule_restore(machine, low);
	default:
		return execute_extended(machine, op);
	}
}

static bool program_run(struct machine *machine, const unsigned char *program, size_t size)
{
	machine->program = byte_reader(program, size);
	while (bytes_left(&machine->program)) {
		if (!execute(machine))
			return false;
		if (machine->program.failed)
			return fail_damaged(machine, "an instruction is cut off");
	}
	return true;
}

bool cfi_rows_read_known(const struct object_fde *fde, struct cfi_rows *rows,
			 uint64_t *other_register, struct error *err)
{
	struct machine machine;

	/* The remembered states are large and are written before they are read. */
	machine.fde = fde;
	machine.state = (struct cfi_state){.cfa.kind = CFI_UNDEFINED};
	machine.remembered_count = 0;
	machine.other_register = 0;
	machine.addr = fde->begin;
	machine.in_cie = true;
	machine.rows = rows;
	machine.first_row = rows->len;
	machine.err = err;
	*other_register = 0;
	if (!fde->cie->understood)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the unwind information of the code at 0x%" PRIx64
				 " has an unknown augmentation",
				 fde->begin);
	if (!program_run(&machine, fde->cie->program, fde->cie->program_size))
		return false;
	machine.initial = machine.state;
	machine.in_cie = false;
	if (!program_run(&machine, fde->program, fde->program_size))
		return false;
	row_put(&machine);
	*other_register = machine.other_register;
	return true;
}

bool cfi_rows_read(const struct object_fde *fde, struct cfi_rows *rows, struct error *err)
{
	uint64_t other_register;

	if (!cfi_rows_read_known(fde, rows, &other_register, err))
		return false;
	return !other_register ||
	       error_set(err, ERROR_UNSUPPORTED,
			 "the unwind information of the code at 0x%" PRIx64
			 " has a rule for register %" PRIu64 ", which is not supported",
			 fde->begin, other_register);
}

const struct cfi_row *cfi_row_at(const struct cfi_rows *rows, uint64_t addr)
{
	const size_t low = partition_point(rows->len, i, rows->data[i].addr <= addr);

	return low ? &rows->data[low - 1] : NULL;
}
