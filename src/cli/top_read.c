/*
 * See top_read.h. Where processor cycles were sampled, the CPU time that the recorder has read of
 * the processes is shared out by them.
 */
#include "cli/top_read.h"

#include "analysis/analysis.h"
#include "analysis/cpu_use.h"

#include <string.h>

/* ---- calls ---- */

static struct top_row row_of(struct top_table *table, const struct analysis *analysis,
			     const struct analysis_function *function)
{
	return (struct top_row){
		.function = arena_strdup(&table->arena, function->name),
		.module =
			arena_strdup(&table->arena, analysis->modules.data[function->module].name),
	};
}

static void take_function(struct top_table *table, const struct analysis *analysis,
			  const struct analysis_function *function)
{
	const struct analysis_values *values = &function->values;
	struct top_row row = row_of(table, analysis, function);

	row.calls = row.interval_calls = values->calls;
	row.application_ns = analysis_ns(analysis, values->amount[APPLICATION_EXCLUSIVE]);
	row.elapsed_ns = analysis_ns(analysis, values->amount[ELAPSED_EXCLUSIVE]);
	row.time_ns[TOP_CPU] = analysis_ns(analysis, values->amount[CPU_EXCLUSIVE]);
	row.time_ns[TOP_BLOCKED] = analysis_os_ns(analysis, values, TARE_OS_BLOCKED);
	row.time_ns[TOP_PREEMPTED] = analysis_os_ns(analysis, values, TARE_OS_PREEMPTED);
	memcpy(row.interval_ns, row.time_ns, sizeof(row.interval_ns));
	table->calls += row.calls;
	vec_push(&table->rows, row);
	top_table_note(table);
}

static void take_calls(struct top_table *table, const struct analysis *analysis)
{
	const struct analysis_totals *totals = &analysis->totals;

	table->has_calls = true;
	table->has_waits = true;
	table->elapsed_ns = analysis_ns(analysis, totals->elapsed);
	table->cpu_ns = analysis_ns(analysis, totals->cpu);
	table->application_ns = analysis_ns(analysis, totals->application);
	table->off_ns = analysis_ns(analysis, totals->off_ticks);
	vec_foreach (function, &analysis->functions)
		take_function(table, analysis, function);
}

/* ---- samples ---- */

/* How many nanoseconds a sample's weight stands for, or each sample where weights are none. */
static double ns_per_weight(const struct analysis *analysis)
{
	struct analysis_cpu_use use = {.parts = NULL};
	struct error ignored;
	uint64_t ticks = 0;

	if (!strcmp(analysis->event->unit, "ns"))
		return 1;
	if (!analysis->totals.samples.weight || !analysis_cpu_use(analysis, 1, &use, &ignored))
		return 0;
	for (uint32_t i = 0; i < use.count; i++)
		ticks += use.parts[i];
	ticks += use.unplaced;
	analysis_cpu_use_fini(&use);
	return (double)analysis_ns(analysis, ticks) / (double)analysis->totals.samples.weight;
}

static void add_time(struct top_table *table, const struct analysis *analysis,
		     const struct analysis_function *function, enum top_time time, uint64_t ns)
{
	struct top_row row = row_of(table, analysis, function);
	struct top_row *there = top_table_find(table, &row);

	if (!there) {
		vec_push(&table->rows, row);
		there = top_table_note(table);
	}
	there->time_ns[time] += ns;
	there->interval_ns[time] += ns;
}

static void take_samples(struct top_table *table, const struct analysis *analysis,
			 enum top_time time)
{
	const double scale = ns_per_weight(analysis);
	uint64_t all = 0;

	vec_foreach (function, &analysis->functions) {
		const uint64_t weight = function->values.amount[WEIGHT_EXCLUSIVE];
		const uint64_t ns = (uint64_t)((double)weight * scale);

		if (!ns)
			continue;
		add_time(table, analysis, function, time, ns);
		all += ns;
	}
	table->elapsed_ns += all;
	if (time == TOP_CPU)
		table->cpu_ns = all;
	else
		table->has_waits = true;
}

/* Waits in the kernel are those of the function that called it: else all would be schedule(). */
static bool take_waits(struct top_table *table, struct profile *profile, const char *event,
		       enum top_time time, struct error *err)
{
	const struct analysis_options options = {
		.method = ANALYSIS_SAMPLE, .event = event, .no_kernel = true};
	const struct profile_event *events;
	size_t count;

	events = profile_events(profile, &count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(events[i].name, event) != 0)
			continue;
		struct analysis *analysis = analysis_open(profile, &options, err);
		if (!analysis)
			return false;
		take_samples(table, analysis, time);
		analysis_close(analysis);
	}
	return true;
}

/* ---- both ---- */

bool top_read(const char *profile_path, struct top_table *table, struct error *err)
{
	const struct analysis_options everything = {0};
	struct profile *profile = profile_open(profile_path, err);
	struct analysis *analysis = profile ? analysis_open(profile, &everything, err) : NULL;
	bool ok = analysis != NULL;

	if (ok) {
		const struct profile_session *session = profile_session(profile);

		table->processes = analysis->totals.processes;
		table->threads = analysis->totals.threads;
		table->interval_seconds = (double)(session->end_ticks - session->begin_ticks) /
					  session->ticks_per_second;
	}
	if (ok && analysis->has_calls) {
		take_calls(table, analysis);
	} else if (ok && analysis->event) {
		take_samples(table, analysis, TOP_CPU);
		ok = take_waits(table, profile, "off-cpu", TOP_BLOCKED, err) &&
		     take_waits(table, profile, "preempted", TOP_PREEMPTED, err);
	}
	analysis_close(analysis);
	profile_close(profile);
	return ok;
}
