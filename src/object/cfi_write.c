/*
 * Writer of call-frame programs: the difference between two states as instructions, and states at
 * places where the stack is deeper. Refused: expressions that use rsp and also branch (their jumps
 * would have to be relocated) or contain operations without a known size.
 */
#include "object/cfi_write.h"

#include <assert.h>
#include <dwarf.h>

enum { REGISTER_RSP = 7 };

void cfi_write_advance(struct byte_vec *bytes, uint64_t delta)
{
	assert(delta <= UINT32_MAX);
	if (!delta)
		return;
	if (delta < 64) {
		put_u8(bytes, DW_CFA_advance_loc | (unsigned)delta);
	} else if (delta <= UINT8_MAX) {
		put_u8(bytes, DW_CFA_advance_loc1);
		put_u8(bytes, (unsigned)delta);
	} else if (delta <= UINT16_MAX) {
		put_u8(bytes, DW_CFA_advance_loc2);
		put_u16(bytes, (unsigned)delta);
	} else {
		put_u8(bytes, DW_CFA_advance_loc4);
		put_u32(bytes, (uint32_t)delta);
	}
}

/* ---- differences ---- */

static void put_block(struct byte_vec *bytes, const struct cfi_rule *rule)
{
	put_uleb(bytes, rule->expression_size);
	put_bytes(bytes, rule->expression, rule->expression_size);
}

static bool factor(const struct cfi_writer *out, int64_t offset, int64_t *factored,
		   struct error *err)
{
	if (!out->data_align || offset == INT64_MIN || offset % out->data_align)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"a stack offset is no multiple of the unwind information's factor");
	*factored = offset / out->data_align;
	return true;
}

static bool put_cfa(const struct cfi_writer *out, const struct cfi_state *from,
		    const struct cfi_state *to, struct error *err)
{
	struct byte_vec *bytes = out->bytes;
	const bool relative = from->cfa.kind == CFI_OFFSET;
	int64_t factored = 0;

	if (to->cfa.kind == CFI_EXPRESSION) {
		put_u8(bytes, DW_CFA_def_cfa_expression);
		put_block(bytes, &to->cfa);
	} else if (to->cfa.kind != CFI_OFFSET) {
		return error_set(err, ERROR_UNSUPPORTED,
				 "the unwind information defines no frame address");
	} else if (relative && from->cfa.offset == to->cfa.offset) {
		put_u8(bytes, DW_CFA_def_cfa_register);
		put_uleb(bytes, to->cfa_register);
	} else if (to->cfa.offset < 0) {
		if (!factor(out, to->cfa.offset, &factored, err))
			return false;
		put_u8(bytes, DW_CFA_def_cfa_sf);
		put_uleb(bytes, to->cfa_register);
		put_sleb(bytes, factored);
	} else if (relative && from->cfa_register == to->cfa_register) {
		put_u8(bytes, DW_CFA_def_cfa_offset);
		put_uleb(bytes, (uint64_t)to->cfa.offset);
	} else {
		put_u8(bytes, DW_CFA_def_cfa);
		put_uleb(bytes, to->cfa_register);
		put_uleb(bytes, (uint64_t)to->cfa.offset);
	}
	return true;
}

static void put_op_register(struct byte_vec *bytes, unsigned op, unsigned number)
{
	put_u8(bytes, op);
	put_uleb(bytes, number);
}

static void put_offset(struct byte_vec *bytes, unsigned number, int64_t factored)
{
	if (factored < 0) {
		put_op_register(bytes, DW_CFA_offset_extended_sf, number);
		put_sleb(bytes, factored);
	} else {
		put_u8(bytes, DW_CFA_offset | number);
		put_uleb(bytes, (uint64_t)factored);
	}
}

static bool put_rule(const struct cfi_writer *out, unsigned number, const struct cfi_rule *rule,
		     struct error *err)
{
	struct byte_vec *bytes = out->bytes;
	int64_t factored = 0;

	switch (rule->kind) {
	case CFI_SAME:
		put_op_register(bytes, DW_CFA_same_value, number);
		return true;
	case CFI_UNDEFINED:
		put_op_register(bytes, DW_CFA_undefined, number);
		return true;
	case CFI_OFFSET:
		if (!factor(out, rule->offset, &factored, err))
			return false;
		put_offset(bytes, number, factored);
		return true;
	case CFI_VAL_OFFSET:
		if (!factor(out, rule->offset, &factored, err))
			return false;
		put_op_register(bytes, DW_CFA_val_offset_sf, number);
		put_sleb(bytes, factored);
		return true;
	case CFI_REGISTER:
		put_op_register(bytes, DW_CFA_register, number);
		put_uleb(bytes, (uint64_t)rule->offset);
		return true;
	case CFI_EXPRESSION:
	case CFI_VAL_EXPRESSION:
		put_op_register(bytes,
				rule->kind == CFI_EXPRESSION ? DW_CFA_expression
							     : DW_CFA_val_expression,
				number);
		put_block(bytes, rule);
		return true;
	}
	return false;
}

