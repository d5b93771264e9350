/*
 * Executed instructions, as callgrind counts them (Ir): of functions, by their lines, and of call
 * paths. Of a recording with --lines, and an analysis that was asked for executions.
 */
#ifndef TARE_ANALYSIS_EXECUTED_CODE_H
#define TARE_ANALYSIS_EXECUTED_CODE_H

#include "analysis/analysis.h"

struct executed_cost {
	uint32_t function;
	uint32_t source; /* index of the profile's sources; ANALYSIS_NONE: the line is not known */
	uint32_t line;
	uint64_t instructions;
};

struct executed_code {
	struct vec_of(struct executed_cost) costs; /* by function, source and line */
	/*
	 * By node, with all below it: a function's instructions are shared among its call paths by
	 * their calls, as each of its calls stands for the average one. Sums are exact.
	 */
	uint64_t *inclusive;
	uint64_t total; /* of functions that are known */
};

/* False where the analysis has no executions. */
bool executed_code_load(struct executed_code *code, const struct analysis *analysis);
void executed_code_free(struct executed_code *code);

#endif
