/*
 * record: composes target, cache, rewriter and collectors into one profile. The one module that
 * knows them all; the command line calls what is declared here.
 *
 *   record_run ─ program ─ closure ─ instrument/cache ─ session, server ─ launch ─ assemble
 *   record_attach ─ session, sampling ─ assemble
 *   record_recover ─ session ─ recording ─ assemble
 */
#ifndef TARE_RECORD_RECORD_H
#define TARE_RECORD_RECORD_H

#include "abi/session.h"
#include "base/base.h"
#include "verify/verify.h"

#include <stdint.h>

struct record_pattern {
	const char *text;
	bool exclude;
};

/* What copies of functions get. */
enum record_transform {
	RECORD_TRANSFORM_FULL,
	/* No probes but at system calls, by which children are followed; record_instrument leaves
	   out those as well. Everything runs from copies, and nothing is measured. */
	RECORD_TRANSFORM_NULL,
	/* All probes run, against handlers in the copy that scramble whatever a probe may change.
	   Only system calls reach the runtime, by which children are followed. */
	RECORD_TRANSFORM_POISON,
	RECORD_TRANSFORMS
};

/* What to instrument and how; shared by recording and by writing one file. */
struct record_selection {
	struct vec_of(const char *) modules;	       /* --module globs */
	struct vec_of(struct record_pattern) patterns; /* --function, --exclude, in order */
	/* Restricts the instrumentation to units of files, and leaves all other files alone but
	   for the C library's system calls:
	   "GLOB:A-B" or "GLOB", see policy_add_units; for one file "A-B". */
	struct vec_of(const char *) units;
	/* --start-at, --stop-at, of recordings */
	struct vec_of(const char *) start_at, stop_at;
	enum record_transform transform;
	bool probes_all, keep_small;
	/* Demangled form of a name or NULL, freed by the caller; may be NULL. */
	char *(*demangle)(const char *name);
};

/* How far the instrumentation of a file has come. */
struct record_progress {
	const char *path;
	double done;	    /* a fraction of 1 */
	size_t file, files; /* it is this one, from 1 on, of so many; 0: that is not known */
	bool running;	    /* the command runs already; a process waits for the file */
};

enum record_method { RECORD_INSTRUMENT, RECORD_SAMPLE, RECORD_BOTH, RECORD_METHODS };

/* How to sample, and what besides the command. */
struct record_sampling {
	uint64_t frequency;		    /* of events without a period, per second */
	struct vec_of(const char *) events; /* as sampler/event.h reads them; none: time */
	bool off_cpu;			    /* the event "off-cpu" too */
	bool by_frame_pointer;
	bool kernel;	      /* frames of the kernel, where permitted */
	const uint32_t *pids; /* running processes, and what they start from now on */
	size_t pid_count;
	bool everything;   /* all processors; with a command what is not its is discarded */
	double duration_s; /* 0: until all have ended, or SIGINT or SIGTERM comes */
};

struct record_options {
	char *const *words; /* the command and its arguments; of record_attach none */
	size_t word_count;
	const char *output; /* NULL: the command's base name + ".tare" */
	enum record_method method;
	struct record_sampling sampling; /* unless RECORD_INSTRUMENT */
	struct record_selection selection;
	bool follow, use_cache;
	bool paused;		       /* the global level is stopped at first */
	bool wait;		       /* for all recorded processes, not only for the command */
	bool exec;		       /* the command gets this process; see record_run */
	struct tare_settings settings; /* of the runtime; abi/session.h */
	/* Called before files are looked at, and while they are rewritten. May be NULL. */
	void (*progress)(const struct record_progress *now, void *context);
	/* Called when all is prepared, just before the command begins. May be NULL. */
	void (*prepared)(void *context);
	/* Called with a sentence about each file that was looked at. May be NULL. */
	void (*note)(const char *sentence, void *context);
	/* Called with a sentence that whoever waits should read now. May be NULL. */
	void (*notice)(const char *sentence, void *context);
	void *context;
};

struct record_result {
	char *output;	    /* path of the profile; NULL: none was written */
	char *partial;	    /* why it is partial, or NULL */
	char *remark;	    /* on how it was recorded, or NULL */
	int command_status; /* exit status of the command as a shell reports it; -1: did not run */
};

/*
 * Runs the command and writes the profile. False with err and *status, the exit status of enum
 * target_status, or the command's own once that has run; where the profile could not be built, err
 * names the kept session directory and the command that tries again.
 *
 * With options->exec there are two processes from here on. In the one that has called, the command
 * runs, or the call returns false. In the other one, which is no relative of it, the call
 * returns when the recording is over, with the standard error that it had if that is a terminal;
 * false with an empty err where the other process says why.
 */
bool record_run(const struct record_options *options, struct record_result *result, int *status,
		struct error *err);

/*
 * Samples options->sampling.pids, or everything, until the duration is over, all of them have
 * ended, or SIGINT, SIGTERM or SIGHUP comes, and writes the profile. result->command_status is 0.
 */
bool record_attach(const struct record_options *options, struct record_result *result, int *status,
		   struct error *err);

/* Builds the profile from what a recording left in `directory`, and removes the directory. */
bool record_recover(const char *directory, const char *output, struct record_result *result,
		    struct error *err);

/*
 * Writes a profile of what a running recording has so far; NULL: `output` is that of the recording
 * with ".snapshot" before its suffix.
 */
struct session;
bool record_dump(const struct session *session, const char *output, struct record_result *result,
		 struct error *err);

void record_result_fini(struct record_result *result);

struct record_file_options {
	const char *path;
	const char *output;		   /* NULL: list only */
	struct record_selection selection; /* without modules and units */
	const char *only_units;		   /* "A-B": see record_function.unit; NULL: all */
	bool verify;			   /* compare the copy with the original */
	void (*progress)(const struct record_progress *now, void *context);
	void *context;
};

struct record_function {
	uint64_t addr, size;
	const char *name, *verdict, *reason; /* reason: a sentence; borrowed until the fini */
	size_t unit; /* functions and parts with the same number share code */
	bool instrumented, refused;
};

/* What was done to a file, for people who want to know how. */
struct record_file_counts {
	uint64_t units, instructions, probes, probes_with_live_flags;
	uint64_t jumps_indirect, jumps_table_static, jumps_translated, jumps_saved, jumps_tail;
	uint64_t code_bytes, map_bytes;
};

struct record_file {
	struct vec_of(struct record_function) functions;
	size_t instrumented, refused;
	uint64_t input_bytes, output_bytes;
	struct record_file_counts counts;
	bool verified; /* the following was filled */
	struct verify_result verification;
	void *owner;
};

/* Instruments one file without any cache. The output appears only when it is complete. */
bool record_instrument(const struct record_file_options *options, struct record_file *file,
		       struct error *err);
/* Compares a copy that was made before with its original: fills in the verification only. */
bool record_verify(const char *original, const char *copy, struct record_file *file,
		   struct error *err);
void record_file_fini(struct record_file *file);

#endif
