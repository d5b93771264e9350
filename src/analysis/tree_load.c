/*
 * The calling-context trees of all selected threads, and every value that follows from them. Nodes
 * of one function under one parent (a call target that is known by several addresses, or a function
 * loaded twice) become one node.
 */
#include "analysis/private.h"

#include <assert.h>

/*
 * The first children of each node in the order of their indexes: most nodes have few, and to look
 * through these costs less than a map does.
 */
enum { CHILDREN_IN_LIST = 16 };

struct child_links {
	uint32_t first_child, next; /* ANALYSIS_NONE: there is none */
	uint32_t subject;	    /* its function, and whether it has folded */
};

struct loader {
	struct analysis *analysis;
	struct vec_of(struct child_links) links; /* by node */
	struct map merged;    /* (parent, function) → node, of what the lists have no room for */
	struct map disarmed;  /* (process, function) */
	struct map learned;   /* function: was disarmed before any call of it */
	struct prefault room; /* of the nodes */
	struct error *err;
	bool rows_have_lengths, any_folded, failed;
};

/* The parent's child of the subject; where it has none, the new node becomes that. */
static uint32_t child_of(struct loader *loader, uint32_t parent, uint32_t subject)
{
	const uint32_t fresh = (uint32_t)loader->analysis->nodes.len;
	struct child_links *links = loader->links.data;
	uint32_t *at = &links[parent].first_child;

	for (int i = 0; i < CHILDREN_IN_LIST; i++) {
		if (*at == ANALYSIS_NONE)
			return *at = fresh;
		if (links[*at].subject == subject)
			return *at;
		at = &links[*at].next;
	}
	return (uint32_t)*map_put(&loader->merged, (uint64_t)parent << 32 | subject, fresh);
}

/* The root never is; what stands below a folded node is. */
static bool is_folded(const struct analysis *analysis, const struct profile_node *row,
		      uint32_t parent)
{
	return parent != ANALYSIS_NONE && (row->folded || analysis->nodes.data[parent].folded);
}

void analysis_values_measure(struct analysis_values *values, const struct profile_node *row,
			     uint64_t *inconsistent)
{
	uint64_t left = row->elapsed_ticks;

	for (int i = 0; i < TARE_OS_CAUSES; i++) {
		const uint64_t ticks = row->os_ticks[i] < left ? row->os_ticks[i] : left;
		*inconsistent += row->os_ticks[i] - ticks;
		values->os_ticks[i] = ticks;
		left -= ticks;
	}
	assert(values->os_ticks[TARE_OS_BLOCKED] <= row->elapsed_ticks &&
	       values->os_ticks[TARE_OS_PREEMPTED] <=
		       row->elapsed_ticks - values->os_ticks[TARE_OS_BLOCKED]);
	values->amount[ELAPSED_EXCLUSIVE] = row->elapsed_ticks;
	values->amount[CPU_EXCLUSIVE] = row->elapsed_ticks - values->os_ticks[TARE_OS_BLOCKED] -
					values->os_ticks[TARE_OS_PREEMPTED];
	values->amount[APPLICATION_EXCLUSIVE] = left;
	values->amount[OVERHEAD_EXCLUSIVE] = row->overhead_ticks;
	assert(left <= values->amount[CPU_EXCLUSIVE] &&
	       values->amount[CPU_EXCLUSIVE] <= values->amount[ELAPSED_EXCLUSIVE]);
}

#define RANGE_MEASURE(name, MEASURE) MEASURE

static struct analysis_values node_values(struct analysis *analysis, const struct profile_node *row,
					  const struct profile_process *process)
{
	static const enum analysis_measure measures[] = {TARE_NODE_RANGES(RANGE_MEASURE)};
	struct analysis_values values = analysis_values_zero();
	const uint64_t by_call = row->calls_by_call < row->calls ? row->calls_by_call : row->calls;
	const uint64_t *cost = process->cost_ticks;

	values.calls = row->calls;
	values.unwound = row->unwound;
	analysis_values_measure(&values, row, &analysis->totals.inconsistent_ticks);
	values.probe_ticks =
		by_call * (cost[TARE_EVENT_CALL] + cost[TARE_EVENT_RETURN]) +
		(row->calls - by_call) * (cost[TARE_EVENT_ENTER] + cost[TARE_EVENT_LEAVE]);
	for (size_t i = 0; i < TABLE_COUNT(row->ranges); i++)
		values.range[measures[i]] =
			(struct analysis_range){row->ranges[i][0], row->ranges[i][1]};
	return values;
}

