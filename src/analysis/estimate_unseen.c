/*
 * Calls by code without probes: of functions that have a counter of their own it has seen them, of
 * others, as of the C library, nothing has. Samples tell that there were some.
 */
#include "analysis/estimate.h"

/* Code of the program itself whose calls nothing sees: the whole file is as it was. */
static bool is_without_probes(const struct estimate *estimate, uint32_t function)
{
	if (function == ANALYSIS_NONE)
		return false;
	const uint32_t module = estimate->analysis->functions.data[function].module;

	return !estimate->analysis->modules.data[module].instrumented &&
	       !estimate->aliases->is_runtime[module] && !estimate->aliases->is_kernel[module];
}

/* What a frame stands for: of run-time libraries the function that is called. */
static uint32_t function_of_frame(const struct estimate *estimate, uint32_t stack)
{
	return analysis_entry_of(estimate->aliases, estimate_function_at(estimate, stack));
}

static bool is_counted_itself(const struct estimate *estimate, uint32_t process, uint32_t function)
{
	return estimate_traits_of(estimate, process, function) & ESTIMATE_KNOWN;
}

/* Marks what code without probes has called on the frames of a stack, up to those seen before. */
static void find_unseen_of(struct estimate *estimate, uint32_t process, uint32_t stack,
			   uint32_t *seen)
{
	for (; stack && seen[stack - 1] != process + 1;
	     stack = (uint32_t)estimate->stacks[stack - 1].parent) {
		const uint32_t caller = (uint32_t)estimate->stacks[stack - 1].parent;
		const uint32_t function = function_of_frame(estimate, stack);

		seen[stack - 1] = process + 1;
		if (caller && is_without_probes(estimate, function_of_frame(estimate, caller)) &&
		    !is_counted_itself(estimate, process, function))
			estimate_trait_add(estimate, process, function, ESTIMATE_COUNTED);
	}
}

void estimate_find_unseen(struct estimate *estimate)
{
	const struct analysis_thread *threads = estimate->analysis->threads.data;
	size_t stacks;

	profile_stacks(estimate->analysis->profile, &stacks);
	uint32_t *seen = mem_zalloc((stacks + 1) * sizeof(*seen));
	vec_foreach (value, &estimate->clocked)
		find_unseen_of(estimate, threads[value->thread].process, value->stack, seen);
	vec_foreach (value, &estimate->unclocked)
		find_unseen_of(estimate, threads[value->thread].process, value->stack, seen);
	free(seen);
}

void estimate_mark_unseen(struct estimate *estimate)
{
	const struct analysis_thread *threads = estimate->analysis->threads.data;
	struct analysis_node *nodes = estimate->nodes.data;

	vec_foreach (node, &estimate->nodes) {
		if (node->parent == ANALYSIS_NONE || node->function == ANALYSIS_NONE)
			continue;
		const uint32_t traits =
			estimate_traits_of(estimate, threads[node->thread].process, node->function);
		node->values.unseen = (traits & ESTIMATE_TIMED) && !(traits & ESTIMATE_KNOWN) &&
				      is_without_probes(estimate, nodes[node->parent].function);
	}
}
