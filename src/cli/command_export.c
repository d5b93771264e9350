/*
 * tare export: a profile in the format of another tool. Refuses to write binary formats to a
 * terminal.
 */
#include "cli/command.h"
#include "cli/sink.h"
#include "report/export.h"

#include <string.h>
#include <unistd.h>

struct export_values {
	const char *format, *output, *from, *to;
	int64_t depth;
	int demangle; /* index of choices */
	struct option_list processes, threads;
};

static const char *const demangle_choices[] = {"yes", "no", NULL};

#define AT(member) offsetof(struct export_values, member)

static const struct option export_command_options[] = {
	{.name = "format",
	 .argument = "FORMAT",
	 .help = "What to write; see above",
	 .type = OPTION_TEXT,
	 .offset = AT(format)},
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write to FILE instead of the standard output",
	 .type = OPTION_TEXT,
	 .offset = AT(output)},
	{.name = "from",
	 .argument = "TIME",
	 .help = "Begin at TIME, milliseconds since the begin, or the name or #number of a mark",
	 .type = OPTION_TEXT,
	 .offset = AT(from)},
	{.name = "to",
	 .argument = "TIME",
	 .help = "End there",
	 .type = OPTION_TEXT,
	 .offset = AT(to)},
	{.name = "depth",
	 .argument = "N",
	 .help = "Leave out calls below the N outermost",
	 .type = OPTION_INTEGER,
	 .max = INT32_MAX,
	 .offset = AT(depth)},
	{.name = "process",
	 .argument = "GLOB",
	 .help = "Only processes of this name or id (repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(processes)},
	{.name = "thread",
	 .argument = "GLOB",
	 .help = "Only threads of this name or id (repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(threads)},
	{.name = "demangle",
	 .help = "Show C++ and Rust names as in the source, or as in the file",
	 .type = OPTION_CHOICE,
	 .choices = demangle_choices,
	 .offset = AT(demangle)},
	{0},
};

struct globs vec_of(const char *);

static struct analysis_globs globs_of(struct globs *globs, const struct option_list *list)
{
	vec_foreach (item, list)
		vec_push(globs, item->value);
	return (struct analysis_globs){.items = globs->data, .count = globs->len};
}

static bool write_profile(const struct export_format *format, const struct export_values *values,
			  struct profile *profile, const struct analysis_options *selection,
			  struct error *err)
{
	const struct export_options options = {
		.from = values->from, .to = values->to, .depth = values->depth};
	struct analysis *analysis = analysis_open(profile, selection, err);
	struct sink sink;

	bool ok = analysis && sink_open(&sink, values->output, false, err);
	if (ok) {
		ok = format->write(analysis, &options, sink.stream, err);
		ok = sink_close(&sink, ok, err);
	}
	analysis_close(analysis);
	return ok;
}

static bool check(const struct export_values *values, const struct operands *operands,
		  const struct export_format **format, struct error *err)
{
	if (operands->count != 1)
		return error_set(err, ERROR_USAGE,
				 "which profile? tare export --format=FORMAT FILE [-o OUT]");
	if (!values->format)
		return error_set(err, ERROR_USAGE,
				 "which format? say --format=chrome or --format=perfetto");
	*format = export_format_find(values->format, err);
	if (!*format)
		return false;
	if ((*format)->is_binary && !values->output && isatty(STDOUT_FILENO))
		return error_set(err, ERROR_USAGE,
				 "%s is binary and not for a terminal; say -o FILE",
				 (*format)->name);
	return true;
}

static int export_run(const void *opaque, const struct operands *operands, struct error *err)
{
	const struct export_values *values = opaque;
	const struct export_format *format = NULL;
	struct globs processes = {0}, threads = {0};
	const struct analysis_options selection = {
		.processes = globs_of(&processes, &values->processes),
		.threads = globs_of(&threads, &values->threads),
		.keep_mangled = values->demangle == 1,
	};
	bool ok = check(values, operands, &format, err);

	if (ok) {
		struct profile *profile = profile_open(operands->items[0], err);
		ok = profile && write_profile(format, values, profile, &selection, err);
		profile_close(profile);
	}
	vec_fini(&processes);
	vec_fini(&threads);
	return ok ? EXIT_STATUS_OK : -1;
}

const struct command command_export = {
	.name = "export",
	.operands = "--format=FORMAT FILE",
	.summary = "write a profile in the format of another tool",
	.description =
		"Writes the profile FILE in the format of another tool. Formats:\n"
		"  chrome      event log (tare record --trace) as JSON, for chrome://tracing,\n"
		"              ui.perfetto.dev, speedscope\n"
		"  perfetto    event log as protobuf, for ui.perfetto.dev and trace_processor\n"
		"\n"
		"Times of event logs are those of the clock: the cost of the probes is in them.\n"
		"\n"
		"Exit status: 0 written, 1 failed (no such profile, damaged, without event log, "
		"output\n"
		"not writable), 2 wrong command line.",
	.options = export_command_options,
	.values_bytes = sizeof(struct export_values),
	.run = export_run,
};
