/* See frame_compare.h. */
#include "tests/support/frame_compare.h"

#include <dwarf.h>

enum { REGISTER_RSP = 7 };

/* The operations of libdw against the bytes of an expression: the first operation is compared. */
static bool is_expression(const Dwarf_Op *ops, size_t count, const struct cfi_rule *rule)
{
	for (size_t i = 0; i < count; i++)
		if (rule->expression_size && ops[i].atom == rule->expression[0])
			return true;
	return false;
}

static bool cfa_matches(Dwarf_Frame *frame, const struct cfi_state *state)
{
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count) != 0)
		return false;
	if (state->cfa.kind == CFI_EXPRESSION)
		return is_expression(ops, count, &state->cfa);
	return state->cfa.kind == CFI_OFFSET && count == 1 && ops[0].atom == DW_OP_bregx &&
	       ops[0].number == state->cfa_register && (int64_t)ops[0].number2 == state->cfa.offset;
}

static bool offset_matches(const Dwarf_Op *ops, size_t count, int64_t offset, bool is_value)
{
	size_t at = 0;
	int64_t found = 0;

	if (!count || ops[at++].atom != DW_OP_call_frame_cfa)
		return false;
	if (at < count && ops[at].atom == DW_OP_plus_uconst)
		found = (int64_t)ops[at++].number;
	if (is_value)
		return at + 1 == count && ops[at].atom == DW_OP_stack_value && found == offset;
	return at == count && found == offset;
}

static bool register_matches(Dwarf_Frame *frame, int number, const struct cfi_rule *rule)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
		return false;
	switch (rule->kind) {
	case CFI_SAME:
		return count == 0 ||
		       (number == REGISTER_RSP && offset_matches(ops, count, 0, true));
	case CFI_UNDEFINED:
		return count == 0 && ops == memory;
	case CFI_OFFSET:
		return offset_matches(ops, count, rule->offset, false);
	case CFI_VAL_OFFSET:
		return offset_matches(ops, count, rule->offset, true);
	case CFI_REGISTER:
		return count == 1 && ops[0].atom == DW_OP_regx &&
		       ops[0].number == (uint64_t)rule->offset;
	case CFI_EXPRESSION:
	case CFI_VAL_EXPRESSION:
		return is_expression(ops, count, rule);
	}
	return false;
}

const char *frame_difference(Dwarf_CFI *cfi, uint64_t addr, const struct cfi_state *state)
{
	static const char *const names[CFI_REGISTERS] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
							 "rbp", "rsp", "r8",  "r9",  "r10", "r11",
							 "r12", "r13", "r14", "r15", "rip"};
	const char *found = NULL;
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(cfi, addr, &frame) != 0)
		return "no frame";
	if (!cfa_matches(frame, state))
		found = "CFA";
	for (int i = 0; i < CFI_REGISTERS && !found; i++)
		if (!register_matches(frame, i, &state->registers[i]))
			found = names[i];
	free(frame);
	return found;
}
