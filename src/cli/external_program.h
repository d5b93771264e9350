/* Whether a program that tare would start for the user is there. */
#ifndef TARE_CLI_EXTERNAL_PROGRAM_H
#define TARE_CLI_EXTERNAL_PROGRAM_H

#include <stdbool.h>

/* A name is looked for in $PATH, a path is taken as it is. */
bool program_is_there(const char *name);

#endif
