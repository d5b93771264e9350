/* OS time: by function, system call and object, by cause, and in all. */
#include "report/table/table.h"

/* All of a cause, or of all causes. */
static void add_os_sum(struct report *report, struct report_table *table, enum row_type type,
		       enum tare_os_cause cause, uint64_t ticks)
{
	struct analysis_os *os = arena_alloc(&report->arena, sizeof(*os));
	struct report_row row = report_row_empty(type);

	*os = (struct analysis_os){
		.function = ANALYSIS_NONE, .cause = cause, .syscall_number = -1, .ticks = ticks};
	row.os = os;
	vec_push(&table->rows, row);
}

/* As text, and where no row is left out by a filter. */
static void add_os_total(struct report *report, struct report_table *table)
{
	const struct report_options *options = report->options;
	const struct analysis_totals *totals = &report->analysis->totals;

	if (options->format != REPORT_TEXT || !table->rows.len || table->by_user ||
	    options->modules.count || options->functions.count || options->filters.count ||
	    report->filters.len)
		return;
	add_os_sum(report, table, ROW_OS_TOTAL, TARE_OS_CAUSES,
		   totals->elapsed - totals->application);
}

static void add_os_row(struct report *report, struct report_table *table, enum row_type type,
		       const struct analysis_os *os)
{
	struct report_row row = report_row_of_function(report, type, os->function);

	row.values = NULL;
	row.os = os;
	if (report_is_selected(report, os->function))
		vec_push(&table->rows, row);
}

bool report_fill_os(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "os", NULL, NULL);

	(void)err;
	vec_reserve(&table->rows, report->analysis->os.len);
	vec_foreach (os, &report->analysis->os)
		add_os_row(report, table, ROW_OS, os);
	report_finish_rows(report, table, 0, NULL);
	add_os_total(report, table);
	return true;
}

bool report_fill_locks(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "locks", NULL, NULL);

	(void)err;
	vec_foreach (os, &report->analysis->locks)
		add_os_row(report, table, ROW_LOCK, os);
	report_finish_rows(report, table, 0, NULL);
	return true;
}

/* Text has seldom room for what wakers had waited for before. */
bool report_fill_wakers(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "wakers", NULL, NULL);

	(void)err;
	if (report->options->format == REPORT_TEXT && !table->by_user)
		vec_foreach (waker, &report->analysis->direct_wakers)
			add_os_row(report, table, ROW_WAKER, &waker->os);
	else
		vec_foreach (waker, &report->analysis->wakers)
			add_os_row(report, table, ROW_WAKER, &waker->os);
	report_finish_rows(report, table, 0, NULL);
	return true;
}

void report_add_causes(struct report *report)
{
	struct report_table *table = report_add_table(report, "os", "OS time by cause",
						      "os_time,os_percent,os_bar,cause_words");

	for (int i = 0; i < TARE_OS_CAUSES; i++)
		add_os_sum(report, table, ROW_CAUSE, (enum tare_os_cause)i,
			   report->analysis->totals.os_ticks[i]);
	add_os_total(report, table);
}
