/* What only threads and processes have: ids, spans of life, time outside of functions, CPU use. */
#include "report/table/getter.h"
#include "report/words/bar.h"

enum { SPAN_WIDTH = 12, SPAN_WIDTH_WIDE = 24, WIDE = 120 };

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

GET(host)
{
	cell_set_text(cell, profile_process_host(profile_session(report->analysis->profile),
						 row->process->row));
}

GET(launcher)
{
	cell_set_text(cell, row->process->row->launcher);
}

GET(rank)
{
	if (row->process->row->launcher)
		set_count(cell, column, row->process->row->rank);
}

GET(ranks)
{
	if (row->process->row->ranks)
		set_count(cell, column, row->process->row->ranks);
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
		set_ticks(report, cell, ticks > begin ? ticks - begin : 0);
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
	set_ticks(report, cell, row->process->root_ticks);
}

GET(thread_outside)
{
	set_ticks(report, cell, row->thread->root_ticks);
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

GET(thread_lifetime)
{
	const struct profile_thread *thread = row->thread->row;

	set_lifetime(report, thread->begin_ticks, thread->end_ticks, scratch, cell);
}

GET(process_lifetime)
{
	const struct profile_process *process = row->process->row;

	set_lifetime(report, process->begin_ticks, process->end_ticks, scratch, cell);
}

GET(cpu)
{
	const struct report_cpu *cpu = row->cpu;

	if (column->param != CPU_USED && cpu->end_ticks == 0)
		return;
	const uint64_t ticks = column->param == CPU_BEGIN ? cpu->begin_ticks
			       : column->param == CPU_END ? cpu->end_ticks
							  : cpu->cpu_ticks;
	set_ticks(report, cell, ticks);
}
