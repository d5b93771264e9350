/*
 * See executed_code.h. A block's instructions are counted one by one where the module's file is
 * here, each at the innermost line that it stands for; what is left of a function, of parts that
 * lie apart or of a file that has changed, stands at no line. So a function's sum is that of its
 * blocks.
 */
#include "analysis/executed_code.h"

#include "analysis/executions.h"
#include "analysis/listing.h"

#include <string.h>

enum { INSTRUCTIONS_MAX = 1 << 25 }; /* that are looked at one by one */

struct gathering {
	const struct analysis *analysis;
	struct executed_code *to;
	uint64_t *left;		     /* by function: not at a line yet */
	struct strmap sources;	     /* path → index */
	struct map costs;	     /* source + 1 << 32 | line → index, of one function */
	struct vec_of(uint32_t) ran; /* functions with instructions */
};

static void take_sums(struct gathering *gathering)
{
	const struct analysis_executions *executions = gathering->analysis->executions;

	for (uint32_t i = 0; i < executions->function_count; i++) {
		const uint64_t instructions = executions->functions[i].instructions;

		gathering->left[i] = instructions;
		gathering->to->total += instructions;
		if (instructions)
			vec_push(&gathering->ran, i);
	}
}

static void add_cost(struct gathering *gathering, uint32_t function, uint32_t source, uint32_t line,
		     uint64_t instructions)
{
	const uint64_t fresh = gathering->to->costs.len;
	const uint64_t at =
		*map_put(&gathering->costs, (uint64_t)(uint32_t)(source + 1) << 32 | line, fresh);

	if (at == fresh)
		vec_push(&gathering->to->costs,
			 ((struct executed_cost){
				 .function = function, .source = source, .line = line}));
	gathering->to->costs.data[at].instructions += instructions;
}

static void add_instructions(struct gathering *gathering, const struct listings *listings,
			     const struct listing *listing)
{
	const uint32_t function = listing->function;
	const uint32_t module = gathering->analysis->functions.data[function].module;

	vec_foreach (instruction, &listing->instructions) {
		const struct listing_place *place =
			instruction->place == ANALYSIS_NONE
				? NULL
				: &listings->places.data[instruction->place];
		const uint64_t *source =
			place ? strmap_get(&gathering->sources, place->source) : NULL;
		uint64_t count;

		if (!source ||
		    !analysis_code_executions(gathering->analysis, module, instruction->link_addr,
					      &count) ||
		    !count || count > gathering->left[function])
			continue;
		add_cost(gathering, function, (uint32_t)*source, place->line, count);
		gathering->left[function] -= count;
	}
}

static void add_function(struct gathering *gathering, const struct listings *listings,
			 uint32_t function)
{
	map_fini(&gathering->costs);
	map_init(&gathering->costs);
	vec_foreach (listing, &listings->functions)
		if (listing->function == function)
			add_instructions(gathering, listings, listing);
	if (gathering->left[function])
		add_cost(gathering, function, ANALYSIS_NONE, 0, gathering->left[function]);
}

/* Of functions as they were listed; the others have no lines. */
static void add_all(struct gathering *gathering)
{
	struct listings listings = {0};

	listings_make(gathering->analysis, gathering->ran.data, gathering->ran.len,
		      INSTRUCTIONS_MAX, &listings);
	for (size_t i = 0; i < gathering->ran.len; i++) {
		const bool is_listed = i < listings.functions.len;
		struct listings one = listings;
		one.functions.data = is_listed ? &listings.functions.data[i] : NULL;
		one.functions.len = is_listed;
		add_function(gathering, &one, gathering->ran.data[i]);
	}
	listings_fini(&listings);
}

/* ---- call paths ---- */

static uint64_t *share_out(const struct analysis *analysis, const uint64_t *instructions)
{
	uint64_t *inclusive = mem_zalloc((analysis->nodes.len + 1) * sizeof(*inclusive));
	uint64_t *calls = mem_zalloc((analysis->functions.len + 1) * sizeof(*calls));
	uint64_t *served = mem_zalloc((analysis->functions.len + 1) * sizeof(*served));

	vec_foreach (node, &analysis->nodes)
		if (node->function != ANALYSIS_NONE)
			calls[node->function] += node->values.calls;
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		if (node->function == ANALYSIS_NONE || !calls[node->function])
			continue;
		const __uint128_t all = instructions[node->function];
		const uint64_t before =
			(uint64_t)(all * served[node->function] / calls[node->function]);
		served[node->function] += node->values.calls;
		inclusive[i] =
			(uint64_t)(all * served[node->function] / calls[node->function]) - before;
	}
	for (size_t i = analysis->nodes.len; i-- > 0;)
		if (analysis->nodes.data[i].parent != ANALYSIS_NONE)
			inclusive[analysis->nodes.data[i].parent] += inclusive[i];
	free(calls);
	free(served);
	return inclusive;
}

bool executed_code_load(struct executed_code *code, const struct analysis *analysis)
{
	struct gathering gathering = {.analysis = analysis, .to = code};
	size_t count;
	const struct profile_source *sources = profile_sources(analysis->profile, &count);

	*code = (struct executed_code){0};
	if (!analysis->executions)
		return false;
	gathering.left = mem_zalloc((analysis->functions.len + 1) * sizeof(*gathering.left));
	map_init(&gathering.costs);
	strmap_init(&gathering.sources);
	for (size_t i = 0; i < count; i++)
		strmap_put(&gathering.sources, sources[i].path, i);
	take_sums(&gathering);
	code->inclusive = share_out(analysis, gathering.left);
	add_all(&gathering);
	free(gathering.left);
	map_fini(&gathering.costs);
	strmap_fini(&gathering.sources);
	vec_fini(&gathering.ran);
	return true;
}

void executed_code_free(struct executed_code *code)
{
	vec_fini(&code->costs);
	free(code->inclusive);
	*code = (struct executed_code){0};
}
