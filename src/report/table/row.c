/* Rows as they begin, and which the user has selected. */
#include "report/table/table.h"

struct report_row report_row_empty(enum row_type type)
{
	return (struct report_row){.type = type, .node = ANALYSIS_NONE, .last = ANALYSIS_NONE};
}

struct report_row report_row_of_function(const struct report *report, enum row_type type,
					 uint32_t function)
{
	const struct analysis *analysis = report->analysis;
	struct report_row row = report_row_empty(type);

	if (function == ANALYSIS_NONE) {
		row.outside = true;
		return row;
	}
	row.function = &analysis->functions.data[function];
	row.module = &analysis->modules.data[row.function->module];
	row.values = &row.function->values;
	return row;
}

bool report_module_is_selected(const struct report *report, const struct analysis_module *module)
{
	const struct analysis_globs *globs = &report->options->modules;

	return analysis_glob_matches(globs, module->name) ||
	       analysis_glob_matches(globs, module->path);
}

bool report_is_selected(const struct report *report, uint32_t function)
{
	const struct analysis *analysis = report->analysis;
	const struct report_options *options = report->options;

	if (function == ANALYSIS_NONE)
		return !options->modules.count && !options->functions.count &&
		       !options->filters.count;
	const struct analysis_function *row = &analysis->functions.data[function];
	return report_module_is_selected(report, &analysis->modules.data[row->module]) &&
	       (!options->functions.count ||
		analysis_function_matches(analysis, function, &options->functions)) &&
	       (!options->filters.count ||
		analysis_function_matches(analysis, function, &options->filters));
}