static uint32_t node_add(struct loader *loader, const struct profile_node *row, uint32_t parent,
			 const struct analysis_values *values)
{
	struct analysis *analysis = loader->analysis;
	const uint32_t thread = (uint32_t)(row->thread - 1);
	const uint32_t function =
		row->function ? analysis->function_of[row->function - 1] : ANALYSIS_NONE;
	assert(row->thread >= 1 && thread < analysis->threads.len);
	assert(parent == ANALYSIS_NONE || parent < analysis->nodes.len);
	assert(function == ANALYSIS_NONE || function < ANALYSIS_FOLDED);
	const bool folded = is_folded(analysis, row, parent);
	loader->any_folded |= folded || row->folded_elapsed_ticks || row->folded_os_ticks;
	const uint32_t subject = folded ? function | ANALYSIS_FOLDED : function;
	uint32_t index = (uint32_t)analysis->nodes.len;

	if (parent != ANALYSIS_NONE)
		index = child_of(loader, parent, subject);
	else if (analysis->threads.data[thread].root != ANALYSIS_NONE)
		index = analysis->threads.data[thread].root;

	if (index < analysis->nodes.len) {
		struct analysis_node *node = &analysis->nodes.data[index];
		assert(node->parent == parent && node->thread == thread && node->folded == folded);
		analysis_values_add_exclusive(&analysis->arena, &node->values, values);
		analysis_folded_load(node, row);
		return index;
	}
	assert(index == analysis->nodes.len && index == loader->links.len);
	vec_push(&loader->links,
		 ((struct child_links){
			 .first_child = ANALYSIS_NONE, .next = ANALYSIS_NONE, .subject = subject}));
	vec_push(&analysis->nodes, ((struct analysis_node){.parent = parent,
							   .first_child = ANALYSIS_NONE,
							   .next_sibling = ANALYSIS_NONE,
							   .function = function,
							   .thread = thread,
							   .folded = folded,
							   .values = *values}));
	analysis_folded_load(&analysis->nodes.data[index], row);
	prefault_used(&loader->room, index * sizeof(*analysis->nodes.data));
	if (parent == ANALYSIS_NONE)
		analysis->threads.data[thread].root = index;
	return index;
}

static uint64_t disarm_key(uint32_t process, uint32_t function)
{
	return (uint64_t)process << 32 | function;
}

static bool load_disarm(const struct profile_disarm *row, void *context)
{
	struct loader *loader = context;
	const uint32_t process = (uint32_t)(row->process - 1);

	assert(row->process >= 1 && process < loader->analysis->processes.len);
	const uint32_t function = loader->analysis->function_of[row->function - 1];

	if (!loader->analysis->processes.data[process].selected)
		return true;
	map_put(&loader->disarmed, disarm_key(process, function), 0);
	if (!row->calls && *map_put(&loader->learned, function, 0) == 0) {
		*map_put(&loader->learned, function, 0) = 1;
		loader->analysis->totals.functions_learned++;
	}
	return true;
}

/* Before version 12 they are rows of the others' table. */
static void load_learned(struct loader *loader)
{
	vec_foreach (row, &loader->analysis->counted)
		if (row->learned)
			load_disarm(&(struct profile_disarm){.process = row->process,
							     .function = row->function},
				    loader);
}

static bool is_disarmed(const struct loader *loader, const struct profile_node *row)
{
	const struct analysis *analysis = loader->analysis;
	const uint32_t process = analysis->threads.data[row->thread - 1].process;

	return row->function && loader->disarmed.len &&
	       map_get(&loader->disarmed,
		       disarm_key(process, analysis->function_of[row->function - 1]));
}

