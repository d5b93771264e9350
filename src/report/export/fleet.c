/* The tables of a fleet, and what all of their rows share: see fleet.h. */
#include "report/export/fleet.h"

#include "report/export/fleet_columns.h"

#include <string.h>
#include <time.h>

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

#define TABLE(name, key) #name, key, name##_columns, TABLE_COUNT(name##_columns)

const struct fleet_table fleet_tables[FLEET_TABLES] = {
	{TABLE(module, "module, run"), fleet_write_modules},
	{TABLE(thread, "program, run"), fleet_write_threads},
	{TABLE(function, "program, function, run"), fleet_write_functions},
	{TABLE(node, "program, run, path"), fleet_write_nodes},
	{TABLE(os, "program, function, run"), fleet_write_os},
	{TABLE(sample, "program, run, path"), fleet_write_samples},
	{TABLE(run, "program, run"), fleet_write_run},
};

/* ---- what rows share ---- */

void fleet_put_origin(struct fleet_sheet *sheet, const struct fleet_origin *origin)
{
	sheet_made(sheet, origin->cells, FLEET_ORIGIN_CELLS);
}

void fleet_put_times(const struct fleet *fleet, struct fleet_sheet *sheet, const uint64_t *amount)
{
	for (int i = 0; i < ANALYSIS_TIME_MEASURES; i++)
		sheet_number(sheet, amount[i]);
	for (int i = 0; i < ANALYSIS_TIME_MEASURES; i++)
		sheet_number(sheet, analysis_ns(fleet->analysis, amount[i]));
}

static struct fleet_origin make_origin(struct fleet *fleet, const char *program, const char *host,
				       int64_t rank)
{
	struct fleet_sheet sheet = {0};

	sheet_number(&sheet, fleet->run);
	sheet_made(&sheet, fleet->day, 1);
	sheet_text(&sheet, program);
	sheet_text(&sheet, host);
	sheet_signed(&sheet, rank);
	const struct fleet_origin origin = {
		.cells = arena_strdup(&fleet->arena, sheet.row.data), .build_id = "", .rank = rank};
	str_fini(&sheet.row);
	str_fini(&sheet.text);
	return origin;
}

static const char *build_of(const struct fleet *fleet, const char *executable)
{
	vec_foreach (module, &fleet->analysis->modules)
		if (executable && strcmp(module->path, executable) == 0)
			return module->build_id;
	return "";
}

/* The run has a rank where all of its processes with one have the same. */
static void make_origins(struct fleet *fleet)
{
	const struct analysis *analysis = fleet->analysis;
	const struct profile_session *session = profile_session(analysis->profile);
	int64_t rank = -1, ranks = 0;
	bool several = false;

	fleet->origins =
		arena_array(&fleet->arena, struct fleet_origin, analysis->processes.len + 1);
	fleet->program = fleet->build_id = "";
	for (size_t i = 0; i < analysis->processes.len; i++) {
		const struct profile_process *row = analysis->processes.data[i].row;
		struct fleet_origin *origin = &fleet->origins[i];
		*origin = make_origin(fleet, row->name, profile_process_host(session, row),
				      row->launcher ? (int64_t)(row->rank & INT64_MAX) : -1);
		origin->ranks = row->launcher ? (int64_t)(row->ranks & INT64_MAX) : 0;
		origin->build_id = build_of(fleet, row->executable);
		if (!row->launcher)
			continue;
		several |= rank >= 0 && rank != origin->rank;
		rank = origin->rank;
		ranks = origin->ranks;
	}
	if (analysis->processes.len) {
		fleet->program = analysis->processes.data[0].row->name;
		fleet->build_id = fleet->origins[0].build_id;
	}
	fleet->origin = make_origin(fleet, fleet->program, session->host, several ? -1 : rank);
	fleet->origin.ranks = ranks;
}

static void name_functions(struct fleet *fleet)
{
	const struct analysis *named = fleet->named;
	struct map first = {0};

	map_init(&first);
	fleet->function_hash = arena_array(&fleet->arena, uint64_t, named->functions.len + 1);
	fleet->group_of = arena_array(&fleet->arena, uint32_t, named->functions.len + 1);
	for (uint32_t i = 0; i < named->functions.len; i++) {
		const struct analysis_function *row = &named->functions.data[i];
		fleet->function_hash[i] = fleet_function_hash(
			named->modules.data[row->module].name,
			row->symbol && row->symbol[0] ? row->symbol : row->name);
		fleet->group_of[i] = (uint32_t)*map_put(&first, fleet->function_hash[i], i);
	}
	map_fini(&first);
}

static void set_day(struct fleet *fleet)
{
	const time_t second =
		(time_t)(profile_session(fleet->analysis->profile)->begin_unix_ns / 1000000000);
	struct tm tm = {.tm_year = 70, .tm_mday = 1};

	/* ClickHouse's Date ends with 2105. */
	if (second >= 0 && second <= UINT32_MAX)
		gmtime_r(&second, &tm);
	strftime(fleet->day, sizeof(fleet->day), "%Y-%m-%d", &tm);
}

void fleet_open(struct fleet *fleet, const struct analysis *analysis,
		const struct analysis *samples)
{
	const bool is_sampled = analysis->method == ANALYSIS_SAMPLE;

	*fleet = (struct fleet){.analysis = analysis,
				.calls = is_sampled ? NULL : analysis,
				.samples = is_sampled ? analysis : samples,
				.named = analysis};
	arena_init(&fleet->arena);
	if (samples && samples->functions.len > analysis->functions.len)
		fleet->named = samples;
	fleet->run = fleet_run_hash(analysis->profile);
	set_day(fleet);
	make_origins(fleet);
	name_functions(fleet);
}

void fleet_close(struct fleet *fleet)
{
	arena_fini(&fleet->arena);
}

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
	return error_set(err, ERROR_USAGE,
			 "there is no table \"%s\"; there are module, thread, function, node, os, "
			 "sample, run",
			 name);
}

bool fleet_write(const struct analysis *analysis, const struct export_options *options,
		 FILE *stream, struct error *err)
{
	struct fleet fleet;
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
