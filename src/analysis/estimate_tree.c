/* What the steps of an estimate have in common: lookups and new nodes. */
#include "analysis/estimate.h"

uint64_t estimate_key(uint32_t process, uint32_t function)
{
	return (uint64_t)process << 32 | function;
}

uint32_t estimate_traits_of(const struct estimate *estimate, uint32_t process, uint32_t function)
{
	const uint64_t *traits = map_get(&estimate->traits, estimate_key(process, function));

	return traits ? (uint32_t)*traits : 0;
}

uint32_t estimate_child(struct estimate *estimate, uint32_t parent, uint32_t function, bool folded)
{
	const uint32_t subject = folded ? function | ANALYSIS_FOLDED : function;
	const size_t fresh = estimate->nodes.len;
	const uint64_t node = *map_put(&estimate->known, (uint64_t)parent << 32 | subject, fresh);

	if (node < fresh)
		return (uint32_t)node;
	vec_push(&estimate->nodes,
		 ((struct analysis_node){.parent = parent,
					 .first_child = ANALYSIS_NONE,
					 .next_sibling = ANALYSIS_NONE,
					 .function = function,
					 .thread = estimate->nodes.data[parent].thread,
					 .folded = folded,
					 .values = analysis_values_zero()}));
	vec_push(&estimate->paths, (struct estimate_path){.territory = ANALYSIS_NONE});
	return (uint32_t)fresh;
}

struct estimate_tally *estimate_tally(struct estimate_thread *thread, uint32_t function)
{
	const uint64_t place = *map_put(&thread->tallies, function, thread->list.len);

	if (place == thread->list.len)
		vec_push(&thread->list, (struct estimate_tally){0});
	return &thread->list.data[place];
}

uint32_t estimate_function_at(const struct estimate *estimate, uint32_t stack)
{
	const int64_t location = estimate->stacks[stack - 1].location;
	const int64_t id = estimate->locations[location - 1].function;

	return estimate->analysis->function_of[id - 1];
}
