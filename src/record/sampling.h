/*
 * sampling: a sampler together with the session's log of samples, for as long as a recording goes
 * on. One method of a recording among others.
 */
#ifndef TARE_RECORD_SAMPLING_H
#define TARE_RECORD_SAMPLING_H

#include "record/record.h"
#include "record/sample_collect.h"
#include "session/recording_file.h"
#include "session/session_dir.h"

struct sampling {
	const struct record_sampling *options; /* borrowed */
	struct events events;
	struct sample_log log;
	struct sample_collect *collect;
	struct jit_files *jit;	 /* that the processes write; kept in the session at the end */
	int session_fd;		 /* borrowed */
	struct sampler *sampler; /* NULL: not open */
};

/* Reads the events that are asked for. Zero-initialised before; sampling_fini in any case. */
bool sampling_init(struct sampling *sampling, const struct record_sampling *options,
		   struct error *err);
/* Sentences for the recording's settings. */
void sampling_describe(const struct sampling *sampling, struct str *settings);

struct sampling_begin {
	const struct session *session;
	struct recording *recording;
	uint32_t command_pid; /* waits to execute; 0: none, what runs is sampled */
	bool follow;
	uint64_t limit_bytes; /* of the log; 0: none */
};
/* Makes the log and begins to sample what the options and the command say. */
bool sampling_start(struct sampling *sampling, const struct sampling_begin *begin,
		    struct error *err);

/* To poll on, or -1; whatever it says, samples are to be taken SAMPLING_WAIT_MS later. */
int sampling_descriptor(const struct sampling *sampling);
enum { SAMPLING_WAIT_MS = 250 };
/* Takes what is there to the log. */
void sampling_take(struct sampling *sampling);
/* How many samples it has taken. */
uint64_t sampling_samples(const struct sampling *sampling);
/* No process that is sampled is left. */
bool sampling_is_over(const struct sampling *sampling);
/* Takes the rest, and ends the log; `with_clock`: measures what samples took from the times. */
void sampling_stop(struct sampling *sampling, struct recording *recording, bool with_clock);
void sampling_fini(struct sampling *sampling);

#endif
