/*
 * The cache of instrumented files.
 *
 *   ROOT/files/KEY/copy/NAME       the copy, named like its original (so that comm is right), 0500
 *   ROOT/files/KEY/.tare-meta      outcome, source, digest of the copy, summary
 *   ROOT/files/KEY/.tare-coverage  a verdict per function
 *   ROOT/stat/HASH   (device, inode, size, mtime, ctime) of an original → its digest
 *   ROOT/lock/KEY    flock: one builder per key; while somebody builds
 *
 * KEY is the SHA-256 of everything that the copy depends on. Entries are written beside and
 * renamed; concurrent runs are safe. Whoever needs an entry that another process is building waits
 * for it, but not for ever: then it makes a copy of its own, outside. A run holds a shared flock on
 * the meta files that it uses, and only what nobody holds is removed when the cache outgrows its
 * bound (least recently used first). Refusals are entries too. Damaged entries are rebuilt.
 * Everything must belong to this user.
 */
#ifndef TARE_CACHE_CACHE_H
#define TARE_CACHE_CACHE_H

#include "base/base.h"
#include "cache/digest.h"

#include <stdint.h>

#define CACHE_LIMIT_BYTES (4ULL << 30)

enum { CACHE_NOTICE_MS = 2000, CACHE_WAIT_MS = 10000 };

struct cache {
	char *root;
	int root_fd;
	uint64_t limit_bytes;
	char *tool; /* identity of the writing program: part of every key */
	struct vec_of(int) held;
	/* Another process builds what is needed: when somebody is told so, and when it is waited
	   for no longer. cache_open sets both. */
	int64_t notice_ms, limit_ms;
	bool leaves_busy; /* then that is an error; else a copy is made aside */
	void (*waiting)(const char *sentence, void *context); /* may be NULL */
	void *context;
	/* A private cache with the copies that this run has made instead of waiting; NULL: none.
	   Its directory is the caller's to remove. */
	struct cache *aside;
};

/* $XDG_CACHE_HOME/tare, else ~/.cache/tare; free it. NULL with err where neither is known. */
char *cache_default_root(struct error *err);

/*
 * Opens (and makes) the cache at `root`. Errors: not a directory of this user, a link, writable by
 * others, on a file system without execution.
 */
bool cache_open(struct cache *cache, const char *root, uint64_t limit_bytes, struct error *err);
void cache_close(struct cache *cache);

enum cache_outcome {
	CACHE_INSTRUMENTED,
	CACHE_NOTHING_TO_DO, /* no function was selected: the original serves */
	CACHE_REFUSED,
	CACHE_TOO_LARGE, /* refused, too; what needs it can be recorded without it */
};

/* What the builder makes of a file. Zero-initialised before and freed after it is stored. */
struct cache_product {
	enum cache_outcome outcome;
	struct byte_vec bytes;		   /* CACHE_INSTRUMENTED: the copy */
	char refusal[ERROR_MESSAGE_BYTES]; /* the sentence, if it was refused */
	struct str summary;		   /* a few fields, no newline; see text_file.h */
	struct str coverage;		   /* lines, see coverage.h */
};

struct cache_request {
	const char *path;    /* absolute path of the original */
	const char *options; /* everything else that the product depends on, as text */
	/* Makes the product; `key` is the entry's. False with err: nothing is stored. */
	bool (*build)(const char *path, const char *key, struct cache_product *product,
		      void *context, struct error *err);
	void *context;
};

struct cache_entry {
	enum cache_outcome outcome;
	char key[DIGEST_TEXT_BYTES];
	char *directory; /* of the entry */
	char *copy;	 /* NULL unless instrumented */
	char *refusal;	 /* NULL unless refused */
	char *summary;
	bool was_built; /* by this call */
};

/*
 * Finds the entry, which is held until cache_close; free it with cache_entry_fini. Nothing is
 * built: where it is not there, true with entry->directory NULL.
 */
bool cache_find(struct cache *cache, const struct cache_request *request, struct cache_entry *entry,
		struct error *err);
/* Finds or builds the entry, here or aside. */
bool cache_get(struct cache *cache, const struct cache_request *request, struct cache_entry *entry,
	       struct error *err);
void cache_entry_fini(struct cache_entry *entry);

/* The coverage text of an entry's directory, digest checked; free it. NULL with err. */
char *cache_read_coverage(const char *directory, struct error *err);

/* Removes unheld entries, least recently used first, until the bound is kept. */
void cache_trim(struct cache *cache);

#endif
