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
	set_bar(cell, analysis_percent(analysis, row->values, analysis_measure_of(value, side)),
		analysis->by_weight ? 0 : 1);
}

/* Not of the total, which would be the longest, and leave no room to compare its parts. */
void report_get_os_bar(const struct report *report, const struct report_row *row,
		       const struct column *column, struct str *scratch, struct cell *cell)
{
	const uint64_t all = report->analysis->totals.elapsed;

	(void)column;
	(void)scratch;
	if (all)
		set_bar(cell, 100.0 * (double)row->os->ticks / (double)all, 0);
}

/* Instrumented functions, of those that were to be. */
void report_get_coverage_bar(const struct report *report, const struct report_row *row,
			     const struct column *column, struct str *scratch, struct cell *cell)
{
	(void)report;
	(void)column;
	(void)scratch;
	const uint64_t *count = row->module_coverage->count;
	const uint64_t done = count[COVERAGE_INSTRUMENTED] + count[COVERAGE_PART];
	const uint64_t selected = done + count[COVERAGE_REFUSED];
	if (selected)
		set_bar(cell, 100.0 * (double)done / (double)selected, 1);
}

/* From begin to end of a thread or process, within the session. */
static void set_lifetime(const struct report *report, uint64_t begin, uint64_t end,
			 struct str *scratch, struct cell *cell)
{
	const struct profile_session *session = profile_session(report->analysis->profile);
	const double whole = (double)session->end_ticks - (double)session->begin_ticks;

	if (!end || !(whole > 0))
		return;
	bar_append_span(scratch, ((double)begin - (double)session->begin_ticks) / whole,
			((double)end - (double)session->begin_ticks) / whole,
			report->options->width >= WIDE ? SPAN_WIDTH_WIDE : SPAN_WIDTH,
			report->options->unicode);
	cell_set_scratch(cell, scratch);
}

void report_get_thread_lifetime(const struct report *report, const struct report_row *row,
				const struct column *column, struct str *scratch, struct cell *cell)
{
	const struct profile_thread *thread = row->thread->row;

	(void)column;
	set_lifetime(report, thread->begin_ticks, thread->end_ticks, scratch, cell);
}

void report_get_process_lifetime(const struct report *report, const struct report_row *row,
				 const struct column *column, struct str *scratch,
				 struct cell *cell)
{
	const struct profile_process *process = row->process->row;

	(void)column;
	set_lifetime(report, process->begin_ticks, process->end_ticks, scratch, cell);
}

/* With the meaning beside them in the summary, which has one row per cause. */
void report_get_cause_words(const struct report *report, const struct report_row *row,
			    const struct column *column, struct str *scratch, struct cell *cell)
{
	(void)report;
	(void)column;
	if (row->type == ROW_OS_TOTAL) {
		cell_set_text(cell, "in all");
		return;
	}
	const struct analysis_cause *cause = &analysis_causes[row->os->cause];
	if (row->type == ROW_CAUSE)
		str_printf(scratch, "%-12s  %s", cause->words, cause->meaning);
	cell_set_text(cell, row->type == ROW_CAUSE ? scratch->data : cause->words);
}
