/* Digests of files that have not changed since they were read: what "stat" in the cache keeps. */
#ifndef TARE_CACHE_STAT_INDEX_H
#define TARE_CACHE_STAT_INDEX_H

#include "cache/cache.h"

#include <sys/stat.h>

/* How the digest is made: see digest.h. */
enum stat_index_kind { STAT_INDEX_WHOLE, STAT_INDEX_SPARSE };

/* "device inode size mtime ctime" of a file, the proof that it is unchanged. */
void cache_stat_text(const struct stat *info, struct str *out);
/* Whether it is: a file changed a moment ago may change again without a new time stamp. */
bool cache_stat_is_settled(const struct stat *info);

/*
 * The digest of the open file, which is read only if none is known of it as `info` has it, or if it
 * was changed a moment ago. False with errno where it cannot be read.
 */
bool stat_index_digest(const struct cache *cache, int fd, const struct stat *info,
		       enum stat_index_kind kind, char digest[DIGEST_TEXT_BYTES]);

#endif
