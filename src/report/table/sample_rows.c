/* Source lines, instructions, annotated code, and functions by both methods. */
#include "report/table/table.h"

#include "analysis/executions.h"

#include <math.h>
#include <string.h>

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
	for (int side = 0; side < ANALYSIS_SIDES && !analysis->by_call_site; side++)
		values->amount[CPU_INCLUSIVE + side] =
			analysis_place_cpu(analysis, place, (enum analysis_side)side);
	row->values = values;
}

/* Code that was never executed is not used either. */
static bool is_wanted(const struct report *report, const struct analysis_place *place)
{
	return report->options->never ? place->has_executions && !place->executions
				      : analysis_place_is_used(place);
}

/* What was never executed is in the order of the code. */
static const char *order_of(const struct report *report, const char *code)
{
	return report->options->never && !report->options->sort ? code : NULL;
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
		row.outside = false;
		if (is_wanted(report, &line->values) &&
		    (named || report_is_selected(report, line->function)))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, order_of(report, "source,+line"));
	return true;
}

/* A row for all instructions of a block, at the first of them. */
static void add_never(struct report *report, struct report_table *table,
		      const struct executed_block *block)
{
	struct analysis_instruction *row = arena_new(&report->arena, struct analysis_instruction);
	struct report_row shown = report_row_of_function(report, ROW_INSTRUCTION, block->function);

	*row = (struct analysis_instruction){
		.function = block->function,
		.link_addr = block->link_addr,
		.text = arena_printf(&report->arena, "%llu instruction%s",
				     (unsigned long long)block->instructions,
				     block->instructions == 1 ? "" : "s"),
		.values = {.has_executions = true}};
	set_values(report, &shown, &row->values);
	shown.instruction = row;
	shown.outside = false;
	shown.module = &report->analysis->modules.data[block->module];
	if (report_module_is_selected(report, shown.module) &&
	    (block->function == ANALYSIS_NONE ? !report->options->functions.count
					      : report_is_selected(report, block->function)))
		vec_push(&table->rows, shown);
}

bool report_fill_instructions(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "instructions", NULL, NULL);

	(void)err;
	if (report->options->never) {
		vec_foreach (block, &report->analysis->executions->blocks)
			if (!block->count)
				add_never(report, table, block);
		report_finish_rows(report, table, 0, order_of(report, "module,+address"));
		return true;
	}
	vec_foreach (instruction, &report->analysis->instructions) {
		struct report_row row =
			report_row_of_function(report, ROW_INSTRUCTION, instruction->function);
		set_values(report, &row, &instruction->values);
		row.instruction = instruction;
		if (is_wanted(report, &instruction->values) &&
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
	       !analysis_place_is_used(place);
}

bool report_fill_annotate(struct report *report, struct error *err)
{
	enum { CONTEXT = 5 };
	const struct report_options *options = report->options;
	struct report_table *table = report_add_table(report, "annotate", NULL, NULL);
	const struct annotation_options wanted = {
		.function = options->function,
		.whole = options->whole,
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

	if (!analysis_is_of_cpu_time(analysis))
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
