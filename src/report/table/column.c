/*
 * The columns of all views: names, titles, and how a row yields their cells. In text, names carry
 * what tells twins apart and shares have one unit per column; in CSV and JSON cells are plain.
 */
#include "report/table/calltree.h"
#include "report/table/os_object.h"
#include "report/table/syscalls.h"
#include "report/table/table.h"
#include "report/words/name.h"

#include <math.h>
#include <string.h>

enum { PATH_FRAMES_MAX = 256 };

/* A getter; most need only some of the parameters. */
#define MAYBE __attribute__((unused))
#define GET(name)                                                                                  \
	static void get_##name(MAYBE const struct report *report, const struct report_row *row,    \
			       MAYBE const struct column *column, MAYBE struct str *scratch,       \
			       struct cell *cell)

static void set_count(struct cell *cell, const struct column *column, uint64_t number)
{
	cell_set_number(cell, column->type, number);
}

void report_set_ticks(const struct report *report, struct cell *cell, uint64_t ticks)
{
	cell_set_number(cell, CELL_TIME,
			report->options->unit == REPORT_TICKS
				? ticks
				: analysis_ns(report->analysis, ticks));
}

/* "name (id)" */
static void append_named_id(struct str *scratch, const char *name, int64_t id)
{
	str_printf(scratch, "%s (%lld)", name && name[0] ? name : "?", (long long)id);
}

/* ---- identity ---- */

GET(section)
{
	static const char *const names[] = {[ROW_STEP] = "hot_path",
					    [ROW_BUSY] = "functions",
					    [ROW_CAUSE] = "os",
					    [ROW_CPU] = "cpu"};

	cell_set_text(cell, names[row->type]);
}

GET(process)
{
	if (!row->process)
		return;
	append_named_id(scratch, row->process->row->name, row->process->row->pid);
	cell_set_scratch(cell, scratch);
}

GET(thread)
{
	if (!row->thread)
		return;
	append_named_id(scratch, row->thread->row->name, row->thread->row->tid);
	cell_set_scratch(cell, scratch);
}

GET(module)
{
	if (row->module)
		cell_set_text(cell, row->module->name);
}

GET(module_path)
{
	if (row->module)
		cell_set_text(cell, row->module->path);
}

GET(build_id)
{
	if (row->module)
		cell_set_text(cell, row->module->build_id);
}

void report_append_function(const struct report *report, const struct analysis_function *function,
			    struct str *scratch)
{
	str_append(scratch, function->name);
	if (report->options->format == REPORT_TEXT && function->inlined)
		str_append(scratch, " (inlined)");
	if (report->options->format == REPORT_TEXT && function->has_twin)
		str_printf(scratch, " @%llx", (unsigned long long)function->link_addr);
}

GET(function)
{
	if (row->function) {
		report_append_function(report, row->function, scratch);
		cell_set_scratch(cell, scratch);
	} else if (row->outside) {
		/* Of samples, what nothing of the stack could be read of. */
		cell_set_text(cell, report->analysis->method == ANALYSIS_INSTRUMENT
					    ? "[outside functions]"
					    : "[unknown]");
	}
}

GET(relative)
{
	if (row->function)
		get_function(report, row, column, scratch, cell);
	else
		cell_set_text(cell, row->relation->folded ? "[folded]"
				    : report->analysis->method == ANALYSIS_INSTRUMENT
					    ? "[outside functions]"
					    : "[no caller]");
}

GET(compared_function)
{
	if (row->function)
		get_function(report, row, column, scratch, cell);
	else
		cell_set_text(cell, "[outside functions]");
}

GET(line_function)
{
	str_append(scratch, row->line->name ? row->line->name : "");
	if (row->line->others)
		str_printf(scratch, " (+%u)", row->line->others);
	cell_set_scratch(cell, scratch);
}

GET(code_function)
{
	cell_set_text(cell, row->code->name);
}

GET(verdict_function)
{
	cell_set_text(cell, row->coverage->name);
}

GET(hot)
{
	if (row->hot)
		cell_set_text(cell, report->options->unicode ? "\u25b8" : ">");
}

/* The row's place in a tree: process, thread or function. */
GET(frame)
{
	if (row->last != row->node) {
		report_append_frames(report, row, scratch);
		cell_set_scratch(cell, scratch);
		return;
	}
	if (row->function || row->outside)
		get_function(report, row, column, scratch, cell);
	if (row->function && row->node != ANALYSIS_NONE &&
	    report->analysis->nodes.data[row->node].folded) {
		str_append(scratch, " [folded]");
		cell_set_scratch(cell, scratch);
	}
	if (row->function || row->outside)
		return;
	if (row->thread)
		get_thread(report, row, column, scratch, cell);
	else
		get_process(report, row, column, scratch, cell);
}

