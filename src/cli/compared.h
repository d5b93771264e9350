/* A profile to show, with its analysis, and one to compare it with where there is one. */
#ifndef TARE_CLI_COMPARED_H
#define TARE_CLI_COMPARED_H

#include "cli/profile_options.h"

struct compared_profile {
	const char *path;	 /* borrowed */
	struct profile *profile; /* NULL: none */
	struct analysis *analysis;
};

struct compared {
	struct compared_profile profile, base;
	struct profile_selection selection; /* of both */
};

/*
 * `base` may be NULL. For a page: with lines and instructions of samples, and of these only those
 * of the time that the values choose. To be closed in any case.
 */
bool compared_open(struct compared *compared, const char *path, const char *base,
		   const struct profile_values *values, bool for_page, struct error *err);
void compared_close(struct compared *compared);

#endif
