/*
 * Several recordings of one command, one after the other. Each is made by a process of its own, as
 * if tare had been started for it: whatever a recording does to its process (signals that are
 * ignored, timers, descriptors), the next one's command does not inherit it.
 */
#ifndef TARE_CLI_REPEATED_RUNS_H
#define TARE_CLI_REPEATED_RUNS_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPEATED_RUNS_MAX = 1000 };

struct repeated_runs {
	int64_t count;
	const char *output; /* as given, or NULL: by `command` */
	const char *command;
	/* Makes one recording; false where there is no profile. In a child. */
	bool (*make)(const char *path, int *status, void *context);
	void *context;
};

/*
 * The path of run `number`, from 1: "prog.07.tare" of "prog.tare", and of no path and "bin/prog".
 * As many digits as the last one has, so that names are in the order of the runs.
 */
void repeated_runs_output(const struct repeated_runs *runs, int64_t number, struct str *out);

/* Whether the standard input is empty for all runs but the first: a pipe, or a socket. */
bool repeated_runs_lose_input(const struct repeated_runs *runs);

/*
 * Makes all runs, each with the standard input where it stood at the begin; ends early where one
 * has no profile, or its command was ended by a signal that says so. *status is the first that is
 * not 0. Fails where no process can be had.
 */
bool repeated_runs_make(const struct repeated_runs *runs, int *status, struct error *err);

/* Whether the status is that of a command that somebody has ended: no further run is wanted. */
bool repeated_runs_end_at(int status);

#endif