GET(source)
{
	if (row->function)
		cell_set_text(cell, row->function->source);
}

GET(line_source)
{
	cell_set_text(cell, row->line->source);
}

GET(instruction_source)
{
	cell_set_text(cell, row->instruction->source);
}

GET(code_source)
{
	cell_set_text(cell, row->code->source);
}

GET(line)
{
	if (row->function && row->function->line > 0)
		set_count(cell, column, (uint64_t)row->function->line);
}

GET(line_line)
{
	if (row->line->line)
		set_count(cell, column, row->line->line);
}

GET(instruction_line)
{
	if (row->instruction->line)
		set_count(cell, column, row->instruction->line);
}

/* As text, lines of inlined code and of instructions stand with their file. */
GET(code_line)
{
	const bool elsewhere = row->code->depth || row->code->kind == ANNOTATION_INSTRUCTION;

	if (row->code->line && !(elsewhere && report->options->format == REPORT_TEXT))
		set_count(cell, column, row->code->line);
}

GET(address)
{
	if (row->function && row->function->link_addr)
		set_count(cell, column, row->function->link_addr);
}

GET(instruction_address)
{
	set_count(cell, column, row->instruction->link_addr);
}

GET(code_address)
{
	if (row->code->link_addr)
		set_count(cell, column, row->code->link_addr);
}

GET(verdict_address)
{
	if (row->coverage->link_addr)
		set_count(cell, column, row->coverage->link_addr);
}

GET(relation)
{
	cell_set_text(cell, row->relation->name);
}

GET(root_function)
{
	report_append_function(report, row->relation->root, scratch);
	cell_set_scratch(cell, scratch);
}

GET(level)
{
	set_count(cell, column, row->level);
}

/* Separators inside a name are escaped, so that a path splits into its frames again. */
static void append_frame(struct str *scratch, const char *name)
{
	for (size_t plain; (plain = strcspn(name, ";\\"), name[plain]); name += plain + 1) {
		str_append_bytes(scratch, name, plain);
		str_append(scratch, "\\");
		str_append_bytes(scratch, name + plain, 1);
	}
	str_append(scratch, name);
}

/* The innermost frames: so a row costs the same however deep the recursion that it lies in. */
static void append_frames(const struct report *report, const struct report_row *row,
			  struct str *scratch)
{
	const struct analysis *analysis = report->analysis;
	const uint32_t level = analysis->nodes.data[row->last].level + analysis->is_rooted;
	const uint32_t count = level < PATH_FRAMES_MAX ? level : PATH_FRAMES_MAX;
	const struct analysis_function *frames[PATH_FRAMES_MAX];
	uint32_t at = row->last;

	if (analysis->nodes.data[at].folded)
		str_append(scratch, ";[folded]");
	for (uint32_t i = count; i-- > 0; at = analysis->nodes.data[at].parent)
		frames[i] = &analysis->functions.data[analysis->nodes.data[at].function];
	if (count < level)
		str_printf(scratch, ";[%u more]", level - count);
	for (uint32_t i = 0; i < count; i++) {
		str_append(scratch, ";");
		append_frame(scratch, frames[i]->name);
	}
}

GET(path)
{
	struct str part = {0};

	if (row->process) {
		append_named_id(&part, row->process->row->name, row->process->row->pid);
		append_frame(scratch, part.data);
	}
	if (row->thread) {
		str_clear(&part);
		append_named_id(&part, row->thread->row->name, row->thread->row->tid);
		str_append(scratch, ";");
		append_frame(scratch, part.data);
	}
	str_fini(&part);
	if (row->node != ANALYSIS_NONE)
		append_frames(report, row, scratch);
	cell_set_scratch(cell, scratch);
}

/* ---- values ---- */

/* Processes and threads stand above the calls of a tree. */
static bool has_calls(const struct report_row *row)
{
	return row->function || (row->type != ROW_PATH && row->type != ROW_STEP);
}

GET(calls)
{
	if (has_calls(row))
		set_count(cell, column, row->values->calls);
}

GET(unwound)
{
	if (has_calls(row))
		set_count(cell, column, row->values->unwound);
}

GET(total)
{
	report_set_ticks(report, cell, row->values->amount[column->param]);
}