/* The lengths of its calls, where the row has them. */
static bool load_lengths(struct loader *loader, const struct profile_node *row, uint32_t node)
{
	struct profile_lengths lengths;

	if (!loader->rows_have_lengths)
		return true;
	if (!profile_node_lengths(loader->analysis->profile, row, &lengths, loader->err)) {
		loader->failed = true;
		return false;
	}
	if (node != ANALYSIS_NONE)
		analysis_node_lengths(loader->analysis, node, &lengths);
	return true;
}

static bool load_node(const struct profile_node *row, void *context)
{
	struct loader *loader = context;
	struct analysis *analysis = loader->analysis;
	const struct analysis_thread *thread = &analysis->threads.data[row->thread - 1];
	uint32_t index = ANALYSIS_NONE;

	if (analysis->nodes.len >= ANALYSIS_NONE - 1) {
		loader->failed = true;
		return error_set(loader->err, ERROR_UNSUPPORTED,
				 "the profile has more than %u call paths", ANALYSIS_NONE - 1);
	}
	if (thread->selected) {
		const struct profile_process *process =
			analysis->processes.data[thread->process].row;
		struct analysis_values values = node_values(analysis, row, process);
		values.disarmed = is_disarmed(loader, row);
		const uint32_t parent =
			row->parent ? analysis_node_find(analysis, row->parent) : ANALYSIS_NONE;
		/* Its thread is selected, so the parent is, which the reader has found before it.
		 */
		assert(!row->parent || parent != ANALYSIS_NONE);
		index = node_add(loader, row, parent, &values);
	}
	assert(!analysis->node_ids.len || vec_last(&analysis->node_ids) < row->id);
	vec_push(&analysis->node_ids, row->id);
	vec_push(&analysis->node_of, index);
	return load_lengths(loader, row, index);
}

static void sum_disarmed(struct analysis *analysis)
{
	vec_foreach (function, &analysis->functions) {
		analysis->totals.functions_disarmed += function->values.disarmed;
		analysis->totals.functions_unseen += function->values.unseen;
		if (function->values.disarmed)
			analysis->totals.calls_disarmed += function->values.calls;
	}
}

static void fit_folded(struct analysis *analysis)
{
	struct analysis_values all = analysis_values_zero();
	bool any = false;

	vec_foreach (thread, &analysis->threads) {
		any |= thread->has_folded;
		if (thread->root != ANALYSIS_NONE)
			analysis_values_add_inclusive(&all,
						      &analysis->nodes.data[thread->root].values);
	}
	if (!any)
		return;
	vec_foreach (function, &analysis->functions)
		analysis_folded_fit(&function->values, &all);
	vec_foreach (module, &analysis->modules)
		analysis_folded_fit(&module->values, &all);
}

/* What the root's inclusive values have beyond its exclusive ones. */
static void add_within(struct analysis_values *to, const struct analysis_values *root)
{
	struct analysis_values within = *root;

	analysis_values_subtract_own(&within);
	analysis_values_add_inclusive(to, &within);
}

