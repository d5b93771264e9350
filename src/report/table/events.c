/* The cells of events of the log. */
#include "report/table/syscalls.h"
#include "report/table/table.h"

static uint64_t in_unit(const struct report *report, uint64_t ticks)
{
	return report->options->unit == REPORT_TICKS ? ticks : analysis_ns(report->analysis, ticks);
}

static void set_text(struct cell *cell, const char *text)
{
	if (!text)
		return;
	cell->type = CELL_TEXT;
	cell->text = text;
}

static void set_number(struct cell *cell, enum cell_type type, uint64_t number)
{
	cell->type = type;
	cell->number = number;
}

static void set_syscall(struct cell *cell, int number, struct str *scratch)
{
	const char *name = syscall_name(number);

	if (number < 0)
		return;
	if (!name) {
		str_printf(scratch, "%d", number);
		name = scratch->data;
	}
	set_text(cell, name);
}

void report_get_event(const struct report *report, const struct report_row *row,
		      const struct column *column, struct str *scratch, struct cell *cell)
{
	const struct analysis_trace_event *event = row->event;

	if (!event)
		return;
	switch ((enum event_column)column->param) {
	case EVENT_TIME:
		set_number(cell, CELL_TIME, in_unit(report, event->ticks));
		break;
	case EVENT_KIND:
		set_text(cell, analysis_trace_kind_name(event->kind));
		break;
	case EVENT_DEPTH:
		set_number(cell, CELL_COUNT, event->depth);
		break;
	case EVENT_DURATION:
		if (event->has_duration)
			set_number(cell, CELL_TIME, in_unit(report, event->duration_ticks));
		break;
	case EVENT_CAUSE:
		if (event->kind == TRACE_OS)
			set_text(cell, analysis_causes[event->cause].name);
		break;
	case EVENT_SYSCALL:
		set_syscall(cell, event->syscall_number, scratch);
		break;
	case EVENT_MARK:
		if (event->kind == TRACE_MARK)
			set_number(cell, CELL_SIGNED, (uint64_t)event->mark);
		break;
	case EVENT_LOST:
		if (event->kind == TRACE_LOST)
			set_number(cell, CELL_COUNT, event->lost);
		break;
	}
}
