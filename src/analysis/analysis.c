/* Opening an analysis: selection of processes and threads, totals, conversions. See analysis.h. */
#include "analysis/aliases.h"
#include "analysis/stack_counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIME(ID, name, title, calls)                                                               \
	{                                                                                          \
#name, title                                                                       \
	}
#define VALUE(ID, name, title)                                                                     \
	{                                                                                          \
#name, title                                                                       \
	}

const struct analysis_value_info analysis_value_infos[] = {
	ANALYSIS_TIMES(TIME), ANALYSIS_COSTS(VALUE), ANALYSIS_ESTIMATES(VALUE),
	ANALYSIS_SAMPLED(VALUE)};
table_covers(analysis_value_infos, ANALYSIS_VALUES);

static bool matches_name_or_id(const struct analysis_globs *globs, const char *name, int64_t id)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lld", (long long)id);
	return analysis_glob_matches(globs, name ? name : "") ||
	       analysis_glob_matches(globs, digits);
}

static void select_threads(struct analysis *analysis, const struct analysis_options *options)
{
	struct analysis_totals *totals = &analysis->totals;
	size_t count;
	const struct profile_process *processes = profile_processes(analysis->profile, &count);

	for (size_t i = 0; i < count; i++)
		vec_push(&analysis->processes,
			 ((struct analysis_process){
				 .row = &processes[i],
				 .merged = 1,
				 .selected = matches_name_or_id(
					 &options->processes, processes[i].name, processes[i].pid),
				 .values = analysis_values_zero(),
				 .tree = analysis_values_zero()}));
	const struct profile_thread *threads = profile_threads(analysis->profile, &count);
	for (size_t i = 0; i < count; i++) {
		struct analysis_process *process =
			&analysis->processes.data[threads[i].process - 1];
		struct analysis_thread thread = {.row = &threads[i],
						 .process = (uint32_t)(threads[i].process - 1),
						 .root = ANALYSIS_NONE,
						 .merged = 1,
						 .values = analysis_values_zero()};
		thread.selected =
			process->selected &&
			matches_name_or_id(&options->threads, threads[i].name, threads[i].tid);
		process->threads += thread.selected;
		totals->threads += thread.selected;
		vec_push(&analysis->threads, thread);
	}
	/* A filter by thread leaves only the processes of those threads. */
	vec_foreach (process, &analysis->processes) {
		if (options->threads.count && !process->threads)
			process->selected = false;
		totals->processes += process->selected;
	}
}

#define LOSS(name, since, line, place, key, words, ...)                                            \
	[place] = {offsetof(struct analysis_totals, name), TARE_LOSS_##line, key, words}

const struct analysis_loss analysis_losses[] = {TARE_THREAD_LOSSES(LOSS), TARE_PROCESS_LOSSES(LOSS),
						ANALYSIS_LOSSES_FOUND(LOSS)};
const size_t analysis_loss_count = TABLE_COUNT(analysis_losses);
/* As many as there are in all: so each has a place, and none has another one's. */
table_covers(analysis_losses, (TABLE_COUNT(((struct analysis_totals *)0)->thread_losses) +
			       TABLE_COUNT(((struct analysis_totals *)0)->process_losses) +
			       TABLE_COUNT(((struct analysis_totals *)0)->losses_found)));

uint64_t analysis_loss_number(const struct analysis_totals *totals,
			      const struct analysis_loss *loss)
{
	return *(const uint64_t *)(const void *)((const char *)totals + loss->offset);
}

uint64_t analysis_loss_by_key(const struct analysis *analysis, const struct analysis_loss *loss)
{
	const uint64_t number = analysis_loss_number(&analysis->totals, loss);

	return loss->line == TARE_LOSS_OFF_TIME || loss->line == TARE_LOSS_TIME
		       ? analysis_ns(analysis, number)
		       : number;
}

static void add_losses(uint64_t *to, const uint64_t *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] += from[i];
}

static void sum_losses(struct analysis *analysis)
{
	struct analysis_totals *totals = &analysis->totals;

	vec_foreach (thread, &analysis->threads) {
		const struct profile_thread *row = thread->row;
		if (!thread->selected)
			continue;
		totals->overhead += row->overhead_ticks;
		totals->own += row->own_ticks;
		add_losses(totals->thread_losses, row->thread_losses,
			   TABLE_COUNT(row->thread_losses));
		totals->limits |= row->limits;
	}
	/* A view of some threads may lack the one that took them back. */
	if (totals->calls_set_aside > totals->calls_taken_back)
		totals->calls_aside = totals->calls_set_aside - totals->calls_taken_back;
	totals->os_means = totals->processes ? UINT32_MAX : 0;
	vec_foreach (process, &analysis->processes) {
		if (!process->selected)
			continue;
		for (int i = 0; i < TARE_EVENT_KINDS; i++)
			if (process->row->cost_ticks[i] > totals->cost_ticks[i])
				totals->cost_ticks[i] = process->row->cost_ticks[i];
		totals->os_means &= process->row->os_means;
		add_losses(totals->process_losses, process->row->process_losses,
			   TABLE_COUNT(totals->process_losses));
		totals->limits |= process->row->limits;
	}
}

