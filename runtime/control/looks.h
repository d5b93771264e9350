/*
 * looks: where probes cost too much just now, a few events are looked at one by one. They show who
 * is called all the time, however large the tree is, and from which call sites calls through
 * pointers come, which no node knows.
 */
#ifndef TARE_RUNTIME_CONTROL_LOOKS_H
#define TARE_RUNTIME_CONTROL_LOOKS_H

#include "runtime/files/self.h"

#define LOOKS_CALLS_MIN 50 /* of a path, or by the last sum: nobody goes by fewer */

/* After any event: begins to look when it is time and the probes of late were too dear. */
void looks_begin_when_dear(const struct tare_thread_file *self, struct adapt_local *local);

/*
 * After an event that began a call. Disarms what is short and was met before among the events that
 * are looked at, call sites of which most calls tell nothing, and those of functions that the last
 * sum found not worth their probes. Returns whether a byte was cleared.
 */
bool looks_at(const struct tare_thread_file *self, struct adapt_local *local,
	      const struct accumulate_event *event);

/* Shall the thread's next event be looked at, too? */
bool looks_want_next(struct adapt_local *local);

#endif
