/*
 * The summary: which functions took CPU time, what was waited for, which processes there were, the
 * hot path; in CSV, JSON and with -v OS time by cause as well, and in CSV and JSON CPU use.
 */
#include "report/table/calltree.h"
#include "report/table/ranking.h"
#include "report/table/table.h"

enum summary_table { HOT_PATH, MOST_WORK, PROGRAMS };

/* Rows of text; fewer where processes take their place. */
enum { FUNCTIONS_SHOWN = 7, FUNCTIONS_BESIDE = 4, PROGRAMS_SHOWN = 3 };

static const char *summary_columns(const struct report *report, enum summary_table table)
{
	static const char *const columns[][LAYOUTS] = {
		[HOT_PATH] = {RANKED_INCLUSIVE BY "_exclusive," OTHERS_INCLUSIVE "frame,module",
			      "inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
			      "exclusive_samples,exclusive_percent,frame,module",
			      "inclusive_weight,inclusive_weight_percent,inclusive_bar,"
			      "inclusive_samples,exclusive_weight,exclusive_weight_percent,frame,"
			      "module"},
		[MOST_WORK] = {"calls," BY "_exclusive," BY "_exclusive_percent," BY
			       "_exclusive_margin," BY "_exclusive_bar,confidence,function,module",
			       "exclusive_samples,exclusive_percent,exclusive_margin,"
			       "exclusive_bar,exclusive_weight,inclusive_samples,inclusive_percent,"
			       "function,"
			       "module",
			       "exclusive_weight,exclusive_weight_percent,exclusive_bar,"
			       "exclusive_samples,inclusive_weight,inclusive_weight_percent,"
			       "function,module"},
		[PROGRAMS] = {RANKED_INCLUSIVE "elapsed_inclusive,process",
			      "inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
			      "process",
			      "inclusive_weight,inclusive_weight_percent,inclusive_bar,"
			      "inclusive_samples,process"},
	};

	return columns[table][report_layout(report) - report->view->layouts];
}

static void add_hot_path(struct report *report)
{
	const struct analysis *analysis = report->analysis;
	struct report_table *table = report_add_table(
		report, "hot_path",
		analysis->by_weight && analysis->method == ANALYSIS_SAMPLE
			? "Hot path (children with at least half of their parent's waiting)"
		: analysis->method == ANALYSIS_SAMPLE
			? "Hot path (children with at least half of their parent's samples)"
			: "Hot path (children with at least half of their parent's time)",
		summary_columns(report, HOT_PATH));

	report->outlined = report->table_count - 1;
	report_add_hot_path(report, table);
}

static void add_most_work(struct report *report)
{
	struct report_table *table = report_add_table(
		report, "functions",
		report->analysis->by_weight && report->analysis->method == ANALYSIS_SAMPLE
			? "Functions that waited most"
		: report->analysis->method == ANALYSIS_SAMPLE ? "Most samples"
							      : "Most CPU",
		summary_columns(report, MOST_WORK));

	table->limit = report->analysis->totals.processes > 1 ? FUNCTIONS_BESIDE : FUNCTIONS_SHOWN;

	for (uint32_t i = 0; i < report->analysis->functions.len; i++) {
		struct report_row row = report_row_of_function(report, ROW_BUSY, i);
		if (analysis_was_seen(report->analysis, row.values) &&
		    report_is_selected(report, i))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
}

/* Which program it was; those of one name are one. */
static void add_programs(struct report *report)
{
	static const char *const orders[LAYOUTS] = {BY "_inclusive", "inclusive_samples",
						    "inclusive_weight"};

	if (report->analysis->totals.processes < 2)
		return;
	struct report_table *table = report_add_table(report, "processes", "Processes",
						      summary_columns(report, PROGRAMS));
	table->limit = PROGRAMS_SHOWN;
	vec_foreach (process, &report->analysis->processes) {
		struct report_row row = report_row_empty(ROW_PROGRAM);
		row.process = process;
		row.values = &process->tree;
		if (process->selected && process->merged)
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, orders[report_layout(report) - report->view->layouts]);
	/* That all are of one program, the hot path says, too. */
	if (report->options->format == REPORT_TEXT && table->rows.len == 1 && !table->hidden)
		table->rows.len = 0;
	report_drop_empty(report, table);
}

bool report_fill_summary(struct report *report, struct error *err)
{
	const bool text = report->options->format == REPORT_TEXT;
	const bool calls = report->analysis->method == ANALYSIS_INSTRUMENT;
	const bool waits = calls || report->analysis->sampled_waits.len;

	add_most_work(report);
	if (waits)
		report_add_waits(report);
	if (waits && !text)
		report_add_idle(report);
	add_programs(report);
	add_hot_path(report);
	/* A screen has what matters first; text writes them below the next command. */
	if (waits && text)
		report_add_idle(report);
	if (calls && (!text || report->options->verbose))
		report_add_causes(report);
	return report_add_cpu(report, err);
}
