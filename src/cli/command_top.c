/*
 * tare top: the functions of a running recording, again and again. Exit status: 0 ended by the user
 * or with the recording, 1 failed (nothing is recorded), 2 wrong command line.
 */
#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/print.h"
#include "cli/terminal.h"
#include "cli/top_table.h"
#include "report/words/name.h"
#include "session/control.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NUMBERS_WIDTH = 10 + 12 + 13 + 13 + 13 + 14 + 2, NAME_WIDTH_MIN = 8 };

struct top_values {
	double interval_seconds;
	int64_t count, rows;
	int sort;
	bool once, batch, json;
};

static const char *const sort_choices[] = {"interval", "total", "calls", "elapsed", NULL};
table_covers(sort_choices, TOP_SORTS + 1);

static const struct option top_options[] = {
	{.name = "once",
	 .help = "Print the table of the whole recording so far, and end",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct top_values, once)},
	{.name = "batch",
	 .letter = 'b',
	 .help = "Print one table after the other, as to a file",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct top_values, batch)},
	{.name = "json",
	 .help = "Print each table as one line of JSON",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct top_values, json)},
	{.name = "interval",
	 .letter = 'i',
	 .argument = "SECONDS",
	 .help = "Time from one table to the next (1)",
	 .type = OPTION_NUMBER,
	 .min = 0,
	 .max = 86400,
	 .offset = offsetof(struct top_values, interval_seconds)},
	{.name = "count",
	 .letter = 'n',
	 .argument = "N",
	 .help = "End after N tables",
	 .type = OPTION_INTEGER,
	 .offset = offsetof(struct top_values, count)},
	{.name = "rows",
	 .argument = "N",
	 .help = "Show at most N functions (as many as fit; with --once, --batch, --json all)",
	 .type = OPTION_INTEGER,
	 .offset = offsetof(struct top_values, rows)},
	{.name = "sort",
	 .letter = 's',
	 .argument = "KEY",
	 .help = "interval: CPU exclusive time since the last table, total: of the whole "
		 "recording; calls: since the last table; elapsed: elapsed exclusive time",
	 .type = OPTION_CHOICE,
	 .choices = sort_choices,
	 .offset = offsetof(struct top_values, sort)},
	{0},
};

static const struct top_values top_defaults = {.interval_seconds = 1};

struct top {
	const struct top_values *values;
	struct session session;
	char *command;
	struct terminal terminal;
	enum top_sort sort;
	struct top_table last; /* the table shown last, if `shown` */
	uint64_t shown;
};

static bool recording_is_over(const struct top *top)
{
	return faccessat(top->session.fd, "recording", R_OK, 0) < 0;
}

/* ---- output ---- */

static double per_second(uint64_t value, const struct top_table *table)
{
	return table->interval_seconds > 0 ? (double)value / table->interval_seconds : 0;
}

/* The terminal cuts what is still too long. */
static void append_row(const struct top_row *row, const struct top_table *table, struct str *text,
		       int columns)
{
	const bool unicode = print_is_unicode();
	struct str name = {0}, module = {0};

	name_append_escaped(&name, row->function, unicode);
	name_append_escaped(&module, row->module, unicode);
	const size_t beside = NUMBERS_WIDTH + 2 + name_width(module.data);

	str_printf(text, "%10.1f %11.0f %12.1f %12.1f %12.1f %13" PRIu64 "  ",
		   per_second(row->interval_ns, table) * 1e-6,
		   per_second(row->interval_calls, table), (double)row->cpu_ns * 1e-6,
		   (double)row->elapsed_ns * 1e-6, (double)row->application_ns * 1e-6, row->calls);
	if (columns && (size_t)columns > beside + NAME_WIDTH_MIN)
		name_append_shortened(text, name.data, (size_t)columns - beside, "");
	else
		str_append(text, name.data);
	str_printf(text, "  %s\n", module.data);
	str_fini(&name);
	str_fini(&module);
}

static void table_text(const struct top *top, const struct top_table *table, struct str *text)
{
	int columns = 0, lines = INT_MAX;

	if (top->terminal.open)
		terminal_size(&columns, &lines);
	name_append_escaped(text, top->command, print_is_unicode());
	str_printf(text,
		   ": %" PRIu64 " processes, %" PRIu64 " threads, %.0f calls/s; %.1f s of "
		   "threads' time, %.1f s CPU, %.1f s application, %.1f s off",
		   table->processes, table->threads, per_second(table->interval_calls, table),
		   (double)table->elapsed_ns * 1e-9, (double)table->cpu_ns * 1e-9,
		   (double)table->application_ns * 1e-9, (double)table->off_ns * 1e-9);
	if (top->terminal.open)
		str_append(text, "\nq quit; sort by: i interval, t total, c calls, e elapsed");
	str_printf(text, "\n\n%10s %11s %12s %12s %12s %13s  %s\n", "CPU ms/s", "calls/s",
		   "CPU excl ms", "elapsed ms", "app ms", "calls", "function, module");
	int64_t rows = top->values->rows ? top->values->rows : (int64_t)lines - 5;
	vec_foreach (row, &table->rows) {
		if (rows-- <= 0)
			break;
		append_row(row, table, text, columns);
	}
}

