/*
 * A timed node stands for all paths that lead from its timed caller to its function. Its calls,
 * waits and, where the clock decides, times are shared out among those in proportion to the samples
 * in and below them; each value's shares add up. Where no sample was taken, it stands below what
 * its caller has become.
 */
#include "analysis/estimate.h"

struct placing {
	struct estimate *estimate;
	struct estimate_thread *thread;
	bool decided; /* false: all is by clock */
};

/* What of a node is kept: without CPU time if that comes from samples. */
static struct analysis_values kept_of(const struct placing *placing,
				      const struct analysis_node *node)
{
	struct analysis_values kept = node->values;

	if (!placing->decided || estimate_tally(placing->thread, node->function)->by_clock)
		return kept;
	kept.amount[ELAPSED_EXCLUSIVE] -= kept.amount[CPU_EXCLUSIVE];
	kept.amount[CPU_EXCLUSIVE] = kept.amount[APPLICATION_EXCLUSIVE] = 0;
	kept.amount[ERROR_EXCLUSIVE] = 0;
	kept.sampled = kept.absorbed = true;
	for (int cause = 0; cause < TARE_OS_CAUSES; cause++)
		if (cause != TARE_OS_BLOCKED && cause != TARE_OS_PREEMPTED)
			kept.os_ticks[cause] = 0;
	return kept;
}

/* The numbers of values that are shared out; what is a sum of others follows from these. */
#define PARTS (8 + TARE_OS_CAUSES)

static void parts_list(struct analysis_values *values, uint64_t *parts[PARTS])
{
	size_t count = 0;

	parts[count++] = &values->calls;
	parts[count++] = &values->unwound;
	parts[count++] = &values->untimed;
	parts[count++] = &values->residual_exclusive;
	parts[count++] = &values->probe_ticks;
	parts[count++] = &values->amount[APPLICATION_EXCLUSIVE];
	parts[count++] = &values->amount[OVERHEAD_EXCLUSIVE];
	parts[count++] = &values->amount[ERROR_EXCLUSIVE];
	for (int cause = 0; cause < TARE_OS_CAUSES; cause++)
		parts[count++] = &values->os_ticks[cause];
}

static void sums_set(struct analysis_values *values)
{
	uint64_t elapsed = values->amount[APPLICATION_EXCLUSIVE];

	for (int cause = 0; cause < TARE_OS_CAUSES; cause++)
		elapsed += values->os_ticks[cause];
	values->amount[ELAPSED_EXCLUSIVE] = elapsed;
	values->amount[CPU_EXCLUSIVE] =
		elapsed - values->os_ticks[TARE_OS_BLOCKED] - values->os_ticks[TARE_OS_PREEMPTED];
}

static void add(struct estimate *estimate, uint32_t into, const struct analysis_values *values)
{
	analysis_values_add_exclusive(&estimate->analysis->arena,
				      &estimate->nodes.data[into].values, values);
}

/* The path with the most samples has what cannot be divided. */
static uint32_t heaviest_of(const struct estimate *estimate, uint32_t match)
{
	uint32_t best = ANALYSIS_NONE;

	for (; match != ANALYSIS_NONE; match = estimate->matches.data[match].next) {
		const uint32_t path = estimate->matches.data[match].path;
		if (best == ANALYSIS_NONE ||
		    estimate->paths.data[path].inclusive > estimate->paths.data[best].inclusive)
			best = path;
	}
	return best;
}

static wide weight_of(const struct estimate *estimate, uint32_t match)
{
	wide weight = 0;

	for (; match != ANALYSIS_NONE; match = estimate->matches.data[match].next)
		weight += estimate->paths.data[estimate->matches.data[match].path].inclusive;
	return weight;
}

static void split(struct placing *placing, const struct analysis_node *old, uint32_t first,
		  uint32_t heaviest)
{
	struct estimate *estimate = placing->estimate;
	struct analysis_values kept = kept_of(placing, old);
	struct share shares[PARTS];
	uint64_t *parts[PARTS];

	parts_list(&kept, parts);
	for (int i = 0; i < PARTS; i++)
		shares[i] =
			(struct share){.whole = *parts[i], .weight = weight_of(estimate, first)};
	for (uint32_t at = first; at != ANALYSIS_NONE; at = estimate->matches.data[at].next) {
		const uint32_t path = estimate->matches.data[at].path;
		struct analysis_values part = kept;
		uint64_t *to[PARTS];

		parts_list(&part, to);
		for (int i = 0; i < PARTS; i++)
			*to[i] = share_next(&shares[i], estimate->paths.data[path].inclusive);
		sums_set(&part);
		if (path != heaviest)
			part.histogram = NULL;
		add(estimate, path, &part);
	}
}

static void place(struct placing *placing, uint32_t index)
{
	struct estimate *estimate = placing->estimate;
	const struct analysis_node *old = &estimate->analysis->nodes.data[index];
	const uint32_t first = old->folded ? ANALYSIS_NONE : estimate->first_match[index];
	uint32_t into = heaviest_of(estimate, first);

	if (first != ANALYSIS_NONE && estimate->matches.data[first].next != ANALYSIS_NONE) {
		split(placing, old, first, into);
	} else {
		if (into == ANALYSIS_NONE)
			into = estimate_child(estimate, estimate->to[old->parent], old->function,
					      old->folded);
		const struct analysis_values kept = kept_of(placing, old);
		add(estimate, into, &kept);
	}
	analysis_folded_sum(&estimate->nodes.data[into].folded_time, &old->folded_time);
	estimate->to[index] = into;
}

void estimate_place(struct estimate *estimate, struct estimate_thread *thread, bool decided)
{
	struct placing placing = {.estimate = estimate, .thread = thread, .decided = decided};
	const uint32_t *begin = &estimate->order_begin[thread->index];

	for (uint32_t i = begin[0]; i < begin[1]; i++)
		place(&placing, estimate->order[i]);
}
