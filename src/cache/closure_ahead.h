/*
 * closure_ahead: a program's libraries that are not in the cache are instrumented while the program
 * itself is. Half of the work on one file has use for one processor only; processes
 * of their own, one for each processor, do the others'.
 */
#ifndef TARE_CACHE_CLOSURE_AHEAD_H
#define TARE_CACHE_CLOSURE_AHEAD_H

#include "cache/closure.h"
#include "cache/instrument.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct closure_ahead_state;

/* Zero-initialised before. */
struct closure_ahead {
	pid_t pid;			   /* of the first; 0: none runs */
	struct closure_ahead_state *state; /* what it tells; NULL: it has never run */
};

/*
 * Begins with the libraries, the largest first, with the options and the cache of `instrumenter`.
 * Does nothing with one processor, or where no process can be made: the files are then made when
 * they are asked for. What fails is left to the one who asks, too, and so is what another recording
 * is at.
 */
void closure_ahead_begin(struct closure_ahead *ahead, const struct instrumenter *instrumenter,
			 const struct path_list *libraries);

/* Waits until all the libraries, given again, are done, and shows which ones are; at once where
 * none runs. */
void closure_ahead_wait(struct closure_ahead *ahead, const struct path_list *libraries,
			void (*show)(const struct instrument_progress *now, void *context),
			void *context);
/* Waits for those that were begun only. */
void closure_ahead_fini(struct closure_ahead *ahead);

/* Was the entry built in this run, by it or by who asks? After closure_ahead_wait. */
bool closure_ahead_was_built(const struct closure_ahead *ahead, const struct cache_entry *entry);

#endif
