/* See paths.h. */
#include "report/export/paths.h"

#include "report/words/name.h"

#include <inttypes.h>
#include <string.h>

const char *paths_text(struct paths *paths, const char *name)
{
	struct str text = {0};

	name_append_escaped(&text, name ? name : "", true);
	const char *safe = arena_strdup(&paths->arena, text.data ? text.data : "");
	str_fini(&text);
	return safe;
}

static const char *numbered_name(struct paths *paths, const char *name, int64_t number)
{
	struct str text = {0};

	str_printf(&text, "%s (%lld)", name ? name : "", (long long)number);
	const char *safe = paths_text(paths, text.data);
	str_fini(&text);
	return safe;
}

/* Another function of the module may have the same name. */
static const char *function_name(struct paths *paths, const struct analysis_function *function)
{
	struct str text = {0};

	if (!function->has_twin)
		return paths_text(paths, function->name);
	str_printf(&text, "%s @0x%" PRIx64, function->name, function->link_addr);
	const char *safe = paths_text(paths, text.data);
	str_fini(&text);
	return safe;
}

static void make_names(struct paths *paths)
{
	const struct analysis *analysis = paths->analysis;

	paths->outside = "[outside of functions]";
	paths->names = arena_array(&paths->arena, const char *, analysis->functions.len + 1);
	for (size_t i = 0; i < analysis->functions.len; i++)
		paths->names[i] = function_name(paths, &analysis->functions.data[i]);
	paths->process_names =
		arena_array(&paths->arena, const char *, analysis->processes.len + 1);
	for (size_t i = 0; i < analysis->processes.len; i++) {
		const struct profile_process *row = analysis->processes.data[i].row;
		paths->process_names[i] = analysis->totals.processes > 1
						  ? numbered_name(paths, row->name, row->pid)
						  : paths_text(paths, row->name);
	}
	paths->thread_names = arena_array(&paths->arena, const char *, analysis->threads.len + 1);
	for (size_t i = 0; i < analysis->threads.len; i++) {
		const struct profile_thread *row = analysis->threads.data[i].row;
		paths->thread_names[i] = numbered_name(paths, row->name, row->tid);
	}
}

/* By counting: those of a thread keep their order. */
static void sort_by_thread(struct paths *paths)
{
	const struct analysis *analysis = paths->analysis;
	size_t *place = mem_zalloc((analysis->threads.len + 1) * sizeof(*place));

	paths->order = arena_array(&paths->arena, uint32_t, analysis->nodes.len + 1);
	vec_foreach (node, &analysis->nodes)
		place[node->thread + 1]++;
	for (size_t i = 1; i < analysis->threads.len; i++)
		place[i] += place[i - 1];
	for (uint32_t i = 0; i < analysis->nodes.len; i++)
		paths->order[place[analysis->nodes.data[i].thread]++] = i;
	free(place);
}

static bool choose_measure(struct paths *paths, const char *name, struct error *err)
{
	const char *names[PATH_MEASURES_MAX];
	struct str list = {0};

	if (!name)
		return true;
	for (size_t i = 0; i < paths->measure_count; i++) {
		names[i] = paths->measures[i].name;
		str_printf(&list, "%s%s", i ? ", " : "", names[i]);
		if (strcmp(names[i], name) == 0) {
			paths->first_measure = i;
			str_fini(&list);
			return true;
		}
	}
	const char *nearest = str_nearest(name, names, paths->measure_count);
	if (nearest)
		error_set(err, ERROR_USAGE,
			  "the profile has no measure \"%s\"; did you mean \"%s\"?", name, nearest);
	else
		error_set(err, ERROR_USAGE, "the profile has no measure \"%s\"; it has %s", name,
			  list.data);
	str_fini(&list);
	return false;
}

static void add_measure(struct paths *paths, struct path_measure_info info)
{
	paths->measures[paths->measure_count++] = info;
}

static struct path_measure_info info_of(struct paths *paths, enum analysis_value value)
{
	const struct profile_event *event = paths->analysis->event;
	struct path_measure_info info = {.name = analysis_value_infos[value].name,
					 .unit = value < ANALYSIS_TIME_VALUES ? "nanoseconds"
									      : "count",
					 .value = value};

	if (value == VALUE_WEIGHT) {
		info.name = paths_text(paths, event->name);
		info.unit = strcmp(event->unit, "ns") == 0 ? "nanoseconds" : "count";
	}
	return info;
}

