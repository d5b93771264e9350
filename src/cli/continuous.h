/*
 * Recording what runs for ever, in parts of so many seconds, each a profile of its own:
 *
 *   recorder 1  |----------|write|
 *   recorder 2             |----------|write|
 *   sending                       |1|        |2|
 *
 * A part begins when the one before is over, while that one's profile is still being written, so
 * that nothing is left out between them. Each recorder and each sending is a process of its own;
 * one profile is sent at a time. So many profiles are left on the disk; older ones go, also such
 * as no server has taken, which is said.
 */
#ifndef TARE_CLI_CONTINUOUS_H
#define TARE_CLI_CONTINUOUS_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct continuous {
	double part_s;	    /* at least 1 */
	double duration_s;  /* of all; 0: until a signal, or what is recorded has ended */
	int64_t keep;	    /* profiles on the disk, at least 1 */
	const char *output; /* NULL: tare.tare */
	/* Makes one recording of part_s; false where there is no profile. In a child. */
	bool (*make)(const char *path, int *status, void *context);
	/* Sends a profile of these times; NULL: nothing is sent. In a child. */
	bool (*send)(const char *path, int64_t begin_s, int64_t end_s, void *context);
	void (*say)(const char *sentence, void *context);
	void *context;
};

/* "prog.20261124T001500Z.tare" of "prog.tare" and a time in seconds since 1970. */
void continuous_output(const char *output, int64_t begin_s, struct str *out);

/*
 * Until SIGINT, SIGTERM or SIGHUP, or the duration is over; or a recording has no profile, or ended
 * before its time as all that it recorded has ended. *status is the first of a recording that is
 * not 0. Fails where no process can be had.
 */
bool continuous_record(const struct continuous *continuous, int *status, struct error *err);

#endif
