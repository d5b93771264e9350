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

static void set_text(struct cell *cell, const char *text)
{
	if (!text)
		return;
	cell->type = CELL_TEXT;
	cell->text = text;
}

static void set_number(struct cell *cell, const struct column *column, uint64_t number)
{
	cell->type = column->type;
	cell->number = number;
}

static void set_ticks(const struct report *report, struct cell *cell, uint64_t ticks)
{
	cell->type = CELL_TIME;
	cell->number = report->options->unit == REPORT_TICKS ? ticks
							     : analysis_ns(report->analysis, ticks);
}

static void set_percent(struct cell *cell, double percent)
{
	if (isnan(percent))
		return;
	cell->type = CELL_PERCENT;
	cell->percent = percent;
}

static const char *scratch_text(struct str *scratch)
{
	return scratch->data ? scratch->data : "";
}

/* "name (id)" */
static void append_named_id(struct str *scratch, const char *name, int64_t id)
{
	str_printf(scratch, "%s (%lld)", name && name[0] ? name : "?", (long long)id);
}

/* ---- identity ---- */

GET(section)
{
	set_text(cell, row->section);
}

GET(process)
{
	if (!row->process)
		return;
	append_named_id(scratch, row->process->row->name, row->process->row->pid);
	set_text(cell, scratch_text(scratch));
}

GET(thread)
{
	if (!row->thread)
		return;
	append_named_id(scratch, row->thread->row->name, row->thread->row->tid);
	set_text(cell, scratch_text(scratch));
}

GET(module)
{
	if (row->module)
		set_text(cell, row->module->name);
}

GET(module_path)
{
	if (row->module)
		set_text(cell, row->module->path);
}

