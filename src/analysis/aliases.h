/* Which functions' time is another one's, and which modules are the run-time libraries and the
 * kernel. */
#ifndef TARE_ANALYSIS_ALIASES_H
#define TARE_ANALYSIS_ALIASES_H

#include "analysis/analysis.h"

struct analysis_aliases {
	bool *is_runtime; /* by module: probes see who enters it; the vDSO, which runs as a library
			     does, too */
	bool *is_kernel;
	size_t function_count; /* those that were added later stand for themselves */
	uint32_t *entry_of, *stub_of;
};

/* Of the analysis's modules and functions; found when they are first asked for. Until
 * analysis_close. */
const struct analysis_aliases *analysis_aliases_of(struct analysis *analysis);
void analysis_aliases_free(struct analysis_aliases *aliases);

/* The function that is called where this one is chosen; or it itself. */
static inline uint32_t analysis_entry_of(const struct analysis_aliases *aliases, uint32_t function)
{
	return function < aliases->function_count ? aliases->entry_of[function] : function;
}

/* Of a stub the function that it leads to; else it itself. */
static inline uint32_t analysis_stub_of(const struct analysis_aliases *aliases, uint32_t function)
{
	return function < aliases->function_count ? aliases->stub_of[function] : function;
}

#endif