static void add_measures(struct paths *paths)
{
	const struct analysis *analysis = paths->analysis;
	enum analysis_value values[ANALYSIS_VALUES];
	const size_t count = analysis_shown_values(analysis, values);

	for (size_t i = 0; i < count; i++)
		if (values[i] != VALUE_WEIGHT || analysis->event)
			add_measure(paths, info_of(paths, values[i]));
	paths->cost_count = paths->measure_count;
	if (analysis->method != ANALYSIS_SAMPLE)
		add_measure(paths, (struct path_measure_info){
					   .name = "calls", .unit = "count", .is_calls = true});
}

bool paths_open(struct paths *paths, const struct analysis *analysis, const char *measure,
		struct error *err)
{
	*paths = (struct paths){.analysis = analysis};
	arena_init(&paths->arena);
	add_measures(paths);
	if (!choose_measure(paths, measure, err)) {
		paths_close(paths);
		return false;
	}
	make_names(paths);
	sort_by_thread(paths);
	return true;
}

void paths_close(struct paths *paths)
{
	arena_fini(&paths->arena);
}

void paths_rewind(struct paths *paths)
{
	paths->next = 0;
	memset(paths->sum, 0, sizeof(paths->sum));
}

/* Each path gets what the sum has grown by, in nanoseconds: so nothing is lost by rounding. */
static uint64_t share_ns(struct paths *paths, size_t measure, uint64_t ticks)
{
	const uint64_t before = analysis_ns(paths->analysis, paths->sum[measure]);

	paths->sum[measure] += ticks;
	return analysis_ns(paths->analysis, paths->sum[measure]) - before;
}

/* Of a node, and not a sum; those of calls have one side only. */
static uint64_t amount_of(const struct paths *paths, size_t measure,
			  const struct analysis_values *values, enum analysis_side side)
{
	const struct path_measure_info *info = &paths->measures[measure];

	return info->is_calls ? values->calls
			      : values->amount[analysis_measure_of(info->value, side)];
}

static bool is_ticks(const struct paths *paths, size_t measure)
{
	const struct path_measure_info *info = &paths->measures[measure];

	return !info->is_calls && info->value < ANALYSIS_TIME_VALUES;
}

static uint64_t value_of(struct paths *paths, size_t measure, const struct analysis_values *values)
{
	const uint64_t amount = amount_of(paths, measure, values, EXCLUSIVE);

	return is_ticks(paths, measure) ? share_ns(paths, measure, amount) : amount;
}

/* Fills in the values; false if all are zero. */
static bool take_values(struct paths *paths, const struct analysis_node *node, struct path *path)
{
	uint64_t any = 0;

	for (size_t i = 0; i < paths->measure_count; i++) {
		path->values[i] = value_of(paths, i, &node->values);
		any |= path->values[i];
	}
	return any != 0;
}

bool paths_next_of(struct paths *paths, uint32_t thread, struct path *path)
{
	const struct analysis *analysis = paths->analysis;

	while (paths->next < analysis->nodes.len) {
		const struct analysis_node *node = &analysis->nodes.data[paths->order[paths->next]];

		if (thread != ANALYSIS_NONE && node->thread != thread)
			return false;
		path->node = paths->order[paths->next++];
		if (analysis->threads.data[node->thread].selected && take_values(paths, node, path))
			return true;
	}
	return false;
}

bool paths_next(struct paths *paths, struct path *path)
{
	return paths_next_of(paths, ANALYSIS_NONE, path);
}

uint64_t paths_inclusive(const struct paths *paths, size_t measure, uint32_t node)
{
	return amount_of(paths, measure, &paths->analysis->nodes.data[node].values, INCLUSIVE);
}

uint64_t paths_in_unit(const struct paths *paths, size_t measure, uint64_t sum)
{
	return is_ticks(paths, measure) ? analysis_ns(paths->analysis, sum) : sum;
}

void paths_chain(const struct paths *paths, uint32_t node, struct path_chain *chain)
{
	const struct analysis_node *nodes = paths->analysis->nodes.data;

	chain->len = 0;
	for (uint32_t at = node; at != ANALYSIS_NONE; at = nodes[at].parent)
		if (at == node || nodes[at].function != ANALYSIS_NONE)
			vec_push(chain, at);
	for (size_t i = 0; i < chain->len / 2; i++) {
		const uint32_t other = chain->data[i];
		chain->data[i] = chain->data[chain->len - 1 - i];
		chain->data[chain->len - 1 - i] = other;
	}
}

const char *paths_name(const struct paths *paths, uint32_t node)
{
	const uint32_t function = paths->analysis->nodes.data[node].function;

	return function == ANALYSIS_NONE ? paths->outside : paths->names[function];
}
