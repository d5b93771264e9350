/*
 * What was waited for: OS time in which threads were blocked, by the program's own caller, the
 * function that waits, and the object. What only waits for work stands apart.
 */
#include "report/table/table.h"

enum { WAITS_SHOWN = 5, WAITS_BESIDE = 3, IDLE_SHOWN = 3, IDLE_BESIDE = 2 };

#define SHARE_SHOWN 0.005 /* of the elapsed time: less is no reason for anything */

uint32_t report_waiter(const struct analysis *analysis, const struct analysis_os *os)
{
	const bool is_own =
		os->function != ANALYSIS_NONE &&
		!analysis->modules.data[analysis->functions.data[os->function].module].system;

	return is_own || os->caller == ANALYSIS_NONE ? os->function : os->caller;
}

/* Where an object has a name, that is it: descriptors of one file are one. */
static void append_key(const struct analysis *analysis, const struct analysis_os *os, bool idle,
		       struct str *key)
{
	str_printf(key, "%u %u %d ", report_waiter(analysis, os), os->function, os->syscall_number);
	if (os->path)
		str_append(key, os->path);
	else if (!idle)
		str_printf(key, "%llu", (unsigned long long)os->object);
}

/* What two rows do not have in common is not named. */
static void row_add(struct analysis_os *sum, const struct analysis_os *os)
{
	sum->count += os->count;
	sum->ticks += os->ticks;
	if (sum->longest_ticks < os->longest_ticks)
		sum->longest_ticks = os->longest_ticks;
	if (sum->held_ticks < os->held_ticks) {
		sum->holder = os->holder;
		sum->holder_thread = os->holder_thread;
		sum->held_ticks = os->held_ticks;
	}
	if (sum->object == os->object && sum->object_kind == os->object_kind)
		return;
	sum->object = 0;
	sum->object_kind = sum->path ? TARE_OBJECT_PATH : TARE_OBJECT_NONE;
}

/* The rows of a table, and which one each key has. */
struct waits {
	struct report *report;
	struct report_table *table;
	enum row_type type;
	struct strmap sums;
};

static void take_wait(struct waits *waits, const struct analysis_os *os)
{
	struct report *report = waits->report;
	struct report_table *table = waits->table;
	struct str key = {0};

	append_key(report->analysis, os, waits->type == ROW_IDLE, &key);
	const uint64_t place =
		*strmap_put(&waits->sums, arena_strdup(&report->arena, key.data), table->rows.len);
	str_fini(&key);
	if (place < table->rows.len) {
		row_add((struct analysis_os *)table->rows.data[place].os, os);
		return;
	}
	struct analysis_os *sum = arena_alloc(&report->arena, sizeof(*sum));
	*sum = *os;
	sum->caller = report_waiter(report->analysis, os);
	struct report_row row = report_row_of_function(report, waits->type, os->function);
	row.values = NULL;
	row.os = sum;
	vec_push(&table->rows, row);
}

static void add_waits(struct report *report, struct report_table *table, enum row_type type)
{
	const struct analysis *analysis = report->analysis;
	const bool idle = type == ROW_IDLE;
	struct waits waits = {.report = report, .table = table, .type = type};

	strmap_init(&waits.sums);
	vec_foreach (os, &analysis->os)
		if (os->cause == TARE_OS_BLOCKED && analysis_os_is_idle(analysis, os) == idle &&
		    report_is_selected(report, os->function))
			take_wait(&waits, os);
	vec_foreach (wait, &analysis->sampled_waits)
		if (wait->idle == idle && report_is_selected(report, wait->os.function))
			take_wait(&waits, &wait->os);
	strmap_fini(&waits.sums);
}

/* Rows come by descending time. */
static void leave_out_small(const struct report *report, struct report_table *table)
{
	const double least = SHARE_SHOWN * (double)report_os_whole(report->analysis);

	while (table->rows.len && (double)table->rows.data[table->rows.len - 1].os->ticks < least) {
		table->rows.len--;
		table->hidden++;
	}
}

static void add_table(struct report *report, enum row_type type, const char *name,
		      const char *title, int64_t shown)
{
	const char *columns = type == ROW_WAIT && report->analysis->has_calls
				      ? "os_time,os_percent,os_bar,count,caller,function,object,"
					"blocked_by"
			      : report->analysis->has_calls
				      ? "os_time,os_percent,os_bar,count,caller,function,object"
				      : "os_time,os_percent,os_bar,count,caller,function,woken_by,"
					"module";
	struct report_table *table = report_add_table(report, name, title, columns);

	table->drop = "os_bar,count,os_percent";
	table->limit = shown;
	add_waits(report, table, type);
	report_finish_rows(report, table, 0, "os_time");
	if (report->options->format == REPORT_TEXT &&
	    report->options->limit == REPORT_LIMIT_DEFAULT)
		leave_out_small(report, table);
	report_drop_empty(report, table);
}

void report_add_waits(struct report *report)
{
	const bool beside = report->analysis->totals.processes > 1;

	add_table(report, ROW_WAIT, "waits", "Waited longest", beside ? WAITS_BESIDE : WAITS_SHOWN);
}

void report_add_idle(struct report *report)
{
	const bool beside = report->analysis->totals.processes > 1;

	add_table(report, ROW_IDLE, "idle",
		  "Idle: waited for work, time, or the end of threads and processes",
		  beside ? IDLE_BESIDE : IDLE_SHOWN);
}
