/* What the steps of an estimate have in common: lookups, traits and new nodes. */
#include "analysis/estimate.h"

#include <string.h>

uint64_t estimate_key(uint32_t process, uint32_t function)
{
	return (uint64_t)process << 32 | function;
}

uint32_t estimate_traits_of(const struct estimate *estimate, uint32_t process, uint32_t function)
{
	const uint64_t *traits = map_get(&estimate->traits, estimate_key(process, function));

	return traits ? (uint32_t)*traits : 0;
}

void estimate_trait_add(struct estimate *estimate, uint32_t process, uint32_t function,
			uint32_t traits)
{
	*map_put(&estimate->traits, estimate_key(process, function), 0) |= traits;
}

size_t estimate_counted_rows(const struct estimate *estimate, uint32_t thread, size_t *end)
{
	const struct estimate_counted *rows = estimate->counted.data;

	*end = partition_point(estimate->counted.len, i, rows[i].thread <= thread);
	return partition_point(estimate->counted.len, i, rows[i].thread < thread);
}

const struct profile_event *estimate_event_of_time(const struct estimate *estimate)
{
	size_t count;
	const struct profile_event *event =
		&profile_events(estimate->analysis->profile, &count)[estimate->event - 1];

	return event->unit && !strcmp(event->unit, "ns") ? event : NULL;
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
