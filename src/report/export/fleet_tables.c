/* The tables of a fleet, their columns, and the files that they are written into: see fleet.h. */
#include "report/export/fleet.h"
#include "report/export/fleet_columns.h"

#include <string.h>

static const struct fleet_column run_columns[] = {
	FLEET_ORIGIN,
	{"build_id", FLEET_TEXT},
	{"ranks", FLEET_NUMBER},
	{"begin_unix_ns", FLEET_SIGNED},
	{"duration_ns", FLEET_NUMBER},
	{"ticks_per_second", FLEET_REAL},
	{"method", FLEET_TEXT},
	{"command_line", FLEET_TEXT},
	{"exit_status", FLEET_SIGNED},
	{"complete", FLEET_NUMBER},
	{"losses", FLEET_TEXT},
	{"tare_version", FLEET_TEXT},
	{"recordings", FLEET_NUMBER},
	{"processes", FLEET_NUMBER},
	{"threads", FLEET_NUMBER},
	{"nodes", FLEET_NUMBER},
	{"samples", FLEET_NUMBER},
	{"overhead_ticks", FLEET_NUMBER},
	{"inconsistent_ticks", FLEET_NUMBER},
	{"elapsed_ticks", FLEET_NUMBER},
	{"cpu_ticks", FLEET_NUMBER},
	{"application_ticks", FLEET_NUMBER},
	{"elapsed_ns", FLEET_NUMBER},
	{"cpu_ns", FLEET_NUMBER},
	{"application_ns", FLEET_NUMBER},
};

static const struct fleet_column module_columns[] = {
	FLEET_ORIGIN,
	{"module", FLEET_TEXT},
	{"path", FLEET_TEXT},
	{"build_id", FLEET_TEXT},
	{"system", FLEET_NUMBER},
};

static const struct fleet_column thread_columns[] = {
	FLEET_ORIGIN,
	{"program_build_id", FLEET_TEXT},
	{"ranks", FLEET_NUMBER},
	{"launcher", FLEET_TEXT},
	{"process", FLEET_NUMBER},
	{"pid", FLEET_SIGNED},
	{"parent_pid", FLEET_SIGNED},
	{"executable", FLEET_TEXT},
	{"thread", FLEET_NUMBER},
	{"tid", FLEET_SIGNED},
	{"name", FLEET_TEXT},
	FLEET_TIMES,
};

static const struct fleet_column function_columns[] = {
	FLEET_ORIGIN,
	{"program_build_id", FLEET_TEXT},
	{"ranks", FLEET_NUMBER},
	{"process", FLEET_NUMBER},
	{"function", FLEET_NUMBER},
	{"module", FLEET_TEXT},
	{"build_id", FLEET_TEXT},
	{"name", FLEET_TEXT},
	{"symbol", FLEET_TEXT},
	{"source", FLEET_TEXT},
	{"line", FLEET_SIGNED},
	{"address", FLEET_NUMBER},
	{"calls", FLEET_NUMBER},
	{"calls_are", FLEET_TEXT},
	{"timed_by", FLEET_TEXT},
	FLEET_TIMES,
	{"samples_inclusive", FLEET_NUMBER},
	{"samples_exclusive", FLEET_NUMBER},
};

static const struct fleet_column node_columns[] = {
	FLEET_ORIGIN,
	{"process", FLEET_NUMBER},
	{"thread", FLEET_NUMBER},
	{"node", FLEET_NUMBER},
	{"parent", FLEET_NUMBER},
	{"level", FLEET_NUMBER},
	{"path", FLEET_NUMBER},
	{"parent_path", FLEET_NUMBER},
	{"function", FLEET_NUMBER},
	{"folded", FLEET_NUMBER},
	{"calls", FLEET_NUMBER},
	FLEET_TIMES,
};

