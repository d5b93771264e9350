/*
 * A stack is followed from its outermost frame on. Frames of run-time libraries that call one
 * another are one path, that of the function entered, as where their calls are timed; frames of
 * the kernel belong to whoever called it. Frames from which a thread begins are its root.
 */
#include "analysis/estimate.h"

#include <string.h>

struct walk {
	struct estimate *estimate;
	struct estimate_thread *thread;
	bool clocked; /* the samples at hand were taken while the thread's clock was read */
	struct vec_of(uint32_t) pending;
};

/* Why the kernel was entered, by the name of its outermost function on the stack. */
static enum tare_os_cause cause_of(const char *name)
{
	if (strstr(name, "page_fault"))
		return TARE_OS_MINOR_FAULT;
	return strstr(name, "SYSCALL") || strstr(name, "syscall") ? TARE_OS_SYSCALL
								  : TARE_OS_INTERRUPT;
}

static bool is_only_timed(const struct walk *walk, uint32_t function)
{
	const uint32_t traits = estimate_traits_of(walk->estimate, walk->thread->process, function);

	return (traits & ESTIMATE_TIMED) && !(traits & ESTIMATE_COUNTED);
}

static void match_add(struct estimate *estimate, uint32_t old, uint32_t path)
{
	vec_push(&estimate->matches,
		 ((struct estimate_match){.path = path, .next = estimate->first_match[old]}));
	estimate->first_match[old] = (uint32_t)estimate->matches.len - 1;
}

/* To the path whose candidates are the last ones. */
static void candidate_add(struct estimate *estimate, struct estimate_path *path, uint32_t old)
{
	for (uint32_t i = 0; i < path->candidate_count; i++)
		if (estimate->candidates.data[path->first_candidate + i] == old)
			return;
	if (path->candidate_count == ESTIMATE_CANDIDATES)
		return;
	vec_push(&estimate->candidates, old);
	path->candidate_count++;
}

static uint32_t candidate_of(const struct estimate *estimate, const struct estimate_path *path,
			     uint32_t number)
{
	return estimate->candidates.data[path->first_candidate + number];
}

/*
 * The calls of a function that was timed at times stand below any timed caller; where all of its
 * calls were timed, the caller without it is none.
 */
static void candidates_find(struct walk *walk, uint32_t node, uint32_t parent, uint32_t function)
{
	struct estimate *estimate = walk->estimate;
	const struct estimate_path above = estimate->paths.data[parent];
	struct estimate_path *path = &estimate->paths.data[node];

	path->first_candidate = (uint32_t)estimate->candidates.len;
	for (uint32_t i = 0; i < above.candidate_count; i++) {
		const uint64_t caller = candidate_of(estimate, &above, i);
		const uint64_t *old = map_get(&estimate->children, caller << 32 | function);
		if (!old)
			continue;
		candidate_add(estimate, path, (uint32_t)*old);
		match_add(estimate, (uint32_t)*old, node);
	}
	if (!path->candidate_count) {
		path->first_candidate = above.first_candidate;
		path->candidate_count = above.candidate_count;
		return;
	}
	if (is_only_timed(walk, function))
		return;
	for (uint32_t i = 0; i < above.candidate_count; i++)
		candidate_add(estimate, path, candidate_of(estimate, &above, i));
}

static uint32_t descend(struct walk *walk, uint32_t parent, uint32_t function)
{
	struct estimate *estimate = walk->estimate;
	const size_t before = estimate->nodes.len;
	const uint32_t node = estimate_child(estimate, parent, function, false);

	if (node < before)
		return node;
	candidates_find(walk, node, parent, function);
	estimate->paths.data[node].territory =
		is_only_timed(walk, function) ? function : estimate->paths.data[parent].territory;
	return node;
}

/* Whether a timed call of it stands directly below a root. */
static bool root_calls(const struct walk *walk, uint32_t root, uint32_t function)
{
	const struct estimate *estimate = walk->estimate;
	const struct estimate_path *path = &estimate->paths.data[root];

	return path->candidate_count &&
	       map_get(&estimate->children,
		       (uint64_t)candidate_of(estimate, path, 0) << 32 | function);
}

/* What works before the program does: not its thread's root, but as if it was called from there. */
static bool is_loaders(const struct walk *walk, uint32_t function)
{
	const struct analysis *analysis = walk->estimate->analysis;
	const struct analysis_function *row = &analysis->functions.data[function];

	return !walk->clocked && strncmp(analysis->modules.data[row->module].name, "ld-", 3) == 0 &&
	       strcmp(row->symbol, "_start") != 0;
}

