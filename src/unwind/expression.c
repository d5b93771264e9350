/*
 * A stack machine with fixed bounds. Refused: operations on types, other address spaces, calls and
 * everything that describes places of variables; unwind information has none of them.
 */
#include "unwind/expression.h"

#include <dwarf.h>

enum { STACK_WORDS = 32, STEPS_MAX = 512 };

struct machine {
	const struct unwind_expression *expression;
	size_t at;
	uint64_t stack[STACK_WORDS];
	unsigned depth;
	enum unwind_result result; /* UNWIND_CALLER while all is well */
};

static uint64_t broken(struct machine *machine)
{
	if (machine->result == UNWIND_CALLER)
		machine->result = UNWIND_BROKEN;
	return 0;
}

static void push(struct machine *machine, uint64_t value)
{
	if (machine->depth == STACK_WORDS)
		broken(machine);
	else
		machine->stack[machine->depth++] = value;
}

static uint64_t pop(struct machine *machine)
{
	return machine->depth ? machine->stack[--machine->depth] : broken(machine);
}

/* The value `below` the top. */
static uint64_t peek(struct machine *machine, uint64_t below)
{
	return below < machine->depth ? machine->stack[machine->depth - 1 - below]
				      : broken(machine);
}

/* Little-endian number of `bytes` bytes. */
static uint64_t fetch(struct machine *machine, unsigned bytes)
{
	const struct unwind_expression *expression = machine->expression;
	uint64_t value = 0;

	if (expression->size_bytes - machine->at < bytes) {
		machine->at = expression->size_bytes;
		return broken(machine);
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)expression->bytes[machine->at++] << 8 * i;
	return value;
}

static uint64_t fetch_signed(struct machine *machine, unsigned bytes)
{
	const unsigned unused = 64 - 8 * bytes;

	return (uint64_t)((int64_t)(fetch(machine, bytes) << unused) >> unused);
}

static uint64_t fetch_leb(struct machine *machine, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (;;) {
		const uint64_t byte = fetch(machine, 1);

		if (machine->result != UNWIND_CALLER || shift > 63)
			return broken(machine);
		value |= (byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (is_signed && shift < 64 && (byte & 0x40))
			value |= ~UINT64_C(0) << shift;
		return value;
	}
}

static void load(struct machine *machine, unsigned bytes)
{
	uint64_t word = 0;

	if (!bytes || bytes > 8) {
		broken(machine);
		return;
	}
	if (!unwind_read(machine->expression->memory, pop(machine), &word) &&
	    machine->result == UNWIND_CALLER)
		machine->result = UNWIND_UNREADABLE;
	push(machine, bytes < 8 ? word & ((UINT64_C(1) << 8 * bytes) - 1) : word);
}

static void push_register(struct machine *machine, uint64_t number, uint64_t offset)
{
	if (number < UNWIND_REGISTERS)
		push(machine, machine->expression->registers->value[number] + offset);
	else
		broken(machine);
}

static void jump(struct machine *machine, bool taken)
{
	const uint64_t distance = fetch_signed(machine, 2);

	if (!taken)
		return;
	if (machine->at + distance > machine->expression->size_bytes)
		broken(machine);
	else
		machine->at += distance;
}

static uint64_t divide(struct machine *machine, uint64_t a, uint64_t b, bool remainder)
{
	if (!b || ((int64_t)b == -1 && a == UINT64_C(1) << 63))
		return broken(machine);
	return remainder ? a % b : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift(uint8_t op, uint64_t value, uint64_t by)
{
	if (op == DW_OP_shra)
		return (uint64_t)((int64_t)value >> (by < 64 ? by : 63));
	if (by >= 64)
		return 0;
	return op == DW_OP_shl ? value << by : value >> by;
}

static uint64_t binary(struct machine *machine, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_div:
	case DW_OP_mod:
		return divide(machine, a, b, op == DW_OP_mod);
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		return shift(op, a, b);
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_lt:
		return (int64_t)a < (int64_t)b;
	case DW_OP_le:
		return (int64_t)a <= (int64_t)b;
	case DW_OP_gt:
		return (int64_t)a > (int64_t)b;
	case DW_OP_ge:
		return (int64_t)a >= (int64_t)b;
	default:
		return broken(machine);
	}
}

/* Operations that push a constant; false if `op` is none. */
static bool run_constant(struct machine *machine, uint8_t op)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(machine, op - DW_OP_lit0);
		return true;
	}
	switch (op) {
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
		push(machine, fetch(machine, 1u << (op - DW_OP_const1u) / 2));
		return true;
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
		push(machine, fetch_signed(machine, 1u << (op - DW_OP_const1s) / 2));
		return true;
	case DW_OP_constu:
	case DW_OP_consts:
		push(machine, fetch_leb(machine, op == DW_OP_consts));
		return true;
	default:
		return false;
	}
}

