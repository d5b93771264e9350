/*
 * Views and columns of samples: values with their intervals, source lines, instructions, and the
 * comparison of both methods.
 */
#include "report/table/table.h"
#include "report/words/name.h"

#include <math.h>
#include <string.h>

#define MAYBE __attribute__((unused))
#define GET(name)                                                                                  \
	void report_get_##name(MAYBE const struct report *report, const struct report_row *row,    \
			       MAYBE const struct column *column, MAYBE struct str *scratch,       \
			       struct cell *cell)

/* ---- columns ---- */

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

/* "file.c:12" */
static void set_place(struct cell *cell, struct str *scratch, const char *source, uint32_t line)
{
	if (!source)
		return;
	str_append(scratch, path_basename(source));
	if (line)
		str_printf(scratch, ":%u", line);
	cell_set_scratch(cell, scratch);
}

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
	if (code->depth) {
		str_printf(scratch, "%*s%s %s:%u ", 2 * (int)(code->depth < 20 ? code->depth : 20),
			   "", report->options->unicode ? "\u21b3" : "->",
			   code->source ? path_basename(code->source) : "?", code->line);
		name_append_brief(scratch, code->name);
	}
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
		report_set_ticks(report, cell, pair->cpu_ticks);
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

/* ---- lines and instructions ---- */

static void set_values(struct report *report, struct report_row *row,
		       const struct analysis_place *place)
{
	const struct analysis *analysis = report->analysis;
	const int base = analysis_place_base(analysis);
	const int count =
		analysis->by_call_site ? ANALYSIS_TIME_MEASURES : ANALYSIS_MEASURES - base;
	struct analysis_values *values = arena_alloc(&report->arena, sizeof(*values));

	*values = (struct analysis_values){.calls = place->calls};
	for (int i = 0; i < count; i++)
		values->amount[base + i] = place->amount[i];
	row->values = values;
}

static bool has_values(const struct analysis_place *place)
{
	return place->amount[INCLUSIVE] || place->calls;
}

bool report_fill_lines(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "lines", NULL, NULL);
	const struct report_options *options = report->options;

	(void)err;
	vec_foreach (line, &report->analysis->lines) {
		struct report_row row = report_row_of_function(report, ROW_LINE, line->function);
		set_values(report, &row, &line->values);
		row.line = line;
		/* A line of an inlined function is chosen by that one's name or by its host's. */
		const bool named = line->name &&
				   options->functions.count + options->filters.count &&
				   analysis_glob_matches(&options->functions, line->name) &&
				   analysis_glob_matches(&options->filters, line->name);
		if (has_values(&line->values) &&
		    (named || report_is_selected(report, line->function)))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

bool report_fill_instructions(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "instructions", NULL, NULL);

	(void)err;
	vec_foreach (instruction, &report->analysis->instructions) {
		struct report_row row =
			report_row_of_function(report, ROW_INSTRUCTION, instruction->function);
		set_values(report, &row, &instruction->values);
		row.instruction = instruction;
		if (has_values(&instruction->values) &&
		    report_is_selected(report, instruction->function))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

/* ---- annotate ---- */

/* Of calls made from there, text leaves the margin empty where there are none. */
static bool has_no_values(const struct report *report, const struct analysis_place *place)
{
	return report->analysis->by_call_site && report->options->format == REPORT_TEXT &&
	       !has_values(place);
}

bool report_fill_annotate(struct report *report, struct error *err)
{
	enum { CONTEXT = 5 };
	const struct report_options *options = report->options;
	struct report_table *table = report_add_table(report, "annotate", NULL, NULL);
	const struct annotation_options wanted = {
		.function = options->function,
		.assembly = options->assembly,
		.context = options->format == REPORT_TEXT && options->limit ? CONTEXT : UINT32_MAX,
		.source_paths = options->source_paths.items,
		.source_path_count = options->source_paths.count};

	if (options->sort)
		return error_set(err, ERROR_USAGE,
				 "the view annotate is in the order of the code; leave out --sort");
	report->annotated = true;
	if (!analysis_annotate(report->analysis, &wanted, &report->annotation, err))
		return false;
	vec_foreach (code, &report->annotation.rows) {
		const bool is_bare = has_no_values(report, &code->values);
		struct report_row row = report_row_empty(is_bare ? ROW_BARE : ROW_ANNOTATED);
		row.code = code;
		if (!is_bare)
			set_values(report, &row, &code->values);
		row.module = &report->analysis->modules.data[code->module];
		row.heading = code->heading;
		row.level = code->depth;
		vec_push(&table->rows, row);
	}
	return true;
}

/* ---- both methods ---- */

/* Only samples taken at set intervals of CPU time compare with CPU time. */
static bool is_of_cpu_time(const struct analysis *analysis)
{
	static const char *const names[] = {"cpu-clock", "task-clock", "cycles", "cpu-cycles",
					    "ref-cycles"};
	const char *name = analysis->event && analysis->event->name ? analysis->event->name : "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t length = strlen(names[i]);
		if (strncmp(name, names[i], length) == 0 && (!name[length] || name[length] == ':'))
			return true;
	}
	return !analysis->event;
}

static void compare(struct report *report, uint64_t cpu_ticks, uint64_t all_ticks, uint64_t samples)
{
	const struct analysis *analysis = report->analysis;
	struct report_comparison pair = {
		.cpu_ticks = cpu_ticks,
		.samples = samples,
		.cpu_percent = all_ticks ? 100.0 * (double)cpu_ticks / (double)all_ticks : NAN,
		.samples_percent = analysis_samples_percent(analysis, samples),
		.low = NAN,
		.high = NAN};

	analysis_samples_interval(analysis, samples, &pair.low, &pair.high);
	vec_push(&report->comparisons, pair);
}

bool report_fill_methods(struct report *report, struct error *err)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_totals *totals = &analysis->totals;
	const uint64_t all = totals->cpu;
	struct report_table *table = report_add_table(report, "methods", NULL, NULL);
	uint64_t outside = all;

	if (!is_of_cpu_time(analysis))
		return error_set(err, ERROR_NOT_FOUND,
				 "the view methods compares CPU time with samples of cpu-clock or "
				 "cycles, not of %s; choose one with --event",
				 analysis->event->name);
	for (uint32_t i = 0; i < analysis->functions.len; i++) {
		const struct analysis_function *function = &analysis->functions.data[i];
		const uint64_t ticks = function->values.amount[CPU_EXCLUSIVE];
		compare(report, ticks, all, function->samples_charged);
		outside -= ticks < outside ? ticks : outside;
	}
	compare(report, outside, all, totals->samples.charged_outside);
	for (uint32_t i = 0; i <= analysis->functions.len; i++) {
		const bool is_function = i < analysis->functions.len;
		const uint32_t function = is_function ? i : ANALYSIS_NONE;
		struct report_row row = report_row_of_function(report, ROW_COMPARISON, function);
		row.values = NULL;
		row.comparison = &report->comparisons.data[i];
		if ((row.comparison->cpu_ticks || row.comparison->samples) &&
		    report_is_selected(report, function))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}
