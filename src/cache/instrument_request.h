/*
 * What a user asks for when files are instrumented, and how far it has come: shared by recordings,
 * which give it to many files, and by writing one file.
 */
#ifndef TARE_CACHE_INSTRUMENT_REQUEST_H
#define TARE_CACHE_INSTRUMENT_REQUEST_H

#include "base/base.h"

struct instrument_pattern {
	const char *text;
	bool exclude;
};

/* What copies of functions get. */
enum instrument_transform {
	INSTRUMENT_TRANSFORM_FULL,
	/* No probes but at system calls, by which children are followed; instrument_file_write
	   leaves out those as well. Everything runs from copies, and nothing is measured. */
	INSTRUMENT_TRANSFORM_NULL,
	/* All probes run, against handlers in the copy that scramble whatever a probe may change.
	   Only system calls reach the runtime, by which children are followed. */
	INSTRUMENT_TRANSFORM_POISON,
	INSTRUMENT_TRANSFORMS
};

/* What to instrument and how. */
struct instrument_request {
	struct vec_of(const char *) modules;		   /* --module globs */
	struct vec_of(struct instrument_pattern) patterns; /* --function, --exclude, in order */
	/* Restricts the instrumentation to units of files, and leaves all other files alone but
	   for the C library's system calls:
	   "GLOB:A-B" or "GLOB", see policy_add_units; for one file "A-B". */
	struct vec_of(const char *) units;
	/* --start-at, --stop-at, of recordings */
	struct vec_of(const char *) start_at, stop_at;
	enum instrument_transform transform;
	bool probes_all, keep_small, count_executions;
	/* Demangled form of a name or NULL, freed by the caller; may be NULL. */
	char *(*demangle)(const char *name);
};

/* How far the instrumentation of a file has come. */
struct instrument_progress {
	const char *path;
	double done;	    /* a fraction of 1 */
	size_t file, files; /* it is this one, from 1 on, of so many; 0: that is not known */
	bool running;	    /* the command runs already; a process waits for the file */
};

#endif
