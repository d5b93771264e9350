/* The profile of commands that were given none: the newest one of the working directory. */
#ifndef TARE_CLI_NEWEST_PROFILE_H
#define TARE_CLI_NEWEST_PROFILE_H

#include "cli/command.h"

/*
 * Its path, free() it; it is said on stderr which one is taken. A profile is a regular file of the
 * name *.tare that begins as one. NULL with err (ERROR_USAGE), whose sentence is "which profile?
 * USAGE", where there is none.
 */
char *newest_profile(const struct command *command, const char *usage, struct error *err);

/* The same, and in *before the profile that the newest one has replaced, PATH.old; free() both. */
char *newest_profile_pair(const struct command *command, const char *usage, char **before,
			  struct error *err);

#endif
