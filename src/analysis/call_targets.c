/*
 * Which functions indirect calls went to, from the call paths, which have the places that they were
 * called from.
 */
#include "analysis/stack_counts.h"

static int compare_places(const void *a, const void *b)
{
	const struct analysis_call_target *x = a, *y = b;

	if (x->instruction != y->instruction)
		return x->instruction < y->instruction ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static int compare_calls(const void *a, const void *b)
{
	const struct analysis_call_target *x = a, *y = b;

	if (x->instruction != y->instruction || x->calls == y->calls)
		return compare_places(a, b);
	return x->calls > y->calls ? -1 : 1;
}

/* Of ordered targets, those of one instruction and function become one. */
static void join(struct analysis *analysis)
{
	struct analysis_call_target *targets = analysis->call_targets.data;
	size_t kept = 0;

	for (size_t i = 0; i < analysis->call_targets.len; i++) {
		if (kept && !compare_places(&targets[kept - 1], &targets[i]))
			targets[kept - 1].calls += targets[i].calls;
		else
			targets[kept++] = targets[i];
	}
	analysis->call_targets.len = kept;
}

void analysis_load_call_targets(struct analysis *analysis, const struct analysis_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++) {
		const struct profile_stack *row = &stacks->rows[i];
		if (!row->location || stacks->nodes[i] == ANALYSIS_NONE || !stacks->values[i].calls)
			continue;
		const struct analysis_call_target target = {
			.instruction = analysis->instruction_of[row->location - 1],
			.callee = analysis->nodes.data[stacks->nodes[i]].function,
			.calls = stacks->values[i].calls};
		if (target.callee != ANALYSIS_NONE &&
		    analysis->instructions.data[target.instruction].calls_indirectly)
			vec_push(&analysis->call_targets, target);
	}
	vec_sort(&analysis->call_targets, compare_places);
	join(analysis);
	vec_sort(&analysis->call_targets, compare_calls);
}
