/*
 * Instruments files: applies policy and selection, asks the cache, and remembers what became of
 * each file in this run.
 */
#ifndef TARE_CACHE_INSTRUMENT_H
#define TARE_CACHE_INSTRUMENT_H

#include "cache/cache.h"
#include "cache/instrument_request.h"
#include "cache/policy.h"
#include "cache/selection.h"
#include "rewrite/rewrite.h"

/* Copies without the probes of what was learned to be counted only: abi/learned.h. */
enum instrument_bare {
	INSTRUMENT_BARE_NONE,
	INSTRUMENT_BARE_FIND, /* where there is one for the command that is recorded */
	INSTRUMENT_BARE_MAKE, /* for whatever command it was last wanted */
};

struct instrument_options {
	struct policy policy;
	struct selection selection;
	enum rewrite_mode mode;
	struct object *companion; /* REWRITE_POISON: the one with the handlers */
	enum rewrite_probes probes;
	bool keep_small, count_executions;
	enum instrument_bare bare;
	uint8_t command[DIGEST_BYTES]; /* INSTRUMENT_BARE_FIND: the digest of what is recorded */
	/* Called while a file is rewritten, and at its end; knows of no other files. */
	void (*progress)(const struct instrument_progress *now, void *context);
	void *progress_context;
};

/* From what a user asked for; units are added by the caller. Zero-initialised before. */
bool instrument_options_init(struct instrument_options *options,
			     const struct instrument_request *from, struct error *err);
void instrument_options_fini(struct instrument_options *options);

struct instrumented {
	char *path; /* of the original, links resolved */
	char *stat; /* device, inode, size and times: a file that is replaced is another one */
	enum policy_mode mode;
	struct cache_entry entry; /* empty where mode is POLICY_NONE */
	struct cache_entry full;  /* where that is a bare copy: the one with all probes */
};

struct instrumenter {
	struct instrument_options *options; /* borrowed */
	struct cache *cache;		    /* borrowed */
	struct vec_of(struct instrumented *) files;
};

void instrumenter_init(struct instrumenter *instrumenter, struct instrument_options *options,
		       struct cache *cache);
void instrumenter_fini(struct instrumenter *instrumenter);

/*
 * What became of the file at `path`: made now, found in the cache, or known from before. `*is_new`
 * says that it was not asked for before in this run. NULL with err where the file or the cache
 * cannot be used; a file that cannot be instrumented is an entry with a refusal.
 */
const struct instrumented *instrumenter_get(struct instrumenter *instrumenter, const char *path,
					    bool *is_new, struct error *err);

/*
 * The same where nothing has to be made for it; else NULL, with an empty err where it would have to
 * be.
 */
const struct instrumented *instrumenter_get_made(struct instrumenter *instrumenter,
						 const char *path, bool *is_new, struct error *err);

/*
 * What becomes of the file at `path` in this run: it stays as it is, for the reason that the
 * sentence gives. NULL with err where it cannot be found.
 */
const struct instrumented *instrumenter_leave(struct instrumenter *instrumenter, const char *path,
					      const char *sentence, struct error *err);

/* The same where it is known from before, unchanged; else NULL. */
const struct instrumented *instrumenter_find(const struct instrumenter *instrumenter,
					     const char *path);

/*
 * Does a process that executes the file get the runtime: by its loader, or because the copy carries
 * it? Nobody else takes the session's variables out of the environment.
 */
bool instrumented_takes_runtime(const struct instrumented *file);

/* There is no copy, and the original may set the base of %gs, by which counters find their thread.
 */
bool instrumented_may_set_gs(const struct instrumented *file);

/* What became of the file, as a sentence; `was_made`: in this run. */
void instrumented_describe(const struct instrumented *file, bool was_made, struct str *out);

/* Fails if a pattern has matched no function in any file so far, and names the nearest ones. */
bool instrumenter_check_patterns(struct instrumenter *instrumenter, struct error *err);

/* Says so of one pattern, whatever list it is of; returns false. */
bool instrumenter_report_unmatched(struct instrumenter *instrumenter, const char *pattern,
				   struct error *err);

/* The options that a copy depends on, as one line. */
void instrument_describe(const struct instrument_options *options, struct str *out);

struct learned;

struct instrument_input {
	const struct object *object;
	enum policy_mode mode;
	const char *key;	       /* digest that goes into the copy's note */
	bool syscall_probes;	       /* with REWRITE_NULL too */
	size_t first_unit, last_unit;  /* as in rewrite_options */
	const struct learned *learned; /* whose bare ones have no probes; NULL: none are left out */
};

/*
 * Rewrites one open object with these options. False with err where the file as a whole cannot be
 * instrumented.
 */
bool instrument_rewrite(struct instrument_options *options, const struct instrument_input *input,
			struct byte_vec *out, struct rewrite_result *result, struct error *err);

#endif
