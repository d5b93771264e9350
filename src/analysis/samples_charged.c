/*
 * Samples beside the CPU time of the same functions: each is charged to the innermost function of
 * its stack that instrumentation knows, and in the run-time libraries, as there (estimate_paths.c),
 * to the one by which they were entered.
 */
#include "analysis/aliases.h"
#include "analysis/private.h"

#include <assert.h>

/* Whose the samples are whose stacks end at a node. */
struct owner {
	uint32_t function; /* ANALYSIS_NONE: of none that is known */
	bool in_runtime;
};

struct charge {
	struct analysis *analysis;
	const struct analysis_aliases *aliases;
};

static bool is_known(const struct charge *charge, uint32_t function)
{
	const struct analysis_values *values = &charge->analysis->functions.data[function].values;

	return values->calls || values->amount[ELAPSED_INCLUSIVE] || values->amount[CPU_INCLUSIVE];
}

static struct owner owner_below(const struct charge *charge, struct owner caller, uint32_t frame)
{
	const uint32_t function = analysis_stub_of(charge->aliases, frame);
	const struct analysis_function *row = &charge->analysis->functions.data[function];
	const bool is_outside = charge->aliases->is_runtime[row->module] && !row->entered;

	if (is_outside && caller.in_runtime)
		return caller;
	const uint32_t called =
		is_outside ? analysis_entry_of(charge->aliases, function) : function;
	const bool known = is_known(charge, called);

	return (struct owner){.function = known ? called : caller.function,
			      .in_runtime = known && is_outside};
}

static void charge_nodes(const struct charge *charge)
{
	struct analysis *analysis = charge->analysis;
	struct owner *owners = mem_alloc((analysis->nodes.len + 1) * sizeof(*owners));

	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		owners[i] = (struct owner){.function = ANALYSIS_NONE};
		if (node->parent != ANALYSIS_NONE) {
			assert(node->parent < i && node->function < analysis->functions.len);
			owners[i] = owner_below(charge, owners[node->parent], node->function);
		}
		*(owners[i].function == ANALYSIS_NONE
			  ? &analysis->totals.samples.charged_outside
			  : &analysis->functions.data[owners[i].function].samples_charged) +=
			node->values.amount[SAMPLES_EXCLUSIVE];
	}
	free(owners);
}

void analysis_charge_samples(struct analysis *analysis)
{
	const struct charge charge = {.analysis = analysis,
				      .aliases = analysis_aliases_of(analysis)};

	charge_nodes(&charge);
}
