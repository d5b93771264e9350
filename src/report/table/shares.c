/*
 * What text shows as pictures and in words, beside the numbers: bars of shares, spans of life,
 * causes of OS time.
 */
#include "report/table/table.h"
#include "report/words/bar.h"

#include <math.h>

enum { SPAN_WIDTH = 12, SPAN_WIDTH_WIDE = 24, WIDE = 120 };

static void set_bar(struct cell *cell, double percent, double on_cpu)
{
	if (isnan(percent))
		return;
	cell->type = CELL_BAR;
	cell->percent = percent;
	cell->on_cpu = on_cpu;
}

/* Of a time; solid is what of it was on the CPU. */
void report_get_time_bar(const struct report *report, const struct report_row *row,
			 const struct column *column, struct str *scratch, struct cell *cell)
{
	const enum analysis_measure measure = (enum analysis_measure)column->param;
	const enum analysis_measure cpu =
		analysis_measure_of(VALUE_CPU, (enum analysis_side)(measure % ANALYSIS_SIDES));

	(void)scratch;
	if (!row->values)
		return;
	const uint64_t all = row->values->amount[measure], on_cpu = row->values->amount[cpu];
	set_bar(cell, analysis_percent(report->analysis, row->values, measure),
		on_cpu < all ? (double)on_cpu / (double)all : 1);
}

/* Of the samples, or of their weight where that counts: waiting. */
void report_get_samples_bar(const struct report *report, const struct report_row *row,
			    const struct column *column, struct str *scratch, struct cell *cell)
{
	const struct analysis *analysis = report->analysis;
	const enum analysis_side side = (enum analysis_side)(column->param % ANALYSIS_SIDES);
	const enum analysis_value value = analysis->by_weight ? VALUE_WEIGHT : VALUE_SAMPLES;

	(void)scratch;
	if (row->values)
		set_bar(cell,
			analysis_percent(analysis, row->values, analysis_measure_of(value, side)),
			analysis->by_weight ? 0 : 1);
}

void report_get_os_bar(const struct report *report, const struct report_row *row,
		       const struct column *column, struct str *scratch, struct cell *cell)
{
	const uint64_t all = report->analysis->totals.elapsed;

	uint64_t ticks;

	(void)column;
	(void)scratch;
	/* The total would be the longest, and leave no room to compare its parts. */
	if (!row->total && all && report_row_os_ticks(report, row, &ticks))
		set_bar(cell, 100.0 * (double)ticks / (double)all, 0);
}

/* Instrumented functions, of those that were to be. */
void report_get_coverage_bar(const struct report *report, const struct report_row *row,
			     const struct column *column, struct str *scratch, struct cell *cell)
{
	(void)report;
	(void)column;
	(void)scratch;
	if (!row->module_coverage)
		return;
	const uint64_t *count = row->module_coverage->count;
	const uint64_t done = count[COVERAGE_INSTRUMENTED] + count[COVERAGE_PART];
	const uint64_t selected = done + count[COVERAGE_REFUSED];
	if (selected)
		set_bar(cell, 100.0 * (double)done / (double)selected, 1);
}

/* From begin to end of a thread or process, within the session. */
void report_get_lifetime(const struct report *report, const struct report_row *row,
			 const struct column *column, struct str *scratch, struct cell *cell)
{
	const struct profile_session *session = profile_session(report->analysis->profile);
	const double whole = (double)session->end_ticks - (double)session->begin_ticks;
	uint64_t begin = 0, end = 0;

	(void)column;
	if (row->thread) {
		begin = row->thread->row->begin_ticks;
		end = row->thread->row->end_ticks;
	} else if (row->process) {
		begin = row->process->row->begin_ticks;
		end = row->process->row->end_ticks;
	}
	if (!end || !(whole > 0))
		return;
	bar_append_span(scratch, ((double)begin - (double)session->begin_ticks) / whole,
			((double)end - (double)session->begin_ticks) / whole,
			report->options->width >= WIDE ? SPAN_WIDTH_WIDE : SPAN_WIDTH,
			report->options->unicode);
	cell->type = CELL_TEXT;
	cell->text = scratch->data;
}

/* With the meaning beside them in the summary, which has one row per cause. */
void report_get_cause_words(const struct report *report, const struct report_row *row,
			    const struct column *column, struct str *scratch, struct cell *cell)
{
	(void)report;
	(void)column;
	if (row->total)
		cell->text = "in all";
	else if (row->os)
		cell->text = analysis_causes[row->os->cause].words;
	else if (!row->has_cause)
		return;
	else {
		str_printf(scratch, "%-12s  %s", analysis_causes[row->cause].words,
			   analysis_causes[row->cause].meaning);
		cell->text = scratch->data;
	}
	cell->type = CELL_TEXT;
}