static const struct fleet_column os_columns[] = {
	FLEET_ORIGIN,
	{"function", FLEET_NUMBER},
	{"caller", FLEET_NUMBER},
	{"cause", FLEET_TEXT},
	{"system_call", FLEET_TEXT},
	{"object", FLEET_TEXT},
	{"count", FLEET_NUMBER},
	{"ticks", FLEET_NUMBER},
	{"ns", FLEET_NUMBER},
	{"longest_ticks", FLEET_NUMBER},
};

static const struct fleet_column sample_columns[] = {
	FLEET_ORIGIN,
	{"process", FLEET_NUMBER},
	{"thread", FLEET_NUMBER},
	{"event", FLEET_TEXT},
	{"unit", FLEET_TEXT},
	{"path", FLEET_NUMBER},
	{"parent_path", FLEET_NUMBER},
	{"level", FLEET_NUMBER},
	{"function", FLEET_NUMBER},
	{"samples_inclusive", FLEET_NUMBER},
	{"samples_exclusive", FLEET_NUMBER},
	{"weight_inclusive", FLEET_NUMBER},
	{"weight_exclusive", FLEET_NUMBER},
};

static const struct fleet_column frame_columns[] = {
	FLEET_ORIGIN,
	{"process", FLEET_NUMBER},
	{"event", FLEET_TEXT},
	{"unit", FLEET_TEXT},
	{"path", FLEET_NUMBER},
	{"parent_path", FLEET_NUMBER},
	{"level", FLEET_NUMBER},
	{"function", FLEET_NUMBER},
	{"name", FLEET_TEXT},
	{"calls", FLEET_NUMBER},
	{"own", FLEET_NUMBER},
	{"small", FLEET_NUMBER},
	{"with_callees", FLEET_NUMBER},
};

#define TABLE(name, key) #name, key, name##_columns, TABLE_COUNT(name##_columns)

const struct fleet_table fleet_tables[FLEET_TABLES] = {
	{TABLE(module, "module, run"), fleet_write_modules},
	{TABLE(thread, "program, run"), fleet_write_threads},
	{TABLE(function, "program, function, run"), fleet_write_functions},
	{TABLE(frame, "program, event, path, run"), fleet_write_frames},
	{TABLE(node, "program, run, path"), fleet_write_nodes},
	{TABLE(os, "program, function, run"), fleet_write_os},
	{TABLE(sample, "program, run, path"), fleet_write_samples},
	{TABLE(run, "program, run"), fleet_write_run},
};

/* ---- files ---- */

static void write_table(const struct fleet *fleet, const struct fleet_table *table, FILE *stream)
{
	struct fleet_sheet sheet = {.stream = stream, .columns = table->column_count};

	for (size_t i = 0; i < table->column_count; i++)
		sheet_made(&sheet, table->columns[i].name, 1);
	sheet_end(&sheet);
	table->write(fleet, &sheet);
	str_fini(&sheet.row);
	str_fini(&sheet.text);
}

static bool fail_unknown(const char *name, struct error *err)
{
	const char *names[FLEET_TABLES];

	for (size_t i = 0; i < FLEET_TABLES; i++)
		names[i] = fleet_tables[i].name;
	const char *nearest = str_nearest(name, names, FLEET_TABLES);
	if (nearest)
		return error_set(err, ERROR_USAGE, "there is no table \"%s\"; did you mean \"%s\"?",
				 name, nearest);
	return error_set(
		err, ERROR_USAGE,
		"there is no table \"%s\"; there are module, thread, function, frame, node, os, "
		"sample, run",
		name);
}

bool fleet_write(const struct analysis *analysis, const struct export_options *options,
		 FILE *stream, struct error *err)
{
	struct fleet fleet = {0};
	bool any = false;

	fleet_open(&fleet, analysis, options->lines);
	for (size_t i = 0; i < FLEET_TABLES; i++) {
		if (options->table && strcmp(options->table, fleet_tables[i].name) != 0)
			continue;
		write_table(&fleet, &fleet_tables[i], stream);
		any = true;
	}
	fleet_close(&fleet);
	return any || fail_unknown(options->table, err);
}
