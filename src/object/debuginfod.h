/*
 * Debug files from debuginfod servers, by the convention of other tools: where DEBUGINFOD_URLS
 * names servers, they are asked. Only in commands that write profiles, which say so first, as an
 * answer may take its time. Needs libdebuginfod, which is looked for when it is needed first.
 */
#ifndef TARE_OBJECT_DEBUGINFOD_H
#define TARE_OBJECT_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

enum {
	/* All downloads of a process together may take so long. */
	DEBUGINFOD_SECONDS_MAX = 60,
	/* Without a byte for so long, no server is asked any more. */
	DEBUGINFOD_SILENCE_SECONDS_MAX = 10,
};

struct debuginfod_options {
	/*
	 * Called some times a second while a server is asked for the debug file of `file`, and
	 * sends it: `done` of `all` bytes, 0: not known. With `file` NULL when that is over. May be
	 * NULL.
	 */
	void (*show)(const char *file, long done, long all, void *context);
	void *context;
};

/* From now on servers may be asked. */
void debuginfod_allow(const struct debuginfod_options *options);
bool debuginfod_is_wanted(void);

/* Whether servers can be asked, and why not, or how they would be. */
bool debuginfod_state(const char **text);

/*
 * The path in the user's cache of the debug file of `file`, to be freed, or NULL. Only where it is
 * wanted, and in one thread at a time.
 */
char *debuginfod_fetch(const char *file, const unsigned char *build_id, size_t size);

#endif
