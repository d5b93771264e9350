/*
 * The view calltrace: each event in the order of time, written as it is read. As text a call
 * without calls of its own is one line; otherwise its end is a line of its own:
 *
 *        TIME ms     DURATION  THREAD  CALL
 *       0.012345                 4711  main {
 *       0.012400        55 ns    4711    foo
 *       0.013000       655 ns    4711  } main
 *
 * Refuses --sort, and --columns for text.
 */
#include "report/calltrace.h"

#include "analysis/syscalls.h"
#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/text/line.h"
#include "report/text/text.h"
#include "report/words/name.h"
#include "report/words/number.h"
#include "report/words/style.h"

#include <inttypes.h>

enum { INDENT_MAX = 60, LINE_BEFORE_CALL = 36 };

struct calltrace {
	struct report *report;
	struct analysis_trace *trace;
	struct report_table *table;
	FILE *stream;
	bool *selected; /* by function; NULL: all */
	uint64_t rows, limit;
	struct analysis_trace_event held; /* text: an ENTER that may be a line with its end */
	bool holds;
	struct str line, name, whole; /* `whole`: the name with all that it has */
};

static struct report_row row_of(const struct calltrace *calltrace,
				const struct analysis_trace_event *event)
{
	const struct analysis *analysis = calltrace->report->analysis;
	struct report_row row = report_row_empty(ROW_EVENT);

	row.event = event;

	row.thread = &analysis->threads.data[event->thread];
	row.process = &analysis->processes.data[row.thread->process];
	if (event->function != ANALYSIS_NONE) {
		row.function = &analysis->functions.data[event->function];
		row.module = &analysis->modules.data[row.function->module];
	}
	return row;
}

/* ---- text ---- */

static void append_padded(struct str *out, const char *text, int width)
{
	str_printf(out, "%*s", width, text ? text : "");
}

static void append_time(struct calltrace *calltrace, uint64_t ticks)
{
	const struct report *report = calltrace->report;
	char text[48];

	if (report->options->unit == REPORT_TICKS) {
		snprintf(text, sizeof(text), "%" PRIu64, ticks);
	} else {
		const uint64_t ns = analysis_ns(report->analysis, ticks);
		snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);
	}
	append_padded(&calltrace->line, text, 15);
}

static void append_duration(struct calltrace *calltrace, const struct analysis_trace_event *event)
{
	const struct report *report = calltrace->report;
	struct str text = {0};

	if (event->has_duration && report->options->unit == REPORT_TICKS)
		str_printf(&text, "%" PRIu64, event->duration_ticks);
	else if (event->has_duration)
		time_append_with_unit(&text, analysis_ns(report->analysis, event->duration_ticks),
				      report->options->unicode);
	const size_t width = text.data ? name_width(text.data) : 0;

	str_printf(&calltrace->line, "%*s%s", width < 12 ? (int)(12 - width) : 0, "",
		   text.data ? text.data : "");
	str_fini(&text);
}

static void append_function(struct calltrace *calltrace, const struct analysis_trace_event *event,
			    size_t indent)
{
	const struct report_options *options = calltrace->report->options;
	const char *name = "[unknown function]";
	const size_t used = LINE_BEFORE_CALL + indent + 2;

	if (event->function != ANALYSIS_NONE)
		name = calltrace->report->analysis->functions.data[event->function].name;
	str_clear(&calltrace->name);
	str_clear(&calltrace->whole);
	name_append_escaped(&calltrace->whole, name, options->unicode);
	name_append_plain(&calltrace->name, calltrace->whole.data ? calltrace->whole.data : "",
			  options->unicode);
	name_append_shortened(
		&calltrace->line, calltrace->name.data ? calltrace->name.data : "",
		(size_t)options->width > used + 20 ? (size_t)options->width - used : 20, "");
}

static void append_note(struct calltrace *calltrace, const struct analysis_trace_event *event)
{
	struct str *line = &calltrace->line;
	const char *call = syscall_name(event->syscall_number);

	switch (event->kind) {
	case TRACE_OS:
		str_printf(line, "# OS: %s", analysis_causes[event->cause].name);
		if (call)
			str_printf(line, " (%s)", call);
		else if (event->syscall_number >= 0)
			str_printf(line, " (%d)", event->syscall_number);
		break;
	case TRACE_MARK:
		str_printf(line, "# mark %" PRId64 " ", event->mark);
		name_append_escaped(line, event->mark_name ? event->mark_name : "",
				    calltrace->report->options->unicode);
		break;
	case TRACE_OFF:
		str_append(line, "# not recorded from here on");
		break;
	case TRACE_ON:
		str_append(line, "# recorded again");
		break;
	case TRACE_LOST:
		str_append(line, "# ");
		number_append(line, event->lost);
		str_append(line, " events are missing");
		break;
	default:
		str_append(line, "# goes on with other calls");
	}
}

