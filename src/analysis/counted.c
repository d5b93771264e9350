/*
 * Calls that counters have seen (struct profile_counted). A function's calls are what was counted
 * where it begins; of one without copy, at the places of calls that name it, unless more were
 * timed, as those through pointers are; while their call sites are not timed nobody counts these,
 * so its calls are at least as many. What is not timed has no part in times per call.
 * A call that begins on one thread and ends on another is counted by the first and timed by the
 * second: threads have no more untimed calls than their process has.
 */
#include "analysis/private.h"

struct counted_function {
	uint64_t entered;
	bool approximate;
	bool through_pointers; /* calls that nobody has counted */
};

/* Of a function in one process: another one may have timed all calls of it, and counted none. */
struct counted_there {
	uint32_t function;
	uint64_t entered, called, timed;
};

struct counted_loader {
	struct analysis *analysis;
	struct counted_function *functions; /* by index */
	struct map timed;		    /* (thread, function) → timed calls */
	struct map timed_all;		    /* (process, function) → timed calls */
	struct map untimed; /* (process, function) → counted calls that no thread has timed yet */
	struct map places;  /* (process, function) → index */
	struct vec_of(struct counted_there) there;
};

static uint64_t timed_key(uint64_t thread, uint64_t function)
{
	return thread << 32 | function;
}

static uint64_t value_of(const struct map *map, uint64_t key)
{
	const uint64_t *value = map_get(map, key);

	return value ? *value : 0;
}

static struct counted_there *there_of(struct counted_loader *loader, uint32_t process,
				      uint32_t function)
{
	const uint64_t place =
		*map_put(&loader->places, timed_key(process, function), loader->there.len);

	if (place == loader->there.len)
		vec_push(&loader->there, ((struct counted_there){.function = function}));
	return &loader->there.data[place];
}

static void note_timed(struct counted_loader *loader)
{
	const struct analysis *analysis = loader->analysis;

	vec_foreach (node, &analysis->nodes) {
		if (node->function == ANALYSIS_NONE || !node->values.calls)
			continue;
		const uint32_t process = analysis->threads.data[node->thread].process;
		*map_put(&loader->timed, timed_key(node->thread, node->function), 0) +=
			node->values.calls;
		*map_put(&loader->timed_all, timed_key(process, node->function), 0) +=
			node->values.calls;
		if (analysis->threads.data[node->thread].selected &&
		    analysis->processes.data[process].selected)
			there_of(loader, process, node->function)->timed += node->values.calls;
	}
}

static uint64_t row_calls(const struct profile_counted *row)
{
	return row->entered ? row->entered : row->called;
}

static void note_counted(struct counted_loader *loader, const struct profile_counted *row)
{
	const struct analysis *analysis = loader->analysis;

	if (row->thread && !row->approximate && analysis->threads.data[row->thread - 1].selected)
		*map_put(&loader->untimed,
			 timed_key((uint64_t)row->process - 1,
				   analysis->function_of[row->function - 1]),
			 0) += row_calls(row);
}

static void take_off_timed(struct counted_loader *loader)
{
	for (size_t i = 0; i < loader->untimed.cap; i++) {
		struct map_slot *slot = &loader->untimed.slots[i];
		if (!slot->used)
			continue;
		const uint64_t timed = value_of(&loader->timed_all, slot->key);
		slot->value = slot->value > timed ? slot->value - timed : 0;
	}
}

static bool is_whole(const struct analysis *analysis, uint32_t process)
{
	vec_foreach (thread, &analysis->threads)
		if (thread->process == process && !thread->selected)
			return false;
	return true;
}

