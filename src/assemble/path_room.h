/* How many call paths of each thread the profile keeps, where it does not keep all. */
#ifndef TARE_ASSEMBLE_PATH_ROOM_H
#define TARE_ASSEMBLE_PATH_ROOM_H

#include <stddef.h>
#include <stdint.h>

struct path_claim {
	uint64_t paths; /* that the thread has */
	uint64_t ticks; /* of its work */
	uint64_t room;	/* computed: how many it may keep */
};

/* That a profile keeps where nobody says: a program's, and one of many threads or processes. */
#define PATH_ROOM_USUAL	  (128 << 10)
#define PATH_ROOM_MANY	  (24 << 10)
#define PATH_ROOM_THREADS 16 /* more are many */

/*
 * Shares out `room` paths; 0: the usual number. Where all have room together, each keeps what it
 * has; else each gets room in proportion to its work, and what one does not need goes to the
 * others.
 */
void path_room_share(struct path_claim **claims, size_t count, uint64_t room);

#endif
