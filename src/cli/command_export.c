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

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct export_values {
	const char *format, *output, *measure, *compare, *table;
	int embed_source; /* enum export_code */
	int schema;	  /* index in export_schema_choices */
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
	 .help = "Write to FILE instead of the standard output; clickhouse: to files in this "
		 "directory",
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
	{.name = "table",
	 .argument = "TABLE",
	 .help = "clickhouse: write this table alone, to the standard output or a FILE: module, "
		 "thread, function, frame, node, os, sample, run",
	 .type = OPTION_TEXT,
	 .proposals = export_table_names,
	 .offset = AT(table)},
	{.name = "schema",
	 .argument = "DATABASE",
	 .help = "clickhouse: write no profile, but the SQL that makes the tables and views: for "
		 "clickhouse (one server), shard (each of several), duckdb or "
		 "duckdb-tables (which loads the files of the working directory)",
	 .type = OPTION_CHOICE,
	 .choices = export_schema_choices,
	 .fallback = "clickhouse",
	 .offset = AT(schema)},
	SHAPE_OPTIONS(AT(profile)),
	PROFILE_OPTIONS(AT(profile)),
	{0},
};

static struct export_options options_of(const struct export_values *values,
					const struct compared *compared)
{
	return (struct export_options){.code = (enum export_code)values->embed_source,
				       .lines = compared->profile.lines,
				       .from = values->profile.from,
				       .to = values->profile.to,
				       .depth = values->profile.depth,
				       .measure = values->measure,
				       .waits = values->waits,
				       .wakers = values->wakers,
				       .table = values->table,
				       .path = compared->profile.path,
				       .base = compared->base.analysis,
				       .base_path = compared->base.path};
}

static bool write_profile(const struct export_format *format, const struct export_values *values,
			  const struct compared *compared, struct error *err)
{
	struct globs sources = {0};
	struct export_options options = options_of(values, compared);
	struct sink sink = {.file = {.fd = -1}};

	options.source_paths = globs_of(&sources, &values->source_paths);
	bool ok = sink_open(&sink, values->output, format->tells_command ? SINK_PRIVATE : 0, err);
	if (ok) {
		ok = format->write(compared->profile.analysis, &options, sink.stream, err);
		ok = sink_close(&sink, ok, err);
	}
	vec_fini(&sources);
	return ok;
}

/* ---- a directory of tables ---- */

/* One file, which stays under its temporary name. */
static bool write_table(const struct export_format *format, const struct export_options *options,
			const struct compared *compared, struct sink *sink, struct error *err)
{
	if (!sink_open(sink, sink->path, SINK_PRIVATE, err))
		return false;
	if (sink->kind != SINK_FILE)
		return error_set(err, ERROR_UNSUPPORTED, "%s is no file", sink->path);
	if (!format->write(compared->profile.analysis, options, sink->stream, err))
		return false;
	return fflush(sink->stream) == 0 ||
	       error_set_errno(err, errno, "cannot write %s", sink->path);
}

/* Files appear when all of them are complete, that of the last table last. */
static bool write_tables(const struct export_format *format, const struct export_values *values,
			 const struct compared *compared, struct error *err)
{
	const char *const *names = export_table_names();
	struct export_options options = options_of(values, compared);
	const uint64_t run = export_run_hash(compared->profile.analysis->profile);
	struct arena arena = {0};
	struct vec_of(struct sink) sinks = {0};
	bool ok = mkdir(values->output, 0777) == 0 || errno == EEXIST ||
		  error_set_errno(err, errno, "cannot make the directory %s", values->output);

	arena_init(&arena);
	for (size_t i = 0; ok && names[i]; i++) {
		options.table = names[i];
		struct sink sink = {.file = {.fd = -1},
				    .path = arena_printf(&arena, "%s/%s.%" PRIu64 ".csv",
							 values->output, names[i], run)};
		ok = write_table(format, &options, compared, &sink, err);
		if (sink.stream)
			vec_push(&sinks, sink);
	}
	vec_foreach (sink, &sinks)
		ok = sink_close(sink, ok, err);
	vec_fini(&sinks);
	arena_fini(&arena);
	return ok;
}

