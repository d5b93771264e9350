/*
 * tare ctl: control a running recording. Exit status: 0 done, 1 failed (no such process, not
 * recorded, another user's), 2 wrong command line.
 */
#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/print.h"
#include "cli/written.h"
#include "record/record.h"
#include "session/control.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ctl_values {
	const char *output;
	bool process, json, quiet;
};

static const struct option ctl_options[] = {
	{.name = "process",
	 .help = "start, stop, suspend, resume: only the process PID, not the whole recording",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct ctl_values, process)},
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "dump: write to FILE instead of COMMAND.snapshot.tare",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct ctl_values, output)},
	{.name = "json",
	 .help = "status: for programs",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct ctl_values, json)},
	{.name = "quiet",
	 .letter = 'q',
	 .help = "Print errors only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct ctl_values, quiet)},
	{0},
};

/* What the operations work on. */
struct ctl {
	const struct ctl_values *values;
	const struct session *session;
	pid_t pid;
	char *const *arguments; /* behind the operation */
	size_t argument_count;
};

struct operation {
	const char *name;
	size_t arguments_least, arguments_most;
	bool (*run)(const struct ctl *ctl, enum tare_operation level, struct error *err);
	enum tare_operation level;
};

static bool change(const struct ctl *ctl, enum tare_operation level, struct error *err)
{
	return control_change_level(ctl->session, level, ctl->values->process ? ctl->pid : 0, err);
}

static bool number_parse(const char *text, long long least, long long most, long long *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 10);
	return !errno && end != text && !*end && *number >= least && *number <= most;
}

static bool mark(const struct ctl *ctl, enum tare_operation level, struct error *err)
{
	long long id;

	(void)level;
	if (!number_parse(ctl->arguments[0], LLONG_MIN, LLONG_MAX, &id))
		return error_set(err, ERROR_USAGE, "the mark's id \"%s\" is no number",
				 ctl->arguments[0]);
	return control_mark(ctl->session, id, ctl->argument_count > 1 ? ctl->arguments[1] : "",
			    err);
}

/* ---- status ---- */

static void append_level_json(struct str *out, uint64_t level, bool on)
{
	str_printf(out, "\"on\": %s, \"started\": %s, \"suspended\": %" PRId32,
		   on ? "true" : "false", level & TARE_LEVEL_STOPPED ? "false" : "true",
		   tare_level_suspensions(level));
}

static void print_status_json(const struct ctl *ctl, const struct control_status *status,
			      const struct recording *recording)
{
	struct str out = {0};

	str_printf(&out, "{\"recorder\": %" PRId64 ", \"session\": ", recording->recorder_pid);
	json_text_append(&out, ctl->session->directory);
	str_append(&out, ", \"command\": ");
	json_text_append(&out, recording->command_line);
	str_append(&out, ", \"output\": ");
	json_text_append(&out, recording->output);
	str_append(&out, ", \"global\": {");
	append_level_json(&out, status->global, status->on);
	str_append(&out, "}, \"processes\": [");
	vec_foreach (process, &status->processes) {
		str_printf(&out, "%s\n  {\"pid\": %d, \"name\": ",
			   process == status->processes.data ? "" : ",", (int)process->pid);
		json_text_append(&out, process->command);
		str_append(&out, ", ");
		append_level_json(&out, process->level, process->on);
		str_printf(&out,
			   ", \"threads\": %zu, \"off_ticks\": %" PRIu64
			   ", \"unreachable_modules\": %" PRIu64 "}",
			   process->threads, process->off_ticks, process->unreachable);
	}
	str_append(&out, "]}\n");
	print_data(out.data);
	str_fini(&out);
}

static void append_level(struct str *out, uint64_t level, bool on)
{
	str_printf(out, " is %s", on ? "on" : "off");
	if (level & TARE_LEVEL_STOPPED)
		str_append(out, ", stopped");
	if (tare_level_suspensions(level))
		str_printf(out, ", suspended %" PRId32 " times", tare_level_suspensions(level));
}

static void print_status_text(const struct control_status *status,
			      const struct recording *recording)
{
	struct str level = {0};

	print_line(stdout, "%s", recording->command_line);
	print_line(stdout, "recorder %" PRId64 ", writes %s at its end", recording->recorder_pid,
		   recording->output);
	append_level(&level, status->global, status->on);
	print_line(stdout, "the recording%s", level.data);
	vec_foreach (process, &status->processes) {
		str_clear(&level);
		append_level(&level, process->level, process->on);
		print_line(stdout, "process %d (%s)%s, %zu thread%s", (int)process->pid,
			   process->command, level.data, process->threads,
			   process->threads == 1 ? "" : "s");
	}
	str_fini(&level);
}