GET(build_id)
{
	if (row->module)
		set_text(cell, row->module->build_id);
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

/* Outside of all functions; of samples, what nothing of the stack could be read of. */
static const char *outside_name(const struct report *report, const struct report_row *row)
{
	if (row->folded)
		return "[folded]";
	if (report->analysis->method == ANALYSIS_INSTRUMENT || row->comparison)
		return "[outside functions]";
	return row->type ? "[no caller]" : "[unknown]";
}

GET(function)
{
	if (row->annotation) {
		set_text(cell, row->annotation->name);
	} else if (row->line) {
		str_append(scratch, row->line->name ? row->line->name : "");
		if (row->line->others)
			str_printf(scratch, " (+%u)", row->line->others);
		set_text(cell, scratch_text(scratch));
	} else if (row->function) {
		report_append_function(report, row->function, scratch);
		set_text(cell, scratch_text(scratch));
	} else if (row->coverage) {
		set_text(cell, row->coverage->name);
	} else if (row->outside) {
		set_text(cell, outside_name(report, row));
	}
}

GET(hot)
{
	if (row->hot)
		set_text(cell, report->options->unicode ? "\u25b8" : ">");
}

/* The row's place in a tree: process, thread or function. */
GET(frame)
{
	if (row->last != row->node) {
		report_append_frames(report, row, scratch);
		set_text(cell, scratch_text(scratch));
		return;
	}
	if (row->function || row->outside)
		get_function(report, row, column, scratch, cell);
	if (row->function && row->node != ANALYSIS_NONE &&
	    report->analysis->nodes.data[row->node].folded) {
		str_append(scratch, " [folded]");
		set_text(cell, scratch_text(scratch));
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
	if (row->annotation)
		set_text(cell, row->annotation->source);
	else if (row->line || row->instruction)
		set_text(cell, row->line ? row->line->source : row->instruction->source);
	else if (row->function)
		set_text(cell, row->function->source);
}

GET(line)
{
	const uint32_t number = row->annotation	   ? row->annotation->line
				: row->line	   ? row->line->line
				: row->instruction ? row->instruction->line
						   : 0;
	const bool elsewhere = row->annotation && (row->annotation->depth ||
						   row->annotation->kind == ANNOTATION_INSTRUCTION);

	/* As text, lines of inlined code and of instructions stand with their file. */
	if (elsewhere && report->options->format == REPORT_TEXT)
		return;
	if (row->annotation || row->line || row->instruction) {
		if (number)
			set_number(cell, column, number);
	} else if (row->function && row->function->line > 0) {
		set_number(cell, column, (uint64_t)row->function->line);
	}
}

GET(address)
{
	if (row->instruction)
		set_number(cell, column, row->instruction->link_addr);
	else if (row->annotation && row->annotation->link_addr)
		set_number(cell, column, row->annotation->link_addr);
	else if (row->function && row->function->link_addr)
		set_number(cell, column, row->function->link_addr);
	else if (row->coverage && row->coverage->link_addr)
		set_number(cell, column, row->coverage->link_addr);
}

GET(type)
{
	set_text(cell, row->type);
}

GET(root_function)
{
	if (!row->root_function)
		return;
	report_append_function(report, row->root_function, scratch);
	set_text(cell, scratch_text(scratch));
}

GET(level)
{
	set_number(cell, column, row->level);
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
	set_text(cell, scratch_text(scratch));
}

/* ---- values ---- */

/* Processes and threads stand above the calls of a tree. */
static bool has_calls(const struct report *report, const struct report_row *row)
{
	const enum view_id view = report->view->id;

	return row->values && (row->function || (view != VIEW_CALLTREE && view != VIEW_SUMMARY));
}

GET(calls)
{
	if (has_calls(report, row))
		set_number(cell, column, row->values->calls);
}

GET(unwound)
{
	if (has_calls(report, row))
		set_number(cell, column, row->values->unwound);
}

GET(total)
{
	if (row->values)
		set_ticks(report, cell, row->values->amount[column->param]);
}

GET(percent)
{
	if (row->values)
		set_percent(cell, analysis_percent(report->analysis, row->values,
						   (enum analysis_measure)column->param));
}

GET(average)
{
	const enum analysis_measure measure = (enum analysis_measure)column->param;

	if (!row->values || !row->values->calls)
		return;
	set_number(cell, column,
		   report->options->unit == REPORT_TICKS
			   ? analysis_average_ticks(row->values, measure)
			   : analysis_average_ns(report->analysis, row->values, measure));
}

/* Exclusive values that are those of callees, too, are none of one call. */
static bool is_per_call(const struct report_row *row, const struct column *column)
{
	return row->values &&
	       !(row->values->absorbed && column->param % ANALYSIS_SIDES == EXCLUSIVE);
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

	if (row->values && analysis_percentile_ticks(row->values, column->param, &ticks))
		set_ticks(report, cell, ticks);
}

/* "least:calls" of each bucket with calls. */
GET(histogram)
{
	const struct analysis_histogram *histogram = row->values ? row->values->histogram : NULL;
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
		set_text(cell, scratch_text(scratch));
}

GET(os)
{
	const enum tare_os_cause cause = (enum tare_os_cause)column->param;

	if (!row->values)
		return;
	set_number(cell, column,
		   report->options->unit == REPORT_TICKS
			   ? row->values->os_ticks[cause]
			   : analysis_os_ns(report->analysis, row->values, cause));
}

GET(confidence)
{
	const bool text = report->options->format == REPORT_TEXT;

	if (!row->function || !row->values)
		return;
	if (analysis_is_within_error(row->values))
		set_text(cell, text ? "?" : "within-error");
	else if (analysis_is_overhead_dominated(row->values))
		set_text(cell, text ? "~" : "overhead-dominated");
}

GET(disarmed)
{
	if (!has_calls(report, row))
		return;
	if (report->options->format != REPORT_TEXT) {
		cell->type = CELL_COUNT;
		cell->number = row->values->disarmed;
	} else if (row->values->disarmed && !row->values->counted) {
		set_text(cell, report->options->unicode ? "\u2265" : ">=");
	} else if (row->values->approximate) {
		set_text(cell, report->options->unicode ? "\u2248" : "~");
	}
}

/* ---- processes and threads ---- */

GET(pid)
{
	if (row->process)
		set_number(cell, column,
			   (uint64_t)(column->param ? row->process->row->parent_pid
						    : row->process->row->pid));
}

GET(executable)
{
	if (row->process)
		set_text(cell, row->process->row->executable);
}

GET(threads)
{
	if (row->process)
		set_number(cell, column, row->process->threads);
}

GET(tid)
{
	if (row->thread)
		set_number(cell, column, (uint64_t)row->thread->row->tid);
}

/* Since the session's begin; what began before it is 0. */
GET(begin_end)
{
	const uint64_t begin = profile_session(report->analysis->profile)->begin_ticks;
	uint64_t ticks = 0;

	if (row->thread)
		ticks = column->param ? row->thread->row->end_ticks : row->thread->row->begin_ticks;
	else if (row->process)
		ticks = column->param ? row->process->row->end_ticks
				      : row->process->row->begin_ticks;
	if (ticks)
		set_ticks(report, cell, ticks > begin ? ticks - begin : 0);
}

GET(outside)
{
	if (row->thread)
		set_ticks(report, cell, row->thread->root_ticks);
	else if (row->process)
		set_ticks(report, cell, row->process->root_ticks);
}

/* ---- OS time ---- */

GET(cause)
{
	if (row->os)
		set_text(cell, analysis_causes[row->os->cause].name);
	else if (row->has_cause)
		set_text(cell, analysis_causes[row->cause].name);
}

GET(syscall)
{
	if (!row->os || row->os->syscall_number < 0)
		return;
	const char *name = syscall_name(row->os->syscall_number);
	if (!name) {
		str_printf(scratch, "syscall_%d", row->os->syscall_number);
		name = scratch_text(scratch);
	}
	set_text(cell, name);
}

GET(object)
{
	if (!row->os || row->os->syscall_number < 0)
		return;
	os_object_put(scratch, row->os, report->options->unicode);
	if (scratch->len)
		set_text(cell, scratch_text(scratch));
}

GET(os_path)
{
	if (row->os && row->os->path)
		set_text(cell, row->os->path);
}

GET(os_count)
{
	if (row->os && row->os->count)
		set_number(cell, column, row->os->count);
}

bool report_row_os_ticks(const struct report *report, const struct report_row *row, uint64_t *ticks)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	if (row->total)
		*ticks = totals->elapsed - totals->application;
	else if (row->os)
		*ticks = row->os->ticks;
	else if (row->has_cause)
		*ticks = totals->os_ticks[row->cause];
	return row->total || row->os || row->has_cause;
}

GET(os_time)
{
	uint64_t ticks;

	if (report_row_os_ticks(report, row, &ticks))
		set_ticks(report, cell, ticks);
}

GET(os_percent)
{
	const uint64_t all = report->analysis->totals.elapsed;
	uint64_t ticks;

	if (report_row_os_ticks(report, row, &ticks) && all)
		set_percent(cell, 100.0 * (double)ticks / (double)all);
}

/* ---- coverage, marks ---- */

GET(module_disarmed)
{
	if (row->module_coverage)
		set_number(cell, column, row->module_coverage->disarmed);
}

GET(found)
{
	if (row->module_coverage)
		set_number(cell, column, row->module_coverage->found);
}

GET(class_count)
{
	if (row->module_coverage)
		set_number(cell, column, row->module_coverage->count[column->param]);
}

GET(refusals)
{
	if (row->module_coverage)
		set_text(cell, row->module_coverage->refusals);
}

GET(verdict)
{
	if (row->coverage)
		set_text(cell, row->coverage->verdict);
}

GET(coverage_count)
{
	if (row->coverage)
		set_number(cell, column,
			   column->param ? row->coverage->size : row->coverage->count);
}

GET(mark)
{
	if (row->mark)
		set_number(cell, column, (uint64_t)row->mark->mark);
}

GET(mark_name)
{
	if (row->mark)
		set_text(cell, row->mark->name);
}

GET(mark_time)
{
	if (row->mark)
		set_ticks(report, cell, row->mark->ticks);
}

/* ---- the table ---- */

#define V(view) (1u << VIEW_##view)
#define CODE	(V(SUMMARY) | V(FUNCTIONS) | V(CALLERS) | V(CALLTREE))
#define VALUES	(CODE | V(MODULES) | V(THREADS) | V(PROCESSES))
#define TREE	(V(SUMMARY) | V(CALLTREE))
#define PLACES	(V(LINES) | V(INSTRUCTIONS) | V(ANNOTATE))

#define COLUMN(name_, group_, title_, type_, views_, get_, param_)                                 \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.views = (views_), .get = (get_), .param = (param_)                                \
	}
