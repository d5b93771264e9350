/*
 * Calls behind which control may not go on as often as before them: exceptions, longjmp, exit and
 * the end of a thread leave the callers behind, setjmp and fork come back more than once.
 *
 *   a unit escapes that calls what is not known, traps, jumps elsewhere or into the kernel,
 * switches stacks, or calls a unit that escapes
 *
 * What remains are functions that compute. A signal handler may leave even those.
 */
#include "rewrite/private.h"

#include <string.h>

/* Functions of the C library that come back, once, and call nobody. Their names are reserved. */
static bool import_comes_back(const char *name)
{
	static const char *const names[] = {
		"memchr",  "memcmp",  "memcpy",	 "memmove", "mempcpy", "memrchr", "memset",
		"stpcpy",  "strcat",  "strchr",	 "strcmp",  "strcpy",  "strcspn", "strlen",
		"strncmp", "strncpy", "strnlen", "strpbrk", "strrchr", "strspn",  "strstr",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The unit that code at `addr` belongs to, or NULL. */
static const struct unit *unit_at(const struct program *program, uint64_t addr)
{
	struct range *range;

	return program_insn(program, addr, &range) ? &program->units.data[range->unit] : NULL;
}

/* Control goes to `target` and is to come back. */
static bool target_escapes(const struct program *program, uint64_t target)
{
	const char *import = object_plt_symbol(program->object, target);

	if (import)
		return !import_comes_back(import);
	const struct unit *unit = unit_at(program, target);
	return !unit || unit->escapes;
}

bool call_escapes(const struct program *program, const struct insn *call)
{
	if (call->kind == INSN_CALL_INDIRECT && !call->rip_offset)
		return true;
	if (call->kind == INSN_CALL_INDIRECT && !object_plt_symbol(program->object, call->target))
		return true;
	return target_escapes(program, call->target);
}

static bool jump_escapes(const struct program *program, const struct unit *unit,
			 const struct insn *insn)
{
	return unit_at(program, insn->target) != unit && target_escapes(program, insn->target);
}

/* To another stack: what the frame pointer does not keep, or an exchange. Frames there may never
   come back. */
static bool switches_stack(const struct insn *insn)
{
	const unsigned frame = REG_BIT(REG_RSP) | REG_BIT(REG_RBP);

	if (!(insn->writes & REG_BIT(REG_RSP)))
		return false;
	return !(insn->reads & frame) || (insn->writes & insn->reads & ~frame);
}

static bool insn_escapes(const struct program *program, const struct unit *unit,
			 const struct range *range, uint32_t number)
{
	const struct insn *insn = &range->insns[number];
	const struct indirect_jump *jump;

	switch ((enum insn_kind)insn->kind) {
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		return call_escapes(program, insn);
	case INSN_BRANCH:
	case INSN_LOOP:
	case INSN_JUMP:
		return jump_escapes(program, unit, insn);
	case INSN_JUMP_INDIRECT:
		jump = range_jump_at(range, number);
		return !jump || jump->way != JUMP_TABLE;
	case INSN_TRAP:
		return true;
	default:
		return insn->is_syscall || insn->rel_bits || switches_stack(insn);
	}
}

static bool range_escapes(const struct program *program, const struct unit *unit,
			  const struct range *range)
{
	if (!range->decoded)
		return true;
	for (uint32_t i = 0; i < range->insn_count; i++)
		if (insn_escapes(program, unit, range, i))
			return true;
	return false;
}

static bool unit_escapes(const struct program *program, const struct unit *unit)
{
	for (size_t i = 0; i < unit->ranges.len; i++)
		if (range_escapes(program, unit, unit_range(program, unit, i)))
			return true;
	return false;
}

void program_find_escapes(struct program *program)
{
	bool changed = true;

	while (changed) {
		changed = false;
		vec_foreach (unit, &program->units) {
			if (unit->escapes || !unit_escapes(program, unit))
				continue;
			unit->escapes = changed = true;
		}
	}
}
