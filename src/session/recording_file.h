/*
 * The file `recording` in a session directory: what the recorder knows and the files of processes
 * and threads do not. It is appended line by line while recording, so that a profile can be built
 * from what a killed recorder left. Lines are as in text_file.h; unknown ones are ignored.
 */
#ifndef TARE_SESSION_RECORDING_FILE_H
#define TARE_SESSION_RECORDING_FILE_H

#include "base/base.h"
#include "session/clock.h"

#include <stdint.h>
#include <sys/types.h>

/* One file that was looked at: a module of the profile. */
struct recording_module {
	const char *path;    /* original */
	const char *copy;    /* instrumented copy, "" if none */
	const char *entry;   /* cache entry with its coverage, "" if none */
	const char *refusal; /* why it was not instrumented, "" if it was or was not meant to be */
	const char *stat;    /* device, inode, size and times of the original then */
};

struct recording {
	struct arena arena; /* owns all text */
	const char *command_line, *directory, *host, *system, *processor, *settings, *output;
	const char *boot;	    /* identity of the boot whose clocks were read */
	const char *timer_reason;   /* why the runtime takes samples, "" if it does not */
	const char *private_copies; /* directory of a run without cache, "" if none */
	const char *method;	    /* as in struct profile_session; "": "instrument" */
	const char *runtime;	    /* path of the runtime that the processes load, "" if none */
	/* As in struct profile_sampling, of a recording that samples */
	const char *collector, *sampling_reason, *unwinding;
	const char *sampled_pids; /* "12,15" ran already; "all"; "" of a command */
	bool sampled_kernel;
	uint64_t interrupt_ns;	      /* of each sample, from the thread's CPU clock; 0: unknown */
	uint64_t timer_ns, signal_ns; /* of samples by timers, as in sampler/signal_cost.h */
	uint64_t samples_unwritten;   /* that found no room in the log */
	int64_t begin_unix_ns;
	uint64_t begin_ticks, end_ticks;   /* of the command; end 0: unknown */
	int64_t recorder_pid, command_pid; /* 0: unknown */
	bool follow;			   /* child processes belong to the profile */
	bool exited;			   /* exit_status is known */
	int64_t exit_status;
	uint64_t max_paths;	     /* of all threads, that the profile keeps; PATH_ROOM_… */
	uint64_t guests;	     /* programs run by emulators that have asked for the session */
	uint64_t descendants_cpu_ns; /* of the command, as far as it has waited for them */
	struct clock_points clock;
	struct vec_of(struct recording_module) modules;
	bool is_snapshot; /* it goes on while it is being read */
	bool failed;	  /* a line could not be written */
	int fd;		  /* open for appending, or -1 */
};

/* Appending: each stores the value and writes its line; a full disk sets `failed`. */
bool recording_create(struct recording *recording, int session_fd, struct error *err);
void recording_put_text(struct recording *recording, const char *name, const char *value);
void recording_put_number(struct recording *recording, const char *name, int64_t value);
void recording_put_clock(struct recording *recording);
void recording_put_boot(struct recording *recording);
void recording_put_module(struct recording *recording, const struct recording_module *module);

/*
 * How many ticks it can have taken at most: until now, or the command's end where the machine has
 * been started again meanwhile; 0: not known.
 */
uint64_t recording_span_ticks(const struct recording *recording);

/* Reads what was written, up to the last whole line. */
bool recording_read(struct recording *recording, int session_fd, struct error *err);
/* Whether calls are recorded. */
bool recording_instruments(const struct recording *recording);
/* Whether the process is sampled: by its own number or, where children are followed, because it
   descends from one that is. */
bool recording_samples(const struct recording *recording, pid_t pid);
/* Adds a point of now, if the clocks that were read are still the same ones. */
void recording_extend_clock(struct recording *recording);
void recording_fini(struct recording *recording);

/* The module whose copy or original has this path, or NULL; of several originals the last. */
const struct recording_module *recording_find(const struct recording *recording, const char *path);

#endif
