/*
 * Functions that never return to their caller, behind whose calls control does not go on.
 *
 *   a unit without a return, an indirect jump, and a branch that leaves it: only exceptions,
 * signals and longjmp lead out of it, and these do not go on behind the call an import that C or
 * C++ reserves for what does not return
 *
 * In doubt a function returns. A tail call to one that does not is such a doubt.
 */
#include "rewrite/private.h"

#include <string.h>

/* Names that programs may not give to functions of their own. */
static bool is_noreturn_import(const char *name)
{
	static const char *const names[] = {
		"abort",
		"exit",
		"_exit",
		"_Exit",
		"quick_exit",
		"pthread_exit",
		"longjmp",
		"_longjmp",
		"siglongjmp",
		"__longjmp_chk",
		"__stack_chk_fail",
		"__chk_fail",
		"__fortify_fail",
		"__assert_fail",
		"__assert_perror_fail",
		"__assert",
		"_Unwind_Resume",
		"__cxa_throw",
		"__cxa_rethrow",
		"__cxa_bad_cast",
		"__cxa_bad_typeid",
		"__cxa_throw_bad_array_new_length",
		"_ZSt9terminatev",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	/* std::__throw_…, whose mangled names have the length before them */
	return str_starts_with(name, "_ZSt") && strstr(name, "__throw_");
}

static bool is_in_unit(const struct program *program, const struct unit *unit, uint64_t addr)
{
	struct range *range;

	return program_insn(program, addr, &range) && range_is_in_unit(program, range, unit);
}

static bool may_leave(const struct program *program, const struct unit *unit,
		      const struct insn *insn)
{
	return insn->kind == INSN_RETURN || insn->kind == INSN_JUMP_INDIRECT ||
	       (insn_is_branch(insn) && !is_in_unit(program, unit, insn->target));
}

static bool range_may_leave(const struct program *program, const struct unit *unit,
			    const struct range *range)
{
	if (!range->decoded || !range->insn_count)
		return true;
	for (uint32_t i = 0; i < range->insn_count; i++)
		if (may_leave(program, unit, &range->insns[i]))
			return true;
	const struct insn *last = &range->insns[range->insn_count - 1];

	return insn_falls_through(last) && !insn_is_call(last) && !last->is_nop;
}

static void find_piece(void *program_at, unsigned worker, size_t begin, size_t end)
{
	struct program *program = program_at;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		struct unit *unit = &program->units.data[i];

		unit->returns = !unit->ranges.len;
		for (size_t k = 0; k < unit->ranges.len && !unit->returns; k++)
			unit->returns =
				range_may_leave(program, unit, unit_range(program, unit, k));
	}
}

void program_find_noreturn(struct program *program)
{
	program_run(program, find_piece, program->units.len);
}

static bool call_returns(const struct program *program, const struct insn *call)
{
	struct range *range;

	if (call->kind == INSN_CALL_INDIRECT && !call->rip_offset)
		return true;
	const char *import = object_plt_symbol(program->object, call->target);

	if (import)
		return !is_noreturn_import(import);
	return call->kind == INSN_CALL_INDIRECT || !program_insn(program, call->target, &range) ||
	       program->units.data[range->unit].returns;
}

bool control_goes_on(const struct program *program, const struct insn *insn)
{
	if (insn_is_call(insn))
		return call_returns(program, insn);
	return insn_falls_through(insn);
}
