/* See rule_cache.h. */
#include "unwind/rule_cache.h"

#define BITS_FIRST 6
#define BITS_STEP  2
#define BITS_LAST  14

void rule_cache_init(struct rule_cache *cache)
{
	*cache = (struct rule_cache){.generation = 1};
}

void rule_cache_fini(struct rule_cache *cache)
{
	free(cache->places);
	cache->places = NULL;
	cache->bits = 0;
}

static struct rule_cached *place_of(const struct rule_cache *cache, uint64_t addr)
{
	return &cache->places[addr * 0x9e3779b97f4a7c15ULL >> (64 - cache->bits)];
}

const struct rule_cached *rule_cache_get(const struct rule_cache *cache, uint64_t addr, bool exact)
{
	const struct rule_cached *place = cache->bits ? place_of(cache, addr) : NULL;

	return place && place->addr == addr && place->exact == exact &&
			       place->generation == cache->generation
		       ? place
		       : NULL;
}

/* When a table has had as many misses as it has places. */
static void enlarge(struct rule_cache *cache)
{
	cache->bits = cache->bits ? cache->bits + BITS_STEP : BITS_FIRST;
	cache->misses = 0;
	free(cache->places);
	cache->places = mem_zalloc(sizeof(*cache->places) << cache->bits);
}

const struct rule_cached *rule_cache_put(struct rule_cache *cache, uint64_t addr, bool exact,
					 bool is_code, struct unwind_found found)
{
	if (!cache->bits || (cache->misses >> cache->bits && cache->bits < BITS_LAST))
		enlarge(cache);
	struct rule_cached *place = place_of(cache, addr);

	cache->misses++;
	*place = (struct rule_cached){.addr = addr,
				      .generation = cache->generation,
				      .exact = exact,
				      .is_code = is_code,
				      .found = found};
	return place;
}

void rule_cache_drop(struct rule_cache *cache)
{
	cache->generation++;
}
