/*
 * tare export: a profile in the format of another tool. Refuses to write binary formats to a
 * terminal.
 */
#include "cli/command.h"
#include "cli/compared.h"
#include "cli/embed_option.h"
#include "cli/newest_profile.h"
#include "cli/profile_options.h"
#include "cli/sink.h"
#include "report/export.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct export_values {
	const char *format, *output, *measure, *compare;
	int embed_source; /* enum export_code */
	bool waits, wakers;
	struct option_list source_paths;
	struct profile_values profile;
};

#define AT(member) offsetof(struct export_values, member)

static const struct option export_command_options[] = {
	{.name = "format",
	 .argument = "FORMAT",
	 .help = "What to write; see above",
	 .type = OPTION_TEXT,
	 .proposals = export_format_names,
	 .offset = AT(format)},
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write to FILE instead of the standard output",
	 .type = OPTION_TEXT,
	 .offset = AT(output)},
	{.name = "measure",
	 .argument = "MEASURE",
	 .help = "Formats of call paths: the value that comes first, or alone where the format has "
		 "one only: cpu (default), elapsed, application, calls; of samples: samples, or "
		 "the "
		 "event's name for what they stand for",
	 .type = OPTION_TEXT,
	 .offset = AT(measure)},
	{.name = "waits",
	 .help = "folded: CPU time and the waits that were sampled, together (tare record "
		 "--event=cpu-clock --off-cpu)",
	 .type = OPTION_FLAG,
	 .offset = AT(waits)},
	{.name = "wakers",
	 .help = "folded: the waits that were sampled, each with the stack of who ended it (tare "
		 "record --wakers)",
	 .type = OPTION_FLAG,
	 .offset = AT(wakers)},
	{.name = "compare",
	 .argument = "BASE",
	 .help = "html: compare with the profile BASE",
	 .type = OPTION_TEXT,
	 .offset = AT(compare)},
	EMBED_SOURCE_OPTION(AT(embed_source)),
	{.name = "source-path",
	 .argument = "FROM=TO",
	 .help = "html: sources whose path begins with FROM are at TO (repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(source_paths)},
	SHAPE_OPTIONS(AT(profile)),
	PROFILE_OPTIONS(AT(profile)),
	{0},
};

static bool write_profile(const struct export_format *format, const struct export_values *values,
			  const struct compared *compared, struct error *err)
{
	struct globs sources = {0};
	const struct export_options options = {.code = (enum export_code)values->embed_source,
					       .lines = compared->profile.lines,
					       .source_paths =
						       globs_of(&sources, &values->source_paths),
					       .from = values->profile.from,
					       .to = values->profile.to,
					       .depth = values->profile.depth,
					       .measure = values->measure,
					       .waits = values->waits,
					       .wakers = values->wakers,
					       .path = compared->profile.path,
					       .base = compared->base.analysis,
					       .base_path = compared->base.path};
	struct sink sink = {.file = {.fd = -1}};

	bool ok = sink_open(&sink, values->output, format->tells_command ? SINK_PRIVATE : 0, err);
	if (ok) {
		ok = format->write(compared->profile.analysis, &options, sink.stream, err);
		ok = sink_close(&sink, ok, err);
	}
	vec_fini(&sources);
	return ok;
}

static const char usage[] = "tare export --format=FORMAT FILE [-o OUT]";

/* The first option that is given and is of use to pages only; NULL: none is. */
static const char *option_of_pages(const struct export_values *values)
{
	if (values->compare)
		return "--compare";
	if (values->embed_source != EXPORT_CODE_HOT)
		return "--embed-source";
	return values->source_paths.len ? "--source-path" : NULL;
}