GET(percent)
{
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

/* Exclusive values that are those of callees, too, are none of one call. */
static bool is_per_call(const struct report_row *row, const struct column *column)
{
	return !(row->values->absorbed && column->param % ANALYSIS_SIDES == EXCLUSIVE);
}

GET(min)
{
	if (is_per_call(row, column) &&
	    row->values->range[column->param].min <= row->values->range[column->param].max)
		report_set_ticks(report, cell, row->values->range[column->param].min);
}

GET(max)
{
	if (is_per_call(row, column) &&
	    row->values->range[column->param].min <= row->values->range[column->param].max)
		report_set_ticks(report, cell, row->values->range[column->param].max);
}

/* Of elapsed inclusive time; param: per cent. */
GET(percentile)
{
	uint64_t ticks;

	if (analysis_percentile_ticks(row->values, column->param, &ticks))
		report_set_ticks(report, cell, ticks);
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

GET(disarmed)
{
	if (!has_calls(row))
		return;
	if (report->options->format != REPORT_TEXT) {
		cell_set_number(cell, CELL_COUNT, row->values->disarmed);
	} else if (row->values->disarmed && !row->values->counted) {
		cell_set_text(cell, report->options->unicode ? "\u2265" : ">=");
	} else if (row->values->approximate) {
		cell_set_text(cell, report->options->unicode ? "\u2248" : "~");
	}
}

/* ---- processes and threads ---- */

GET(pid)
{
	set_count(cell, column, (uint64_t)row->process->row->pid);
}

GET(parent_pid)
{
	set_count(cell, column, (uint64_t)row->process->row->parent_pid);
}

GET(executable)
{
	cell_set_text(cell, row->process->row->executable);
}

GET(threads)
{
	set_count(cell, column, row->process->threads);
}

GET(tid)
{
	set_count(cell, column, (uint64_t)row->thread->row->tid);
}

/* Since the session's begin; what began before it is 0. */
static void set_moment(const struct report *report, struct cell *cell, uint64_t ticks)
{
	const uint64_t begin = profile_session(report->analysis->profile)->begin_ticks;

	if (ticks)
		report_set_ticks(report, cell, ticks > begin ? ticks - begin : 0);
}

GET(process_begin)
{
	set_moment(report, cell, row->process->row->begin_ticks);
}

GET(process_end)
{
	set_moment(report, cell, row->process->row->end_ticks);
}

GET(thread_begin)
{
	set_moment(report, cell, row->thread->row->begin_ticks);
}

GET(thread_end)
{
	set_moment(report, cell, row->thread->row->end_ticks);
}

GET(process_outside)
{
	report_set_ticks(report, cell, row->process->root_ticks);
}

GET(thread_outside)
{
	report_set_ticks(report, cell, row->thread->root_ticks);
}

/* ---- OS time ---- */

GET(cause)
{
	cell_set_text(cell, analysis_causes[row->os->cause].name);
}

GET(syscall)
{
	if (row->os->syscall_number < 0)
		return;
	const char *name = syscall_name(row->os->syscall_number);
	if (!name)
		str_printf(scratch, "syscall_%d", row->os->syscall_number);
	cell_set_text(cell, name ? name : scratch->data);
}

GET(object)
{
	if (row->os->syscall_number < 0)
		return;
	os_object_put(scratch, row->os, report->options->unicode);
	if (scratch->len)
		cell_set_scratch(cell, scratch);
}

GET(os_path)
{
	cell_set_text(cell, row->os->path);
}

GET(os_count)
{
	if (row->os->count)
		set_count(cell, column, row->os->count);
}

GET(os_time)
{
	report_set_ticks(report, cell, row->os->ticks);
}

GET(os_percent)
{
	const uint64_t all = report->analysis->totals.elapsed;

	if (all)
		cell_set_percent(cell, 100.0 * (double)row->os->ticks / (double)all);
}

/* ---- coverage, marks ---- */

GET(module_disarmed)
{
	set_count(cell, column, row->module_coverage->disarmed);
}

GET(found)
{
	set_count(cell, column, row->module_coverage->found);
}

GET(class_count)
{
	set_count(cell, column, row->module_coverage->count[column->param]);
}

GET(refusals)
{
	cell_set_text(cell, row->module_coverage->refusals);
}

GET(verdict)
{
	cell_set_text(cell, row->coverage->verdict);
}

GET(size)
{
	set_count(cell, column, row->coverage->size);
}

GET(functions)
{
	set_count(cell, column, row->coverage->count);
}

GET(mark)
{
	set_count(cell, column, (uint64_t)row->mark->mark);
}

GET(mark_name)
{
	cell_set_text(cell, row->mark->name);
}

GET(mark_time)
{
	report_set_ticks(report, cell, row->mark->ticks);
}

/* ---- the table ---- */

/* The rows that a column reads: the tables of each view have them by its `rows`. */
#define R(type)	 (1u << ROW_##type)
#define TREE	 (R(PATH) | R(STEP))
#define CODE	 (R(FUNCTION) | R(BUSY) | R(RELATIVE) | TREE)
#define VALUES	 (CODE | R(MODULE) | R(THREAD) | R(PROCESS))
#define PLACES	 (R(LINE) | R(INSTRUCTION) | R(ANNOTATED))
#define SOURCE	 (R(ANNOTATED) | R(BARE))
#define OS_TIMES (R(OS) | R(CAUSE) | R(OS_TOTAL))

#define COLUMN(name_, group_, title_, type_, rows_, get_, param_)                                  \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.rows = (rows_), .get = (get_), .param = (param_)                                  \
	}
#define NAME(name_, title_, role_, rows_, get_)                                                    \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = CELL_TEXT,                \
		.role = (role_), .rows = (rows_), .get = (get_)                                    \
	}
