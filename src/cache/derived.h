/*
 * derived: what was found out once about files of this host and is kept in the cache, in the folder
 * `derived`, as it would take long to find out again. Whatever fails leaves it out, and nothing
 * else.
 */
#ifndef TARE_CACHE_DERIVED_H
#define TARE_CACHE_DERIVED_H

#include "base/base.h"
#include "base/file_view.h"

#include <sys/types.h>

/* Beyond this the least recently used are removed. */
#define DERIVED_LIMIT_BYTES (256ULL << 20)

/* Maps what is kept under this name, a file's. False where there is none of this user's own. */
bool derived_open(const char *name, struct file_view *view);
/* The path of the same, for another process to open; free() it. NULL where there is none. */
char *derived_find(const char *name);
/* Keeps `bytes`, of another process's making as well: a name stands for one contents only. */
void derived_keep(const char *name, const void *bytes, size_t size);
/* The same of one of many: without waiting for the disk, so whoever opens it checks that it is
   whole, and beyond the limit until derived_trim. */
void derived_keep_unsynced(const char *name, const void *bytes, size_t size);
void derived_trim(void);

#endif
