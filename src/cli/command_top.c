/*
 * tare top: the functions of a running recording, or of any process that may be sampled, again and
 * again. Exit status: 0 ended by the user, with the recording or with the process, 1 failed
 * (nothing is recorded, may not be sampled), 2 wrong command line.
 */
#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/print.h"
#include "cli/process_choice.h"
#include "cli/terminal.h"
#include "cli/top_sampling.h"
#include "cli/top_table.h"
#include "report/words/name.h"
#include "session/control.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_WIDTH_MIN = 8, MODULE_WIDTH = 20, RECORDING_SECONDS = 30 };

struct top_values {
	double interval_seconds;
	int64_t count, rows;
	int sort;
	const char *process;
	bool once, batch, json;
};

static const char *const sort_choices[] = {"interval", "total",	  "calls",
					   "elapsed",  "blocked", NULL};
table_covers(sort_choices, TOP_SORTS + 1);

static const struct option top_options[] = {
	{.name = "pid",
	 .letter = 'p',
	 .argument = "PID|NAME",
	 .help = "The process, by number or name, as PID; one that nobody records is sampled",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct top_values, process)},
	{.name = "once",
	 .help = "Print the table of the whole recording so far, or of one interval of a process "
		 "that is not recorded, and end",
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
		 "recording; calls, blocked: since the last table; elapsed: elapsed exclusive time",
	 .type = OPTION_CHOICE,
	 .choices = sort_choices,
	 .offset = offsetof(struct top_values, sort)},
	{0},
};

static const struct top_values top_defaults = {.interval_seconds = 1};

struct top {
	const struct top_values *values;
	struct session session;
	struct top_sampling sampling; /* where top itself has begun to record */
	uint64_t sampled_since_ns;    /* the recording, which is begun anew now and then */
	struct top_table earlier;     /* the last table of those before it, if has_earlier */
	bool has_earlier, is_shown;   /* … and of this one, there is a last table */
	char *command;
	struct terminal terminal;
	enum top_sort sort;
	struct top_table last; /* the table shown last, if is_shown */
	uint64_t shown;	       /* tables */
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

/* The columns before the names; those of calls where there are any. */
static void append_numbers(const struct top_row *row, const struct top_table *table,
			   struct str *text)
{
	str_printf(text, "%9.1f", per_second(row->interval_ns[TOP_CPU], table) * 1e-6);
	if (table->has_waits)
		str_printf(text, " %8.1f %8.1f",
			   per_second(row->interval_ns[TOP_BLOCKED], table) * 1e-6,
			   per_second(row->interval_ns[TOP_PREEMPTED], table) * 1e-6);
	if (table->has_calls)
		str_printf(text, " %9.0f", per_second(row->interval_calls, table));
	str_printf(text, " %10.1f", (double)(row->time_ns[TOP_CPU] + row->earlier_cpu_ns) * 1e-6);
	if (table->has_calls)
		str_printf(text, " %11" PRIu64, row->calls);
	str_append(text, "  ");
}

static void append_heading(const struct top_table *table, struct str *text)
{
	str_printf(text, "%9s", "CPU ms/s");
	if (table->has_waits)
		str_printf(text, " %8s %8s", "blocked", "preempt");
	if (table->has_calls)
		str_printf(text, " %9s", "calls/s");
	str_printf(text, " %10s", "CPU ms");
	if (table->has_calls)
		str_printf(text, " %11s", "calls");
	str_append(text, "  function, module\n");
}

/* The function has the room that the numbers and the module leave. */
static void append_row(const struct top_row *row, const struct top_table *table, struct str *text,
		       int columns)
{
	const bool unicode = print_is_unicode();
	const size_t begin = text->len;
	struct str name = {0}, whole = {0}, module = {0};

	name_append_escaped(&whole, row->function, unicode);
	name_append_plain(&name, whole.data ? whole.data : "", unicode);
	str_clear(&whole);
	name_append_escaped(&whole, row->module, unicode);
	if (columns)
		name_append_middle(&module, whole.data, MODULE_WIDTH, unicode);
	else
		str_append(&module, whole.data);
	append_numbers(row, table, text);
	const size_t beside = text->len - begin + 2 + name_width(module.data);

	if (columns && (size_t)columns > beside + NAME_WIDTH_MIN)
		name_append_fitted(text, name.data, (size_t)columns - beside, unicode);
	else
		str_append(text, name.data);
	str_printf(text, "  %s\n", module.data);
	str_fini(&name);
	str_fini(&whole);
	str_fini(&module);
}

/* What is known of all, which the command's line must not push off the screen. */
static void append_facts(const struct top_table *table, struct str *text)
{
	str_printf(text, ": %" PRIu64 " processes, %" PRIu64 " threads", table->processes,
		   table->threads);
	if (table->has_calls)
		str_printf(text,
			   ", %.0f calls/s; %.1f s of threads' time, %.1f s CPU, %.1f s "
			   "application, %.1f s off",
			   per_second(table->interval_calls, table),
			   (double)table->elapsed_ns * 1e-9, (double)table->cpu_ns * 1e-9,
			   (double)table->application_ns * 1e-9, (double)table->off_ns * 1e-9);
	else
		str_printf(text, "; %.1f s CPU%s",
			   (double)(table->cpu_ns + table->earlier_cpu_ns) * 1e-9,
			   table->has_waits ? "" : "; blocked time needs rights, see tare doctor");
}

static void append_totals(const struct top *top, const struct top_table *table, int columns,
			  struct str *text)
{
	struct str command = {0}, facts = {0};

