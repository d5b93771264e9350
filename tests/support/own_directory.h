/*
 * A directory of a test's own, for each of its cases another one.
 */
#ifndef TARE_TESTS_SUPPORT_OWN_DIRECTORY_H
#define TARE_TESTS_SUPPORT_OWN_DIRECTORY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* `name` ends with XXXXXX, or with the letters that took their place the last time. */
static inline bool own_directory_make(char *name)
{
	strcpy(name + strlen(name) - 6, "XXXXXX");
	return mkdtemp(name) != NULL;
}

#endif
