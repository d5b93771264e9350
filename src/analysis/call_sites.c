/*
 * Calls by the places that they were made from. The profile has a node per call path and call site;
 * the analysis has one per call path, whose times may have been corrected since (residual.c): what
 * remains of a node's time is shared among its call sites in proportion, so that sums stay exact.
 */
#include "analysis/stacks.h"

struct call_site_loader {
	const struct analysis *analysis;
	struct vec_of(struct profile_stack) rows;
	struct vec_of(struct analysis_samples) values; /* exclusive ones as recorded */
	struct vec_of(uint32_t) nodes;		       /* whose part each is; ANALYSIS_NONE */
};

static bool load_node(const struct profile_node *row, void *context)
{
	struct call_site_loader *loader = context;
	const struct analysis *analysis = loader->analysis;
	const size_t parent = row->parent ? analysis_node_position(analysis, row->parent)
					  : analysis->node_ids.len;
	struct profile_stack stack = {.location = row->location};
	uint64_t os_ticks = 0;

	if (parent < loader->rows.len)
		stack.parent = (int64_t)parent + 1;
	for (int i = 0; i < TARE_OS_CAUSES; i++)
		os_ticks += row->os_ticks[i];
	vec_push(&loader->rows, stack);
	vec_push(&loader->values,
		 ((struct analysis_samples){
			 .exclusive = row->elapsed_ticks,
			 .exclusive_weight =
				 os_ticks < row->elapsed_ticks ? row->elapsed_ticks - os_ticks : 0,
			 .calls = row->calls}));
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

static void correct(struct call_site_loader *loader)
{
	const struct analysis *analysis = loader->analysis;
	struct recorded *elapsed = mem_zalloc((analysis->nodes.len + 1) * sizeof(*elapsed));
	struct recorded *application = mem_zalloc((analysis->nodes.len + 1) * sizeof(*application));

	for (size_t i = 0; i < loader->nodes.len; i++) {
		const uint32_t node = loader->nodes.data[i];
		if (node == ANALYSIS_NONE)
			continue;
		elapsed[node].all += loader->values.data[i].exclusive;
		application[node].all += loader->values.data[i].exclusive_weight;
	}
	for (size_t i = 0; i < loader->nodes.len; i++) {
		const uint32_t node = loader->nodes.data[i];
		struct analysis_samples *values = &loader->values.data[i];
		if (node == ANALYSIS_NONE) {
			*values = (struct analysis_samples){0};
			continue;
		}
		const uint64_t *ticks = analysis->nodes.data[node].values.ticks;
		values->exclusive =
			share(&elapsed[node], values->exclusive, ticks[ELAPSED_EXCLUSIVE]);
		values->exclusive_weight = share(&application[node], values->exclusive_weight,
						 ticks[APPLICATION_EXCLUSIVE]);
	}
	free(elapsed);
	free(application);
}

bool analysis_call_sites_init(struct analysis_stacks *stacks, const struct analysis *analysis,
			      struct profile *profile, struct error *err)
{
	struct call_site_loader loader = {.analysis = analysis};
	const bool ok = profile_each_node(profile, load_node, &loader, err);

	correct(&loader);
	vec_fini(&loader.nodes);
	*stacks = (struct analysis_stacks){.rows = loader.rows.data,
					   .own_rows = loader.rows.data,
					   .count = loader.rows.len,
					   .samples = loader.values.data};
	analysis_stacks_link(stacks);
	return ok;
}