static bool write_schema(const struct export_values *values, struct error *err)
{
	struct sink sink = {.file = {.fd = -1}};

	if (!sink_open(&sink, values->output, 0, err))
		return false;
	export_write_schema(values->schema, sink.stream);
	return sink_close(&sink, true, err);
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

/* Whole runs alone have a row each that says what they have. */
static bool check_tables(const struct export_values *values, const struct export_format *format,
			 struct error *err)
{
	const struct profile_values *profile = &values->profile;

	if (!format->of_tables) {
		if (!values->table && !values->schema)
			return true;
		return error_set(err, ERROR_USAGE, "%s is for --format=clickhouse only",
				 values->table ? "--table" : "--schema");
	}
	if (!values->table && !values->schema && !values->output)
		return error_set(err, ERROR_USAGE,
				 "there are several tables; say -o DIRECTORY, or --table=TABLE");
	if (profile->processes.len || profile->threads.len || profile->from || profile->to)
		return error_set(err, ERROR_USAGE,
				 "--format=clickhouse writes whole runs; choose processes, threads "
				 "and times by SQL");
	return true;
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
			  (*format)->of_tables || strcmp((*format)->name, "html") == 0))
		return error_set(err, ERROR_USAGE,
				 "--my-code, --root and --fold-recursion are for formats of call "
				 "paths, not for %s%s",
				 (*format)->name,
				 strcmp((*format)->name, "html") ? ""
								 : ", which has them as switches");
	const char *for_pages = option_of_pages(values);
	if (for_pages && strcmp((*format)->name, "html") != 0)
		return error_set(err, ERROR_USAGE, "%s is for --format=html only", for_pages);
	const char *of_waits = values->waits ? "--waits" : values->wakers ? "--wakers" : NULL;
	if (of_waits && strcmp((*format)->name, "folded") != 0)
		return error_set(err, ERROR_USAGE, "%s is for --format=folded only", of_waits);
	if (of_waits && (values->profile.from || values->profile.to))
		return error_set(err, ERROR_USAGE,
				 "%s is of the whole recording; leave out --from and --to",
				 of_waits);
	if (!check_tables(values, *format, err))
		return false;
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
	if (format->of_tables)
		return COMPARED_FLEET;
	return format->of_lines ? COMPARED_PATH_LINES : COMPARED_PATHS;
}

static int export_run(const void *opaque, const struct operands *operands, struct error *err)
{
	const struct export_values *values = opaque;
	const struct export_format *format = NULL;
	struct compared compared = {0};
	bool ok = check(values, operands, &format, err);
	char *path = NULL;

	if (ok && values->schema)
		return write_schema(values, err) ? EXIT_STATUS_OK : -1;
	if (ok)
		path = operands->count ? mem_strdup(operands->items[0])
				       : newest_profile(&command_export, usage, err);
	ok = path != NULL;
	if (ok) {
		ok = compared_open(&compared, path, values->compare, &values->profile,
				   use_of(format), err) &&
		     (format->of_tables && !values->table
			      ? write_tables(format, values, &compared, err)
			      : write_profile(format, values, &compared, err));
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
		"  clickhouse  tables of runs, functions, call paths, OS time and samples, a file "
		"each\n"
		"              in the directory OUT, for ClickHouse and DuckDB; --schema has the "
		"SQL\n"
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
		"tare export --format=lcov prog.tare -o prog.info && genhtml prog.info -o html\n"
		"tare export --format=clickhouse prog.tare -o tables\n"
		"tare export --format=clickhouse --schema=duckdb > tables/schema.sql\n",
	.options = export_command_options,
	.values_bytes = sizeof(struct export_values),
	.run = export_run,
};
