/* brief: what a profile says in two lines, for the end of a recording. */
#ifndef TARE_REPORT_TEXT_BRIEF_H
#define TARE_REPORT_TEXT_BRIEF_H

#include "analysis/analysis.h"

struct brief_options {
	size_t width; /* columns that a line may take */
	bool unicode;
};

/* Where the CPU time was: the functions that have most of it by themselves. */
void brief_cpu(const struct analysis *analysis, const struct brief_options *options,
	       struct str *out);

/* What was waited for longest, or why that is not known. */
void brief_waits(const struct analysis *analysis, const struct brief_options *options,
		 struct str *out);

#endif
