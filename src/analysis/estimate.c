/*
 * What is known of functions, then thread by thread: paths, shares, places. Threads without
 * samples, and recordings that were to time all calls, keep their trees.
 */
#include "analysis/estimate.h"

#include <string.h>

/* Calls that are in progress at the end have been counted, and not timed. */
#define COUNTED_MORE_MIN   16
#define COUNTED_MORE_SHARE 100

/* ---- what is applicable ---- */

/* Events that pass as the thread runs. */
static bool is_time(const char *name)
{
	static const char *const names[] = {"cpu-clock", "task-clock", "cycles", "cpu-cycles",
					    "ref-cycles"};

	for (size_t i = 0; name && i < TABLE_COUNT(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* The id of the event to go by; 0: there is none. */
static int64_t event_of(const struct profile *profile)
{
	size_t count;
	const struct profile_event *events = profile_events(profile, &count);

	for (size_t i = 0; i < count; i++)
		if (is_time(events[i].name))
			return (int64_t)i + 1;
	return 0;
}

/* ---- functions ---- */

/* What counters and nodes of a process say, while both are added up. */
struct calls {
	uint64_t timed, counted;
};

struct call_counts {
	struct estimate *estimate;
	struct map places; /* estimate_key → index */
	struct vec_of(struct calls) list;
};

static struct calls *calls_of(struct call_counts *counts, uint32_t process, uint32_t function)
{
	const uint64_t place =
		*map_put(&counts->places, estimate_key(process, function), counts->list.len);

	if (place == counts->list.len)
		vec_push(&counts->list, (struct calls){0});
	return &counts->list.data[place];
}

static void take_counted(struct call_counts *counts, const struct profile_counted *row)
{
	struct analysis *analysis = counts->estimate->analysis;
	const uint32_t process = (uint32_t)(row->process - 1);
	const uint32_t function = analysis->function_of[row->function - 1];

	const uint64_t calls = row->entered ? row->entered : row->called;

	calls_of(counts, process, function)->counted += calls;
	if (row->thread && !row->approximate)
		vec_push(&counts->estimate->counted,
			 ((struct estimate_counted){.thread = (uint32_t)(row->thread - 1),
						    .function = function,
						    .calls = calls,
						    .cost_ticks = row->cost_ticks}));
	if (row->entered)
		estimate_trait_add(counts->estimate, process, function, ESTIMATE_KNOWN);
	if (row->learned)
		estimate_trait_add(counts->estimate, process, function, ESTIMATE_COUNTED);
}

static bool take_disarm(const struct profile_disarm *row, void *context)
{
	struct estimate *estimate = context;

	estimate_trait_add(estimate, (uint32_t)(row->process - 1),
			   estimate->analysis->function_of[row->function - 1], ESTIMATE_COUNTED);
	return true;
}

static bool load_traits(struct estimate *estimate, struct profile *profile, struct error *err)
{
	const struct analysis *analysis = estimate->analysis;
	struct call_counts counts = {.estimate = estimate};

	map_init(&counts.places);
	vec_foreach (node, &analysis->nodes) {
		if (node->function == ANALYSIS_NONE)
			continue;
		const uint32_t process = analysis->threads.data[node->thread].process;
		estimate_trait_add(estimate, process, node->function, ESTIMATE_TIMED);
		calls_of(&counts, process, node->function)->timed += node->values.calls;
	}
	vec_foreach (row, &analysis->counted)
		take_counted(&counts, row);
	const bool ok = profile_each_disarm(profile, take_disarm, estimate, err);
	for (size_t i = 0; i < counts.places.cap; i++) {
		const struct map_slot *slot = &counts.places.slots[i];
		if (!slot->used)
			continue;
		const struct calls *calls = &counts.list.data[slot->value];
		*map_put(&estimate->untimed, slot->key, 0) =
			calls->counted > calls->timed ? calls->counted - calls->timed : 0;
		if (calls->counted >
		    calls->timed + calls->timed / COUNTED_MORE_SHARE + COUNTED_MORE_MIN)
			*map_put(&estimate->traits, slot->key, 0) |= ESTIMATE_COUNTED;
	}
	map_fini(&counts.places);
	vec_fini(&counts.list);
	return ok;
}

static int compare_counted(const void *a, const void *b)
{
	const struct estimate_counted *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static bool any_counted(const struct estimate *estimate)
{
	for (size_t i = 0; i < estimate->traits.cap; i++)
		if (estimate->traits.slots[i].used &&
		    estimate->traits.slots[i].value & ESTIMATE_COUNTED)
			return true;
	return false;
}

/* ---- nodes ---- */

static void order_nodes(struct estimate *estimate)
{
	const struct analysis *analysis = estimate->analysis;
	const size_t count = analysis->nodes.len, threads = analysis->threads.len;
	uint32_t *begin = mem_zalloc((threads + 2) * sizeof(*begin));
	uint32_t *at = mem_alloc((threads + 1) * sizeof(*at));

	map_init(&estimate->children);
	map_reserve(&estimate->children, count);
	estimate->order = mem_alloc((count + 1) * sizeof(uint32_t));
	vec_foreach (node, &analysis->nodes)
		begin[node->thread + 1]++;
	for (size_t i = 0; i < threads; i++) {
		begin[i + 1] += begin[i];
		at[i] = begin[i];
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		estimate->order[at[node->thread]++] = i;
		if (node->parent != ANALYSIS_NONE && !node->folded)
			map_put(&estimate->children, (uint64_t)node->parent << 32 | node->function,
				i);
	}
	estimate->order_begin = begin;
	free(at);
}

/* ---- threads ---- */

/* What a sample's weight is in ticks: by its unit, or by what threads have of both. */
static double ticks_of_weight(const struct estimate *estimate)
{
	const struct analysis *analysis = estimate->analysis;
	double ticks = 0;
	wide weight = 0;

	if (estimate_event_of_time(estimate))
		return analysis->ticks_per_second / 1e9;
	vec_foreach (node, &analysis->nodes)
		ticks += (double)node->values.amount[CPU_EXCLUSIVE];
	vec_foreach (value, &estimate->clocked)
		weight += value->weight;
	return weight > 0 ? ticks / (double)weight : 0;
}

/* The least of what the collectors have found. */
static double interrupt_ticks(const struct analysis *analysis)
{
	size_t count;
	const struct profile_sampling *rows = profile_samplings(analysis->profile, &count);
	uint64_t least = count ? rows[0].interrupt_ns : 0;

	for (size_t i = 1; i < count; i++)
		if (rows[i].interrupt_ns < least)
			least = rows[i].interrupt_ns;
	return (double)least * analysis->ticks_per_second / 1e9;
}

static bool load_values(struct estimate *estimate, struct profile *profile, struct error *err)
{
	if (!sample_values_load_apart(estimate->analysis, profile, estimate->event,
				      &estimate->clocked, &estimate->unclocked, err))
		return false;
	sample_values_sort(&estimate->clocked);
	sample_values_sort(&estimate->unclocked);
	return true;
}

/* The samples of one thread, those of whose predecessors end at `*at`, which becomes its end. */
static struct estimate_range range_of(const struct sample_values *values, size_t *at,
				      uint32_t thread)
{
	const size_t begin = *at;

	while (*at < values->len && values->data[*at].thread <= thread)
		++*at;
	return (struct estimate_range){values->data + begin, values->data + *at};
}

static void estimate_one(struct estimate *estimate, struct estimate_thread *thread)
{
	struct analysis_thread *row = &estimate->analysis->threads.data[thread->index];

	map_init(&thread->tallies);
	estimate_build_paths(estimate, thread);
	estimate_check(estimate, thread);
	row->estimated = estimate_share(estimate, thread);
	estimate_place(estimate, thread, row->estimated);
	estimate_unclocked(estimate, thread);
	row->estimated |= row->unclocked_ticks > 0;
	estimate_count_calls(estimate, thread);
	row->root = thread->first;
	map_fini(&thread->tallies);
	vec_fini(&thread->list);
}

/* Those that have passed no probe, too, where their process has passed some. */
static void estimate_threads(struct estimate *estimate)
{
	struct analysis *analysis = estimate->analysis;
	bool *has_calls = mem_zalloc(analysis->processes.len + 1);
	size_t clocked = 0, unclocked = 0;

	vec_foreach (thread, &analysis->threads)
		has_calls[thread->process] |= thread->root != ANALYSIS_NONE;
	for (uint32_t i = 0; i < analysis->threads.len; i++) {
		struct estimate_thread thread = {.index = i,
						 .process = analysis->threads.data[i].process};
		thread.clocked = range_of(&estimate->clocked, &clocked, i);
		thread.unclocked = range_of(&estimate->unclocked, &unclocked, i);
		if (analysis->threads.data[i].root != ANALYSIS_NONE ||
		    (thread.unclocked.begin < thread.unclocked.end && has_calls[thread.process]))
			estimate_one(estimate, &thread);
	}
	free(has_calls);
}

/* Whether something is known of the node itself. */
static bool has_values(const struct analysis_node *node)
{
	return node->parent == ANALYSIS_NONE || node->folded || node->values.calls ||
	       node->values.amount[ELAPSED_EXCLUSIVE] || node->values.amount[OVERHEAD_EXCLUSIVE] ||
	       node->folded_time.application || node->folded_time.disturbed ||
	       node->folded_time.waited;
}

/*
 * Stacks whose samples went elsewhere, because the clock decides, leave paths of nothing. Returns
 * from each new node to what it becomes.
 */
static uint32_t *drop_empty(struct estimate *estimate)
{
	const size_t count = estimate->nodes.len;
	struct analysis_node *nodes = estimate->nodes.data;
	uint32_t *becomes = mem_zalloc((count + 1) * sizeof(*becomes));
	size_t kept = 0;

	for (size_t i = count; i-- > 0;) {
		becomes[i] |= has_values(&nodes[i]);
		if (becomes[i] && nodes[i].parent != ANALYSIS_NONE)
			becomes[nodes[i].parent] = 1;
	}
	for (size_t i = 0; i < count; i++) {
		if (!becomes[i]) {
			becomes[i] = ANALYSIS_NONE;
			continue;
		}
		becomes[i] = (uint32_t)kept;
		nodes[kept] = nodes[i];
		if (nodes[kept].parent != ANALYSIS_NONE)
			nodes[kept].parent = becomes[nodes[kept].parent];
		kept++;
	}
	estimate->nodes.len = kept;
	return becomes;
}

/* The new tree takes the old one's place. */
static void replace(struct estimate *estimate)
{
	struct analysis *analysis = estimate->analysis;
	uint32_t *becomes = drop_empty(estimate);

	vec_foreach (node, &analysis->node_of)
		if (*node != ANALYSIS_NONE)
			*node = becomes[estimate->to[*node]];
	vec_foreach (thread, &analysis->threads)
		if (thread->root != ANALYSIS_NONE)
			thread->root = becomes[thread->root];
	vec_fini(&analysis->nodes);
	memcpy(&analysis->nodes, &estimate->nodes, sizeof(analysis->nodes));
	memset(&estimate->nodes, 0, sizeof(estimate->nodes));
	free(becomes);
}

/* A timer in the target comes when the thread returns from the kernel, to who has called it. */
static bool has_kernel(const struct analysis *analysis)
{
	size_t count;
	const struct profile_sampling *rows = profile_samplings(analysis->profile, &count);

	for (size_t i = 0; i < count; i++)
		if (!rows[i].kernel && strcmp(rows[i].collector, "timer") != 0)
			return false;
	return true;
}

static void make_tree(struct estimate *estimate)
{
	const size_t count = estimate->analysis->nodes.len;
	size_t stacks, locations;
	const struct profile *profile = estimate->analysis->profile;

	estimate->stacks = profile_stacks(profile, &stacks);
	estimate->locations = profile_locations(profile, &locations);
	estimate->positions = mem_zalloc((stacks + 1) * sizeof(*estimate->positions));
	estimate->to = mem_alloc((count + 1) * sizeof(uint32_t));
	estimate->first_match = mem_alloc((count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < count; i++)
		estimate->first_match[i] = ANALYSIS_NONE;
	estimate->aliases = analysis_aliases_of(estimate->analysis);
	estimate_find_unseen(estimate);
	order_nodes(estimate);
	estimate->ticks_of_weight = ticks_of_weight(estimate);
	estimate->interrupt_ticks = interrupt_ticks(estimate->analysis);
	estimate->has_kernel = has_kernel(estimate->analysis);
	vec_sort(&estimate->counted, compare_counted);
	estimate_threads(estimate);
	estimate->analysis->totals.sampled_ticks =
		(uint64_t)((double)estimate->analysis->totals.sampled * estimate->ticks_of_weight);
	estimate_mark_unmet(estimate);
	estimate_mark_unseen(estimate);
	replace(estimate);
}

static void estimate_fini(struct estimate *estimate)
{
	vec_fini(&estimate->clocked);
	vec_fini(&estimate->unclocked);
	vec_fini(&estimate->candidates);
	vec_fini(&estimate->nodes);
	vec_fini(&estimate->paths);
	vec_fini(&estimate->matches);
	vec_fini(&estimate->counted);
	map_fini(&estimate->traits);
	map_fini(&estimate->untimed);
	map_fini(&estimate->met);
	map_fini(&estimate->children);
	map_fini(&estimate->known);
	free(estimate->positions);
	free(estimate->order);
	free(estimate->order_begin);
	free(estimate->to);
	free(estimate->first_match);
}

bool analysis_estimate(struct analysis *analysis, struct profile *profile, struct error *err)
{
	const int64_t event = event_of(profile);
	struct estimate estimate = {.analysis = analysis, .event = event};
	bool ok = true;

	if (!event || !analysis->nodes.len)
		return true;
	map_init(&estimate.traits);
	map_init(&estimate.untimed);
	map_init(&estimate.met);
	map_init(&estimate.known);
	ok = load_traits(&estimate, profile, err);
	/* Code without probes is seen by samples alone, even if no function was counted. */
	if (ok && (any_counted(&estimate) || analysis_is_adaptive(profile))) {
		ok = load_values(&estimate, profile, err);
		if (ok)
			make_tree(&estimate);
	}
	estimate_fini(&estimate);
	return ok;
}

bool analysis_is_adaptive(const struct profile *profile)
{
	const char *settings = profile_session(profile)->settings;

	return settings && strstr(settings, "--adaptive");
}
