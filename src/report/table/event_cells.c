/* The cells of events of the log. */
#include "analysis/syscalls.h"
#include "report/table/getter.h"

static void set_syscall(struct cell *cell, int number, struct str *scratch)
{
	const char *name = syscall_name(number);

	if (number < 0)
		return;
	if (!name) {
		str_printf(scratch, "%d", number);
		name = scratch->data;
	}
	cell_set_text(cell, name);
}

GET(event)
{
	const struct analysis_trace_event *event = row->event;

	switch ((enum event_column)column->param) {
	case EVENT_TIME:
		set_ticks(report, cell, event->ticks);
		break;
	case EVENT_KIND:
		cell_set_text(cell, analysis_trace_kind_name(event->kind));
		break;
	case EVENT_DEPTH:
		cell_set_number(cell, CELL_COUNT, event->depth);
		break;
	case EVENT_DURATION:
		if (event->has_duration)
			set_ticks(report, cell, event->duration_ticks);
		break;
	case EVENT_CAUSE:
		if (event->kind == TRACE_OS)
			cell_set_text(cell, analysis_causes[event->cause].name);
		break;
	case EVENT_SYSCALL:
		set_syscall(cell, event->syscall_number, scratch);
		break;
	case EVENT_MARK:
		if (event->kind == TRACE_MARK)
			cell_set_number(cell, CELL_SIGNED, (uint64_t)event->mark);
		break;
	case EVENT_LOST:
		if (event->kind == TRACE_LOST)
			cell_set_number(cell, CELL_COUNT, event->lost);
		break;
	}
}