static void print_json(const struct top *top, const struct top_table *table)
{
	int64_t rows = top->values->rows ? top->values->rows : INT64_MAX;
	const char *comma = "";
	struct str out = {0};

	str_printf(&out,
		   "{\"processes\": %" PRIu64 ", \"threads\": %" PRIu64 ", \"calls\": %" PRIu64
		   ", \"interval_s\": %.6f, \"interval_calls\": %" PRIu64
		   ", \"elapsed_ns\": %" PRIu64 ", \"cpu_ns\": %" PRIu64
		   ", \"application_ns\": %" PRIu64 ", \"off_ns\": %" PRIu64 ", \"functions\": [",
		   table->processes, table->threads, table->calls, table->interval_seconds,
		   table->interval_calls, table->elapsed_ns, table->cpu_ns, table->application_ns,
		   table->off_ns);
	vec_foreach (row, &table->rows) {
		if (rows-- <= 0)
			break;
		str_printf(&out, "%s{\"function\": ", comma);
		json_text_append(&out, row->function);
		str_append(&out, ", \"module\": ");
		json_text_append(&out, row->module);
		str_printf(&out,
			   ", \"calls\": %" PRIu64 ", \"interval_calls\": %" PRIu64
			   ", \"interval_cpu_exclusive_ns\": %" PRIu64
			   ", \"cpu_exclusive_ns\": %" PRIu64
			   ", \"application_exclusive_ns\": %" PRIu64
			   ", \"elapsed_exclusive_ns\": %" PRIu64 "}",
			   row->calls, row->interval_calls, row->interval_ns, row->cpu_ns,
			   row->application_ns, row->elapsed_ns);
		comma = ", ";
	}
	str_append(&out, "]}\n");
	print_data(out.data);
	str_fini(&out);
}

static void show(struct top *top, struct top_table *table)
{
	struct str text = {0};

	top_table_sort(table, top->sort);
	if (top->values->json) {
		print_json(top, table);
	} else {
		table_text(top, table, &text);
		if (top->terminal.open)
			terminal_show(text.data);
		else
			print_text(stdout, text.data);
	}
	print_flush();
	str_fini(&text);
}

/* ---- the loop ---- */

/* Waits for the next table; sorts and shows the last one again on the way. False: the end. */
static bool wait_for_next(struct top *top)
{
	static const char keys[] = "itce"; /* as enum top_sort */
	table_covers(keys, TOP_SORTS + 1);
	const uint64_t begin = top->last.raw_ns;
	const uint64_t wait_ns = (uint64_t)(top->values->interval_seconds * 1e9);
	struct timespec now;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		const uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		if (now_ns - begin >= wait_ns)
			return true;
		const int left_ms = (int)((wait_ns - (now_ns - begin)) / 1000000) + 1;
		if (!top->terminal.open) {
			usleep((useconds_t)(left_ms < 500 ? left_ms : 500) * 1000);
			continue;
		}
		const int key = terminal_key(left_ms);
		if (key < 0 || key == 'q')
			return false;
		const char *sort = key ? strchr(keys, key) : NULL;
		if (sort)
			top->sort = (enum top_sort)(sort - keys);
		show(top, &top->last);
	}
}

static bool look(struct top *top, struct error *err)
{
	struct top_table table = {0};

	if (!top_table_read(&top->session, top->shown ? &top->last : NULL, &table, err))
		return false;
	if (top->shown)
		top_table_fini(&top->last);
	top->last = table;
	top->shown++;
	show(top, &top->last);
	return true;
}

static bool loop(struct top *top, struct error *err)
{
	const struct top_values *values = top->values;
	const uint64_t most = values->once ? 1 : (uint64_t)values->count;

	do {
		if (recording_is_over(top))
			return true;
		if (!look(top, err))
			return recording_is_over(top) && top->shown;
	} while ((!most || top->shown < most) && wait_for_next(top));
	return true;
}

static bool find(const struct operands *operands, struct session *session, struct error *err)
{
	char *end;

	if (operands->count > 1)
		return error_set(err, ERROR_USAGE, "tare top takes one process id");
	if (!operands->count)
		return control_find_only(session, err);
	errno = 0;
	const long pid = strtol(operands->items[0], &end, 10);
	if (errno || *end || end == operands->items[0] || pid < 1 || pid > INT_MAX)
		return error_set(err, ERROR_USAGE, "\"%s\" is no process id", operands->items[0]);
	return control_find((pid_t)pid, session, err);
}

static int top_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct top_values *values = values_at;
	struct top top = {
		.session = {.fd = -1}, .values = values, .sort = (enum top_sort)values->sort};
	struct recording recording = {.fd = -1};

	if (!find(operands, &top.session, err))
		return -1;
	bool ok = control_act_as_owner(&top.session, err) &&
		  recording_read(&recording, top.session.fd, err);
	if (ok) {
		top.command = mem_strdup(recording.command_line);
		recording_fini(&recording);
		if (!values->once && !values->batch && !values->json)
			terminal_open(&top.terminal);
		ok = loop(&top, err);
		terminal_close(&top.terminal);
	}
	if (top.shown)
		top_table_fini(&top.last);
	free(top.command);
	session_close(&top.session, false);
	return ok ? EXIT_STATUS_OK : -1;
}

const struct command command_top = {
	.name = "top",
	.operands = "[PID]",
	.summary = "functions of a running recording, live",
	.description =
		"Shows where the program spends its time while it is recorded: by default the "
		"functions\n"
		"with most CPU time of their own in the last second. PID is a recorded "
		"process\n"
		"or the recorder; it may be left out where only one recording runs. In a terminal "
		"the\n"
		"table is renewed in place, q ends; elsewhere one table follows the other.\n\n"
		"Exit status: 0 ended by the user or with the recording, 1 failed (nothing is "
		"recorded),\n"
		"2 wrong command line.",
	.options = top_options,
	.operand_kind = OPERAND_PROCESS,
	.defaults = &top_defaults,
	.values_bytes = sizeof(struct top_values),
	.run = top_run,
};
