/*
 * record: composes target, cache, rewriter and collectors into one profile. The one module that
 * knows them all; the command line calls what is declared here.
 *
 *   record_run ─ program ─ closure ─ instrument/cache ─ session, server ─ launch ─ assemble
 *   record_recover ─ session ─ recording ─ assemble
 */
#ifndef TARE_RECORD_RECORD_H
#define TARE_RECORD_RECORD_H

#include "base/base.h"

#include <stdint.h>

struct record_pattern {
	const char *text;
	bool exclude;
};

/* What to instrument and how; shared by recording and by writing one file. */
struct record_selection {
	struct vec_of(const char *) modules;	       /* --module globs */
	struct vec_of(struct record_pattern) patterns; /* --function, --exclude, in order */
	bool probes_all, keep_small;
	/* Demangled form of a name or NULL, freed by the caller; may be NULL. */
	char *(*demangle)(const char *name);
};

struct record_options {
	char *const *words; /* the command and its arguments */
	size_t word_count;
	const char *output; /* NULL: the command's base name + ".tare" */
	struct record_selection selection;
	bool follow, use_cache;
	/* Called while a file is rewritten: fraction of 1. May be NULL. */
	void (*progress)(const char *path, double done, void *context);
	/* Called with a sentence about each file that was looked at. May be NULL. */
	void (*note)(const char *sentence, void *context);
	void *context;
};

struct record_result {
	char *output;	    /* path of the profile; NULL: none was written */
	char *partial;	    /* why it is partial, or NULL */
	int command_status; /* exit status of the command as a shell reports it; -1: did not run */
};

/*
 * Runs the command and writes the profile. False with err and *status, the exit status of enum
 * target_status; where the profile could not be built, err names the kept session directory and
 * the command that tries again.
 */
bool record_run(const struct record_options *options, struct record_result *result, int *status,
		struct error *err);

/* Builds the profile from what a recording left in `directory`, and removes the directory. */
bool record_recover(const char *directory, const char *output, struct record_result *result,
		    struct error *err);

void record_result_fini(struct record_result *result);

struct record_file_options {
	const char *path;
	const char *output; /* NULL: list only */
	struct record_selection selection;
	void (*progress)(const char *path, double done, void *context);
	void *context;
};

struct record_function {
	uint64_t addr, size;
	const char *name, *verdict, *reason; /* reason: a sentence; borrowed until the fini */
	bool instrumented, refused;
};

struct record_file {
	struct vec_of(struct record_function) functions;
	size_t instrumented, refused;
	uint64_t input_bytes, output_bytes;
	void *owner;
};

/* Instruments one file without any cache. The output appears only when it is complete. */
bool record_instrument(const struct record_file_options *options, struct record_file *file,
		       struct error *err);
void record_file_fini(struct record_file *file);

#endif
