/*
 * process_functions: what the functions of each process have, from the call paths of its threads.
 * Functions may be put into groups that count as one: a group's inclusive values count each
 * interval once, however many of its functions stand on the stack.
 */
#ifndef TARE_ANALYSIS_PROCESS_FUNCTIONS_H
#define TARE_ANALYSIS_PROCESS_FUNCTIONS_H

#include "analysis/analysis.h"

struct analysis_process_function {
	uint32_t function; /* the group's */
	uint64_t calls;
	uint64_t amount[ANALYSIS_MEASURES];
	bool sampled; /* CPU time of some of it is by samples */
};

struct analysis_process_functions;

/* `group_of` is by function and outlives the result; NULL: each function is its own. */
struct analysis_process_functions *analysis_process_functions_open(const struct analysis *analysis,
								   const uint32_t *group_of);
/* Those that the process has paths of, in the order met. Valid until the next call. */
const struct analysis_process_function *
analysis_process_functions_next(struct analysis_process_functions *functions, uint32_t process,
				size_t *count);
void analysis_process_functions_close(struct analysis_process_functions *functions);

#endif
