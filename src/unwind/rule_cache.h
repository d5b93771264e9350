/*
 * Rules that were found, by address: a direct-mapped table, which begins small and grows with what
 * is looked for. Of most processes few stacks are seen, and a build has thousands of processes.
 */
#ifndef TARE_UNWIND_RULE_CACHE_H
#define TARE_UNWIND_RULE_CACHE_H

#include "unwind/rules.h"

struct rule_cached {
	uint64_t addr;
	uint32_t generation;	   /* of the cache for which it holds; 0: of none */
	bool exact;		   /* interrupted at `addr`; else it is in the call there */
	bool is_code;		   /* something is mapped there */
	struct unwind_found found; /* if something is */
};

struct rule_cache {
	uint32_t generation;	    /* changes when nothing holds any more */
	uint32_t bits;		    /* 0: there is no table yet */
	uint32_t misses;	    /* since the table has its size */
	struct rule_cached *places; /* 1 << bits */
};

void rule_cache_init(struct rule_cache *cache);
void rule_cache_fini(struct rule_cache *cache);

/* What is known; NULL: nothing. Holds until rule_cache_put. */
const struct rule_cached *rule_cache_get(const struct rule_cache *cache, uint64_t addr, bool exact);
/* The same, of which nothing was known. */
const struct rule_cached *rule_cache_put(struct rule_cache *cache, uint64_t addr, bool exact,
					 bool is_code, struct unwind_found found);

/* Forgets everything. */
void rule_cache_drop(struct rule_cache *cache);

#endif
