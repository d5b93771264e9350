/* The functions of a profile by name, one a line: what completion proposes where a function is to
 * be named. */
#ifndef TARE_CLI_KNOWN_FUNCTIONS_H
#define TARE_CLI_KNOWN_FUNCTIONS_H

#include "cli/command.h"

/*
 * Prints the names that begin with `prefix`, in their order, each once: without parameters, as
 * patterns match them. Names that a shell would have to quote are left out. `profile_path`: NULL is
 * the newest profile here.
 */
bool known_functions_print(const struct command *command, const char *prefix,
			   const char *profile_path, struct error *err);

#endif
