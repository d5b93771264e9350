/*
 * A look at a running recording: a snapshot's profile, which lives only while it is analysed. So
 * names, sums and checks are those of the reports.
 */
#include "cli/top_table.h"

#include "analysis/analysis.h"
#include "record/record.h"

#include <assert.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void take_function(struct top_table *table, const struct analysis *analysis,
			  const struct analysis_function *function)
{
	const struct analysis_values *values = &function->values;
	const struct top_row row = {
		.function = arena_strdup(&table->arena, function->name),
		.module =
			arena_strdup(&table->arena, analysis->modules.data[function->module].name),
		.calls = values->calls,
		.interval_calls = values->calls,
		.application_ns = analysis_ns(analysis, values->amount[APPLICATION_EXCLUSIVE]),
		.cpu_ns = analysis_ns(analysis, values->amount[CPU_EXCLUSIVE]),
		.interval_ns = analysis_ns(analysis, values->amount[CPU_EXCLUSIVE]),
		.elapsed_ns = analysis_ns(analysis, values->amount[ELAPSED_EXCLUSIVE]),
	};

	table->calls += row.calls;
	vec_push(&table->rows, row);
}

static void take_analysis(struct top_table *table, const struct analysis *analysis)
{
	const struct analysis_totals *totals = &analysis->totals;

	table->processes = totals->processes;
	table->threads = totals->threads;
	table->elapsed_ns = analysis_ns(analysis, totals->elapsed);
	table->cpu_ns = analysis_ns(analysis, totals->cpu);
	table->application_ns = analysis_ns(analysis, totals->application);
	table->off_ns = analysis_ns(analysis, totals->off_ticks);
	vec_foreach (function, &analysis->functions)
		take_function(table, analysis, function);
}

static bool read_profile(const char *path, struct top_table *table, struct error *err)
{
	const struct analysis_options everything = {0};
	struct profile *profile = profile_open(path, err);
	struct analysis *analysis = profile ? analysis_open(profile, &everything, err) : NULL;

	if (analysis) {
		const struct profile_session *session = profile_session(profile);
		take_analysis(table, analysis);
		table->interval_seconds = (double)(session->end_ticks - session->begin_ticks) /
					  session->ticks_per_second;
	}
	const bool ok = analysis != NULL;
	analysis_close(analysis);
	profile_close(profile);
	return ok;
}

static void row_key(const struct top_row *row, struct str *key)
{
	str_clear(key);
	str_append(key, row->module);
	str_append_bytes(key, "\n", 1);
	str_append(key, row->function);
}

static uint64_t less(uint64_t *value, uint64_t by)
{
	const uint64_t taken = *value < by ? *value : by;

	*value -= taken;
	return taken;
}

/* Functions of the same name and module share what they had before. */
static void take_off(struct top_table *table, const struct top_table *before)
{
	struct strmap places = {0};
	struct str key = {0};
	struct vec_of(struct top_row) left = {0};

	strmap_init(&places);
	vec_foreach (row, &before->rows) {
		row_key(row, &key);
		const uint64_t place =
			*strmap_put(&places, arena_strdup(&table->arena, key.data), left.len);
		if (place == left.len) {
			vec_push(&left, *row);
		} else {
			assert(place < left.len);
			left.data[place].calls += row->calls;
			left.data[place].cpu_ns += row->cpu_ns;
		}
	}
	vec_foreach (row, &table->rows) {
		row_key(row, &key);
		const uint64_t *place = strmap_get(&places, key.data);
		if (!place)
			continue;
		assert(*place < left.len);
		struct top_row *was = &left.data[*place];
		was->calls -= less(&row->interval_calls, was->calls);
		was->cpu_ns -= less(&row->interval_ns, was->cpu_ns);
	}
	vec_fini(&left);
	strmap_fini(&places);
	str_fini(&key);
}

bool top_table_read(const struct session *session, const struct top_table *before,
		    struct top_table *table, struct error *err)
{
	struct record_result result = {0};
	struct str path = {0};

	*table = (struct top_table){.raw_ns = now_ns()};
	arena_init(&table->arena);
	str_printf(&path, "%s/top.%d", session->directory, (int)getpid());
	bool ok = record_dump(session, path.data, &result, err);
	if (ok)
		ok = read_profile(path.data, table, err);
	unlink(path.data);
	record_result_fini(&result);
	str_fini(&path);
	if (ok && before) {
		take_off(table, before);
		table->interval_seconds = (double)(table->raw_ns - before->raw_ns) * 1e-9;
	}
	vec_foreach (row, &table->rows)
		table->interval_calls += row->interval_calls;
	if (!ok)
		top_table_fini(table);
	return ok;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0; /* descending */
}

static int by_name(const struct top_row *a, const struct top_row *b)
{
	const int names = strcmp(a->function, b->function);

	return names ? names : strcmp(a->module, b->module);
}

static int by_total(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const int values = compare(x->cpu_ns, y->cpu_ns);

	return values ? values : by_name(x, y);
}

static int by_interval(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const int values = compare(x->interval_ns, y->interval_ns);

	return values ? values : by_total(x, y);
}

static int by_calls(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const int values = compare(x->interval_calls, y->interval_calls);

	return values ? values : by_total(x, y);
}

static int by_elapsed(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const int values = compare(x->elapsed_ns, y->elapsed_ns);

	return values ? values : by_name(x, y);
}

void top_table_sort(struct top_table *table, enum top_sort by)
{
	static int (*const orders[])(const void *a, const void *b) = {
		[TOP_BY_INTERVAL] = by_interval,
		[TOP_BY_TOTAL] = by_total,
		[TOP_BY_CALLS] = by_calls,
		[TOP_BY_ELAPSED] = by_elapsed,
	};
	table_covers(orders, TOP_SORTS);

	vec_sort(&table->rows, orders[by]);
}

void top_table_fini(struct top_table *table)
{
	vec_fini(&table->rows);
	arena_fini(&table->arena);
}
