/* Coverage: which functions were instrumented, by module or one by one. */
#include "report/table/table.h"

bool report_fill_coverage_modules(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "coverage", NULL, NULL);

	(void)err;
	vec_foreach (coverage, &report->analysis->module_coverage) {
		struct report_row row = report_row_empty(ROW_COVERAGE);
		row.module = &report->analysis->modules.data[coverage->module];
		row.module_coverage = coverage;
		if (report_module_is_selected(report, row.module))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

bool report_fill_coverage_functions(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "coverage", NULL, NULL);
	const struct report_options *options = report->options;

	(void)err;
	vec_foreach (coverage, &report->analysis->coverage) {
		struct report_row row = report_row_empty(ROW_VERDICT);
		row.module = &report->analysis->modules.data[coverage->module];
		row.coverage = coverage;
		if (report_module_is_selected(report, row.module) &&
		    analysis_glob_matches(&options->functions, coverage->name) &&
		    analysis_glob_matches(&options->filters, coverage->name))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}