/* Registers, memory and jumps; false if `op` is none of them. */
static bool run_access(struct machine *machine, uint8_t op)
{
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_register(machine, op - DW_OP_breg0, fetch_leb(machine, true));
		return true;
	}
	switch (op) {
	case DW_OP_bregx: {
		const uint64_t number = fetch_leb(machine, false);
		push_register(machine, number, fetch_leb(machine, true));
		return true;
	}
	case DW_OP_deref:
		load(machine, 8);
		return true;
	case DW_OP_deref_size:
		load(machine, (unsigned)fetch(machine, 1));
		return true;
	case DW_OP_skip:
		jump(machine, true);
		return true;
	case DW_OP_bra:
		jump(machine, pop(machine) != 0);
		return true;
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

static void rotate(struct machine *machine)
{
	const uint64_t a = pop(machine), b = pop(machine), c = pop(machine);

	push(machine, a);
	push(machine, c);
	push(machine, b);
}

/* Operations on the stack itself and of one operand; false if `op` is none of them. */
static bool run_stack(struct machine *machine, uint8_t op)
{
	switch (op) {
	case DW_OP_dup:
		push(machine, peek(machine, 0));
		return true;
	case DW_OP_over:
		push(machine, peek(machine, 1));
		return true;
	case DW_OP_pick:
		push(machine, peek(machine, fetch(machine, 1)));
		return true;
	case DW_OP_drop:
		pop(machine);
		return true;
	case DW_OP_swap: {
		const uint64_t top = pop(machine), next = pop(machine);
		push(machine, top);
		push(machine, next);
		return true;
	}
	case DW_OP_rot:
		rotate(machine);
		return true;
	case DW_OP_neg:
		push(machine, -pop(machine));
		return true;
	case DW_OP_not:
		push(machine, ~pop(machine));
		return true;
	case DW_OP_abs: {
		const uint64_t value = pop(machine);
		push(machine, (int64_t)value < 0 ? -value : value);
		return true;
	}
	case DW_OP_plus_uconst:
		push(machine, pop(machine) + fetch_leb(machine, false));
		return true;
	default:
		return false;
	}
}

enum unwind_result unwind_evaluate(const struct unwind_expression *expression, const uint64_t *cfa,
				   uint64_t *value)
{
	struct machine machine = {.expression = expression, .result = UNWIND_CALLER};

	if (cfa)
		push(&machine, *cfa);
	for (unsigned steps = 0; machine.at < expression->size_bytes; steps++) {
		const uint8_t op = (uint8_t)fetch(&machine, 1);

		if (steps == STEPS_MAX)
			broken(&machine);
		if (machine.result != UNWIND_CALLER)
			return machine.result;
		if (run_constant(&machine, op) || run_access(&machine, op) ||
		    run_stack(&machine, op))
			continue;
		const uint64_t second = pop(&machine), first = pop(&machine);
		push(&machine, binary(&machine, op, first, second));
	}
	*value = pop(&machine);
	return machine.result;
}
