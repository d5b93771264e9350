/* Walks the trees of one process at a time: memory grows with functions, not with processes. */
#include "analysis/process_functions.h"

#include "analysis/private.h"

#include <stdlib.h>

struct analysis_process_functions {
	const struct analysis *analysis;
	const uint32_t *group_of;
	uint32_t *depths; /* by group: how often it stands above */
	uint32_t *met;	  /* by group: 1 + index in `sums`; 0: not in this process */
	struct vec_of(struct analysis_process_function) sums;
};

static uint32_t group(const struct analysis_process_functions *functions, uint32_t function)
{
	return functions->group_of ? functions->group_of[function] : function;
}

static struct analysis_process_function *sum_of(struct analysis_process_functions *functions,
						uint32_t of)
{
	if (!functions->met[of]) {
		vec_push(&functions->sums, ((struct analysis_process_function){.function = of}));
		functions->met[of] = (uint32_t)functions->sums.len;
	}
	return &functions->sums.data[functions->met[of] - 1];
}

static void node_enter(uint32_t index, void *context)
{
	struct analysis_process_functions *functions = context;
	const struct analysis_node *node = &functions->analysis->nodes.data[index];

	if (node->function == ANALYSIS_NONE)
		return;
	const uint32_t of = group(functions, node->function);
	struct analysis_process_function *sum = sum_of(functions, of);
	struct analysis_values values = analysis_values_zero();

	sum->calls += node->values.calls;
	sum->sampled |= node->values.sampled;
	if (!functions->depths[of]++)
		analysis_values_add_outermost(&values, node);
	for (int i = 0; i < ANALYSIS_MEASURES; i += ANALYSIS_SIDES) {
		sum->amount[i + INCLUSIVE] += values.amount[i + INCLUSIVE];
		sum->amount[i + EXCLUSIVE] += node->values.amount[i + EXCLUSIVE];
	}
}

static void node_leave(uint32_t index, void *context)
{
	struct analysis_process_functions *functions = context;
	const uint32_t function = functions->analysis->nodes.data[index].function;

	if (function != ANALYSIS_NONE)
		functions->depths[group(functions, function)]--;
}

struct analysis_process_functions *analysis_process_functions_open(const struct analysis *analysis,
								   const uint32_t *group_of)
{
	struct analysis_process_functions *functions = mem_zalloc(sizeof(*functions));

	functions->analysis = analysis;
	functions->group_of = group_of;
	functions->depths = mem_zalloc((analysis->functions.len + 1) * sizeof(uint32_t));
	functions->met = mem_zalloc((analysis->functions.len + 1) * sizeof(uint32_t));
	return functions;
}

const struct analysis_process_function *
analysis_process_functions_next(struct analysis_process_functions *functions, uint32_t process,
				size_t *count)
{
	const struct analysis_visitor visitor = {node_enter, node_leave, functions};

	vec_foreach (sum, &functions->sums)
		functions->met[sum->function] = 0;
	functions->sums.len = 0;
	vec_foreach (thread, &functions->analysis->threads)
		if (thread->process == process && thread->root != ANALYSIS_NONE)
			analysis_walk(functions->analysis, thread->root, &visitor);
	*count = functions->sums.len;
	return functions->sums.data;
}

void analysis_process_functions_close(struct analysis_process_functions *functions)
{
	vec_fini(&functions->sums);
	free(functions->met);
	free(functions->depths);
	free(functions);
}