/* Names that only text has. */
#define SHOWN(name_, title_, role_, rows_, get_)                                                   \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = CELL_TEXT,                \
		.role = (role_), .rows = (rows_), .get = (get_), .text_only = true                 \
	}
/* Of calls, of samples. */
#define CALLS(name_, group_, title_, type_, rows_, get_, param_)                                   \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.rows = (rows_), .get = (get_), .param = (param_), .of_calls = true                \
	}
#define SIGN(name_, role_, rows_, get_)                                                            \
	{                                                                                          \
		.name = (name_), .group = "", .title = "", .type = CELL_TEXT, .role = (role_),     \
		.rows = (rows_), .get = (get_), .of_calls = true                                   \
	}
#define SAMPLES(name_, group_, title_, type_, role_, get_, param_)                                 \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.role = (role_), .rows = VALUES | PLACES, .get = (get_), .param = (param_),        \
		.of_samples = true                                                                 \
	}
#define EACH(name_, group_, title_, get_, param_)                                                  \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = CELL_TIME,          \
		.rows = CODE, .each = true, .get = (get_), .param = (param_), .of_calls = true     \
	}
#define MARGIN(name_, group_, param_)                                                              \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = "\u00b1", .type = CELL_PERCENT,       \
		.role = ROLE_MARGIN, .rows = VALUES | PLACES, .get = report_get_samples_margin,    \
		.param = (param_), .of_samples = true, .text_only = true                           \
	}
#define SAMPLED(part, group, samples, weight)                                                      \
	SAMPLES(part "_samples", group, "samples", CELL_COUNT, ROLE_NONE, report_get_samples,      \
		samples),                                                                          \
		SAMPLES(part "_percent", group, "%", CELL_PERCENT, ROLE_NONE,                      \
			report_get_samples_percent, samples),                                      \
		MARGIN(part "_margin", group, samples),                                            \
		SAMPLES(part "_low_percent", group, "low %", CELL_PERCENT, ROLE_BOUND,             \
			report_get_samples_low, samples),                                          \
		SAMPLES(part "_high_percent", group, "high %", CELL_PERCENT, ROLE_BOUND,           \
			report_get_samples_high, samples),                                         \
		SAMPLES(part "_weight", group, "weight", CELL_COUNT, ROLE_WEIGHT,                  \
			report_get_samples, weight),                                               \
		SAMPLES(part "_weight_percent", group, "weight %", CELL_PERCENT, ROLE_NONE,        \
			report_get_samples_percent, weight)
#define BAR(name_, group_, role_, rows_, get_, param_, of_calls_, of_samples_)                     \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = "", .type = CELL_BAR,                 \
		.role = (role_), .rows = (rows_), .get = (get_), .param = (param_),                \
		.of_calls = (of_calls_), .of_samples = (of_samples_), .text_only = true            \
	}
#define CPU(name_, title_, param_)                                                                 \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = CELL_TIME,                \
		.rows = R(CPU), .param = (param_), .data_only = true, .get = report_get_cpu        \
	}
#define COMPARED(name, group, title, type, param)                                                  \
	COLUMN(name, group, title, type, R(COMPARISON), report_get_comparison, param)
#define COMPARED_AS(name_, group_, title_, type_, role_, param_)                                   \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.role = (role_), .rows = R(COMPARISON), .get = report_get_comparison,              \
		.param = (param_)                                                                  \
	}