/* Threads and processes have every function of theirs on the stack, except in their roots. */
static void sum_threads(struct analysis *analysis)
{
	vec_foreach (node, &analysis->nodes) {
		assert(node->thread < analysis->threads.len);
		struct analysis_thread *thread = &analysis->threads.data[node->thread];
		struct analysis_process *process = &analysis->processes.data[thread->process];
		for (int i = 0; i < TARE_OS_CAUSES; i++)
			analysis->totals.os_ticks[i] += node->values.os_ticks[i];
		analysis->totals.estimated += node->values.amount[ESTIMATED_EXCLUSIVE];
		analysis->totals.counting += node->values.amount[COUNTING_EXCLUSIVE];
		analysis->totals.basis += node->values.amount[BASIS_EXCLUSIVE];
		analysis->totals.squares += node->values.amount[SQUARES_EXCLUSIVE];
		if (node->parent == ANALYSIS_NONE) {
			const uint64_t ticks = node->values.amount[ELAPSED_EXCLUSIVE];
			thread->root_ticks += ticks;
			process->root_ticks += ticks;
			analysis->totals.root_ticks += ticks;
			analysis_values_add_inclusive(&process->tree, &node->values);
			add_within(&thread->values, &node->values);
			add_within(&process->values, &node->values);
			continue;
		}
		analysis_values_add_exclusive(&analysis->arena, &thread->values, &node->values);
	}
	vec_foreach (thread, &analysis->threads)
		analysis_values_add_exclusive(&analysis->arena,
					      &analysis->processes.data[thread->process].values,
					      &thread->values);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t without(uint64_t all, uint64_t some)
{
	return all > some ? all - some : 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * The session's totals are the sums of the threads'. Of elapsed and application time these are
 * their clocks, less what was taken off by estimate. What the nodes hold must agree; the larger is
 * taken where it does not, so that no share exceeds the whole.
 */
static void sum_session(struct analysis *analysis)
{
	struct analysis_totals *totals = &analysis->totals;

	for (size_t i = 0; i < analysis->threads.len; i++) {
		const struct analysis_thread *thread = &analysis->threads.data[i];
		const struct profile_thread *row = thread->row;
		uint64_t times[ANALYSIS_TIME_VALUES] = {0};
		if (!thread->selected)
			continue;
		for (int time = 0; time < ANALYSIS_TIME_VALUES && thread->root != ANALYSIS_NONE;
		     time++)
			times[time] = analysis->nodes.data[thread->root]
					      .values.amount[analysis_measure_of(
						      (enum analysis_value)time, INCLUSIVE)];
		const uint64_t clock =
			without(row->now_ticks + thread->unclocked_ticks, thread->residual_ticks);
		const uint64_t os = row->os_ticks < clock ? row->os_ticks : clock;
		totals->inconsistent_ticks += distance(times[VALUE_ELAPSED], clock);
		if (!thread->estimated)
			totals->inconsistent_ticks +=
				distance(times[VALUE_ELAPSED] - times[VALUE_APPLICATION], os);
		assert(os <= clock);
		times[VALUE_CPU] += without(clock, times[VALUE_ELAPSED]);
		times[VALUE_ELAPSED] = larger(times[VALUE_ELAPSED], clock);
		if (!thread->estimated)
			times[VALUE_APPLICATION] = larger(times[VALUE_APPLICATION], clock - os);
		for (int time = 0; time < ANALYSIS_TIME_VALUES; time++)
			totals->times[time] += times[time];
	}
}

static void make_room(struct loader *loader, size_t nodes)
{
	struct analysis *analysis = loader->analysis;

	vec_reserve(&analysis->nodes, nodes);
	vec_reserve(&analysis->node_ids, nodes);
	vec_reserve(&analysis->node_of, nodes);
	vec_reserve(&loader->links, nodes);
	/* As it does not grow, it stays where it is. */
	prefault_begin(&loader->room, analysis->nodes.data, nodes * sizeof(*analysis->nodes.data));
}

bool analysis_load_tree(struct analysis *analysis, struct profile *profile, struct error *err)
{
	struct loader loader = {.analysis = analysis, .err = err};

	map_init(&loader.merged);
	map_init(&loader.disarmed);
	map_init(&loader.learned);
	loader.rows_have_lengths = profile_nodes_have_lengths(profile);
	make_room(&loader, profile_nodes_at_most(profile));
	load_learned(&loader);
	const bool ok = profile_each_disarm(profile, load_disarm, &loader, err) &&
			profile_each_node(profile, load_node, &loader, err) && !loader.failed;
	prefault_end(&loader.room);
	vec_fini(&loader.links);
	map_fini(&loader.merged);
	map_fini(&loader.disarmed);
	map_fini(&loader.learned);
	if (!ok || !analysis_load_histograms(analysis, profile, err))
		return false;
	analysis_correct_residual(analysis);
	if (!analysis_estimate(analysis, profile, err))
		return false;
	if (loader.any_folded)
		analysis_share_folded(analysis);
	if (analysis->my_code)
		analysis_hide_system(analysis, true);
	analysis_link_nodes(analysis);
	analysis_sum_functions(analysis);
	fit_folded(analysis);
	sum_disarmed(analysis);
	sum_threads(analysis);
	sum_session(analysis);
	analysis->totals.nodes = analysis->nodes.len;
	return true;
}
