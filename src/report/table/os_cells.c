/* OS time: its cause, system call and object. */
#include "analysis/syscalls.h"
#include "report/table/getter.h"
#include "report/table/os_object.h"
#include "report/table/table.h"

#define HELD_MOSTLY 0.95 /* of the ticks: whoever had it then had it */

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

GET(os_caller)
{
	const struct analysis *analysis = report->analysis;

	if (row->os->caller == ANALYSIS_NONE)
		return;
	report_append_function(report, &analysis->functions.data[row->os->caller], scratch);
	cell_set_scratch(cell, scratch);
}

/* Of several who had the lock the one that had it for the longest, with its share. */
GET(blocked_by)
{
	const struct analysis_os *os = row->os;

	if (os->holder_thread == ANALYSIS_NONE)
		return;
	if (os->holder != ANALYSIS_NONE)
		report_append_function(report, &report->analysis->functions.data[os->holder],
				       scratch);
	else
		str_append(scratch, "?");
	if (report->options->format == REPORT_TEXT &&
	    (double)os->held_ticks < HELD_MOSTLY * (double)os->ticks)
		str_printf(scratch, " %.0f %%", 100.0 * (double)os->held_ticks / (double)os->ticks);
	cell_set_scratch(cell, scratch);
}

static void append_thread(const struct report *report, uint32_t index, struct str *out)
{
	const struct profile_thread *thread = report->analysis->threads.data[index].row;

	str_printf(out, "%s (%lld)", thread->name ? thread->name : "", (long long)thread->tid);
}

GET(blocked_by_thread)
{
	if (row->os->holder_thread == ANALYSIS_NONE)
		return;
	append_thread(report, row->os->holder_thread, scratch);
	cell_set_scratch(cell, scratch);
}

GET(waited)
{
	const struct analysis *analysis = report->analysis;
	const size_t function = (size_t)(row->function - analysis->functions.data);

	if (analysis->waited && row->function)
		set_ticks(report, cell, analysis->waited[function].ticks[column->param]);
}

static void append_waker(const struct report *report, const struct analysis_wake *wake,
			 struct str *out)
{
	if (wake->kind == WAKE_NOT_KNOWN)
		str_append(out, "[unseen]");
	else if (wake->kind == WAKE_BY_INTERRUPT)
		str_append(out, "[interrupt]");
	else if (wake->function == ANALYSIS_NONE)
		str_append(out, "?");
	else
		report_append_function(report, &report->analysis->functions.data[wake->function],
				       out);
}

static void append_waking_thread(const struct report *report, const struct analysis_wake *wake,
				 struct str *out)
{
	const struct profile_thread *thread = report->analysis->threads.data[wake->thread].row;

	if (wake->threads)
		str_printf(out, "%s (%u processes)", thread->name ? thread->name : "",
			   wake->threads);
	else
		append_thread(report, wake->thread, out);
}

GET(woken_by)
{
	if (!row->os->wake)
		return;
	append_waker(report, row->os->wake, scratch);
	cell_set_scratch(cell, scratch);
}

GET(woken_by_thread)
{
	if (!row->os->wake || row->os->wake->thread == ANALYSIS_NONE)
		return;
	append_waking_thread(report, row->os->wake, scratch);
	cell_set_scratch(cell, scratch);
}

/* The nearest first. */
GET(woken_before)
{
	const struct analysis_wake *wake = row->os->wake ? row->os->wake->before : NULL;

	if (!wake)
		return;
	for (; wake; wake = wake->before) {
		append_waker(report, wake, scratch);
		if (wake->thread != ANALYSIS_NONE) {
			str_append(scratch, " in ");
			append_waking_thread(report, wake, scratch);
		}
		if (wake->before)
			str_append(scratch, ", ");
	}
	cell_set_scratch(cell, scratch);
}

GET(os_longest)
{
	if (row->os->longest_ticks)
		set_ticks(report, cell, row->os->longest_ticks);
}

GET(os_count)
{
	if (row->os->count)
		set_count(cell, column, row->os->count);
}

GET(os_time)
{
	set_ticks(report, cell, row->os->ticks);
}

/* Of waits that samples tell of: all that was waited. */
uint64_t report_os_whole(const struct analysis *analysis)
{
	return analysis->has_calls ? analysis->totals.elapsed : analysis->totals.sampled_waits;
}

GET(os_percent)
{
	const uint64_t all = report_os_whole(report->analysis);

	if (all)
		cell_set_percent(cell, 100.0 * (double)row->os->ticks / (double)all);
}

/* Not of the total, which would be the longest, and leave no room to compare its parts. */
GET(os_bar)
{
	const uint64_t all = report_os_whole(report->analysis);

	if (all)
		cell_set_bar(cell, 100.0 * (double)row->os->ticks / (double)all, 0);
}

/* With the meaning beside them in the summary, which has one row per cause. */
GET(cause_words)
{
	if (row->type == ROW_OS_TOTAL) {
		cell_set_text(cell, "in all");
		return;
	}
	const struct analysis_cause *cause = &analysis_causes[row->os->cause];
	if (row->type == ROW_CAUSE)
		str_printf(scratch, "%-12s  %s", cause->words, cause->meaning);
	cell_set_text(cell, row->type == ROW_CAUSE ? scratch->data : cause->words);
}