bool cfi_write_change(const struct cfi_writer *out, const struct cfi_state *from,
		      const struct cfi_state *to, struct error *err)
{
	if (!cfi_cfa_equal(from, to) && !put_cfa(out, from, to, err))
		return false;
	if (from->args_size != to->args_size) {
		put_u8(out->bytes, DW_CFA_GNU_args_size);
		put_uleb(out->bytes, to->args_size);
	}
	for (unsigned i = 0; i < CFI_REGISTERS; i++) {
		const struct cfi_rule *rule = &to->registers[i];
		if (cfi_rule_equal(&from->registers[i], rule))
			continue;
		/* To libgcc, "restore" means "unchanged", whatever the CIE says. */
		if (rule->kind == CFI_SAME && out->initial->registers[i].kind == CFI_SAME)
			put_u8(out->bytes, DW_CFA_restore | i);
		else if (!put_rule(out, i, rule, err))
			return false;
	}
	return true;
}

/* ---- deeper stack ---- */

enum operand { OPERANDS_NONE, OPERAND_ULEB, OPERAND_SLEB, OPERAND_ULEB_SLEB, OPERAND_FIXED };

struct operation {
	enum operand operand;
	unsigned size; /* OPERAND_FIXED */
	bool known;
};

static struct operation operation_describe(unsigned op)
{
	if ((op >= DW_OP_lit0 && op <= DW_OP_lit31) || (op >= DW_OP_dup && op <= DW_OP_over) ||
	    (op >= DW_OP_swap && op <= DW_OP_plus) || (op >= DW_OP_shl && op <= DW_OP_xor) ||
	    (op >= DW_OP_eq && op <= DW_OP_ne) || op == DW_OP_deref || op == DW_OP_nop)
		return (struct operation){OPERANDS_NONE, 0, true};
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return (struct operation){OPERAND_SLEB, 0, true};
	switch (op) {
	case DW_OP_addr:
	case DW_OP_const8u:
	case DW_OP_const8s:
		return (struct operation){OPERAND_FIXED, 8, true};
	case DW_OP_const4u:
	case DW_OP_const4s:
		return (struct operation){OPERAND_FIXED, 4, true};
	case DW_OP_const2u:
	case DW_OP_const2s:
		return (struct operation){OPERAND_FIXED, 2, true};
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_pick:
	case DW_OP_deref_size:
		return (struct operation){OPERAND_FIXED, 1, true};
	case DW_OP_constu:
	case DW_OP_plus_uconst:
		return (struct operation){OPERAND_ULEB, 0, true};
	case DW_OP_consts:
		return (struct operation){OPERAND_SLEB, 0, true};
	case DW_OP_bregx:
		return (struct operation){OPERAND_ULEB_SLEB, 0, true};
	default:
		return (struct operation){.known = false};
	}
}

/* Copies one operation, adding `delta` where it is relative to rsp; false where it is unknown. */
static bool operation_shift(struct byte_reader *from, int64_t delta, struct byte_vec *to)
{
	const unsigned char *start = from->at;
	const unsigned op = read_u8(from);
	const struct operation operation = operation_describe(op);
	uint64_t number = op - DW_OP_breg0;

	if (operation.operand == OPERAND_ULEB || operation.operand == OPERAND_ULEB_SLEB)
		number = read_uleb(from);
	read_skip(from, operation.size);
	const size_t prefix = (size_t)(from->at - start);
	const bool has_offset =
		operation.operand == OPERAND_SLEB || operation.operand == OPERAND_ULEB_SLEB;
	const int64_t offset = has_offset ? read_sleb(from) : 0;
	if (from->failed || !operation.known)
		return false;
	if (has_offset && number == REGISTER_RSP && op != DW_OP_consts) {
		put_bytes(to, start, prefix);
		put_sleb(to, (int64_t)((uint64_t)offset + (uint64_t)delta));
	} else {
		put_bytes(to, start, (size_t)(from->at - start));
	}
	return true;
}

/*
 * Whether rsp may occur: its operation's byte does. A byte of an operand can look like it; then the
 * expression is only examined more closely than needed.
 */
static bool mentions_rsp(const struct cfi_rule *rule)
{
	for (size_t i = 0; i < rule->expression_size; i++)
		if (rule->expression[i] == DW_OP_breg7 || rule->expression[i] == DW_OP_bregx)
			return true;
	return false;
}

static bool rule_shift(struct cfi_rule *rule, int64_t delta, struct arena *arena, struct error *err)
{
	struct byte_reader from = byte_reader(rule->expression, rule->expression_size);
	struct byte_vec to = {0};
	bool ok = true;

	if ((rule->kind != CFI_EXPRESSION && rule->kind != CFI_VAL_EXPRESSION) ||
	    !mentions_rsp(rule))
		return true;
	while (ok && bytes_left(&from))
		ok = operation_shift(&from, delta, &to);
	if (ok) {
		unsigned char *copy = arena_alloc(arena, to.len);
		__builtin_memcpy(copy, to.data, to.len);
		rule->expression = copy;
		rule->expression_size = to.len;
	} else {
		error_set(err, ERROR_UNSUPPORTED,
			  "the unwind information has an expression that is not understood");
	}
	vec_fini(&to);
	return ok;
}

bool cfi_write_shift(struct cfi_state *state, int64_t delta, struct arena *arena, struct error *err)
{
	if (state->cfa.kind == CFI_OFFSET && state->cfa_register == REGISTER_RSP)
		state->cfa.offset += delta;
	else if (!rule_shift(&state->cfa, delta, arena, err))
		return false;
	for (size_t i = 0; i < CFI_REGISTERS; i++)
		if (!rule_shift(&state->registers[i], delta, arena, err))
			return false;
	return true;
}