/* A value's columns: the sums of all, and then what there is of each. */
#define SUMS(ID, name, title, ...)                                                                 \
	CALLS(#name "_inclusive", title, "incl", CELL_TIME, VALUES | PLACES, get_total,            \
	      ID##_INCLUSIVE),                                                                     \
		CALLS(#name "_exclusive", title, "excl", CELL_TIME, VALUES, get_total,             \
		      ID##_EXCLUSIVE)
#define COST_SUMS(ID, name, title)                                                                 \
	CALLS(#name "_inclusive", title, "incl", CELL_TIME, VALUES, get_total, ID##_INCLUSIVE),    \
		CALLS(#name "_exclusive", title, "excl", CELL_TIME, VALUES, get_total,             \
		      ID##_EXCLUSIVE)
#define AVERAGE_OF(name, group, part, measure, views)                                              \
	CALLS(name "_percent", group, part " %", CELL_PERCENT, views, get_percent, measure),       \
		EACH(name "_avg", group, part " avg", get_average, measure)
#define RANGE_OF(name, group, part, measure, views)                                                \
	AVERAGE_OF(name, group, part, measure, views),                                             \
		EACH(name "_min", group, part " min", get_min, measure),                           \
		EACH(name "_max", group, part " max", get_max, measure)
#define SPREAD_OF(name, group, part, measure, views)                                               \
	RANGE_OF(name, group, part, measure, views),                                               \
		EACH(name "_p50", group, part " p50", get_percentile, 50),                         \
		EACH(name "_p90", group, part " p90", get_percentile, 90),                         \
		EACH(name "_p99", group, part " p99", get_percentile, 99)
/* Exclusive times have no percentiles. */
#define AVERAGE_ALONE AVERAGE_OF
#define RANGE_ALONE   RANGE_OF
#define SPREAD_ALONE  RANGE_OF
#define PER_CALL(ID, name, title, calls)                                                           \
	calls##_OF(#name "_inclusive", title, "incl", ID##_INCLUSIVE, VALUES | PLACES),            \
		calls##_ALONE(#name "_exclusive", title, "excl", ID##_EXCLUSIVE, VALUES)
#define TIME_BARS(ID, name, title, ...)                                                            \
	BAR(#name "_inclusive_bar", title, ROLE_TIME_BAR, VALUES | PLACES, report_get_time_bar,    \
	    ID##_INCLUSIVE, true, false),                                                          \
		BAR(#name "_exclusive_bar", title, ROLE_TIME_BAR, VALUES, report_get_time_bar,     \
		    ID##_EXCLUSIVE, true, false)
#define OS(number, ID, cause, since, title, ...)                                                   \
	CALLS("os_" #cause, "OS time", title, CELL_TIME, VALUES, get_os, TARE_OS_##ID)

const struct column report_columns[] = {
	COLUMN("section", "", "Section", CELL_TEXT, R(STEP) | R(BUSY) | R(CAUSE) | R(CPU),
	       get_section, 0),
	NAME("process", "Process", ROLE_WHOLE, TREE | R(THREAD) | R(PROCESS) | R(MARK) | R(EVENT),
	     get_process),
	NAME("thread", "Thread", ROLE_WHOLE, TREE | R(THREAD) | R(MARK) | R(EVENT), get_thread),
	NAME("module", "Module", ROLE_ASIDE,
	     CODE | R(MODULE) | R(OS) | R(COVERAGE) | R(VERDICT) | R(EVENT) | PLACES | SOURCE |
		     R(COMPARISON),
	     get_module),
	NAME("function", "Function", ROLE_FUNCTION,
	     R(FUNCTION) | R(BUSY) | TREE | R(OS) | R(EVENT) | R(INSTRUCTION), get_function),
	NAME("function", "Function", ROLE_FUNCTION, R(RELATIVE), get_relative),
	NAME("function", "Function", ROLE_FUNCTION, R(COMPARISON), get_compared_function),
	NAME("function", "Function", ROLE_FUNCTION, R(LINE), get_line_function),
	NAME("function", "Function", ROLE_FUNCTION, SOURCE, get_code_function),
	NAME("function", "Function", ROLE_FUNCTION, R(VERDICT), get_verdict_function),
	NAME("source", "Source", ROLE_NONE, CODE, get_source),
	NAME("source", "Source", ROLE_NONE, R(LINE), get_line_source),
	NAME("source", "Source", ROLE_NONE, R(INSTRUCTION), get_instruction_source),
	NAME("source", "Source", ROLE_NONE, SOURCE, get_code_source),
	COLUMN("line", "", "Line", CELL_SIGNED, CODE, get_line, 0),
	COLUMN("line", "", "Line", CELL_SIGNED, R(LINE), get_line_line, 0),
	COLUMN("line", "", "Line", CELL_SIGNED, R(INSTRUCTION), get_instruction_line, 0),
	COLUMN("line", "", "Line", CELL_SIGNED, SOURCE, get_code_line, 0),
	COLUMN("address", "", "Address", CELL_ADDRESS, CODE | R(COMPARISON), get_address, 0),
	COLUMN("address", "", "Address", CELL_ADDRESS, R(INSTRUCTION), get_instruction_address, 0),
	COLUMN("address", "", "Address", CELL_ADDRESS, SOURCE, get_code_address, 0),
	COLUMN("address", "", "Address", CELL_ADDRESS, R(VERDICT), get_verdict_address, 0),
	COLUMN("pid", "", "PID", CELL_SIGNED, R(PROCESS) | R(THREAD) | R(EVENT), get_pid, 0),
	COLUMN("parent_pid", "", "Parent", CELL_SIGNED, R(PROCESS), get_parent_pid, 0),
	COLUMN("tid", "", "TID", CELL_SIGNED, R(THREAD) | R(EVENT), get_tid, 0),
	COLUMN("executable", "", "Executable", CELL_TEXT, R(PROCESS), get_executable, 0),
	COLUMN("threads", "", "Threads", CELL_COUNT, R(PROCESS), get_threads, 0),
	COLUMN("begin", "", "Begin", CELL_TIME, R(PROCESS), get_process_begin, 0),
	COLUMN("begin", "", "Begin", CELL_TIME, R(THREAD), get_thread_begin, 0),
	COLUMN("end", "", "End", CELL_TIME, R(PROCESS), get_process_end, 0),
	COLUMN("end", "", "End", CELL_TIME, R(THREAD), get_thread_end, 0),
	COLUMN("module_path", "", "Path", CELL_TEXT, R(MODULE) | R(COVERAGE), get_module_path, 0),
	COLUMN("build_id", "", "Build id", CELL_TEXT, R(MODULE) | R(COVERAGE), get_build_id, 0),
	CALLS("cause", "", "Cause", CELL_TEXT, R(OS) | R(CAUSE), get_cause, 0),
	COLUMN("syscall", "", "System call", CELL_TEXT, R(OS), get_syscall, 0),
	NAME("object", "Object", ROLE_OBJECT, R(OS), get_object),
	COLUMN("path", "", "Path", CELL_TEXT, R(OS), get_os_path, 0),
	COLUMN("count", "", "Count", CELL_COUNT, R(OS), get_os_count, 0),
	CALLS("os_time", "", "OS time", CELL_TIME, OS_TIMES, get_os_time, 0),
	CALLS("os_percent", "", "%", CELL_PERCENT, OS_TIMES, get_os_percent, 0),
	CALLS("calls", "", "Calls", CELL_COUNT, VALUES | PLACES, get_calls, 0),
	CALLS("unwound", "", "Unwound", CELL_COUNT, VALUES, get_unwound, 0),
	ANALYSIS_TIMES(SUMS),
	ANALYSIS_TIMES(PER_CALL),
	ANALYSIS_COSTS(COST_SUMS),
	TARE_OS_CAUSE_LIST(OS),
	CALLS("outside", "", "Outside", CELL_TIME, R(PROCESS), get_process_outside, 0),
	CALLS("outside", "", "Outside", CELL_TIME, R(THREAD), get_thread_outside, 0),
	SIGN("confidence", ROLE_CONFIDENCE, CODE, get_confidence),
	SIGN("disarmed", ROLE_DISARMED, VALUES, get_disarmed),
	COLUMN("level", "", "Level", CELL_COUNT, TREE | R(BUSY) | R(CAUSE) | R(CPU) | SOURCE,
	       get_level, 0),
	NAME("path", "Path", ROLE_CALL_PATH, R(PATH), get_path),
	COLUMN("type", "", "Type", CELL_TEXT, R(RELATIVE), get_relation, 0),
	NAME("root_function", "Of function", ROLE_OTHER_FUNCTION, R(RELATIVE), get_root_function),
	COLUMN("found", "", "Found", CELL_COUNT, R(COVERAGE), get_found, 0),
	COLUMN("instrumented", "", "Instrumented", CELL_COUNT, R(COVERAGE), get_class_count,
	       COVERAGE_INSTRUMENTED),
	COLUMN("part", "", "Parts", CELL_COUNT, R(COVERAGE), get_class_count, COVERAGE_PART),
	COLUMN("small", "", "Small", CELL_COUNT, R(COVERAGE), get_class_count, COVERAGE_SMALL),
	COLUMN("not_selected", "", "Not selected", CELL_COUNT, R(COVERAGE), get_class_count,
	       COVERAGE_NOT_SELECTED),
	{.name = "disarmed",
	 .group = "",
	 .title = "Disarmed",
	 .type = CELL_COUNT,
	 .role = ROLE_DISARMED,
	 .rows = R(COVERAGE),
	 .get = get_module_disarmed},
	COLUMN("refused", "", "Refused", CELL_COUNT, R(COVERAGE), get_class_count,
	       COVERAGE_REFUSED),
	COLUMN("refusals", "", "Reasons of refusal", CELL_TEXT, R(COVERAGE), get_refusals, 0),
	COLUMN("verdict", "", "Verdict", CELL_TEXT, R(VERDICT), get_verdict, 0),
	COLUMN("size", "", "Size", CELL_COUNT, R(VERDICT), get_size, 0),
	COLUMN("functions", "", "Functions", CELL_COUNT, R(VERDICT), get_functions, 0),
	COLUMN("mark", "", "Mark", CELL_SIGNED, R(MARK), get_mark, 0),
	COLUMN("name", "", "Name", CELL_TEXT, R(MARK), get_mark_name, 0),
	COLUMN("time", "", "Time", CELL_TIME, R(MARK), get_mark_time, 0),
	CPU("begin", "Begin", CPU_BEGIN),
	CPU("end", "End", CPU_END),
	CPU("cpu", "CPU", CPU_USED),
	{.name = "elapsed_inclusive_histogram",
	 .group = "Elapsed",
	 .title = "incl histogram",
	 .type = CELL_TEXT,
	 .rows = CODE,
	 .on_request = true,
	 .of_calls = true,
	 .get = get_histogram},
	SAMPLED("inclusive", "Inclusive", SAMPLES_INCLUSIVE, WEIGHT_INCLUSIVE),
	SAMPLED("exclusive", "Exclusive", SAMPLES_EXCLUSIVE, WEIGHT_EXCLUSIVE),
	COMPARED("cpu_exclusive", "Calls", "CPU", CELL_TIME, COMPARED_CPU),
	COMPARED("cpu_percent", "Calls", "%", CELL_PERCENT, COMPARED_CPU_PERCENT),
	COMPARED("samples", "Samples", "samples", CELL_COUNT, COMPARED_SAMPLES),
	COMPARED("samples_percent", "Samples", "%", CELL_PERCENT, COMPARED_SAMPLES_PERCENT),
	COMPARED_AS("samples_low_percent", "Samples", "low %", CELL_PERCENT, ROLE_BOUND,
		    COMPARED_LOW),
	COMPARED_AS("samples_high_percent", "Samples", "high %", CELL_PERCENT, ROLE_BOUND,
		    COMPARED_HIGH),
	COMPARED_AS("difference_percent", "", "Differ", CELL_PERCENT, ROLE_BOUND,
		    COMPARED_DIFFERENCE),
	COMPARED_AS("outside_interval", "", "", CELL_TEXT, ROLE_DIFFERS, COMPARED_OUTSIDE),
	COLUMN("time", "", "Time", CELL_TIME, R(EVENT), report_get_event, EVENT_TIME),
	COLUMN("event", "", "Event", CELL_TEXT, R(EVENT), report_get_event, EVENT_KIND),
	COLUMN("depth", "", "Depth", CELL_COUNT, R(EVENT), report_get_event, EVENT_DEPTH),
	COLUMN("duration", "", "Duration", CELL_TIME, R(EVENT), report_get_event, EVENT_DURATION),
	COLUMN("cause", "", "Cause", CELL_TEXT, R(EVENT), report_get_event, EVENT_CAUSE),
	COLUMN("syscall", "", "System call", CELL_TEXT, R(EVENT), report_get_event, EVENT_SYSCALL),
	COLUMN("mark", "", "Mark", CELL_SIGNED, R(EVENT), report_get_event, EVENT_MARK),
	COLUMN("lost", "", "Lost", CELL_COUNT, R(EVENT), report_get_event, EVENT_LOST),
	SHOWN("frame", "Process / thread / function", ROLE_FRAME, TREE, get_frame),
	ANALYSIS_TIMES(TIME_BARS),
	BAR("inclusive_bar", "Inclusive", ROLE_NONE, VALUES | PLACES, report_get_samples_bar,
	    SAMPLES_INCLUSIVE, false, true),
	BAR("exclusive_bar", "Exclusive", ROLE_NONE, VALUES | PLACES, report_get_samples_bar,
	    SAMPLES_EXCLUSIVE, false, true),
	BAR("os_bar", "", ROLE_NONE, R(OS) | R(CAUSE), report_get_os_bar, 0, true, false),
	BAR("coverage_bar", "", ROLE_NONE, R(COVERAGE), report_get_coverage_bar, 0, false, false),
	SHOWN("lifetime", "Lifetime", ROLE_WHOLE, R(THREAD), report_get_thread_lifetime),
	SHOWN("lifetime", "Lifetime", ROLE_WHOLE, R(PROCESS), report_get_process_lifetime),
	{.name = "cause_words",
	 .group = "",
	 .title = "Cause",
	 .type = CELL_TEXT,
	 .role = ROLE_WHOLE,
	 .rows = OS_TIMES,
	 .text_only = true,
	 .of_calls = true,
	 .get = report_get_cause_words},
	SHOWN("hot", "", ROLE_HOT, R(PATH), get_hot),
	SHOWN("place", "Line", ROLE_WHOLE, R(LINE), report_get_line_place),
	SHOWN("place", "Line", ROLE_WHOLE, R(INSTRUCTION), report_get_instruction_place),
	SHOWN("place", "Line", ROLE_WHOLE, SOURCE, report_get_code_place),
	NAME("instruction", "Instruction", ROLE_CODE, R(INSTRUCTION), report_get_instruction),
	NAME("text", "Text", ROLE_SOURCE, SOURCE, report_get_code),
};

const size_t report_column_count = sizeof(report_columns) / sizeof(report_columns[0]);

bool column_is_of(const struct column *column, const struct view *view)
{
	return column->rows & view->rows;
}

void column_read(const struct column *column, const struct report *report,
		 const struct report_row *row, struct str *scratch, struct cell *cell)
{
	*cell = (struct cell){0};
	str_clear(scratch);
	if (column->rows & 1u << row->type)
		column->get(report, row, column, scratch, cell);
}

void column_append_name(const struct column *column, enum report_unit unit, struct str *out)
{
	str_append(out, column->name);
	if (column->type == CELL_TIME || column->type == CELL_TIME_CHANGE)
		str_append(out, unit == REPORT_TICKS ? "_ticks" : "_ns");
}

bool column_applies(const struct report *report, const struct column *column)
{
	const struct analysis *analysis = report->analysis;
	const bool both = !report->view->is_of_method;

	if (column->data_only && report->options->format == REPORT_TEXT)
		return false;
	if (column->of_calls)
		return analysis->method == ANALYSIS_INSTRUMENT || (both && analysis->has_calls);
	if (column->of_samples)
		return analysis->method == ANALYSIS_SAMPLE || (both && analysis->event);
	return true;
}

/* The name with or without its unit. */
static bool column_is_named(const struct column *column, const char *name, size_t length)
{
	const size_t stem = strlen(column->name);

	if (length < stem || memcmp(column->name, name, stem) != 0)
		return false;
	const char *rest = name + stem;
	const size_t left = length - stem;
	return left == 0 ||
	       (column->type == CELL_TIME && ((left == 3 && memcmp(rest, "_ns", 3) == 0) ||
					      (left == 6 && memcmp(rest, "_ticks", 6) == 0)));
}

static bool column_unknown(const struct view *view, const char *text, struct error *err)
{
	const char *names[COLUMNS_MAX];
	size_t count = 0;
	struct arena arena = {0};

	arena_init(&arena);
	for (size_t i = 0; i < report_column_count; i++) {
		const struct column *column = &report_columns[i];
		if (column_is_of(column, view))
			names[count++] = arena_printf(&arena, "%s%s", column->name,
						      column->type == CELL_TIME ? "_ns" : "");
	}
	const char *nearest = str_nearest(text, names, count);
	if (nearest)
		error_set(err, ERROR_USAGE, "this view has no column \"%s\"; did you mean \"%s\"?",
			  text, nearest);
	else
		error_set(err, ERROR_USAGE,
			  "this view has no column \"%s\"; --columns=all shows every column", text);
	arena_fini(&arena);
	return false;
}

const struct column *column_find(const struct view *view, const char *name, size_t length,
				 struct error *err)
{
	for (size_t i = 0; i < report_column_count; i++) {
		const struct column *column = &report_columns[i];
		if (column_is_of(column, view) && column_is_named(column, name, length))
			return column;
	}
	struct str text = {0};
	str_append_bytes(&text, name, length);
	column_unknown(view, text.data ? text.data : "", err);
	str_fini(&text);
	return NULL;
}