static bool status_show(const struct ctl *ctl, enum tare_operation level, struct error *err)
{
	struct control_status status = {0};
	struct recording recording = {.fd = -1};

	(void)level;
	if (!recording_read(&recording, ctl->session->fd, err))
		return false;
	const bool ok = control_status_read(ctl->session, &status, err);
	if (ok && ctl->values->json)
		print_status_json(ctl, &status, &recording);
	else if (ok)
		print_status_text(&status, &recording);
	if (ok)
		control_status_fini(&status);
	recording_fini(&recording);
	return ok;
}

/* ---- dump ---- */

static bool dump(const struct ctl *ctl, enum tare_operation level, struct error *err)
{
	struct record_result result = {0};

	(void)level;
	if (!record_dump(ctl->session, ctl->values->output, &result, err))
		return false;
	if (!ctl->values->quiet)
		written_print(&command_ctl, result.output, "");
	record_result_fini(&result);
	return true;
}

/* ---- all of it ---- */

static const struct operation operations[] = {
	{"start", 0, 0, change, TARE_START},	 {"stop", 0, 0, change, TARE_STOP},
	{"suspend", 0, 0, change, TARE_SUSPEND}, {"resume", 0, 0, change, TARE_RESUME},
	{"mark", 1, 2, mark, TARE_START},	 {"status", 0, 0, status_show, TARE_START},
	{"dump", 0, 0, dump, TARE_START},
};

enum { OPERATION_COUNT = sizeof(operations) / sizeof(operations[0]) };

static const char *const *operation_names(void)
{
	static const char *names[OPERATION_COUNT + 1];

	for (size_t i = 0; i < OPERATION_COUNT; i++)
		names[i] = operations[i].name;
	return names;
}

static const struct operation *operation_find(const char *name, struct error *err)
{
	for (size_t i = 0; i < OPERATION_COUNT; i++)
		if (!strcmp(operations[i].name, name))
			return &operations[i];
	const char *nearest = str_nearest(name, operation_names(), OPERATION_COUNT);
	error_set(err, ERROR_USAGE, "unknown operation \"%s\"%s%s%s", name,
		  nearest ? "; did you mean \"" : "; see tare ctl --help", nearest ? nearest : "",
		  nearest ? "\"?" : "");
	return NULL;
}

static int ctl_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct ctl_values *values = values_at;
	struct session session = {.fd = -1};
	long long pid;

	if (operands->count < 2) {
		error_set(err, ERROR_USAGE,
			  "which process and what? tare ctl PID "
			  "start|stop|suspend|resume|mark|status|dump");
		return -1;
	}
	if (!number_parse(operands->items[0], 1, INT_MAX, &pid)) {
		error_set(err, ERROR_USAGE, "\"%s\" is no process id", operands->items[0]);
		return -1;
	}
	const struct operation *operation = operation_find(operands->items[1], err);
	if (!operation)
		return -1;
	const struct ctl ctl = {.values = values,
				.session = &session,
				.pid = (pid_t)pid,
				.arguments = operands->items + 2,
				.argument_count = operands->count - 2};
	if (ctl.argument_count < operation->arguments_least ||
	    ctl.argument_count > operation->arguments_most) {
		error_set(err, ERROR_USAGE,
			  operation->arguments_most ? "tare ctl PID mark ID [TEXT]"
						    : "\"%s\" takes no further words",
			  operation->name);
		return -1;
	}
	if (!control_find(ctl.pid, &session, err))
		return -1;
	const bool ok =
		control_act_as_owner(&session, err) && operation->run(&ctl, operation->level, err);
	session_close(&session, false);
	return ok ? EXIT_STATUS_OK : -1;
}

const struct command command_ctl = {
	.name = "ctl",
	.operands = "PID start|stop|suspend|resume|mark ID [TEXT]|status|dump",
	.summary = "control a running recording",
	.description =
		"Controls the recording that the process PID belongs to: one that is recorded, or "
		"the\n"
		"recorder. Root controls everybody's, as the user whose it is.\n"
		"  start, stop        sets or clears the recording's flag\n"
		"  suspend, resume    raises or lowers its count; it is off while the flag is "
		"clear "
		"or\n"
		"                     the count above zero, and then nothing is counted\n"
		"  mark ID [TEXT]     puts a mark with the present time into the profile\n"
		"  status             what is recorded just now\n"
		"  dump               writes a profile of the state so far; the recording goes on\n"
		"Programs control their own recording by <tare/tare.h>, see "
		"docs/reference/control.md.\n\n"
		"Exit status: 0 done, 1 failed (no such process, not recorded, another user's), 2 "
		"wrong\n"
		"command line.",
	.examples = "tare ctl 1234 status\n"
		    "tare ctl 1234 mark 1 \"after the start\"\n"
		    "tare ctl 1234 dump -o now.tare\n",
	.options = ctl_options,
	.operand_kind = OPERAND_PROCESS,
	.words = operation_names,
	.words_at = 2,
	.values_bytes = sizeof(struct ctl_values),
	.run = ctl_run,
};
