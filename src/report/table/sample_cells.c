/* Samples with their intervals, places in code, and the comparison of both methods. */
#include "analysis/executions.h"
#include "report/table/getter.h"
#include "report/words/name.h"

#include <math.h>
#include <string.h>

static bool is_weight(const struct column *column)
{
	return analysis_value_of((enum analysis_measure)column->param) == VALUE_WEIGHT;
}

/* As text, code that no sample was taken in has an empty margin. */
static bool has_amount(const struct report *report, const struct report_row *row,
		       const struct column *column)
{
	return row->type != ROW_ANNOTATED || row->values->amount[column->param] ||
	       report->options->format != REPORT_TEXT;
}

/* Weights of nanoseconds are times for people. */
GET(samples)
{
	const struct profile_event *event = report->analysis->event;
	const bool is_time = is_weight(column) && event && event->unit &&
			     strcmp(event->unit, "ns") == 0 &&
			     report->options->unit != REPORT_TICKS;

	if (!has_amount(report, row, column))
		return;
	cell_set_number(cell, is_time ? CELL_TIME : CELL_COUNT, row->values->amount[column->param]);
}

GET(samples_percent)
{
	if (has_amount(report, row, column))
		cell_set_percent(cell, analysis_percent(report->analysis, row->values,
							(enum analysis_measure)column->param));
}

static bool interval_of(const struct report *report, const struct report_row *row,
			const struct column *column, double *low, double *high)
{
	return analysis_samples_interval(report->analysis, row->values->amount[column->param], low,
					 high);
}

GET(samples_low)
{
	double low, high;

	if (interval_of(report, row, column, &low, &high))
		cell_set_percent(cell, low);
}

GET(samples_high)
{
	double low, high;

	if (interval_of(report, row, column, &low, &high))
		cell_set_percent(cell, high);
}

/* The farther of the interval's ends, so that the share plus and minus this contains it. */
GET(samples_margin)
{
	double low, high;

	if (!interval_of(report, row, column, &low, &high) || !has_amount(report, row, column))
		return;
	const double percent = analysis_percent(report->analysis, row->values,
						(enum analysis_measure)column->param);
	cell_set_percent(cell, fmax(high - percent, percent - low));
}

/* ---- CPU time and calls of places ---- */

static const struct analysis_place *place_of(const struct report_row *row)
{
	switch (row->type) {
	case ROW_LINE:
		return &row->line->values;
	case ROW_INSTRUCTION:
		return &row->instruction->values;
	default:
		return &row->code->values;
	}
}

static void set_bound(const struct report *report, const struct report_row *row,
		      const struct column *column, bool upper, struct cell *cell)
{
	uint64_t bounds[2];

	if (analysis_place_cpu_interval(report->analysis, place_of(row),
					(enum analysis_side)column->param, &bounds[0], &bounds[1]))
		set_ticks(report, cell, bounds[upper]);
}

GET(place_cpu_low)
{
	set_bound(report, row, column, false, cell);
}

GET(place_cpu_high)
{
	set_bound(report, row, column, true, cell);
}

GET(called)
{
	if (place_of(row)->calls)
		set_ticks(report, cell, place_of(row)->called[column->param]);
}

GET(executions)
{
	if (place_of(row)->has_executions)
		set_count(cell, column, place_of(row)->executions);
}

GET(cpu_per_execution)
{
	const struct analysis_place *place = place_of(row);
	const uint64_t cpu = analysis_place_cpu(report->analysis, place, EXCLUSIVE);

	if (place->executions && cpu)
		cell_set_percent(cell, (double)analysis_ns(report->analysis, cpu) /
					       (double)place->executions);
}

/* What was executed of the row's module or function; NULL: nothing is known. */
static const struct executed_sum *executed(const struct report *report,
					   const struct report_row *row)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_executions *executions = analysis->executions;

	if (!executions)
		return NULL;
	if (row->type == ROW_MODULE)
		return &executions->modules[row->module - analysis->modules.data];
	/* Waits and samples may have brought in functions that no code was counted of. */
	const size_t function = (size_t)(row->function - analysis->functions.data);
	return function < executions->function_count ? &executions->functions[function] : NULL;
}

GET(instructions)
{
	const struct executed_sum *sum = executed(report, row);

	if (sum && sum->is_known)
		set_count(cell, column, sum->instructions);
}

/* ---- names ---- */

GET(line_place)
{
	set_place(cell, scratch, row->line->source, row->line->line);
}

GET(instruction_place)
{
	set_place(cell, scratch, row->instruction->source, row->instruction->line);
}

GET(code_place)
{
	if (row->code->kind == ANNOTATION_INSTRUCTION)
		set_place(cell, scratch, row->code->source, row->code->line);
}

GET(instruction)
{
	cell_set_text(cell, row->instruction->text);
}

static void append_inlined(const struct report *report, const struct annotation_row *code,
			   struct str *scratch)
{
	str_printf(scratch, "%*s%s ", 2 * (int)(code->depth < 20 ? code->depth : 20), "",
		   report->options->unicode ? "\u21b3" : "->");
	if (code->kind == ANNOTATION_SMALL) {
		str_printf(scratch, "%llu more, each below 1 %%",
			   (unsigned long long)code->left_out);
		return;
	}
	str_printf(scratch, "%s:%u ", code->source ? path_basename(code->source) : "?", code->line);
	name_append_brief(scratch, code->name);
	if (code->left_out)
		str_printf(scratch, " (+%llu)", (unsigned long long)code->left_out);
}

/* For people: tabs become blanks, and inlined code says whose it is and where that stands. */
GET(code)
{
	enum { TAB = 8 };
	const struct annotation_row *code = row->code;
	size_t column_at = 0;

	if (report->options->format != REPORT_TEXT) {
		cell_set_text(cell, code->text);
		return;
	}
	if (code->kind == ANNOTATION_GAP)
		str_printf(scratch, "... %llu more without samples",
			   (unsigned long long)code->left_out);
	if (code->depth)
		append_inlined(report, code, scratch);
	for (const char *at = code->text ? code->text : ""; *at && !code->depth; at++) {
		const size_t blanks = *at == '\t' ? TAB - column_at % TAB : 0;
		str_printf(scratch, "%*s", (int)blanks, "");
		if (!blanks)
			str_append_bytes(scratch, at, 1);
		column_at += blanks ? blanks : 1;
	}
	cell_set_scratch(cell, scratch);
}

GET(comparison)
{
	const struct report_comparison *pair = row->comparison;
	const double difference = pair->samples_percent - pair->cpu_percent;

	switch ((enum comparison_column)column->param) {
	case COMPARED_CPU:
		set_ticks(report, cell, pair->cpu_ticks);
		break;
	case COMPARED_CPU_PERCENT:
		cell_set_percent(cell, pair->cpu_percent);
		break;
	case COMPARED_SAMPLES:
		cell_set_number(cell, CELL_COUNT, pair->samples);
		break;
	case COMPARED_SAMPLES_PERCENT:
		cell_set_percent(cell, pair->samples_percent);
		break;
	case COMPARED_LOW:
		cell_set_percent(cell, pair->low);
		break;
	case COMPARED_HIGH:
		cell_set_percent(cell, pair->high);
		break;
	case COMPARED_DIFFERENCE:
		cell_set_percent(cell, difference);
		break;
	case COMPARED_OUTSIDE:
		if (pair->cpu_percent < pair->low || pair->cpu_percent > pair->high)
			cell_set_text(cell, report->options->format == REPORT_TEXT ? "!"
					    : difference > 0			   ? "samples"
										   : "calls");
		break;
	}
}
