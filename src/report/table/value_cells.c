/* The values of a row: calls, times and what is known of single calls, their shares as bars. */
#include "report/table/getter.h"

/* Processes and threads stand above the calls of a tree. */
static bool has_calls(const struct report_row *row)
{
	return row->function || (row->type != ROW_PATH && row->type != ROW_STEP);
}

/* Nothing counts the calls of a function that only samples have met. */
static bool knows_calls(const struct report_row *row)
{
	return has_calls(row) && (row->values->calls || !row->function || !row->values->sampled);
}

/* As text, the margin of code is empty where nothing is known. */
static bool is_bare(const struct report *report, const struct report_row *row, uint64_t number)
{
	return row->type == ROW_ANNOTATED && !number && report->options->format == REPORT_TEXT;
}

GET(calls)
{
	if (knows_calls(row) && !is_bare(report, row, row->values->calls))
		set_count(cell, column, row->values->calls);
}

GET(unwound)
{
	if (has_calls(row))
		set_count(cell, column, row->values->unwound);
}

GET(total)
{
	if (!is_bare(report, row, row->values->amount[column->param]))
		set_ticks(report, cell, row->values->amount[column->param]);
}

GET(percent)
{
	if (!is_bare(report, row, row->values->amount[column->param]))
		cell_set_percent(cell, analysis_percent(report->analysis, row->values,
							(enum analysis_measure)column->param));
}

GET(average)
{
	const enum analysis_measure measure = (enum analysis_measure)column->param;

	if (!row->values->calls)
		return;
	set_count(cell, column,
		  report->options->unit == REPORT_TICKS
			  ? analysis_average_ticks(row->values, measure)
			  : analysis_average_ns(report->analysis, row->values, measure));
}

/*
 * Exclusive values that are those of callees, too, are none of one call; of a function that was
 * timed at times, the calls that were are not all.
 */
static bool is_per_call(const struct report_row *row, const struct column *column)
{
	if (row->values->sampled && row->values->untimed)
		return false;
	return !(row->values->absorbed && column->param % ANALYSIS_SIDES == EXCLUSIVE);
}

GET(min)
{
	if (is_per_call(row, column) &&
	    row->values->range[column->param].min <= row->values->range[column->param].max)
		set_ticks(report, cell, row->values->range[column->param].min);
}

GET(max)
{
	if (is_per_call(row, column) &&
	    row->values->range[column->param].min <= row->values->range[column->param].max)
		set_ticks(report, cell, row->values->range[column->param].max);
}

/* Of elapsed inclusive time; param: per cent. */
GET(percentile)
{
	uint64_t ticks;

	if (row->values->sampled && row->values->untimed)
		return;
	if (analysis_percentile_ticks(row->values, column->param, &ticks))
		set_ticks(report, cell, ticks);
}

/* "least:calls" of each bucket with calls. */
GET(histogram)
{
	const struct analysis_histogram *histogram = row->values->histogram;
	const bool in_ticks = report->options->unit == REPORT_TICKS;

	for (uint32_t i = 0; histogram && i < histogram->count; i++) {
		const uint64_t least = analysis_bucket_ticks(histogram->first + i);

		if (histogram->calls[i])
			str_printf(scratch, "%s%llu:%llu", scratch->len ? " " : "",
				   (unsigned long long)(in_ticks ? least
								 : analysis_ns(report->analysis,
									       least)),
				   (unsigned long long)histogram->calls[i]);
	}
	if (scratch->len)
		cell_set_scratch(cell, scratch);
}

GET(os)
{
	const enum tare_os_cause cause = (enum tare_os_cause)column->param;

	set_count(cell, column,
		  report->options->unit == REPORT_TICKS
			  ? row->values->os_ticks[cause]
			  : analysis_os_ns(report->analysis, row->values, cause));
}

GET(confidence)
{
	const bool text = report->options->format == REPORT_TEXT;

	if (!row->function)
		return;
	if (analysis_is_within_error(row->values))
		cell_set_text(cell, text ? "?" : "within-error");
	else if (analysis_is_overhead_dominated(row->values))
		cell_set_text(cell, text ? "~" : "overhead-dominated");
}

GET(timed_by)
{
	cell_set_text(cell, row->values->sampled ? "samples" : "clock");
}

/* The ends of the interval of CPU time. */
static bool cpu_interval(const struct report *report, const struct report_row *row,
			 const struct column *column, uint64_t *low, uint64_t *high)
{
	return analysis_cpu_interval(report->analysis, row->values,
				     (enum analysis_side)(column->param % ANALYSIS_SIDES), low,
				     high);
}

GET(cpu_low)
{
	uint64_t low, high;

	if (cpu_interval(report, row, column, &low, &high))
		set_ticks(report, cell, low);
}

GET(cpu_high)
{
	uint64_t low, high;

	if (cpu_interval(report, row, column, &low, &high))
		set_ticks(report, cell, high);
}

/* The farther end, so that the share plus and minus this contains the interval. */
GET(cpu_margin)
{
	const uint64_t ticks = row->values->amount[column->param];
	uint64_t low, high;

	if (cpu_interval(report, row, column, &low, &high))
		cell_set_percent(cell,
				 analysis_amount_percent(
					 report->analysis, (enum analysis_measure)column->param,
					 high - ticks > ticks - low ? high - ticks : ticks - low));
}

GET(disarmed)
{
	if (!has_calls(row))
		return;
	if (report->options->format != REPORT_TEXT) {
		cell_set_number(cell, CELL_COUNT, row->values->disarmed || row->values->unseen);
		return;
	}
	switch (analysis_calls_are(row->values)) {
	case ANALYSIS_CALLS_ALL:
		break;
	case ANALYSIS_CALLS_AT_LEAST:
		cell_set_text(cell, report->options->unicode ? "\u2265" : ">=");
		break;
	case ANALYSIS_CALLS_ABOUT:
		cell_set_text(cell, report->options->unicode ? "\u2248" : "~");
	}
}

GET(calls_are)
{
	static const char *const words[] = {[ANALYSIS_CALLS_ALL] = "all",
					    [ANALYSIS_CALLS_AT_LEAST] = "at-least",
					    [ANALYSIS_CALLS_ABOUT] = "about"};

	if (knows_calls(row) && !is_bare(report, row, row->values->calls))
		cell_set_text(cell, words[analysis_calls_are(row->values)]);
}

/* Of a time; solid is what of it was on the CPU. */
GET(time_bar)
{
	const enum analysis_measure measure = (enum analysis_measure)column->param;
	const enum analysis_measure cpu =
		analysis_measure_of(VALUE_CPU, (enum analysis_side)(measure % ANALYSIS_SIDES));

	const uint64_t all = row->values->amount[measure], on_cpu = row->values->amount[cpu];
	cell_set_bar(cell, analysis_percent(report->analysis, row->values, measure),
		     on_cpu < all ? (double)on_cpu / (double)all : 1);
}

/* Of the samples, or of their weight where that counts: waiting. */
GET(samples_bar)
{
	const struct analysis *analysis = report->analysis;
	const enum analysis_side side = (enum analysis_side)(column->param % ANALYSIS_SIDES);
	const enum analysis_value value = analysis->by_weight ? VALUE_WEIGHT : VALUE_SAMPLES;

	cell_set_bar(cell,
		     analysis_percent(analysis, row->values, analysis_measure_of(value, side)),
		     analysis->by_weight ? 0 : 1);
}
