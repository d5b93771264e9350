/*
 * A small table of sites that were met; the least dull of a set gives way.
 *
 * Refuses nothing: a site that is forgotten too early is met again.
 */
#include "runtime/control/sites.h"

#define SETS 256
#define WAYS 4

static struct site {
	uint64_t arm;
	uint32_t dull, all;
} sites[SETS][WAYS];

static bool any; /* was met: most processes never touch the table */

static struct site *site_of(uint64_t arm)
{
	struct site *set = sites[(arm * 0x9e3779b97f4a7c15ULL >> 32) % SETS], *least = set;

	for (int i = 0; i < WAYS; i++) {
		if (set[i].arm == arm)
			return &set[i];
		if (set[i].dull < least->dull)
			least = &set[i];
	}
	*least = (struct site){.arm = arm};
	return least;
}

bool sites_meet(uint64_t arm, bool is_dull)
{
	struct site *site = site_of(arm);

	any = true;
	if (site->all >= SITES_MEMORY) {
		site->all /= 2;
		site->dull /= 2;
	}
	site->all++;
	site->dull += is_dull;
	if (site->dull < SITES_DULL_MIN || site->dull * 4 < site->all * 3)
		return false;
	*site = (struct site){0};
	return true;
}

void sites_forget(uint64_t begin, uint64_t end)
{
	for (int set = 0; any && set < SETS; set++)
		for (int way = 0; way < WAYS; way++)
			if (sites[set][way].arm - begin < end - begin)
				sites[set][way] = (struct site){0};
}
