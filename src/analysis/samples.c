/*
 * Samples of one event: call paths of each thread, and what follows from them. Stacks are a tree
 * of addresses that all threads share; here each thread gets a tree of functions of its own, as
 * instrumentation has it, so that one code makes all views. Nodes are found by (parent, function);
 * a stack's node is remembered while its thread's samples are added, so the work is linear in
 * stacks and samples.
 */
#include "analysis/stack_counts.h"

#include <assert.h>
#include <string.h>

/*
 * Frames of the kernel are the innermost ones: without them, a stack is what called into it. Of
 * the kernel's own threads nothing is left.
 */
static void leave_out_kernel(const struct analysis *analysis, struct sample_values *values)
{
	enum { KERNEL_BIT = 63 }; /* of its addresses on x86-64 */
	size_t count;
	const struct profile_stack *stacks = profile_stacks(analysis->profile, &count);
	const struct profile_location *locations = profile_locations(analysis->profile, &count);

	vec_foreach (value, values)
		while (value->stack &&
		       locations[stacks[value->stack - 1].location - 1].link_addr >> KERNEL_BIT)
			value->stack = (uint32_t)stacks[value->stack - 1].parent;
}

static bool load_values(struct analysis *analysis, struct profile *profile,
			const struct analysis_options *options, struct sample_values *values,
			struct error *err)
{
	size_t count;
	const int64_t event = analysis->event - profile_events(profile, &count) + 1;
	uint64_t *truncated = &analysis->totals.samples.truncated;

	analysis->totals.samples.truncated_known = !options->from && !options->to;
	if (analysis->totals.samples.truncated_known
		    ? !sample_values_load(analysis, profile, event, values, truncated, err)
		    : !analysis_load_range(analysis, profile, options, values, err))
		return false;
	if (options->no_kernel)
		leave_out_kernel(analysis, values);
	sample_values_sort(values);
	return true;
}

/* ---- functions of locations ---- */

/* Symbols of functions; those that several of a module have belong to none. */
enum { AMBIGUOUS = UINT32_MAX };

struct inline_names {
	struct analysis *analysis;
	struct strmap known; /* "module:symbol" → function */
	bool keep_mangled;
};

static const char *symbol_key(struct analysis *analysis, uint32_t module, const char *symbol)
{
	return arena_printf(&analysis->arena, "%u:%s", module, symbol);
}

static void inline_names_init(struct inline_names *names, struct analysis *analysis)
{
	strmap_init(&names->known);
	names->analysis = analysis;
	for (uint32_t i = 0; i < analysis->functions.len; i++) {
		const struct analysis_function *function = &analysis->functions.data[i];
		if (!function->symbol[0])
			continue;
		uint64_t *known = strmap_put(
			&names->known, symbol_key(analysis, function->module, function->symbol), i);
		if (*known != i)
			*known = AMBIGUOUS;
	}
}

/* The function of that symbol, or a new one that has no code of its own. */
static uint32_t inlined_function(struct inline_names *names, uint32_t module, const char *symbol)
{
	struct analysis *analysis = names->analysis;
	const char *key = symbol_key(analysis, module, symbol);
	uint64_t *known = strmap_put(&names->known, key, AMBIGUOUS);

	if (*known != AMBIGUOUS)
		return (uint32_t)*known;
	key = arena_printf(&analysis->arena, "inline %s", key);
	known = strmap_put(&names->known, key, analysis->functions.len);
	if (*known == analysis->functions.len)
		vec_push(&analysis->functions,
			 ((struct analysis_function){
				 .module = module,
				 .name = names->keep_mangled
						 ? symbol
						 : analysis_demangle(&analysis->arena, symbol),
				 .symbol = symbol,
				 .inlined = true,
				 .values = analysis_values_zero()}));
	return (uint32_t)*known;
}

/* Of each location its function, and what was inlined there, outermost first. */
static void find_functions(struct analysis *analysis, const struct analysis_options *options,
			   struct location_places *functions)
{
	size_t count, line_count;
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	const struct profile_location_line *lines =
		profile_location_lines(analysis->profile, &line_count);
	uint32_t *first = options->inlines ? analysis_lines_of_locations(analysis) : NULL;
	struct inline_names names = {.keep_mangled = options->keep_mangled};

	location_places_init(functions, analysis);
	if (first)
		inline_names_init(&names, analysis);
	for (size_t i = 0; i < count; i++) {
		const uint32_t function = analysis->function_of[locations[i].function - 1];
		const uint32_t module = analysis->functions.data[function].module;
		assert(module < analysis->modules.len);
		vec_push(&functions->at, function);
		/* The last line is the function's own. */
		for (uint32_t left = first && first[i + 1] > first[i] ? first[i + 1] - first[i] - 1
								      : 0;
		     left-- > 0;) {
			const char *name = lines[first[i] + left].function;
			if (name && name[0])
				vec_push(&functions->at, inlined_function(&names, module, name));
		}
		location_places_end(functions, i);
	}
	if (first)
		strmap_fini(&names.known);
	free(first);
}

