/*
 * What functions waited, beside the samples of their work: from the samples of the event off-cpu in
 * the same recording. Not of a part of the time, and not where functions have become part of
 * others.
 */
#include "analysis/private.h"
#include "analysis/sample_stacks.h"

enum { KERNEL_BIT = 63 }; /* of addresses on x86-64 */

struct waited {
	struct analysis *analysis;
	const struct profile_stack *stacks;
	const struct profile_location *locations;
	uint32_t *seen; /* by function: the last stack that it was counted in, from 1 */
	uint32_t round;
	bool no_kernel;
};

static void take(struct waited *waited, const struct sample_value *value)
{
	struct analysis *analysis = waited->analysis;
	const bool idle = analysis_wait_place(analysis, value->stack).idle;
	const uint64_t ticks = analysis_ticks_of_ns(analysis, value->weight);
	bool innermost = true;

	waited->round++;
	for (int64_t at = value->stack; at; at = waited->stacks[at - 1].parent) {
		const struct profile_location *location =
			&waited->locations[waited->stacks[at - 1].location - 1];
		const uint32_t function = analysis->function_of[location->function - 1];
		uint64_t *sums = analysis->waited[function].ticks;

		if (waited->no_kernel && location->link_addr >> KERNEL_BIT)
			continue;
		if (innermost)
			sums[idle ? IDLE_EXCLUSIVE : WAITED_EXCLUSIVE] += ticks;
		innermost = false;
		if (waited->seen[function] != waited->round)
			sums[idle ? IDLE_INCLUSIVE : WAITED_INCLUSIVE] += ticks;
		waited->seen[function] = waited->round;
	}
}

bool analysis_load_waited(struct analysis *analysis, struct profile *profile,
			  const struct analysis_options *options, struct error *err)
{
	const int64_t event = analysis_event_id(profile, "off-cpu");
	struct waited waited = {.analysis = analysis, .no_kernel = options->no_kernel};
	struct sample_values values = {0};
	uint64_t truncated = 0;
	size_t count;

	if (!event || analysis->method != ANALYSIS_SAMPLE || !analysis->event ||
	    analysis_event_is_of_waits(analysis->event) || options->from || options->to ||
	    options->my_code || options->inlines)
		return true;
	waited.stacks = profile_stacks(profile, &count);
	waited.locations = profile_locations(profile, &count);
	waited.seen = mem_zalloc((analysis->functions.len + 1) * sizeof(*waited.seen));
	analysis->waited = mem_zalloc((analysis->functions.len + 1) * sizeof(*analysis->waited));
	const bool ok = sample_values_load(analysis, profile, event, &values, &truncated, err);
	for (size_t i = 0; ok && i < values.len; i++)
		take(&waited, &values.data[i]);
	vec_fini(&values);
	free(waited.seen);
	return ok;
}
