/* What would give names to code made at run time that has none. */
#ifndef TARE_ANALYSIS_JIT_NAMES_H
#define TARE_ANALYSIS_JIT_NAMES_H

#include "analysis/analysis.h"

struct jit_nameless {
	double share;	     /* of all exclusive time or samples, in percent */
	const char *program; /* the process that has most of it, as it names itself */
	const char *start;   /* how to start that, so that it writes names down; NULL: not known */
};

/* Whether it is such code, of whichever process. */
bool analysis_jit_is_nameless(const struct analysis *analysis,
			      const struct analysis_function *function);

/* False: less than `least_share` percent is in such code. */
bool analysis_jit_nameless(const struct analysis *analysis, double least_share,
			   struct jit_nameless *nameless);

#endif