static void write_text_event(struct calltrace *calltrace, const struct analysis_trace_event *event,
			     bool whole)
{
	const struct analysis *analysis = calltrace->report->analysis;
	size_t indent = 2 * (size_t)event->depth;

	if (indent > INDENT_MAX)
		indent = INDENT_MAX;
	str_clear(&calltrace->line);
	append_time(calltrace, event->ticks);
	append_duration(calltrace, event);
	str_printf(&calltrace->line, "%8lld  %*s",
		   (long long)analysis->threads.data[event->thread].row->tid, (int)indent, "");
	if (event->kind == TRACE_ENTER || whole) {
		append_function(calltrace, event, indent);
		if (event->kind == TRACE_ENTER && !whole)
			str_append(&calltrace->line, " {");
	} else if (event->kind == TRACE_LEAVE || event->kind == TRACE_UNWOUND) {
		str_append(&calltrace->line, "} ");
		append_function(calltrace, event, indent);
	} else {
		append_note(calltrace, event);
	}
	if (event->kind == TRACE_UNWOUND)
		str_append(&calltrace->line, " (unwound)");
	line_write(calltrace->stream, calltrace->report->options, "", calltrace->line.data);
}

static void release_held(struct calltrace *calltrace)
{
	if (calltrace->holds)
		write_text_event(calltrace, &calltrace->held, false);
	calltrace->holds = false;
}

static void write_text(struct calltrace *calltrace, const struct analysis_trace_event *event)
{
	const struct analysis_trace_event *held = &calltrace->held;

	if (calltrace->holds && held->thread == event->thread &&
	    (event->kind == TRACE_LEAVE || event->kind == TRACE_UNWOUND) &&
	    held->depth == event->depth) {
		struct analysis_trace_event whole = *event;

		whole.ticks = held->ticks;
		calltrace->holds = false;
		write_text_event(calltrace, &whole, true);
		return;
	}
	release_held(calltrace);
	if (event->kind == TRACE_ENTER) {
		calltrace->held = *event;
		calltrace->holds = true;
	} else {
		write_text_event(calltrace, event, false);
	}
}

/* ---- begin and end ---- */

static void begin_text(struct calltrace *calltrace)
{
	const struct analysis_trace_totals *totals = analysis_trace_totals(calltrace->trace);
	const struct report_options *options = calltrace->report->options;
	struct str text = {0};

	report_write_text_header(calltrace->report, calltrace->stream,
				 calltrace->report->options->verbose);
	number_append(&text, totals->events);
	str_append(&text, " events of ");
	number_append(&text, totals->threads);
	str_append(&text, totals->threads == 1 ? " thread" : " threads");
	if (totals->lost) {
		str_append(&text, ", ");
		number_append(&text, totals->lost);
		str_append(&text, totals->limit_bytes ? " of them overwritten by later ones"
						      : " of them lost");
	}
	str_append(&text, "; times contain the cost of the probes");
	report_write_text_line(calltrace->report, calltrace->stream, "event log", &text);
	str_fini(&text);
	line_write(calltrace->stream, options, "", "");
	str_clear(&calltrace->line);
	str_printf(&calltrace->line, "%15s%12s%8s  %s",
		   options->unit == REPORT_TICKS ? "Time" : "Time, ms", "Duration", "Thread",
		   "Call");
	line_write(calltrace->stream, options, STYLE_BOLD, calltrace->line.data);
}

static void begin(struct calltrace *calltrace)
{
	const struct analysis_trace_totals *totals = analysis_trace_totals(calltrace->trace);
	FILE *stream = calltrace->stream;

	switch (calltrace->report->options->format) {
	case REPORT_TEXT:
		begin_text(calltrace);
		break;
	case REPORT_CSV:
		report_write_csv_names(calltrace->report, calltrace->table, stream);
		break;
	case REPORT_JSON:
		report_write_json_header(calltrace->report, stream);
		report_write_json_number(stream, "events_logged", totals->events);
		report_write_json_number(stream, "events_lost", totals->lost);
		report_write_json_tables(stream);
		fprintf(stream, "    \"%s\": [", calltrace->table->name);
		break;
	case REPORT_FORMATS:
		break;
	}
}

