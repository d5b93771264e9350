/* The filters of a report, from the command line and from files. */
#ifndef TARE_CLI_FILTER_OPTIONS_H
#define TARE_CLI_FILTER_OPTIONS_H

#include "cli/profile_options.h"
#include "report/report.h"

struct filter_lists {
	struct arena arena;
	struct globs names, expressions;
};

/*
 * Sorts the values of --filter into names of functions and expressions; @FILE stands for the lines
 * of a file, of which those that begin with # are comments. To be released in any case.
 */
bool filter_lists_init(struct filter_lists *lists, const struct option_list *values,
		       struct report_options *options, struct error *err);
void filter_lists_fini(struct filter_lists *lists);

#endif