static void step_runtime(struct walk *walk, struct estimate_position *at, uint32_t function)
{
	const uint32_t entry = analysis_entry_of(walk->estimate->aliases, function);

	if (at->in_runtime)
		return;
	if (at->node == walk->thread->first && !is_loaders(walk, function)) {
		if (root_calls(walk, at->node, entry))
			at->node = descend(walk, at->node, entry);
		return;
	}
	at->node = descend(walk, at->node, entry);
	at->in_runtime = true;
}

/* A function of the run-time libraries that stands for whoever entered them. */
static bool is_of_runtime(const struct walk *walk, uint32_t function)
{
	const struct estimate *estimate = walk->estimate;
	const uint32_t module = estimate->analysis->functions.data[function].module;

	return estimate->aliases->is_runtime[module] &&
	       !(estimate_traits_of(estimate, walk->thread->process, function) & ESTIMATE_KNOWN);
}

static void step(struct walk *walk, struct estimate_position *at, uint32_t frame)
{
	const struct estimate *estimate = walk->estimate;
	const uint32_t function = analysis_stub_of(estimate->aliases, frame);
	const struct analysis_function *row = &estimate->analysis->functions.data[function];

	if (estimate->aliases->is_kernel[row->module]) {
		if (!at->in_kernel)
			at->cause = cause_of(row->symbol);
		at->in_kernel = true;
		return;
	}
	if (is_of_runtime(walk, function)) {
		step_runtime(walk, at, function);
		return;
	}
	at->node = descend(walk, at->node, function);
	at->in_runtime = false;
}

static struct estimate_position position_of(struct walk *walk, uint32_t stack)
{
	const struct estimate *estimate = walk->estimate;
	struct estimate_position *positions = estimate->positions;
	struct estimate_position at = {.thread = 2 * walk->thread->index + 1 + walk->clocked,
				       .node = walk->thread->first};
	uint32_t from = stack;

	for (; from && positions[from - 1].thread != at.thread;
	     from = (uint32_t)estimate->stacks[from - 1].parent)
		vec_push(&walk->pending, from - 1);
	if (from)
		at = positions[from - 1];
	while (walk->pending.len) {
		const uint32_t next = walk->pending.data[--walk->pending.len];
		step(walk, &at, estimate_function_at(estimate, next + 1));
		positions[next] = at;
	}
	return at;
}

static void root_begin(struct estimate *estimate, struct estimate_thread *thread)
{
	const uint32_t old = estimate->analysis->threads.data[thread->index].root;
	struct estimate_path path = {.territory = ANALYSIS_NONE,
				     .first_candidate = (uint32_t)estimate->candidates.len};

	thread->first = (uint32_t)estimate->nodes.len;
	vec_push(&estimate->nodes, ((struct analysis_node){.parent = ANALYSIS_NONE,
							   .first_child = ANALYSIS_NONE,
							   .next_sibling = ANALYSIS_NONE,
							   .function = ANALYSIS_NONE,
							   .thread = thread->index,
							   .values = analysis_values_zero()}));
	if (old != ANALYSIS_NONE)
		candidate_add(estimate, &path, old);
	vec_push(&estimate->paths, path);
	if (old != ANALYSIS_NONE)
		match_add(estimate, old, thread->first);
}

static wide own_weight(const struct estimate *estimate, uint32_t node)
{
	const struct estimate_path *path = &estimate->paths.data[node];

	return path->clocked.weight + path->unclocked.weight;
}

static void sum_inclusive(struct estimate *estimate, uint32_t first)
{
	for (size_t i = estimate->nodes.len; i-- > first;) {
		struct estimate_path *path = &estimate->paths.data[i];
		path->inclusive += own_weight(estimate, (uint32_t)i);
		if (i > first)
			estimate->paths.data[estimate->nodes.data[i].parent].inclusive +=
				path->inclusive;
	}
}

/* By function, where its time is: of the paths the one with most samples, of old nodes with calls.
 */
struct places {
	struct map paths, nodes;
};

static void places_find(const struct walk *walk, struct places *places)
{
	const struct estimate *estimate = walk->estimate;
	const struct analysis_node *old = estimate->analysis->nodes.data;
	const uint32_t *begin = &estimate->order_begin[walk->thread->index];

	map_init(&places->paths);
	map_init(&places->nodes);
	for (uint32_t i = walk->thread->first; i < estimate->nodes.len; i++) {
		uint64_t *best = map_put(&places->paths, estimate->nodes.data[i].function, i);
		if (own_weight(estimate, i) > own_weight(estimate, (uint32_t)*best))
			*best = i;
	}
	for (uint32_t i = begin[0]; i < begin[1]; i++) {
		const uint32_t node = estimate->order[i];
		if (old[node].folded)
			continue;
		uint64_t *best = map_put(&places->nodes, old[node].function, node);
		if (old[node].values.calls > old[*best].values.calls)
			*best = node;
	}
}

