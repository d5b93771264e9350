/*
 * How often lines and instructions were executed by the selected threads (tare record --lines), and
 * which never were. Numbers of the profile, summed up; NULL in struct analysis where it has none.
 */
#ifndef TARE_ANALYSIS_EXECUTIONS_H
#define TARE_ANALYSIS_EXECUTIONS_H

#include "analysis/analysis.h"

/* A line that has code in a function; of a line that never ran, the first that has it. */
struct executed_line {
	int64_t source; /* id in the profile, never 0 */
	uint32_t line;
	uint32_t function; /* ANALYSIS_NONE: not known, of what never ran */
	uint64_t count;
};

/* Instructions that are executed as often as each other. */
struct executed_block {
	uint32_t module;
	uint32_t function; /* ANALYSIS_NONE: not known, of what never ran */
	uint64_t link_addr, size, instructions;
	uint64_t reach; /* the end, or that of one before it in its module, if that is higher */
	uint64_t count;
	bool branches;	/* it ends with a conditional jump, at: */
	int64_t source; /* 0: unknown */
	uint32_t line;
	uint64_t taken;
};

/* Executed instructions, callgrind's Ir. */
struct executed_sum {
	uint64_t instructions;
	bool is_known;
};

struct analysis_executions {
	struct vec_of(struct executed_line) lines;   /* by source, line and function */
	struct vec_of(struct executed_block) blocks; /* by module and address */
	/* Of the blocks of each. A module is known if all of its functions are that were called.
	   Functions are those that there were when the executions were loaded. */
	struct executed_sum *functions, *modules;
	size_t function_count;
	/* Functions that were called in their copies, without executions: ascending. Control may
	   come into them by ways that the file does not tell. */
	struct vec_of(uint32_t) unknown;
};

/*
 * A line's executions, in all functions for ANALYSIS_NONE; false where it has no code. Code that
 * never ran may be any function's.
 */
bool analysis_line_executions(const struct analysis *analysis, int64_t source, uint32_t line,
			      uint32_t function, uint64_t *count);
/* Those of the instruction there; false where they are not known. */
bool analysis_code_executions(const struct analysis *analysis, uint32_t module, uint64_t link_addr,
			      uint64_t *count);

struct executed_jump {
	uint64_t count, taken;
};

/*
 * Of the conditional jump at `link_addr` that ends before `end`: how often it was executed, and how
 * often it jumped; false where that is not known.
 */
bool analysis_jump_executions(const struct analysis *analysis, uint32_t module, uint64_t link_addr,
			      uint64_t end, struct executed_jump *jump);

#endif
