/*
 * Applies rules. A rule of the common form needs the CFA and one word per saved register; others
 * are programs of items. unwind_table_check has seen that these end where they should.
 *
 * Refuses a caller that does not lie above its callee: stacks grow downwards, and only a signal
 * frame may lead to another stack.
 */
#include "unwind/step.h"

#include "unwind/expression.h"

static const uint8_t saved_registers[] = {
	[UNWIND_SAVED_RBX] = UNWIND_RBX, [UNWIND_SAVED_RBP] = UNWIND_RBP,
	[UNWIND_SAVED_R12] = UNWIND_R12, [UNWIND_SAVED_R13] = UNWIND_R13,
	[UNWIND_SAVED_R14] = UNWIND_R14, [UNWIND_SAVED_R15] = UNWIND_R15,
};
_Static_assert(sizeof(saved_registers) / sizeof(saved_registers[0]) == UNWIND_SAVED_COUNT,
	       "one entry per value");

static bool read_copy(const struct unwind_memory *memory, uint64_t run_addr, uint64_t *word)
{
	const uint64_t offset = run_addr - memory->begin;

	if (memory->size_bytes < sizeof(*word) || offset > memory->size_bytes - sizeof(*word))
		return false;
	__builtin_memcpy(word, (const char *)memory->bytes + offset, sizeof(*word));
	return true;
}

bool unwind_read(const struct unwind_memory *memory, uint64_t run_addr, uint64_t *word)
{
	return read_copy(memory, run_addr, word) ||
	       (memory->read && memory->read(memory->context, run_addr, word));
}

/*
 * A register that was saved at `run_addr`. Compilers go on to name the slot of one that has been
 * popped: below the stack pointer, where a copy of the stack seldom reaches and other memory has
 * changed since, it has its value already. (In the other case, a leaf that saves registers below
 * the stack pointer without moving it, only a copy that reaches there is right.)
 */
static bool read_saved(const struct unwind_registers *registers, const struct unwind_memory *memory,
		       uint64_t run_addr, uint64_t *word)
{
	if (run_addr < registers->value[UNWIND_RSP]) {
		read_copy(memory, run_addr, word);
		return true;
	}
	return unwind_read(memory, run_addr, word);
}

/*
 * The registers become the caller's, of which `caller` is complete but for what is the same. What
 * was interrupted can have taken its return address off the stack, as vfork does.
 */
static enum unwind_result become(struct unwind_registers *registers,
				 struct unwind_registers *caller, bool signal_frame)
{
	const uint64_t sp = registers->value[UNWIND_RSP];
	const bool popped = registers->exact && caller->value[UNWIND_RSP] == sp;

	if (caller->value[UNWIND_RSP] <= sp && !signal_frame && !popped)
		return UNWIND_STUCK;
	caller->exact = signal_frame;
	*registers = *caller;
	return UNWIND_CALLER;
}

static enum unwind_result apply_form(const struct unwind_rule *rule,
				     struct unwind_registers *registers,
				     const struct unwind_memory *memory)
{
	struct unwind_registers caller = *registers;
	const uint64_t cfa =
		registers->value[rule->cfa_register] + (uint64_t)(int64_t)rule->cfa_offset;

	for (unsigned i = 0; i < UNWIND_SAVED_COUNT; i++)
		if (rule->saved[i] != UNWIND_SAME &&
		    !read_saved(registers, memory, cfa + (uint64_t)(int64_t)rule->saved[i],
				&caller.value[saved_registers[i]]))
			return UNWIND_UNREADABLE;
	if (!unwind_read(memory, cfa - 8, &caller.value[UNWIND_RA]))
		return UNWIND_UNREADABLE;
	caller.value[UNWIND_RSP] = cfa;
	return become(registers, &caller, rule->flags & UNWIND_SIGNAL_FRAME);
}

/* ---- programs ---- */

struct program {
	const unsigned char *at;
	const struct unwind_registers *registers;
	const struct unwind_memory *memory;
	uint64_t cfa;
	struct unwind_registers caller;
	bool outermost;
};

static int64_t fetch_offset(struct program *program)
{
	int32_t offset;

	__builtin_memcpy(&offset, program->at, sizeof(offset));
	program->at += sizeof(offset);
	return offset;
}

static enum unwind_result fetch_value(struct program *program, const uint64_t *cfa, uint64_t *value)
{
	uint16_t size;

	__builtin_memcpy(&size, program->at, sizeof(size));
	const struct unwind_expression expression = {.bytes = program->at + sizeof(size),
						     .size_bytes = size,
						     .registers = program->registers,
						     .memory = program->memory};
	program->at += sizeof(size) + size;
	return unwind_evaluate(&expression, cfa, value);
}

