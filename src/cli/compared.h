/* A profile to show, with its analysis, and one to compare it with where there is one. */
#ifndef TARE_CLI_COMPARED_H
#define TARE_CLI_COMPARED_H

#include "cli/profile_options.h"

struct compared_profile {
	const char *path;	 /* borrowed */
	struct profile *profile; /* NULL: none */
	struct analysis *analysis;
	/* Of a page: the same with the values of lines, where these are by samples and `analysis`
	   shows calls; of a fleet the same with those of samples. Else NULL. */
	struct analysis *lines;
};

struct compared {
	struct compared_profile profile, base;
	struct profile_selection selection; /* of both */
};

/*
 * What for: an export of events in the order of time, or of call paths, a page, or a table: of
 * lines, samples' or calls', or others; or an export of executions, or of
 * whole runs.
 */
enum compared_use {
	COMPARED_EVENTS,
	COMPARED_PATHS,
	COMPARED_PATH_LINES, /* call paths with their lines */
	COMPARED_PAGE,
	COMPARED_LINES,
	COMPARED_EXECUTIONS,
	COMPARED_FLEET, /* all call paths, of calls and of samples */
	COMPARED_TABLE
};

/*
 * `base` may be NULL. But for an export of events, samples are only those of the time that the
 * values choose. To be closed in any case.
 */
bool compared_open(struct compared *compared, const char *path, const char *base,
		   const struct profile_values *values, enum compared_use use, struct error *err);
void compared_close(struct compared *compared);

#endif
