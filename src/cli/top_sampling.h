/*
 * tare top of a process that nobody records: a recorder of its own, which samples the process and
 * writes no profile. It is a process apart, so what it does at its end cannot harm the terminal.
 */
#ifndef TARE_CLI_TOP_SAMPLING_H
#define TARE_CLI_TOP_SAMPLING_H

#include "base/error.h"
#include "session/session_dir.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct top_sampling {
	pid_t recorder;	 /* 0: none runs */
	uint32_t target; /* process */
};

/* How often the processor's time is sampled. */
enum { TOP_SAMPLING_HZ = 997 };

/*
 * Begins to sample the process: CPU, and waits where the kernel permits that. Opens the session of
 * the recording. Fails where it may not be sampled.
 */
bool top_sampling_begin(struct top_sampling *sampling, uint32_t target, struct session *session,
			struct error *err);
/* Ends it; does nothing where none runs. The caller closes the session. */
void top_sampling_end(struct top_sampling *sampling);

#endif
