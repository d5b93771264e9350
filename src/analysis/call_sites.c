/*
 * Calls by the places that they were made from. The profile has a node per call path and call site;
 * the analysis has one per call path, whose times may have been corrected since (residual.c): what
 * remains of a node's time is shared among its call sites in proportion, so that sums stay exact.
 */
#include "analysis/stack_counts.h"

struct call_site_loader {
	const struct analysis *analysis;
	struct vec_of(struct profile_stack) rows;
	struct vec_of(struct analysis_place) values; /* exclusive ones as recorded */
	struct vec_of(uint32_t) nodes;		     /* whose part each is; ANALYSIS_NONE */
};

static bool load_node(const struct profile_node *row, void *context)
{
	struct call_site_loader *loader = context;
	const struct analysis *analysis = loader->analysis;
	const size_t parent = row->parent ? analysis_node_position(analysis, row->parent)
					  : analysis->node_ids.len;
	struct profile_stack stack = {.location = row->location};
	struct analysis_values values = {0};
	struct analysis_place place = {.calls = row->calls};
	uint64_t inconsistent = 0;

	if (parent < loader->rows.len)
		stack.parent = (int64_t)parent + 1;
	analysis_values_measure(&values, row, &inconsistent);
	for (int i = EXCLUSIVE; i < ANALYSIS_TIME_MEASURES; i += ANALYSIS_SIDES)
		place.amount[i] = values.amount[i];
	vec_push(&loader->rows, stack);
	vec_push(&loader->values, place);
	vec_push(&loader->nodes, analysis_node_find(analysis, row->id));
	return true;
}

/* A node's time as it was recorded: of all its call sites, and of those already served. */
struct recorded {
	uint64_t all, served;
};

/* The share of `ticks` that belongs to the next `part` of what was recorded. */
static uint64_t share(struct recorded *recorded, uint64_t part, uint64_t ticks)
{
	if (!recorded->all)
		return 0;
	const uint64_t before = (uint64_t)((__uint128_t)ticks * recorded->served / recorded->all);

	recorded->served += part;
	return (uint64_t)((__uint128_t)ticks * recorded->served / recorded->all) - before;
}

static void correct(struct call_site_loader *loader, enum analysis_measure measure)
{
	const struct analysis *analysis = loader->analysis;
	struct recorded *recorded = mem_zalloc((analysis->nodes.len + 1) * sizeof(*recorded));

	for (size_t i = 0; i < loader->nodes.len; i++) {
		const uint32_t node = loader->nodes.data[i];
		if (node != ANALYSIS_NONE)
			recorded[node].all += loader->values.data[i].amount[measure];
	}
	for (size_t i = 0; i < loader->nodes.len; i++) {
		const uint32_t node = loader->nodes.data[i];
		uint64_t *amount = &loader->values.data[i].amount[measure];
		if (node == ANALYSIS_NONE)
			loader->values.data[i] = (struct analysis_place){0};
		else
			*amount = share(&recorded[node], *amount,
					analysis->nodes.data[node].values.amount[measure]);
	}
	free(recorded);
}

bool analysis_call_sites_init(struct analysis_stacks *stacks, const struct analysis *analysis,
			      struct profile *profile, struct error *err)
{
	struct call_site_loader loader = {.analysis = analysis};
	const bool ok = profile_each_node(profile, load_node, &loader, err);

	for (int i = EXCLUSIVE; i < ANALYSIS_TIME_MEASURES; i += ANALYSIS_SIDES)
		correct(&loader, (enum analysis_measure)i);
	*stacks = (struct analysis_stacks){.rows = loader.rows.data,
					   .own_rows = loader.rows.data,
					   .count = loader.rows.len,
					   .nodes = loader.nodes.data,
					   .values = loader.values.data};
	analysis_stacks_link(stacks);
	return ok;
}
