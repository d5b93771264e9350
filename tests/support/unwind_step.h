/* One frame to its caller by a table: what walks do with a rule that they look for only once. */
#ifndef TARE_TESTS_UNWIND_STEP_H
#define TARE_TESTS_UNWIND_STEP_H

#include "unwind/step.h"

static inline enum unwind_result unwind_step(const struct unwind_table *table, uint64_t bias,
					     struct unwind_registers *registers,
					     const struct unwind_memory *memory)
{
	const struct unwind_rule *rule =
		unwind_table_find(table, unwind_call_addr(registers) - bias);

	if (!rule)
		return UNWIND_NO_RULE;
	return unwind_apply(rule, unwind_table_programs(table), registers, memory);
}

#endif