	name_append_escaped(&command, top->command, print_is_unicode());
	append_facts(table, &facts);
	const size_t beside = name_width(facts.data);

	if (columns && (size_t)columns > beside + NAME_WIDTH_MIN)
		name_append_middle(text, command.data ? command.data : "", (size_t)columns - beside,
				   print_is_unicode());
	else if (command.data)
		str_append(text, command.data);
	str_append(text, facts.data);
	str_fini(&command);
	str_fini(&facts);
}

static void table_text(const struct top *top, const struct top_table *table, struct str *text)
{
	int columns = 0, lines = INT_MAX;

	if (top->terminal.open)
		terminal_size(&columns, &lines);
	append_totals(top, table, columns, text);
	if (top->terminal.open)
		str_append(text,
			   "\nq quit; sort by: i interval, t total, c calls, e elapsed, b blocked");
	str_append(text, "\n\n");
	append_heading(table, text);
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
			   ", \"interval_blocked_exclusive_ns\": %" PRIu64
			   ", \"interval_preempted_exclusive_ns\": %" PRIu64
			   ", \"cpu_exclusive_ns\": %" PRIu64
			   ", \"application_exclusive_ns\": %" PRIu64
			   ", \"elapsed_exclusive_ns\": %" PRIu64 "}",
			   row->calls, row->interval_calls, row->interval_ns[TOP_CPU],
			   row->interval_ns[TOP_BLOCKED], row->interval_ns[TOP_PREEMPTED],
			   row->time_ns[TOP_CPU] + row->earlier_cpu_ns, row->application_ns,
			   row->elapsed_ns);
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

/* ---- waiting ---- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Waits for the next table; sorts and shows the last one again on the way. False: the end. */
static bool wait_for(struct top *top, uint64_t begin)
{
	static const char keys[] = "itceb"; /* as enum top_sort */
	table_covers(keys, TOP_SORTS + 1);
	const uint64_t wait_ns = (uint64_t)(top->values->interval_seconds * 1e9);

	for (;;) {
		const uint64_t passed_ns = now_ns() - begin;
		if (passed_ns >= wait_ns)
			return true;
		const int left_ms = (int)((wait_ns - passed_ns) / 1000000) + 1;
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
		if (top->is_shown)
			show(top, &top->last);
	}
}

/* ---- a process that nobody records ---- */

static bool begin_sampling(struct top *top, uint32_t target, struct error *err)
{
	top->sampled_since_ns = now_ns();
	return top_sampling_begin(&top->sampling, target, &top->session, err);
}

/* The recording's log grows, and with it what a look costs: so it is begun anew now and then. */
static bool renew(struct top *top, struct error *err)
{
	if (!top->sampling.recorder ||
	    now_ns() - top->sampled_since_ns < RECORDING_SECONDS * 1000000000ULL)
		return true;
	top_sampling_end(&top->sampling);
	session_close(&top->session, false);
	top->session = (struct session){.fd = -1};
	if (top->has_earlier)
		top_table_fini(&top->earlier);
	top->earlier = top->last;
	top->has_earlier = top->is_shown;
	top->is_shown = false;
	return begin_sampling(top, top->sampling.target, err);
}

/* ---- the loop ---- */

static bool look(struct top *top, struct error *err)
{
	struct top_table table = {0};

	if (!top_table_read(&top->session, top->is_shown ? &top->last : NULL, &table, err))
		return false;
	if (top->has_earlier)
		top_table_carry(&table, &top->earlier);
	if (top->is_shown)
		top_table_fini(&top->last);
	top->last = table;
	top->is_shown = true;
	top->shown++;
	show(top, &top->last);
	return true;
}

static bool loop(struct top *top, struct error *err)
{
	const struct top_values *values = top->values;
	const uint64_t most = values->once ? 1 : (uint64_t)values->count;

	/* A recording that begins now has nothing to show yet. */
	if (top->sampling.recorder && !wait_for(top, now_ns()))
		return true;
	uint64_t looked_ns;

	do {
		if (recording_is_over(top))
			return true;
		looked_ns = now_ns();
		if (!look(top, err))
			return recording_is_over(top) && top->shown;
		if (most && top->shown >= most)
			return true;
		if (!renew(top, err))
			return false;
	} while (wait_for(top, looked_ns));
	return true;
}

/* ---- which process ---- */

static bool find(const struct top_values *values, const struct operands *operands, struct top *top,
		 struct error *err)
{
	const char *text = operands->count ? operands->items[0] : values->process;
	uint32_t pid;

