/*
 * leftovers: what recordings have in the places where session directories are made. A recorder
 * holds a lock of its directory while it lives (session_dir.h), so nothing here asks for process
 * numbers, which other containers count differently.
 */
#ifndef TARE_SESSION_LEFTOVERS_H
#define TARE_SESSION_LEFTOVERS_H

#include "base/base.h"

enum leftover_state {
	LEFTOVER_RECORDING, /* its recorder lives */
	LEFTOVER_RUNNING,   /* it does not, but recorded processes still write into it */
	LEFTOVER_PROFILE,   /* nobody does: tare recover can make its profile */
	LEFTOVER_NOTHING,   /* nobody does, and there is nothing to make a profile of */
	LEFTOVER_STATES
};

struct leftover {
	char *directory;
	char *command_line;    /* "" if not known */
	int64_t begin_unix_ns; /* 0 if not known */
	uint64_t bytes;	       /* of storage, private copies of files included */
	enum leftover_state state;
};

struct leftovers vec_of(struct leftover);

/* Those of this user, the oldest first. */
void leftovers_find(struct leftovers *leftovers);
void leftovers_fini(struct leftovers *leftovers);

/* Nobody needs it but who wants its profile. */
bool leftover_is_dead(const struct leftover *leftover);

/*
 * Removes the directory of one that is dead, and the copies of files that it alone has. Fails with
 * ERROR_INPUT where it is in use again.
 */
bool leftover_remove(const struct leftover *leftover, struct error *err);

/* The private copies of a recording without cache: only what looks like their directory. */
struct recording;
void leftover_remove_copies(const struct recording *recording);

#endif