/* Of calls, of samples. */
#define CALLS(name_, group_, title_, type_, views_, get_, param_)                                  \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.views = (views_), .get = (get_), .param = (param_), .of_calls = true              \
	}
#define SAMPLES(name_, group_, title_, type_, get_, param_)                                        \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.views = VALUES | PLACES, .get = (get_), .param = (param_), .of_samples = true     \
	}
#define EACH(name_, group_, title_, get_, param_)                                                  \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = CELL_TIME,          \
		.views = CODE, .each = true, .get = (get_), .param = (param_), .of_calls = true    \
	}
#define MARGIN(name_, group_, param_)                                                              \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = "\u00b1", .type = CELL_PERCENT,       \
		.views = VALUES | PLACES, .get = report_get_samples_margin, .param = (param_),     \
		.of_samples = true, .text_only = true                                              \
	}
#define SAMPLED(part, group, samples, weight)                                                      \
	SAMPLES(part "_samples", group, "samples", CELL_COUNT, report_get_samples, samples),       \
		SAMPLES(part "_percent", group, "%", CELL_PERCENT, report_get_samples_percent,     \
			samples),                                                                  \
		MARGIN(part "_margin", group, samples),                                            \
		SAMPLES(part "_low_percent", group, "low %", CELL_PERCENT, report_get_samples_low, \
			samples),                                                                  \
		SAMPLES(part "_high_percent", group, "high %", CELL_PERCENT,                       \
			report_get_samples_high, samples),                                         \
		SAMPLES(part "_weight", group, "weight", CELL_COUNT, report_get_samples, weight),  \
		SAMPLES(part "_weight_percent", group, "weight %", CELL_PERCENT,                   \
			report_get_samples_percent, weight)
