/* What the rows of all tables of a fleet share: see fleet.h. */
#include "report/export/fleet.h"

#include "report/export/fleet_columns.h"

#include <string.h>
#include <time.h>

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
