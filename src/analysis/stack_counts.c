/*
 * Counting what stands in stacks: one walk over the tree of all stacks, in which each place knows
 * how often it stands above. Where it does not, the samples below belong to its inclusive value.
 */
#include "analysis/stack_counts.h"

#include <assert.h>

void analysis_place_add(struct analysis_place *to, const struct analysis_place *from,
			enum analysis_side side)
{
	for (int i = side; i < ANALYSIS_PLACE_MEASURES; i += ANALYSIS_SIDES)
		to->amount[i] += from->amount[i];
}

void analysis_place_add_sample(struct analysis_place *to, const struct sample_value *value,
			       enum analysis_side side)
{
	to->amount[(int)side] += value->samples;
	to->amount[WEIGHT_INCLUSIVE - SAMPLES_INCLUSIVE + side] += value->weight;
}

void analysis_stacks_link(struct analysis_stacks *stacks)
{
	stacks->first_root = ANALYSIS_NONE;
	stacks->first_child = mem_alloc((stacks->count + 1) * sizeof(uint32_t));
	stacks->next_sibling = mem_alloc((stacks->count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < stacks->count; i++)
		stacks->first_child[i] = ANALYSIS_NONE;
	for (size_t i = stacks->count; i-- > 0;) {
		struct analysis_place *values = &stacks->values[i];
		const int64_t parent = stacks->rows[i].parent;
		assert(parent >= 0 && (uint64_t)parent <= i); /* it precedes the stack */
		uint32_t *first = parent ? &stacks->first_child[parent - 1] : &stacks->first_root;
		for (int k = 0; k < ANALYSIS_PLACE_MEASURES; k += ANALYSIS_SIDES)
			values->amount[k + INCLUSIVE] += values->amount[k + EXCLUSIVE];
		stacks->next_sibling[i] = *first;
		*first = (uint32_t)i;
		if (parent)
			analysis_place_add(&stacks->values[parent - 1], values, INCLUSIVE);
	}
}

void analysis_stacks_init(struct analysis_stacks *stacks, const struct analysis *analysis,
			  const struct sample_values *values)
{
	*stacks = (struct analysis_stacks){0};
	stacks->rows = profile_stacks(analysis->profile, &stacks->count);
	stacks->values = mem_zalloc((stacks->count + 1) * sizeof(*stacks->values));
	vec_foreach (value, values) {
		assert(value->stack <= stacks->count);
		if (value->stack)
			analysis_place_add_sample(&stacks->values[value->stack - 1], value,
						  EXCLUSIVE);
	}
	analysis_stacks_link(stacks);
}

void analysis_stacks_fini(struct analysis_stacks *stacks)
{
	free(stacks->own_rows);
	free(stacks->nodes);
	free(stacks->values);
	free(stacks->first_child);
	free(stacks->next_sibling);
	*stacks = (struct analysis_stacks){0};
}

static size_t location_count(const struct analysis *analysis)
{
	size_t count;

	profile_locations(analysis->profile, &count);
	return count;
}

void location_places_init(struct location_places *places, const struct analysis *analysis)
{
	*places = (struct location_places){0};
	places->first = mem_zalloc((location_count(analysis) + 1) * sizeof(*places->first));
}

void location_places_end(struct location_places *places, size_t location)
{
	assert(places->first[location] <= places->at.len);
	places->first[location + 1] = (uint32_t)places->at.len;
}

void location_places_fini(struct location_places *places)
{
	free(places->first);
	vec_fini(&places->at);
}

uint32_t *analysis_lines_of_locations(const struct analysis *analysis)
{
	const size_t locations = location_count(analysis);
	uint32_t *first = mem_zalloc((locations + 1) * sizeof(*first));
	size_t count, at = 0;
	const struct profile_location_line *lines =
		profile_location_lines(analysis->profile, &count);

	for (size_t i = 0; i < locations; i++) {
		while (at < count && lines[at].location == (int64_t)i + 1)
			at++;
		first[i + 1] = (uint32_t)at;
	}
	return first;
}

struct counter {
	const struct analysis_stacks *stacks;
	const struct location_places *places;
	uint32_t *depths; /* by place: how often it stands on the stack that is visited */
	struct analysis_place *values;
};

/* The places of a stack's location. */
static const uint32_t *places_of(const struct counter *counter, uint32_t stack, size_t *count)
{
	const struct location_places *places = counter->places;
	const int64_t location = counter->stacks->rows[stack].location;

	*count = location ? places->first[location] - places->first[location - 1] : 0;
	assert(!location || places->first[location] >= places->first[location - 1]);
	assert(!*count || places->first[location] <= places->at.len);
	return *count ? &places->at.data[places->first[location - 1]] : NULL;
}

static void enter(struct counter *counter, uint32_t stack)
{
	const struct analysis_place *from = &counter->stacks->values[stack];
	size_t count;
	const uint32_t *at = places_of(counter, stack, &count);

	for (size_t i = 0; i < count; i++) {
		assert(at[i] < counter->places->count);
		struct analysis_place *to = &counter->values[at[i]];
		/* of a line that stands there twice only the innermost */
		to->calls += i + 1 < count && at[i] == at[i + 1] ? 0 : from->calls;
		if (counter->depths[at[i]]++ == 0)
			analysis_place_add(to, from, INCLUSIVE);
	}
	if (count)
		analysis_place_add(&counter->values[at[count - 1]], from, EXCLUSIVE);
}

static void leave(struct counter *counter, uint32_t stack)
{
	size_t count;
	const uint32_t *at = places_of(counter, stack, &count);

	for (size_t i = 0; i < count; i++) {
		assert(counter->depths[at[i]]);
		counter->depths[at[i]]--;
	}
}

void analysis_stacks_count(const struct analysis_stacks *stacks,
			   const struct location_places *places, struct analysis_place *values)
{
	struct counter counter = {.stacks = stacks,
				  .places = places,
				  .depths = mem_zalloc((places->count + 1) * sizeof(uint32_t)),
				  .values = values};
	uint32_t at = stacks->first_root;

	while (at != ANALYSIS_NONE) {
		enter(&counter, at);
		if (stacks->first_child[at] != ANALYSIS_NONE) {
			at = stacks->first_child[at];
			continue;
		}
		while (at != ANALYSIS_NONE) {
			leave(&counter, at);
			if (stacks->next_sibling[at] != ANALYSIS_NONE) {
				at = stacks->next_sibling[at];
				break;
			}
			const int64_t parent = stacks->rows[at].parent;
			at = parent ? (uint32_t)(parent - 1) : ANALYSIS_NONE;
		}
	}
	free(counter.depths);
}

void analysis_places_count(const struct analysis *analysis, const struct location_places *places,
			   struct analysis_place *values)
{
	if (analysis->stacks)
		analysis_stacks_count(analysis->stacks, places, values);
	if (!analysis->call_stacks)
		return;
	struct analysis_place *calls = mem_zalloc((places->count + 1) * sizeof(*calls));
	analysis_stacks_count(analysis->call_stacks, places, calls);
	for (uint32_t i = 0; i < places->count; i++) {
		values[i].calls = calls[i].calls;
		for (int k = 0; k < ANALYSIS_TIME_VALUES; k++)
			values[i].called[k] = calls[i].amount[ANALYSIS_SIDES * k + INCLUSIVE];
	}
	free(calls);
}