/* The path on which an old node's callers are its own. */
static uint32_t path_of(struct walk *walk, uint32_t old)
{
	const struct analysis_node *nodes = walk->estimate->analysis->nodes.data;
	uint32_t path = walk->thread->first;

	for (; nodes[old].parent != ANALYSIS_NONE; old = nodes[old].parent)
		vec_push(&walk->pending, nodes[old].function);
	while (walk->pending.len)
		path = descend(walk, path, walk->pending.data[--walk->pending.len]);
	return path;
}

/* The function whose the innermost frame is, as `step` sees it; ANALYSIS_NONE: the kernel alone. */
static uint32_t owner_of(const struct walk *walk, uint32_t stack)
{
	const struct estimate *estimate = walk->estimate;
	const struct analysis *analysis = estimate->analysis;
	uint32_t owner = ANALYSIS_NONE;

	for (; stack; stack = (uint32_t)estimate->stacks[stack - 1].parent) {
		const uint32_t function =
			analysis_stub_of(estimate->aliases, estimate_function_at(estimate, stack));
		const uint32_t module = analysis->functions.data[function].module;
		if (estimate->aliases->is_kernel[module])
			continue;
		const bool outside = is_of_runtime(walk, function);
		if (owner != ANALYSIS_NONE && !outside)
			break;
		owner = outside ? analysis_entry_of(estimate->aliases, function) : function;
		if (!outside)
			break;
	}
	return owner;
}

static void add_to_totals(struct estimate *estimate, const struct sample_value *value)
{
	const uint32_t function = estimate_function_at(estimate, value->stack);
	struct analysis_totals *totals = &estimate->analysis->totals;

	totals->sampled += value->weight;
	if (estimate->aliases->is_kernel[estimate->analysis->functions.data[function].module])
		totals->sampled_kernel += value->weight;
}

static void add_samples(struct estimate_samples *to, const struct sample_value *value,
			const struct estimate_position *at)
{
	to->samples += value->samples;
	to->squares += value->squares;
	to->weight += value->weight;
	if (at->in_kernel)
		to->kernel[at->cause] += value->weight;
}

static struct estimate_samples *samples_at(const struct walk *walk, uint32_t node)
{
	struct estimate_path *path = &walk->estimate->paths.data[node];

	return walk->clocked ? &path->clocked : &path->unclocked;
}

/*
 * Where a stack does not reach its thread's begin, only whose code it was is known: that function
 * has the samples where it has most, or was called most.
 */
static void add_truncated(struct walk *walk, const struct places *places,
			  const struct sample_value *value)
{
	const uint32_t owner = owner_of(walk, value->stack);
	const uint64_t *path = map_get(&places->paths, owner);
	const uint64_t *node = map_get(&places->nodes, owner);
	struct estimate_position at = {0};

	if (path)
		at.node = (uint32_t)*path;
	else if (node)
		at.node = path_of(walk, (uint32_t)*node);
	else
		at = position_of(walk, value->stack);
	add_samples(samples_at(walk, at.node), value, &at);
}

static void add_whole_stacks(struct walk *walk, const struct estimate_range *range)
{
	for (const struct sample_value *value = range->begin; value < range->end; value++) {
		/* Of those without a stack nobody knows where they were. */
		if (!value->stack)
			continue;
		add_to_totals(walk->estimate, value);
		if (value->truncated)
			continue;
		const struct estimate_position at = position_of(walk, value->stack);
		add_samples(samples_at(walk, at.node), value, &at);
	}
}

static void add_truncated_stacks(struct walk *walk, const struct places *places,
				 const struct estimate_range *range)
{
	for (const struct sample_value *value = range->begin; value < range->end; value++) {
		if (!value->stack || !value->truncated)
			continue;
		add_truncated(walk, places, value);
		walk->thread->truncated += walk->clocked ? value->weight : 0;
	}
}

void estimate_build_paths(struct estimate *estimate, struct estimate_thread *thread)
{
	struct walk walk = {.estimate = estimate, .thread = thread};
	struct places places = {0};

	root_begin(estimate, thread);
	for (int clocked = 0; clocked < 2; clocked++) {
		walk.clocked = clocked;
		add_whole_stacks(&walk, clocked ? &thread->clocked : &thread->unclocked);
	}
	places_find(&walk, &places);
	for (int clocked = 0; clocked < 2; clocked++) {
		walk.clocked = clocked;
		add_truncated_stacks(&walk, &places,
				     clocked ? &thread->clocked : &thread->unclocked);
	}
	map_fini(&places.paths);
	map_fini(&places.nodes);
	sum_inclusive(estimate, thread->first);
	vec_fini(&walk.pending);
}
