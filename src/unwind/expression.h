/* DWARF expressions of unwind information (DWARF 5, section 2.5), for signal handlers too. */
#ifndef TARE_UNWIND_EXPRESSION_H
#define TARE_UNWIND_EXPRESSION_H

#include "unwind/step.h"

/* What an expression is about. */
struct unwind_expression {
	const unsigned char *bytes;
	size_t size_bytes;
	const struct unwind_registers *registers;
	const struct unwind_memory *memory;
};

/*
 * Evaluates to *value, with the CFA as first value on the stack if `cfa` is not NULL.
 * UNWIND_CALLER, UNWIND_UNREADABLE, or UNWIND_BROKEN for what is malformed, unknown or endless.
 */
enum unwind_result unwind_evaluate(const struct unwind_expression *expression, const uint64_t *cfa,
				   uint64_t *value);

#endif
