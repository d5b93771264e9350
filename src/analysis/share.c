/* Each share is what the sum of the shares grows by, so what rounding leaves goes to later ones. */
#include "analysis/share.h"

#include <assert.h>
#include <stdbool.h>

wide share_in_proportion(wide part, wide all, wide whole)
{
	assert(part >= 0 && all >= 0 && whole >= 0);
	/* Below 2^62 and 2^64, so that the product fits. */
	while (part >> 62 || all >> 62) {
		part >>= 1;
		all >>= 1;
	}
	while (whole >> 64)
		whole >>= 1;
	return all ? part * whole / all : 0;
}

uint64_t share_next(struct share *share, wide weight)
{
	const wide before = share_in_proportion(share->passed, share->weight, share->whole);

	if (!share->weight) {
		const bool is_first = !share->passed;
		share->passed = 1;
		return is_first ? (uint64_t)share->whole : 0;
	}
	share->passed += weight;
	assert(weight >= 0 && share->passed <= share->weight);
	return (uint64_t)(share_in_proportion(share->passed, share->weight, share->whole) - before);
}
