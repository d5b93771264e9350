/*
 * handover: a command gets the process that tare was started as, and the recorder goes on beside it
 * as no relative of it.
 *
 *   the process ─── fork ─── between ─── fork ─── the recorder
 *        │ waits               ends                    │ prepares, as any recorder does
 *        │ ◀──── what to execute, or why not ──────────┤ leaves what it has inherited
 *        │ executes                                    │ records until the process has ended
 *
 * The process does nothing but wait: its signals, descriptors and the rest stay as they were given.
 * It has no child afterwards: who collects orphans (process 1, or a subreaper) collects the
 * recorder.
 */
#ifndef TARE_TARGET_HANDOVER_H
#define TARE_TARGET_HANDOVER_H

#include "target/launch.h"

#include <sys/stat.h>

struct handover {
	pid_t pid;	/* of the process */
	int fd;		/* to the other side; -1: none */
	char *terminal; /* path of the recorder's standard error, or NULL: it was no terminal */
	struct stat terminal_then;
};

enum handover_side {
	HANDOVER_FAILED, /* with err; there is one process */
	HANDOVER_PROCESS,
	HANDOVER_RECORDER,
};

/* Makes two processes of one without threads. Fails for process 1, whose end is that of all. */
enum handover_side handover_split(struct handover *handover, struct error *err);

/*
 * In the process: waits for the recorder and executes what it says. Returns only where there is
 * nothing to execute: false with err and *status (enum target_status), the recorder's own or those
 * of the execution.
 */
bool handover_execute(struct handover *handover, int *status, struct error *err);

/*
 * In the recorder: lets the process execute, as launch_start does with a child, and fills in
 * `launch`. From then on the recorder shares nothing with the process: it is in a session of its
 * own, its standard streams and inherited descriptors are closed, its directory is the root. False
 * with err and *status.
 */
bool handover_start(struct handover *handover, struct launch *launch,
		    const struct launch_options *options, int *status, struct error *err);

/* In the recorder: there will be nothing to execute. The process reports `err`; it is empty then.
 */
void handover_refuse(struct handover *handover, int status, struct error *err);

/* In the recorder, at its end: standard error is again the terminal that it was, if that is there.
 */
void handover_show(const struct handover *handover);

void handover_fini(struct handover *handover);

#endif
