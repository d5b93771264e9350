/*
 * deferral: which libraries are not worth waiting for. Where no copy of a library is in the cache,
 * the command waits until it is made, and a program with a hundred megabytes of libraries would
 * wait for longer than it runs. So the code that is instrumented while something waits is bounded.
 * What is beyond the bound is left as it is, and its copies are made after the recording, for the
 * next one.
 */
#ifndef TARE_CACHE_DEFERRAL_H
#define TARE_CACHE_DEFERRAL_H

#include "cache/closure.h"
#include "cache/instrument.h"

/* Zero-initialised before. */
struct deferral {
	bool allowed;
	uint64_t left_bytes;	/* of code that may still be waited for */
	uint64_t bytes;		/* of code in the files: */
	struct path_list files; /* deferred; and those of which a bare copy is to be made */
};

/*
 * What becomes of a library that a process is about to load, where nothing is to be made for it
 * first: it is in the cache, or beyond the bound and left as it is. NULL with an empty err where it
 * is to be made; its code is taken from the bound then. Libraries that only carry system calls are
 * always made.
 */
const struct instrumented *deferral_get(struct deferral *deferral,
					struct instrumenter *instrumenter, const char *path,
					bool *is_new, struct error *err);

/*
 * The same of all libraries of a program, in the order in which the loader lists them: those that
 * the program itself asks for come first. `missing` gets those to be made. False with err where the
 * cache cannot be used.
 */
bool deferral_choose(struct deferral *deferral, struct instrumenter *instrumenter,
		     const struct path_list *libraries, struct path_list *missing,
		     struct error *err);

/*
 * Starts a process that makes the copies, which nobody waits for and which has the processors only
 * while nothing else wants them. Nothing is started where no file is deferred.
 */
void deferral_start(const struct deferral *deferral);
void deferral_fini(struct deferral *deferral);

#endif
