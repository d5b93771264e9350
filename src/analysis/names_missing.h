/* What would give names to functions that have none. */
#ifndef TARE_ANALYSIS_NAMES_MISSING_H
#define TARE_ANALYSIS_NAMES_MISSING_H

#include "analysis/analysis.h"

struct names_missing {
	const struct analysis_module *module;
	struct str package; /* of this system: it has the debug symbols of the module */
};

/*
 * Of the modules with a nameless function that took `least_share` or more of all exclusive time or
 * samples, in percent, the first by its hottest one for which a package is known. False: there is
 * none. `missing->package` is to be freed in either case.
 */
bool analysis_names_missing(const struct analysis *analysis, double least_share,
			    struct names_missing *missing);

#endif
