/*
 * Debug files from debuginfod servers, where the user asks for them: the environment variable
 * TARE_DEBUGINFOD is set (and not 0 or empty), and DEBUGINFOD_URLS names servers. Needs
 * libdebuginfod, which is looked for when it is needed first.
 */
#ifndef TARE_OBJECT_DEBUGINFOD_H
#define TARE_OBJECT_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

/* All downloads of a process together may take so long. */
enum { DEBUGINFOD_SECONDS_MAX = 120 };

bool debuginfod_is_wanted(void);

/* Whether servers can be asked, and why not, or how they would be. */
bool debuginfod_state(const char **text);

/* The path of the debug file in the user's cache, to be freed, or NULL. One thread at a time. */
char *debuginfod_fetch(const unsigned char *build_id, size_t size);

#endif
