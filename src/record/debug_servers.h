/*
 * Names of stripped files from debuginfod servers, where DEBUGINFOD_URLS names some: only profiles
 * that are written after this was called have them.
 */
#ifndef TARE_RECORD_DEBUG_SERVERS_H
#define TARE_RECORD_DEBUG_SERVERS_H

struct debug_servers {
	/*
	 * Called some times a second while a server is asked for the debug file of `file`, and
	 * sends it: `done` of `all` bytes, 0: not known. With `file` NULL when that is over.
	 */
	void (*show)(const char *file, long done, long all, void *context);
	void *context;
};

void debug_servers_ask(const struct debug_servers *servers);

#endif