static bool load_calls(struct analysis *analysis, struct profile *profile, struct error *err)
{
	if (!analysis_read_counted(analysis, profile, err) ||
	    !analysis_load_tree(analysis, profile, err))
		return false;
	analysis_add_counted(analysis);
	return true;
}

struct analysis *analysis_open(struct profile *profile, const struct analysis_options *options,
			       struct error *err)
{
	struct analysis *analysis = mem_zalloc(sizeof(*analysis));

	analysis->profile = profile;
	analysis->ticks_per_second = profile_session(profile)->ticks_per_second;
	arena_init(&analysis->arena);
	map_init(&analysis->stack_nodes);
	select_threads(analysis, options);
	sum_losses(analysis);
	analysis_sum_unfollowed(analysis);
	analysis_load_identities(analysis, options->keep_mangled);
	if (analysis_choose(analysis, profile, options, err) &&
	    analysis_choose_mine(analysis, options, err) && load_calls(analysis, profile, err) &&
	    analysis_load_os(analysis, profile, options->keep_mangled, err) &&
	    analysis_load_waits(analysis, profile, err) &&
	    analysis_load_coverage(analysis, profile, options, err) &&
	    analysis_load_call_places(analysis, profile, options, err) &&
	    (!analysis_wants_node_lines(options) ||
	     analysis_load_call_lines(analysis, profile, err)) &&
	    analysis_load_samples(analysis, profile, options, err) &&
	    (!options->executions || analysis_load_executions(analysis, profile, err)) &&
	    analysis_load_sampled_waits(analysis, profile, err) &&
	    analysis_load_switches(analysis, profile, err) &&
	    analysis_load_wakers(analysis, profile, err) &&
	    analysis_load_waited(analysis, profile, options, err) &&
	    analysis_reshape(analysis, options, err)) {
		analysis_execute_places(analysis, options->code && options->places);
		return analysis;
	}
	analysis_close(analysis);
	return NULL;
}

void analysis_close(struct analysis *analysis)
{
	if (!analysis)
		return;
	vec_fini(&analysis->processes);
	vec_fini(&analysis->threads);
	vec_fini(&analysis->unfollowed);
	vec_fini(&analysis->modules);
	vec_fini(&analysis->functions);
	vec_fini(&analysis->nodes);
	vec_fini(&analysis->links);
	free(analysis->node_sums);
	vec_fini(&analysis->counted);
	vec_fini(&analysis->lines);
	vec_fini(&analysis->instructions);
	vec_fini(&analysis->call_targets);
	free(analysis->instruction_of);
	vec_fini(&analysis->os);
	vec_fini(&analysis->locks);
	vec_fini(&analysis->os_waiting);
	vec_fini(&analysis->os_wait);
	vec_fini(&analysis->waits);
	vec_fini(&analysis->wait_lists);
	analysis_free_switches(analysis);
	vec_fini(&analysis->sampled_waits);
	vec_fini(&analysis->wakers);
	vec_fini(&analysis->direct_wakers);
	vec_fini(&analysis->wakes);
	vec_fini(&analysis->ended_waits);
	free(analysis->waited);
	vec_fini(&analysis->module_coverage);
	vec_fini(&analysis->coverage);
	vec_fini(&analysis->node_ids);
	vec_fini(&analysis->node_of);
	if (analysis->stacks)
		analysis_stacks_fini(analysis->stacks);
	free(analysis->stacks);
	if (analysis->call_stacks)
		analysis_stacks_fini(analysis->call_stacks);
	free(analysis->call_stacks);
	analysis_free_executions(analysis);
	analysis_node_lines_free(analysis->node_lines);
	analysis_aliases_free(analysis->aliases);
	analysis_free_sample_stacks(analysis);
	map_fini(&analysis->stack_nodes);
	arena_fini(&analysis->arena);
	free(analysis);
}

uint64_t analysis_ns(const struct analysis *analysis, uint64_t ticks)
{
	const long double ns = (long double)ticks * 1e9L / (long double)analysis->ticks_per_second;

	return ns < 9.2e18L ? (uint64_t)llroundl(ns) : INT64_MAX;
}

uint64_t analysis_os_ns(const struct analysis *analysis, const struct analysis_values *values,
			enum tare_os_cause cause)
{
	uint64_t before = values->amount[APPLICATION_EXCLUSIVE];

	for (int i = 0; i < (int)cause; i++)
		before += values->os_ticks[i];
	return analysis_ns(analysis, before + values->os_ticks[cause]) -
	       analysis_ns(analysis, before);
}