#define BAR(name_, group_, views_, get_, param_, of_calls_, of_samples_)                           \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = "", .type = CELL_BAR,                 \
		.views = (views_), .get = (get_), .param = (param_), .of_calls = (of_calls_),      \
		.of_samples = (of_samples_), .text_only = true                                     \
	}
#define CPU(name_, title_, param_)                                                                 \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = CELL_TIME,                \
		.views = V(SUMMARY), .param = (param_), .data_only = true, .get = report_get_cpu   \
	}
#define COMPARED(name, group, title, type, param)                                                  \
	COLUMN(name, group, title, type, V(METHODS), report_get_comparison, param)
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
	BAR(#name "_inclusive_bar", title, VALUES | PLACES, report_get_time_bar, ID##_INCLUSIVE,   \
	    true, false),                                                                          \
		BAR(#name "_exclusive_bar", title, VALUES, report_get_time_bar, ID##_EXCLUSIVE,    \
		    true, false)
#define OS(number, ID, cause, since, title, ...)                                                   \
	CALLS("os_" #cause, "OS time", title, CELL_TIME, VALUES, get_os, TARE_OS_##ID)

const struct column report_columns[] = {
	COLUMN("section", "", "Section", CELL_TEXT, V(SUMMARY), get_section, 0),
	COLUMN("process", "", "Process", CELL_TEXT,
	       TREE | V(THREADS) | V(PROCESSES) | V(MARKS) | V(CALLTRACE), get_process, 0),
	COLUMN("thread", "", "Thread", CELL_TEXT, TREE | V(THREADS) | V(MARKS) | V(CALLTRACE),
	       get_thread, 0),
	COLUMN("module", "", "Module", CELL_TEXT,
	       CODE | V(MODULES) | V(OS) | V(COVERAGE) | V(COVERAGE_FUNCTIONS) | V(CALLTRACE) |
		       PLACES | V(METHODS),
	       get_module, 0),
	COLUMN("function", "", "Function", CELL_TEXT,
	       CODE | V(OS) | V(COVERAGE_FUNCTIONS) | V(CALLTRACE) | PLACES | V(METHODS),
	       get_function, 0),
	COLUMN("source", "", "Source", CELL_TEXT, CODE | PLACES, get_source, 0),
	COLUMN("line", "", "Line", CELL_SIGNED, CODE | PLACES, get_line, 0),
	COLUMN("address", "", "Address", CELL_ADDRESS,
	       CODE | V(COVERAGE_FUNCTIONS) | V(INSTRUCTIONS) | V(METHODS) | V(ANNOTATE),
	       get_address, 0),
	COLUMN("pid", "", "PID", CELL_SIGNED, V(PROCESSES) | V(THREADS) | V(CALLTRACE), get_pid, 0),
	COLUMN("parent_pid", "", "Parent", CELL_SIGNED, V(PROCESSES), get_pid, 1),
	COLUMN("tid", "", "TID", CELL_SIGNED, V(THREADS) | V(CALLTRACE), get_tid, 0),
	COLUMN("executable", "", "Executable", CELL_TEXT, V(PROCESSES), get_executable, 0),
	COLUMN("threads", "", "Threads", CELL_COUNT, V(PROCESSES), get_threads, 0),
	COLUMN("begin", "", "Begin", CELL_TIME, V(PROCESSES) | V(THREADS), get_begin_end, 0),
	COLUMN("end", "", "End", CELL_TIME, V(PROCESSES) | V(THREADS), get_begin_end, 1),
	COLUMN("module_path", "", "Path", CELL_TEXT, V(MODULES) | V(COVERAGE), get_module_path, 0),
	COLUMN("build_id", "", "Build id", CELL_TEXT, V(MODULES) | V(COVERAGE), get_build_id, 0),
	CALLS("cause", "", "Cause", CELL_TEXT, V(OS) | V(SUMMARY), get_cause, 0),
	COLUMN("syscall", "", "System call", CELL_TEXT, V(OS), get_syscall, 0),
	COLUMN("object", "", "Object", CELL_TEXT, V(OS), get_object, 0),
	COLUMN("path", "", "Path", CELL_TEXT, V(OS), get_os_path, 0),
	COLUMN("count", "", "Count", CELL_COUNT, V(OS), get_os_count, 0),
	CALLS("os_time", "", "OS time", CELL_TIME, V(OS) | V(SUMMARY), get_os_time, 0),
	CALLS("os_percent", "", "%", CELL_PERCENT, V(OS) | V(SUMMARY), get_os_percent, 0),
	CALLS("calls", "", "Calls", CELL_COUNT, VALUES | PLACES, get_calls, 0),
	CALLS("unwound", "", "Unwound", CELL_COUNT, VALUES, get_unwound, 0),
	ANALYSIS_TIMES(SUMS),
	ANALYSIS_TIMES(PER_CALL),
	ANALYSIS_COSTS(COST_SUMS),
	TARE_OS_CAUSE_LIST(OS),
	CALLS("outside", "", "Outside", CELL_TIME, V(PROCESSES) | V(THREADS), get_outside, 0),
	CALLS("confidence", "", "", CELL_TEXT, CODE, get_confidence, 0),
	CALLS("disarmed", "", "", CELL_TEXT, VALUES, get_disarmed, 0),
	COLUMN("level", "", "Level", CELL_COUNT, TREE | V(ANNOTATE), get_level, 0),
	COLUMN("path", "", "Path", CELL_TEXT, V(CALLTREE), get_path, 0),
	COLUMN("type", "", "Type", CELL_TEXT, V(CALLERS), get_type, 0),
	COLUMN("root_function", "", "Of function", CELL_TEXT, V(CALLERS), get_root_function, 0),
	COLUMN("found", "", "Found", CELL_COUNT, V(COVERAGE), get_found, 0),
	COLUMN("instrumented", "", "Instrumented", CELL_COUNT, V(COVERAGE), get_class_count,
	       COVERAGE_INSTRUMENTED),
	COLUMN("part", "", "Parts", CELL_COUNT, V(COVERAGE), get_class_count, COVERAGE_PART),
	COLUMN("small", "", "Small", CELL_COUNT, V(COVERAGE), get_class_count, COVERAGE_SMALL),
	COLUMN("not_selected", "", "Not selected", CELL_COUNT, V(COVERAGE), get_class_count,
	       COVERAGE_NOT_SELECTED),
	COLUMN("disarmed", "", "Disarmed", CELL_COUNT, V(COVERAGE), get_module_disarmed, 0),
	COLUMN("refused", "", "Refused", CELL_COUNT, V(COVERAGE), get_class_count,
	       COVERAGE_REFUSED),
	COLUMN("refusals", "", "Reasons of refusal", CELL_TEXT, V(COVERAGE), get_refusals, 0),
	COLUMN("verdict", "", "Verdict", CELL_TEXT, V(COVERAGE_FUNCTIONS), get_verdict, 0),
	COLUMN("size", "", "Size", CELL_COUNT, V(COVERAGE_FUNCTIONS), get_coverage_count, 1),
	COLUMN("functions", "", "Functions", CELL_COUNT, V(COVERAGE_FUNCTIONS), get_coverage_count,
	       0),
	COLUMN("mark", "", "Mark", CELL_SIGNED, V(MARKS), get_mark, 0),
	COLUMN("name", "", "Name", CELL_TEXT, V(MARKS), get_mark_name, 0),
	COLUMN("time", "", "Time", CELL_TIME, V(MARKS), get_mark_time, 0),
	CPU("begin", "Begin", CPU_BEGIN),
	CPU("end", "End", CPU_END),
	CPU("cpu", "CPU", CPU_USED),
	{.name = "elapsed_inclusive_histogram",
	 .group = "Elapsed",
	 .title = "incl histogram",
	 .type = CELL_TEXT,
	 .views = CODE,
	 .on_request = true,
	 .of_calls = true,
	 .get = get_histogram},
	SAMPLED("inclusive", "Inclusive", SAMPLES_INCLUSIVE, WEIGHT_INCLUSIVE),
	SAMPLED("exclusive", "Exclusive", SAMPLES_EXCLUSIVE, WEIGHT_EXCLUSIVE),
	COMPARED("cpu_exclusive", "Calls", "CPU", CELL_TIME, COMPARED_CPU),
	COMPARED("cpu_percent", "Calls", "%", CELL_PERCENT, COMPARED_CPU_PERCENT),
	COMPARED("samples", "Samples", "samples", CELL_COUNT, COMPARED_SAMPLES),
	COMPARED("samples_percent", "Samples", "%", CELL_PERCENT, COMPARED_SAMPLES_PERCENT),
	COMPARED("samples_low_percent", "Samples", "low %", CELL_PERCENT, COMPARED_LOW),
	COMPARED("samples_high_percent", "Samples", "high %", CELL_PERCENT, COMPARED_HIGH),
	COMPARED("difference_percent", "", "Differ", CELL_PERCENT, COMPARED_DIFFERENCE),
	COMPARED("outside_interval", "", "", CELL_TEXT, COMPARED_OUTSIDE),
	COLUMN("time", "", "Time", CELL_TIME, V(CALLTRACE), report_get_event, EVENT_TIME),
	COLUMN("event", "", "Event", CELL_TEXT, V(CALLTRACE), report_get_event, EVENT_KIND),
	COLUMN("depth", "", "Depth", CELL_COUNT, V(CALLTRACE), report_get_event, EVENT_DEPTH),
	COLUMN("duration", "", "Duration", CELL_TIME, V(CALLTRACE), report_get_event,
	       EVENT_DURATION),
	COLUMN("cause", "", "Cause", CELL_TEXT, V(CALLTRACE), report_get_event, EVENT_CAUSE),
	COLUMN("syscall", "", "System call", CELL_TEXT, V(CALLTRACE), report_get_event,
	       EVENT_SYSCALL),
	COLUMN("mark", "", "Mark", CELL_SIGNED, V(CALLTRACE), report_get_event, EVENT_MARK),
	COLUMN("lost", "", "Lost", CELL_COUNT, V(CALLTRACE), report_get_event, EVENT_LOST),
	{.name = "frame",
	 .group = "",
	 .title = "Process / thread / function",
	 .type = CELL_TEXT,
	 .views = TREE,
	 .text_only = true,
	 .is_tree = true,
	 .get = get_frame},
	ANALYSIS_TIMES(TIME_BARS),
	BAR("inclusive_bar", "Inclusive", VALUES | PLACES, report_get_samples_bar,
	    SAMPLES_INCLUSIVE, false, true),
	BAR("exclusive_bar", "Exclusive", VALUES | PLACES, report_get_samples_bar,
	    SAMPLES_EXCLUSIVE, false, true),
	BAR("os_bar", "", V(OS) | V(SUMMARY), report_get_os_bar, 0, true, false),
	BAR("coverage_bar", "", V(COVERAGE), report_get_coverage_bar, 0, false, false),
	{.name = "lifetime",
	 .group = "",
	 .title = "Lifetime",
	 .type = CELL_TEXT,
	 .views = V(THREADS) | V(PROCESSES),
	 .text_only = true,
	 .get = report_get_lifetime},
	{.name = "cause_words",
	 .group = "",
	 .title = "Cause",
	 .type = CELL_TEXT,
	 .views = V(OS) | V(SUMMARY),
	 .text_only = true,
	 .of_calls = true,
	 .get = report_get_cause_words},
	{.name = "hot",
	 .group = "",
	 .title = "",
	 .type = CELL_TEXT,
	 .views = V(CALLTREE),
	 .text_only = true,
	 .get = get_hot},
	{.name = "place",
	 .group = "",
	 .title = "Line",
	 .type = CELL_TEXT,
	 .views = PLACES,
	 .text_only = true,
	 .get = report_get_place},
	{.name = "instruction",
	 .group = "",
	 .title = "Instruction",
	 .type = CELL_TEXT,
	 .views = V(INSTRUCTIONS),
	 .is_code = true,
	 .get = report_get_instruction},
	{.name = "text",
	 .group = "",
	 .title = "Text",
	 .type = CELL_TEXT,
	 .views = V(ANNOTATE),
	 .is_code = true,
	 .get = report_get_code},
};

const size_t report_column_count = sizeof(report_columns) / sizeof(report_columns[0]);

void column_append_name(const struct column *column, enum report_unit unit, struct str *out)
{
	str_append(out, column->name);
	if (column->type == CELL_TIME || column->type == CELL_TIME_CHANGE)
		str_append(out, unit == REPORT_TICKS ? "_ticks" : "_ns");
}

bool column_applies(const struct report *report, const struct column *column)
{
	const struct analysis *analysis = report->analysis;
	/* Values of call paths and edges are those of the method shown. */
	const bool both =
		!((V(CALLTREE) | V(CALLERS) | V(SUMMARY) | PLACES) & (1u << report->view->id));

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

static bool column_unknown(enum view_id view, const char *text, struct error *err)
{
	const char *names[COLUMNS_MAX];
	size_t count = 0;
	struct arena arena = {0};

	arena_init(&arena);
	for (size_t i = 0; i < report_column_count; i++) {
		const struct column *column = &report_columns[i];
		if (column->views & (1u << view))
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

const struct column *column_find(enum view_id view, const char *name, size_t length,
				 struct error *err)
{
	for (size_t i = 0; i < report_column_count; i++) {
		const struct column *column = &report_columns[i];
		if ((column->views & (1u << view)) && column_is_named(column, name, length))
			return column;
	}
	struct str text = {0};
	str_append_bytes(&text, name, length);
	column_unknown(view, text.data ? text.data : "", err);
	str_fini(&text);
	return NULL;
}
