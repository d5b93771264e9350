/*
 * The lock of one key of the cache: who holds it builds the entry. Its file is there only while it
 * is held, or after its holder was killed.
 */
#ifndef TARE_CACHE_CACHE_LOCK_H
#define TARE_CACHE_CACHE_LOCK_H

#include "cache/cache.h"

struct cache_lock {
	int fd;
	char name[DIGEST_TEXT_BYTES + 8]; /* below the cache's root */
};

enum cache_lock_result {
	CACHE_LOCK_TAKEN,
	CACHE_LOCK_BUSY, /* another process has held it for cache->limit_ms */
	CACHE_LOCK_FAILED,
};

/* Waits for the lock; `source` is what the entry is made of, for people who wait too. */
enum cache_lock_result cache_lock_take(const struct cache *cache, const char *key,
				       const char *source, struct cache_lock *lock,
				       struct error *err);
void cache_lock_release(const struct cache *cache, struct cache_lock *lock);

/* Removes the files of locks that nobody holds any more. */
void cache_lock_trim(const struct cache *cache);

#endif
