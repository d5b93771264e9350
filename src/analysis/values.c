/* Sums of the values of functions, call paths, modules, … See analysis.h. */
#include "analysis/private.h"

struct analysis_values analysis_values_zero(void)
{
	struct analysis_values values = {0};

	for (int i = 0; i < ANALYSIS_TIME_MEASURES; i++)
		values.range[i].min = UINT64_MAX;
	return values;
}

static void range_add(struct analysis_range *to, const struct analysis_range *from)
{
	if (from->min > from->max)
		return;
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
}

void analysis_values_add_amounts(struct analysis_values *to, const struct analysis_values *from)
{
	to->calls += from->calls;
	to->untimed += from->untimed;
	to->unwound += from->unwound;
	for (int i = EXCLUSIVE; i < ANALYSIS_MEASURES; i += ANALYSIS_SIDES)
		to->amount[i] += from->amount[i];
	to->residual_exclusive += from->residual_exclusive;
	to->probe_ticks += from->probe_ticks;
	to->sampled |= from->sampled;
	to->disarmed |= from->disarmed;
	to->unseen |= from->unseen;
	to->absorbed |= from->absorbed;
	for (int i = 0; i < TARE_OS_CAUSES; i++)
		to->os_ticks[i] += from->os_ticks[i];
	for (int i = 0; i < ANALYSIS_TIME_MEASURES; i++)
		range_add(&to->range[i], &from->range[i]);
}

void analysis_calls_join(struct analysis_values *to, const struct analysis_values *path)
{
	const bool at_least = analysis_calls_are(to) == ANALYSIS_CALLS_AT_LEAST ||
			      analysis_calls_are(path) == ANALYSIS_CALLS_AT_LEAST;

	to->approximate |= path->approximate;
	to->counted = to->approximate || (!at_least && (to->counted || path->counted));
}

void analysis_values_add_exclusive(struct arena *arena, struct analysis_values *to,
				   const struct analysis_values *from)
{
	analysis_histogram_add(arena, &to->histogram, from->histogram);
	analysis_values_add_amounts(to, from);
}

void analysis_values_add_inclusive(struct analysis_values *to, const struct analysis_values *from)
{
	for (int i = INCLUSIVE; i < ANALYSIS_MEASURES; i += ANALYSIS_SIDES)
		to->amount[i] += from->amount[i];
}

void analysis_values_subtract_inclusive(struct analysis_values *to,
					const struct analysis_values *from)
{
	for (int i = INCLUSIVE; i < ANALYSIS_MEASURES; i += ANALYSIS_SIDES)
		to->amount[i] -= from->amount[i];
}

void analysis_values_subtract_own(struct analysis_values *values)
{
	for (int i = 0; i < ANALYSIS_MEASURES; i += ANALYSIS_SIDES)
		values->amount[i + INCLUSIVE] -= values->amount[i + EXCLUSIVE];
}

void analysis_values_add_own(struct analysis_values *values)
{
	for (int i = 0; i < ANALYSIS_MEASURES; i += ANALYSIS_SIDES)
		values->amount[i + INCLUSIVE] += values->amount[i + EXCLUSIVE];
}

void analysis_values_absorb(struct analysis_values *to, const struct analysis_values *from)
{
	struct analysis_values part = *from;

	part.histogram = NULL;
	part.calls = part.untimed = part.unwound = 0;
	part.disarmed = part.sampled = false;
	for (int i = 0; i < ANALYSIS_TIME_MEASURES; i++)
		part.range[i] = (struct analysis_range){.min = UINT64_MAX};
	analysis_values_add_exclusive(NULL, to, &part);
	to->absorbed = true;
}

void analysis_values_sum(struct analysis_values *to, const struct analysis_values *from)
{
	analysis_values_add_amounts(to, from);
	analysis_values_add_inclusive(to, from);
}