/* The calls of one thread that were not timed. */
static void add_untimed(struct counted_loader *loader, const struct profile_counted *row,
			uint32_t function)
{
	struct analysis *analysis = loader->analysis;
	struct analysis_thread *thread = &analysis->threads.data[row->thread - 1];
	const uint64_t calls = row_calls(row);
	const uint64_t timed =
		value_of(&loader->timed, timed_key((uint64_t)row->thread - 1, function));

	if (row->approximate || calls <= timed)
		return;
	uint64_t *left = map_put(&loader->untimed, timed_key(thread->process, function), 0);
	const uint64_t more = calls - timed < *left ? calls - timed : *left;
	*left -= more;
	thread->values.calls += more;
	thread->values.untimed += more;
	analysis->processes.data[thread->process].values.calls += more;
	analysis->processes.data[thread->process].values.untimed += more;
}

static void add_counted(struct counted_loader *loader, const struct profile_counted *row)
{
	struct analysis *analysis = loader->analysis;
	const uint32_t process = (uint32_t)(row->process - 1);
	const uint32_t function = analysis->function_of[row->function - 1];
	const struct analysis_module *module =
		&analysis->modules.data[analysis->functions.data[function].module];
	const bool selected = row->thread ? analysis->threads.data[row->thread - 1].selected
					  : is_whole(analysis, process);

	analysis->functions.data[function].entered |= row->entered != 0;
	if (!analysis->processes.data[process].selected || (analysis->my_code && module->system))
		return;
	struct counted_function *counted = &loader->functions[function];
	/* A row of no thread says that calls may be missing in any of them; without calls, that
	   they were made through pointers. */
	if (!row->thread && !row_calls(row))
		counted->through_pointers |= row->approximate;
	else if (!row->thread)
		counted->approximate |= row->approximate;
	if (!selected)
		return;
	struct counted_there *there = there_of(loader, process, function);
	there->entered += row->entered;
	there->called += row->called;
	counted->entered += row->entered;
	counted->approximate |= row->approximate && row_calls(row);
	if (row->thread)
		add_untimed(loader, row, function);
}

static void function_add(struct counted_loader *loader, const struct counted_there *there)
{
	struct analysis *analysis = loader->analysis;
	struct analysis_function *function = &analysis->functions.data[there->function];
	struct counted_function *counted = &loader->functions[there->function];
	struct analysis_values *values = &function->values;
	const uint64_t calls = counted->entered ? there->entered : there->called;

	analysis->totals.functions_approximate += counted->approximate && !values->approximate;
	values->approximate = counted->approximate;
	values->unseen |= counted->through_pointers;
	if (!calls)
		return;
	values->counted = true;
	if (calls <= there->timed)
		return;
	const uint64_t more = calls - there->timed;
	values->untimed += more;
	values->calls += more;
	analysis->modules.data[function->module].values.untimed += more;
	analysis->modules.data[function->module].values.calls += more;
}

static bool take_row(const struct profile_counted *row, void *context)
{
	struct analysis *analysis = context;

	vec_push(&analysis->counted, *row);
	return true;
}

bool analysis_read_counted(struct analysis *analysis, struct profile *profile, struct error *err)
{
	return profile_each_counted(profile, take_row, analysis, err);
}

void analysis_add_counted(struct analysis *analysis)
{
	struct counted_loader loader = {.analysis = analysis};
	const size_t count = analysis->functions.len;

	loader.functions = mem_zalloc((count + 1) * sizeof(*loader.functions));
	map_init(&loader.timed);
	map_init(&loader.timed_all);
	map_init(&loader.untimed);
	map_init(&loader.places);
	note_timed(&loader);
	vec_foreach (row, &analysis->counted)
		note_counted(&loader, row);
	take_off_timed(&loader);
	vec_foreach (row, &analysis->counted)
		add_counted(&loader, row);
	vec_fini(&analysis->counted);
	for (size_t i = 0; i < loader.there.len; i++)
		function_add(&loader, &loader.there.data[i]);
	map_fini(&loader.timed);
	map_fini(&loader.timed_all);
	map_fini(&loader.untimed);
	map_fini(&loader.places);
	vec_fini(&loader.there);
	free(loader.functions);
}