/* ---- call paths ---- */

struct path_builder {
	struct analysis *analysis;
	const struct profile_stack *stacks;
	const struct location_places *functions;
	uint32_t *node_of, *thread_of; /* by stack; of the thread that came by last, from 1 */
	struct map known;	       /* (parent, function) → node */
	struct vec_of(uint32_t) path;
};

static uint32_t node_push(struct path_builder *builder, uint32_t parent, uint32_t function,
			  uint32_t thread)
{
	const struct analysis_node node = {.parent = parent,
					   .first_child = ANALYSIS_NONE,
					   .next_sibling = ANALYSIS_NONE,
					   .function = function,
					   .thread = thread,
					   .values = analysis_values_zero()};

	vec_push(&builder->analysis->nodes, node);
	return (uint32_t)builder->analysis->nodes.len - 1;
}

static uint32_t child_of(struct path_builder *builder, uint32_t parent, uint32_t function)
{
	struct analysis *analysis = builder->analysis;
	const size_t fresh = analysis->nodes.len;
	const uint64_t node = *map_put(&builder->known, (uint64_t)parent << 32 | function, fresh);

	if (node == fresh)
		node_push(builder, parent, function, analysis->nodes.data[parent].thread);
	return (uint32_t)node;
}

static uint32_t node_of_stack(struct path_builder *builder, uint32_t thread, uint32_t stack)
{
	const struct location_places *functions = builder->functions;
	uint32_t node = builder->analysis->threads.data[thread].root;
	uint32_t at = stack;

	for (; at && builder->thread_of[at - 1] != thread + 1;
	     at = (uint32_t)builder->stacks[at - 1].parent)
		vec_push(&builder->path, at - 1);
	if (at)
		node = builder->node_of[at - 1];
	while (builder->path.len) {
		const uint32_t next = builder->path.data[--builder->path.len];
		const size_t location = (size_t)builder->stacks[next].location - 1;
		for (uint32_t i = functions->first[location]; i < functions->first[location + 1];
		     i++)
			node = child_of(builder, node, functions->at.data[i]);
		builder->node_of[next] = node;
		builder->thread_of[next] = thread + 1;
	}
	return node;
}

static void add(struct analysis_values *to, const struct sample_value *value,
		enum analysis_side side)
{
	to->amount[analysis_measure_of(VALUE_SAMPLES, side)] += value->samples;
	to->amount[analysis_measure_of(VALUE_WEIGHT, side)] += value->weight;
}

static bool build_paths(struct analysis *analysis, const struct analysis_options *options,
			const struct sample_values *values, const struct location_places *functions,
			struct error *err)
{
	size_t count;
	struct path_builder builder = {.analysis = analysis, .functions = functions};
	bool ok = true;

	builder.stacks = profile_stacks(analysis->profile, &count);
	builder.node_of = mem_alloc((count + 1) * sizeof(uint32_t));
	builder.thread_of = mem_zalloc((count + 1) * sizeof(uint32_t));
	map_init(&builder.known);
	/* Seldom more: only where threads share stacks, or inlined functions are calls. */
	map_reserve(&builder.known, count);
	vec_reserve(&analysis->nodes, count + 1);
	for (size_t i = 0; i < values->len && ok; i++) {
		const struct sample_value *value = &values->data[i];
		struct analysis_thread *thread = &analysis->threads.data[value->thread];
		if (thread->root == ANALYSIS_NONE)
			thread->root =
				node_push(&builder, ANALYSIS_NONE, ANALYSIS_NONE, value->thread);
		const uint32_t node = node_of_stack(&builder, value->thread, value->stack);
		assert(node < analysis->nodes.len);
		add(&analysis->nodes.data[node].values, value, EXCLUSIVE);
		if ((options->times || options->node_lines) && analysis->method == ANALYSIS_SAMPLE)
			map_put(&analysis->stack_nodes,
				(uint64_t)value->thread << 32 | value->stack, node);
		ok = analysis->nodes.len < ANALYSIS_NONE / 2 ||
		     error_set(err, ERROR_UNSUPPORTED, "the profile has more than %u call paths",
			       ANALYSIS_NONE / 2);
	}
	map_fini(&builder.known);
	vec_fini(&builder.path);
	free(builder.node_of);
	free(builder.thread_of);
	return ok;
}

/* ---- sums ---- */

/* Inclusive of all samples, exclusive of those whose stack could be read. */
static void add_sides(struct analysis_values *to, const struct sample_value *value)
{
	add(to, value, INCLUSIVE);
	if (value->stack)
		add(to, value, EXCLUSIVE);
}

static void sum_values(struct analysis *analysis, const struct sample_values *values)
{
	struct analysis_sample_totals *totals = &analysis->totals.samples;

	vec_foreach (value, values) {
		struct analysis_thread *thread = &analysis->threads.data[value->thread];
		assert(value->thread < analysis->threads.len);
		struct analysis_process *process = &analysis->processes.data[thread->process];
		add_sides(&thread->values, value);
		add_sides(&process->values, value);
		add(&process->tree, value, INCLUSIVE);
		totals->kept += value->samples;
		totals->weight += value->weight;
		totals->squares += value->squares;
		totals->unread += value->stack ? 0 : value->samples;
	}
}