	if (operands->count > 1 || (operands->count && values->process))
		return error_set(err, ERROR_USAGE, "tare top takes one process");
	if (!text)
		return control_find_only(&top->session, err);
	if (!process_find(text, &pid, err))
		return false;
	return control_find((pid_t)pid, &top->session, err) ||
	       (kill((pid_t)pid, 0) == 0 && begin_sampling(top, pid, err));
}

static int top_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct top_values *values = values_at;
	struct top top = {
		.session = {.fd = -1}, .values = values, .sort = (enum top_sort)values->sort};
	struct recording recording = {.fd = -1};

	if (!find(values, operands, &top, err))
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
	if (top.is_shown)
		top_table_fini(&top.last);
	if (top.has_earlier)
		top_table_fini(&top.earlier);
	top_sampling_end(&top.sampling);
	free(top.command);
	session_close(&top.session, false);
	return ok ? EXIT_STATUS_OK : -1;
}

const struct command command_top = {
	.name = "top",
	.operands = "[PID|NAME]",
	.summary = "functions of a running process, live",
	.description =
		"Shows where a process spends its time: by default the functions with most CPU\n"
		"time of their own in the last second, and how long threads waited in them "
		"(blocked)\n"
		"or could not run (preempt). A process that is being recorded, or the recorder, "
		"is\n"
		"shown as it is recorded; any other one is sampled for as long as tare top runs, "
		"if\n"
		"that is permitted (tare doctor). Without PID it is the only recording that runs.\n"
		"In a terminal the table is renewed in place, q ends; elsewhere one table follows\n"
		"the other.\n\n"
		"Exit status: 0 ended by the user, with the recording or with the process, 1 "
		"failed\n"
		"(nothing is recorded, no such process, may not be sampled), 2 wrong command line.",
	.examples = "tare top                                 # the recording that runs\n"
		    "tare top nginx --once\n"
		    "tare top 1234 --sort=blocked\n",
	.options = top_options,
	.operand_kind = OPERAND_PROCESS,
	.defaults = &top_defaults,
	.values_bytes = sizeof(struct top_values),
	.run = top_run,
};