/* The calls that the times are of: what samples tell is of all. */
static uint64_t calls_of(const struct analysis_values *values)
{
	return values->sampled ? values->calls : values->calls - values->untimed;
}

uint64_t analysis_average_ticks(const struct analysis_values *values, enum analysis_measure measure)
{
	const uint64_t timed = calls_of(values);

	if (!timed)
		return 0;
	return values->amount[measure] / timed +
	       (values->amount[measure] % timed >= (timed + 1) / 2);
}

uint64_t analysis_average_ns(const struct analysis *analysis, const struct analysis_values *values,
			     enum analysis_measure measure)
{
	const uint64_t timed = calls_of(values);

	if (!timed)
		return 0;
	const long double ns = (long double)analysis_ns(analysis, values->amount[measure]);
	return (uint64_t)llroundl(ns / (long double)timed);
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

uint64_t analysis_total(const struct analysis *analysis, enum analysis_value value)
{
	const struct analysis_totals *totals = &analysis->totals;

	if (value < ANALYSIS_TIME_VALUES)
		return totals->times[value];
	if (value < ANALYSIS_FIRST_SAMPLED)
		return 0;
	return value == VALUE_SAMPLES ? totals->samples.kept : totals->samples.weight;
}

double analysis_amount_percent(const struct analysis *analysis, enum analysis_measure measure,
			       uint64_t amount)
{
	const uint64_t total = analysis_total(analysis, analysis_value_of(measure));

	return percent_of(amount, total);
}

double analysis_percent(const struct analysis *analysis, const struct analysis_values *values,
			enum analysis_measure measure)
{
	return analysis_amount_percent(analysis, measure, values->amount[measure]);
}

enum analysis_measure analysis_place_base(const struct analysis *analysis)
{
	return analysis_measure_of(analysis->by_call_site ? VALUE_ELAPSED : ANALYSIS_FIRST_SAMPLED,
				   INCLUSIVE);
}

enum analysis_value analysis_ranking_value(const struct analysis *analysis)
{
	if (analysis->method == ANALYSIS_INSTRUMENT)
		return ANALYSIS_RANKING_TIME;
	return analysis->by_weight ? VALUE_WEIGHT : VALUE_SAMPLES;
}

size_t analysis_shown_values(const struct analysis *analysis,
			     enum analysis_value values[ANALYSIS_VALUES])
{
	const bool calls = analysis->method == ANALYSIS_INSTRUMENT;
	const int begin = calls ? VALUE_ELAPSED : ANALYSIS_FIRST_SAMPLED;
	const int end = calls ? ANALYSIS_TIME_VALUES : ANALYSIS_VALUES;
	size_t count = 0;

	values[count++] = analysis_ranking_value(analysis);
	for (int value = begin; value < end; value++)
		if (value != (int)values[0])
			values[count++] = (enum analysis_value)value;
	return count;
}

static enum analysis_measure ranking(const struct analysis *analysis, enum analysis_side side)
{
	return analysis_measure_of(analysis_ranking_value(analysis), side);
}

uint64_t analysis_inclusive(const struct analysis *analysis, const struct analysis_values *values)
{
	return values->amount[ranking(analysis, INCLUSIVE)];
}

uint64_t analysis_exclusive(const struct analysis *analysis, const struct analysis_values *values)
{
	return values->amount[ranking(analysis, EXCLUSIVE)];
}

double analysis_samples_percent(const struct analysis *analysis, uint64_t samples)
{
	return analysis_amount_percent(analysis, SAMPLES_INCLUSIVE, samples);
}

double analysis_value_share(const struct analysis *analysis, uint64_t value)
{
	return analysis_amount_percent(analysis, ranking(analysis, INCLUSIVE), value);
}

double analysis_exclusive_share(const struct analysis *analysis,
				const struct analysis_values *values)
{
	return analysis_percent(analysis, values, ranking(analysis, EXCLUSIVE));
}

double analysis_share(const struct analysis *analysis, const struct analysis_values *values)
{
	return analysis_percent(analysis, values, ranking(analysis, INCLUSIVE));
}

bool analysis_is_within_error(const struct analysis_values *values)
{
	return values->calls > values->untimed && !values->sampled &&
	       values->amount[ELAPSED_EXCLUSIVE] <= values->amount[ERROR_EXCLUSIVE];
}

bool analysis_is_overhead_dominated(const struct analysis_values *values)
{
	return values->calls > values->untimed && !values->sampled &&
	       values->amount[ELAPSED_EXCLUSIVE] / 5 < values->probe_ticks;
}

#define CAUSE(number, ID, name, since, title, words, meaning)                                      \
	[number] = {#name, title, words, meaning}

const struct analysis_cause analysis_causes[] = {TARE_OS_CAUSE_LIST(CAUSE)};
table_covers(analysis_causes, TARE_OS_CAUSES);
