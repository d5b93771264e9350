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
#include "cache/instrument_request.h"

#include <stdint.h>

enum record_method { RECORD_INSTRUMENT, RECORD_SAMPLE, RECORD_BOTH, RECORD_METHODS };

/* How to sample, and what besides the command. */
struct record_sampling {
	uint64_t frequency;		    /* of events without a period, per second… */
	bool frequency_is_asked;	    /* …by the user, who gets it whatever it costs */
	struct vec_of(const char *) events; /* as sampler/event.h reads them; none: time */
	bool off_cpu;			    /* the event "off-cpu" too */
	bool wakers;			    /* and who ended these waits, where permitted */
	bool by_frame_pointer;
	bool kernel;	      /* frames of the kernel, where permitted */
	const uint32_t *pids; /* running processes, and what they start from now on */
	size_t pid_count;
	bool everything;   /* all processors; with a command what is not its is discarded */
	double duration_s; /* 0: until all have ended, or SIGINT or SIGTERM comes */
	bool is_discarded; /* record_attach: no profile is written, only snapshots are taken */
};

/* How far a recording of what runs already has come. */
struct record_status {
	const char *output; /* the profile that it writes in the end */
	const char *name;   /* of the first process; NULL: all processes are recorded */
	const uint32_t *pids;
	size_t pid_count;
	double seconds;	  /* since it began to sample */
	uint64_t samples; /* that it has taken */
};

struct record_options {
	char *const *words; /* the command and its arguments; of record_attach none */
	size_t word_count;
	const char *output; /* NULL: the command's base name + ".tare" */
	enum record_method method;
	struct record_sampling sampling; /* unless RECORD_INSTRUMENT */
	struct instrument_request selection;
	bool follow, use_cache;
	/* Of libraries without a copy that are waited for, in bytes; see cache/deferral.h. */
	uint64_t max_new_code;
	bool learned; /* with adaptive_percent: go on from what earlier recordings have learned */
	bool paused;  /* the global level is stopped at first */
	bool wait;    /* for all recorded processes, not only for the command */
	bool exec;    /* the command gets this process; see record_run */
	uint64_t max_paths;	       /* that the profile keeps; 0: the usual number */
	bool all_paths;		       /* it keeps all */
	struct tare_settings settings; /* of the runtime; abi/session.h */
	const char *described; /* " --name=value" of options that are not of a method; or NULL */
	/* Called before files are looked at, and while they are rewritten. May be NULL. */
	void (*progress)(const struct instrument_progress *now, void *context);
	/* Called when all is prepared, just before the command begins. May be NULL. */
	void (*prepared)(void *context);
	/* Called with a sentence about each file that was looked at. May be NULL. */
	void (*note)(const char *sentence, void *context);
	/* Called with a sentence that whoever waits should read now. May be NULL. */
	void (*notice)(const char *sentence, void *context);
	/* record_attach: called some times a second. May be NULL. */
	void (*status)(const struct record_status *now, void *context);
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

#endif