static void sum_collectors(struct analysis *analysis)
{
	struct analysis_sample_totals *totals = &analysis->totals.samples;
	size_t count;
	const struct profile_sampling *rows = profile_samplings(analysis->profile, &count);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < TABLE_COUNT(totals->losses); k++)
			totals->losses[k] += rows[i].losses[k];
}

/* The trees of samples take the place of those of calls, if they are to be shown. */
static bool load_paths(struct analysis *analysis, const struct analysis_options *options,
		       const struct sample_values *values, const struct location_places *functions,
		       struct error *err)
{
	__typeof__(analysis->nodes) calls = analysis->nodes;
	__typeof__(analysis->links) links = analysis->links;
	struct analysis_values *node_sums = analysis->node_sums;
	uint32_t *roots = mem_alloc((analysis->threads.len + 1) * sizeof(*roots));
	const bool shown = analysis->method == ANALYSIS_SAMPLE;

	memset(&analysis->nodes, 0, sizeof(analysis->nodes));
	memset(&analysis->links, 0, sizeof(analysis->links));
	analysis->node_sums = NULL;
	for (size_t i = 0; i < analysis->threads.len; i++) {
		roots[i] = analysis->threads.data[i].root;
		analysis->threads.data[i].root = ANALYSIS_NONE;
	}
	const bool ok = build_paths(analysis, options, values, functions, err);
	if (ok) {
		if (analysis->my_code)
			analysis_hide_system(analysis, false);
		analysis_link_nodes(analysis);
		analysis_sum_functions(analysis);
		if (analysis->has_calls)
			analysis_charge_samples(analysis);
	}
	if (shown) {
		vec_fini(&calls);
		vec_fini(&links);
		free(node_sums);
		vec_fini(&analysis->node_ids);
		vec_fini(&analysis->node_of);
		analysis->totals.nodes = analysis->nodes.len;
	} else {
		vec_fini(&analysis->nodes);
		vec_fini(&analysis->links);
		free(analysis->node_sums);
		memcpy(&analysis->nodes, &calls, sizeof(calls));
		memcpy(&analysis->links, &links, sizeof(links));
		analysis->node_sums = node_sums;
	}
	for (size_t i = 0; i < analysis->threads.len && !shown; i++)
		analysis->threads.data[i].root = roots[i];
	free(roots);
	return ok;
}

/* Noise reduction and roots make paths that are no stacks of addresses. */
static bool has_whole_stacks(const struct analysis *analysis,
			     const struct analysis_options *options)
{
	return analysis->method == ANALYSIS_SAMPLE && !options->my_code && !options->root &&
	       !options->fold_recursion && !options->merge_threads;
}

/* Takes over what they hold. */
static void keep_stacks(struct analysis *analysis, struct sample_values *values,
			struct location_places *functions)
{
	analysis->sample_stacks = mem_zalloc(sizeof(*analysis->sample_stacks));
	*analysis->sample_stacks = (struct analysis_sample_stacks){
		.values = *values,
		.functions = *functions,
		.first_line = analysis_lines_of_locations(analysis)};
	*values = (struct sample_values){0};
	*functions = (struct location_places){0};
}

void analysis_free_sample_stacks(struct analysis *analysis)
{
	struct analysis_sample_stacks *stacks = analysis->sample_stacks;

	if (!stacks)
		return;
	vec_fini(&stacks->values);
	location_places_fini(&stacks->functions);
	free(stacks->first_line);
	free(stacks);
}

bool analysis_load_samples(struct analysis *analysis, struct profile *profile,
			   const struct analysis_options *options, struct error *err)
{
	struct sample_values values = {0};
	struct location_places functions = {0};

	sum_collectors(analysis);
	if (!analysis->event)
		return true;
	if (!load_values(analysis, profile, options, &values, err)) {
		vec_fini(&values);
		return false;
	}
	find_functions(analysis, options, &functions);
	sum_values(analysis, &values);
	const bool ok = load_paths(analysis, options, &values, &functions, err);
	if (ok && options->places && !analysis->by_call_site) {
		analysis->stacks = mem_zalloc(sizeof(*analysis->stacks));
		analysis_stacks_init(analysis->stacks, analysis, &values);
		analysis_load_places(analysis, options);
		if (analysis->has_calls && analysis_is_of_cpu_time(analysis) && !options->from &&
		    !options->to)
			analysis->places_cpu = analysis->totals.cpu;
	}
	if (ok && analysis_wants_node_lines(options) && analysis->method == ANALYSIS_SAMPLE)
		analysis_load_sample_lines(analysis, &values, &functions);
	if (ok && options->sample_stacks && has_whole_stacks(analysis, options))
		keep_stacks(analysis, &values, &functions);
	location_places_fini(&functions);
	vec_fini(&values);
	return ok;
}