static enum unwind_result read_to(const struct program *program, uint64_t addr, uint64_t *value)
{
	return read_saved(program->registers, program->memory, addr, value) ? UNWIND_CALLER
									    : UNWIND_UNREADABLE;
}

static enum unwind_result run_register(struct program *program, enum unwind_item item)
{
	const uint8_t number = *program->at++;

	if (number >= UNWIND_REGISTERS)
		return UNWIND_BROKEN;
	uint64_t *value = &program->caller.value[number], addr = 0;
	enum unwind_result result = UNWIND_CALLER;

	switch (item) {
	case UNWIND_ITEM_UNDEFINED:
		program->outermost |= number == UNWIND_RA;
		return UNWIND_CALLER;
	case UNWIND_ITEM_AT:
		return read_to(program, program->cfa + (uint64_t)fetch_offset(program), value);
	case UNWIND_ITEM_IS:
		*value = program->cfa + (uint64_t)fetch_offset(program);
		return UNWIND_CALLER;
	case UNWIND_ITEM_REGISTER: {
		const uint8_t from = *program->at++;
		if (from >= UNWIND_REGISTERS)
			return UNWIND_BROKEN;
		*value = program->registers->value[from];
		return UNWIND_CALLER;
	}
	case UNWIND_ITEM_AT_EXPRESSION:
		result = fetch_value(program, &program->cfa, &addr);
		return result == UNWIND_CALLER ? read_to(program, addr, value) : result;
	case UNWIND_ITEM_IS_EXPRESSION:
		return fetch_value(program, &program->cfa, value);
	default:
		return UNWIND_BROKEN;
	}
}

static enum unwind_result run_cfa(struct program *program)
{
	const enum unwind_item item = *program->at++;

	if (item == UNWIND_ITEM_CFA_EXPRESSION)
		return fetch_value(program, NULL, &program->cfa);
	if (item != UNWIND_ITEM_CFA || *program->at >= UNWIND_REGISTERS)
		return UNWIND_BROKEN;
	program->cfa = program->registers->value[*program->at++];
	program->cfa += (uint64_t)fetch_offset(program);
	return UNWIND_CALLER;
}

static enum unwind_result apply_program(const struct unwind_rule *rule,
					const unsigned char *programs,
					struct unwind_registers *registers,
					const struct unwind_memory *memory)
{
	struct program program = {.at = programs + rule->cfa_offset,
				  .registers = registers,
				  .memory = memory,
				  .caller = *registers};
	enum unwind_result result = run_cfa(&program);

	program.caller.value[UNWIND_RSP] = program.cfa;
	while (result == UNWIND_CALLER) {
		const enum unwind_item item = *program.at++;

		if (item == UNWIND_ITEM_END)
			break;
		result = run_register(&program, item);
	}
	if (result != UNWIND_CALLER)
		return result;
	if (program.outermost)
		return UNWIND_ROOT;
	return become(registers, &program.caller, rule->flags & UNWIND_SIGNAL_FRAME);
}

enum unwind_result unwind_apply(const struct unwind_rule *rule, const unsigned char *programs,
				struct unwind_registers *registers,
				const struct unwind_memory *memory)
{
	if (rule->flags & UNWIND_OUTERMOST)
		return UNWIND_ROOT;
	if (rule->flags & UNWIND_BY_PROGRAM)
		return apply_program(rule, programs, registers, memory);
	return apply_form(rule, registers, memory);
}

enum unwind_result unwind_step_frame_pointer(struct unwind_registers *registers,
					     const struct unwind_memory *memory)
{
	struct unwind_registers caller = *registers;
	const uint64_t frame = registers->value[UNWIND_RBP];

	if (frame & 7 || frame < registers->value[UNWIND_RSP])
		return UNWIND_STUCK;
	if (!unwind_read(memory, frame, &caller.value[UNWIND_RBP]) ||
	    !unwind_read(memory, frame + 8, &caller.value[UNWIND_RA]))
		return UNWIND_UNREADABLE;
	caller.value[UNWIND_RSP] = frame + 16;
	return become(registers, &caller, false);
}

bool unwind_is_behind_call(const unsigned char *end, size_t size)
{
	enum { CALL = 0xe8, CALL_BYTES = 5, GROUP = 0xff, CALL_IN_GROUP = 2 };
	static const uint8_t lengths[] = {2, 3, 4, 6, 7}; /* through a register or memory */

	if (size >= CALL_BYTES && *(end - CALL_BYTES) == CALL)
		return true;
	for (size_t i = 0; i < sizeof(lengths) && lengths[i] <= size; i++) {
		const unsigned char *call = end - lengths[i];

		if (call[0] == GROUP && (call[1] >> 3 & 7) == CALL_IN_GROUP)
			return true;
	}
	return false;
}
