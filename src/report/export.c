/* The list of formats. */
#include "report/export.h"

#include "report/export/executed.h"
#include "report/export/fleet.h"
#include "report/export/fleet_schema.h"
#include "report/export/paths.h"
#include "report/export/timeline.h"
#include "report/html/html.h"
#include "report/report.h"

#include <string.h>

static bool write_tree(const struct analysis *analysis, const struct export_options *options,
		       enum report_format format, FILE *stream, struct error *err)
{
	const struct report_options tree = {.view = "calltree",
					    .profile_path = options->path,
					    .format = format,
					    .limit = REPORT_LIMIT_DEFAULT,
					    .unicode = true};

	return report_write(analysis, &tree, stream, err);
}

static bool write_csv(const struct analysis *analysis, const struct export_options *options,
		      FILE *stream, struct error *err)
{
	return write_tree(analysis, options, REPORT_CSV, stream, err);
}

static bool write_json(const struct analysis *analysis, const struct export_options *options,
		       FILE *stream, struct error *err)
{
	return write_tree(analysis, options, REPORT_JSON, stream, err);
}

const struct export_format export_formats[] = {
	{.name = "html",
	 .summary = "one page with all views, for a browser",
	 .tells_command = true,
	 .write = html_write},
	{.name = "pprof",
	 .summary = "call paths as gzipped protobuf, for pprof",
	 .is_binary = true,
	 .tells_command = true,
	 .write = paths_write_pprof},
	{.name = "speedscope",
	 .summary = "call paths as JSON, for speedscope",
	 .tells_command = true,
	 .write = paths_write_speedscope},
	{.name = "callgrind",
	 .summary = "calls between functions, for KCachegrind and callgrind_annotate",
	 .of_lines = true,
	 .tells_command = true,
	 .write = paths_write_callgrind},
	{.name = "folded",
	 .summary = "call paths as one line each, for flamegraph.pl and the like",
	 .write = paths_write_folded},
	{.name = "firefox",
	 .summary = "call paths as JSON, for profiler.firefox.com",
	 .tells_command = true,
	 .write = paths_write_firefox},
	{.name = "chrome",
	 .summary =
		 "events or samples, states of threads, as JSON, for chrome://tracing and the like",
	 .of_events = true,
	 .tells_command = true,
	 .write = timeline_write_chrome},
	{.name = "perfetto",
	 .summary = "events or samples, states of threads, as protobuf, for ui.perfetto.dev",
	 .is_binary = true,
	 .of_events = true,
	 .write = timeline_write_perfetto},
	{.name = "lcov",
	 .summary = "executions of source lines (--lines), for genhtml and the like",
	 .of_executions = true,
	 .write = executed_write_lcov},
	{.name = "gcov",
	 .summary = "sources with the executions of each line, as gcov writes them",
	 .of_executions = true,
	 .tells_command = true,
	 .write = executed_write_gcov},
	{.name = "clickhouse",
	 .summary = "tables of runs, functions and call paths, for ClickHouse and DuckDB",
	 .of_tables = true,
	 .tells_command = true,
	 .write = fleet_write},
	{.name = "csv", .summary = "the call tree as tare report has it", .write = write_csv},
	{.name = "json",
	 .summary = "the call tree as tare report has it",
	 .tells_command = true,
	 .write = write_json},
	{0},
};

const char *const *export_format_names(void)
{
	static const char *names[sizeof(export_formats) / sizeof(export_formats[0])];

	for (size_t i = 0; export_formats[i].name; i++)
		names[i] = export_formats[i].name;
	return names;
}

const char *const *export_table_names(void)
{
	static const char *names[FLEET_TABLES + 1];

	for (size_t i = 0; i < FLEET_TABLES; i++)
		names[i] = fleet_tables[i].name;
	return names;
}

uint64_t export_run_hash(const struct profile *profile)
{
	return fleet_run_hash(profile);
}

const char *const export_schema_choices[] = {
	[FLEET_SCHEMA_NONE] = "none",
	[FLEET_SCHEMA_CLICKHOUSE] = "clickhouse",
	[FLEET_SCHEMA_SHARD] = "shard",
	[FLEET_SCHEMA_DUCKDB] = "duckdb",
	[FLEET_SCHEMA_DUCKDB_TABLES] = "duckdb-tables",
	NULL,
};

void export_write_schema(int choice, FILE *stream)
{
	struct str text = {0};

	fleet_schema_append(&text, (enum fleet_schema)choice);
	fputs(text.data, stream);
	str_fini(&text);
}

const struct export_format *export_format_find(const char *name, struct error *err)
{
	const char *names[sizeof(export_formats) / sizeof(export_formats[0])];
	size_t count = 0;

	for (; export_formats[count].name; count++) {
		names[count] = export_formats[count].name;
		if (strcmp(name, names[count]) == 0)
			return &export_formats[count];
	}
	const char *nearest = str_nearest(name, names, count);
	if (nearest)
		error_set(err, ERROR_USAGE, "unknown format \"%s\"; did you mean \"%s\"?", name,
			  nearest);
	else
		error_set(err, ERROR_USAGE, "unknown format \"%s\"; tare export --help lists them",
			  name);
	return NULL;
}