static void write_row(struct calltrace *calltrace, const struct analysis_trace_event *event)
{
	const struct report *report = calltrace->report;

	if (report->options->format == REPORT_TEXT) {
		write_text(calltrace, event);
		return;
	}
	const struct report_row row = row_of(calltrace, event);

	if (report->options->format == REPORT_CSV) {
		report_write_csv_row(report, calltrace->table, &row, calltrace->stream);
		return;
	}
	fputs(calltrace->rows ? ",\n      " : "\n      ", calltrace->stream);
	report_write_json_row(report, calltrace->table, &row, calltrace->stream);
}

static void end(struct calltrace *calltrace, bool cut)
{
	switch (calltrace->report->options->format) {
	case REPORT_TEXT:
		release_held(calltrace);
		if (cut)
			line_write(calltrace->stream, calltrace->report->options, "",
				   "(further events: --limit)");
		break;
	case REPORT_CSV:
	case REPORT_FORMATS:
		break;
	case REPORT_JSON:
		fputs(calltrace->rows ? "\n    ]\n  }\n}\n" : "]\n  }\n}\n", calltrace->stream);
		break;
	}
}

static bool is_selected(const struct calltrace *calltrace, const struct analysis_trace_event *event)
{
	if (!calltrace->selected)
		return true;
	return event->function != ANALYSIS_NONE && calltrace->selected[event->function];
}

static bool passes(const struct calltrace *calltrace, const struct analysis_trace_event *event)
{
	if (!calltrace->report->filters.len)
		return true;
	const struct report_row row = row_of(calltrace, event);
	return report_passes(calltrace->report, &row);
}

static bool write_events(struct calltrace *calltrace, struct error *err)
{
	struct analysis_trace_event event;
	int more;

	begin(calltrace);
	while ((more = analysis_trace_next(calltrace->trace, &event, err)) > 0) {
		if (!is_selected(calltrace, &event) || !passes(calltrace, &event))
			continue;
		if (calltrace->rows == calltrace->limit || ferror(calltrace->stream))
			break;
		write_row(calltrace, &event);
		calltrace->rows++;
	}
	end(calltrace, more > 0);
	return more >= 0;
}

static void select_functions(struct calltrace *calltrace)
{
	const struct report *report = calltrace->report;

	if (report_is_selected(report, ANALYSIS_NONE))
		return;
	calltrace->selected = mem_zalloc(report->analysis->functions.len + 1);
	for (size_t i = 0; i < report->analysis->functions.len; i++)
		calltrace->selected[i] = report_is_selected(report, (uint32_t)i);
}

static bool choose_range(const struct report *report, struct profile *profile,
			 struct analysis_trace_options *range, struct error *err)
{
	const struct report_options *options = report->options;

	range->depth_max = (uint32_t)options->depth;
	return (!options->from || analysis_time_parse(report->analysis, profile, options->from,
						      false, &range->from_ticks, err)) &&
	       (!options->to || analysis_time_parse(report->analysis, profile, options->to, true,
						    &range->to_ticks, err));
}

bool calltrace_write(struct report *report, FILE *stream, struct error *err)
{
	/* Streaming moves the profile's cursor only: its contents stay as they are. */
	struct profile *profile = (struct profile *)report->analysis->profile;
	struct calltrace calltrace = {
		.report = report, .stream = stream, .limit = (uint64_t)report_limit(report)};
	struct analysis_trace_options range = {0};

	if (report->options->sort)
		return error_set(err, ERROR_USAGE,
				 "the view calltrace is in the order of time; leave out --sort");
	if (report->options->format == REPORT_TEXT && report->options->columns)
		return error_set(err, ERROR_USAGE,
				 "the view calltrace has columns to choose in CSV and JSON only");
	if (!choose_range(report, profile, &range, err))
		return false;
	calltrace.trace = analysis_trace_open(report->analysis, profile, &range, err);
	if (!calltrace.trace)
		return false;
	calltrace.table = report_add_table(report, "calltrace", NULL, NULL);
	select_functions(&calltrace);
	const bool ok = write_events(&calltrace, err);

	analysis_trace_close(calltrace.trace);
	free(calltrace.selected);
	str_fini(&calltrace.line);
	str_fini(&calltrace.name);
	str_fini(&calltrace.whole);
	return ok;
}
