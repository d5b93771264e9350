#include "assemble/counter_cost.h"

#include "base/base.h"
#include "base/partition.h"

#include <stdlib.h>

enum { PARTS = 256 };

counter_cost counter_cost_of(const struct tare_calibration *calibration, uint64_t calls,
			     bool with_probes)
{
	const counter_cost each = (counter_cost)calibration->counters_ticks +
				  (with_probes ? 2 * (counter_cost)calibration->gates_ticks : 0);

	return calls * each;
}

uint64_t counter_cost_ticks(counter_cost cost)
{
	return cost / PARTS < INT64_MAX ? (uint64_t)(cost / PARTS) : INT64_MAX;
}

static int compare_owners(const void *a, const void *b)
{
	const struct counter_owner *x = a, *y = b;

	return x->prefix < y->prefix ? -1 : x->prefix > y->prefix;
}

void counter_owners_init(struct counter_owners *owners, const struct resolve_counted *counted)
{
	owners->count =
		counted->function_count < counted->count ? counted->function_count : counted->count;
	owners->list = mem_alloc((owners->count + 1) * sizeof(*owners->list));
	bool sorted = true;

	for (uint32_t i = 0; i < owners->count; i++) {
		owners->list[i] = (struct counter_owner){
			.prefix = resolve_counted_prefix(counted, i), .number = i};
		sorted = sorted &&
			 (!i || compare_owners(&owners->list[i - 1], &owners->list[i]) <= 0);
	}
	/* Copies mostly stand in the order of their originals. */
	if (!sorted)
		qsort(owners->list, owners->count, sizeof(*owners->list), compare_owners);
}

void counter_owners_fini(struct counter_owners *owners)
{
	free(owners->list);
}

uint32_t counter_owner_of(const struct counter_owners *owners,
			  const struct resolve_counted *counted, uint32_t number)
{
	const uint32_t prefix = resolve_counted_prefix(counted, number);
	const size_t above = partition_point(owners->count, i, owners->list[i].prefix <= prefix);

	return above ? owners->list[above - 1].number : UINT32_MAX;
}
