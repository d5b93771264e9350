/* One entry of the cache on disk: its metadata, reading with all checks, and storing. */
#ifndef TARE_CACHE_CACHE_ENTRY_H
#define TARE_CACHE_CACHE_ENTRY_H

#include "cache/cache.h"

#define META_NAME     ".tare-meta"
#define COVERAGE_NAME ".tare-coverage"
/* The directory with the copy, which has its original's name, whatever that is. */
#define COPY_NAME "copy"

/*
 * Opens files/KEY and checks it. True: `entry` is filled and its meta file is held. False: there is
 * none, or it is damaged (then it has to be built again).
 */
bool cache_entry_load(struct cache *cache, const char *key, const char *source,
		      struct cache_entry *entry);

/* Writes the product as files/KEY in place of whatever is there. */
bool cache_entry_store(struct cache *cache, const char *key, const char *source,
		       const struct cache_product *product, struct error *err);

/* Removes files/NAME: renamed first, so that nobody meets half of it. */
void cache_entry_remove(struct cache *cache, const char *name);

#endif
