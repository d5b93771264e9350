/* Which functions' time is another one's, and which modules are the run-time libraries and the
 * kernel. */
#ifndef TARE_ANALYSIS_ALIASES_H
#define TARE_ANALYSIS_ALIASES_H

#include "analysis/analysis.h"

struct analysis_aliases {
	bool *is_runtime; /* by module: probes see who enters it; the vDSO, which runs as a library
			     does, too */
	bool *is_kernel;
	uint32_t *entry_of; /* by function: the one that is called where it is chosen, or itself */
	uint32_t *stub_of;  /* by function: of a stub the one that it leads to, else itself */
};

/* Needs the analysis's modules and functions; functions that are added later have no entries. */
void analysis_aliases_find(struct analysis_aliases *aliases, struct analysis *analysis);
void analysis_aliases_fini(struct analysis_aliases *aliases);

#endif