static bool check(const struct export_values *values, const struct operands *operands,
		  const struct export_format **format, struct error *err)
{
	if (operands->count > 1)
		return error_set(err, ERROR_USAGE, "which profile? %s", usage);
	if (!values->format)
		return error_set(
			err, ERROR_USAGE,
			"which format? say --format=FORMAT; tare export --help lists them");
	*format = export_format_find(values->format, err);
	if (!*format)
		return false;
	const struct shape_values *shape = &values->profile.shape;
	const bool is_shaped = shape->my_code || shape->root || shape->fold_recursion;
	if (is_shaped && ((*format)->of_events || (*format)->of_executions ||
			  strcmp((*format)->name, "html") == 0))
		return error_set(err, ERROR_USAGE,
				 "--my-code, --root and --fold-recursion are for formats of call "
				 "paths, not for %s%s",
				 (*format)->name,
				 strcmp((*format)->name, "html") ? ""
								 : ", which has them as switches");
	const char *for_pages = option_of_pages(values);
	if (for_pages && strcmp((*format)->name, "html") != 0)
		return error_set(err, ERROR_USAGE, "%s is for --format=html only", for_pages);
	if ((values->wakers || values->waits) && strcmp((*format)->name, "folded") != 0)
		return error_set(err, ERROR_USAGE, "%s is for --format=folded only",
				 values->waits ? "--waits" : "--wakers");
	if ((*format)->is_binary && !values->output && isatty(STDOUT_FILENO))
		return error_set(err, ERROR_USAGE,
				 "%s is binary and not for a terminal; say -o FILE",
				 (*format)->name);
	return true;
}

static enum compared_use use_of(const struct export_format *format)
{
	if (strcmp(format->name, "html") == 0)
		return COMPARED_PAGE;
	if (format->of_events)
		return COMPARED_EVENTS;
	if (format->of_executions)
		return COMPARED_EXECUTIONS;
	return format->of_lines ? COMPARED_PATH_LINES : COMPARED_PATHS;
}

static int export_run(const void *opaque, const struct operands *operands, struct error *err)
{
	const struct export_values *values = opaque;
	const struct export_format *format = NULL;
	struct compared compared = {0};
	bool ok = check(values, operands, &format, err);
	char *path = NULL;

	if (ok)
		path = operands->count ? mem_strdup(operands->items[0])
				       : newest_profile(&command_export, usage, err);
	ok = path != NULL;
	if (ok) {
		ok = compared_open(&compared, path, values->compare, &values->profile,
				   use_of(format), err) &&
		     write_profile(format, values, &compared, err);
		compared_close(&compared);
	}
	free(path);
	return ok ? EXIT_STATUS_OK : -1;
}

const struct command command_export = {
	.name = "export",
	.operands = "--format=FORMAT [FILE]",
	.summary = "write a profile in the format of another tool",
	.description =
		"Writes the profile FILE, or without FILE the newest one in this directory, in "
		"the\n"
		"format of another tool. Formats:\n"
		"  html        one page with all views, which needs nothing else; see tare view\n"
		"  pprof       call paths with all values, gzipped protobuf, for pprof\n"
		"  speedscope  call paths, a profile per thread and value, for speedscope\n"
		"  callgrind   functions and the calls between them, for KCachegrind and\n"
		"              callgrind_annotate\n"
		"  folded      call paths as one line each with one value, for flamegraph.pl\n"
		"  firefox     call paths with one value, for profiler.firefox.com\n"
		"  chrome      event log (tare record --trace), or samples with their times, as "
		"JSON,\n"
		"              for chrome://tracing, ui.perfetto.dev, Chrome's tools, speedscope\n"
		"  perfetto    the same as protobuf, for ui.perfetto.dev and trace_processor\n"
		"              (both, and firefox, with states of threads over time)\n"
		"  lcov        executions of source lines, functions and branches (tare record "
		"--lines),\n"
		"              for genhtml\n"
		"  gcov        sources with the executions of each line, as gcov writes them\n"
		"  csv, json   the call tree with all columns, as tare report calltree "
		"--format=…;\n"
		"              the other views are there\n"
		"\n"
		"Values of call paths are exclusive: their sums are the session's totals. Times\n"
		"of event logs are those of the clock: the cost of the probes is in them.\n"
		"With --root, the sums are those of the functions that match.\n"
		"\n"
		"Exit status: 0 written, 1 failed (no such profile, damaged, without event log, "
		"output\n"
		"not writable), 2 wrong command line.",
	.examples =
		"tare export --format=pprof prog.tare -o prog.pb.gz\n"
		"tare export --format=folded prog.tare | flamegraph.pl > prog.svg\n"
		"tare export --format=lcov prog.tare -o prog.info && genhtml prog.info -o html\n",
	.options = export_command_options,
	.values_bytes = sizeof(struct export_values),
	.run = export_run,
};
