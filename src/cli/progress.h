/*
 * How far instrumentation has come. On a terminal a bar for what takes longer than a second, which
 * leaves no trace; elsewhere one line after ten seconds. Once the command runs, the terminal is its
 * own: then a bar is drawn no more, and only a terminal gets one line, where a file has kept a
 * process waiting for ten seconds. A thread looks at the clock, as some passes take long without a
 * word.
 */
#ifndef TARE_CLI_PROGRESS_H
#define TARE_CLI_PROGRESS_H

#include "cache/instrument_request.h"

#include <pthread.h>
#include <stdint.h>

struct command;

struct progress {
	const struct command *command;
	bool quiet, is_terminal;
	bool kept; /* the next recording finds done what takes long now */
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	bool goes_on, ends; /* a file is being instrumented; the thread is to end */
	bool shown, told;
	int64_t begin_ms, drawn_ms, file_begin_ms;
	char file[256];			/* the end of the last one's path */
	struct instrument_progress now; /* but for its path */
};

/* Shows it on stderr, or nothing if `quiet`. */
void progress_begin(struct progress *progress, const struct command *command, bool quiet);
/* `context` is a struct progress; has the form of record's callback. */
void progress_show(const struct instrument_progress *now, void *context);
/* Nothing is on the screen any more, until there is more to show. */
void progress_erase(struct progress *progress);
/* As if it began now: something else has been said. */
void progress_restart(struct progress *progress);
void progress_end(struct progress *progress);

/* What the thread does: shows what is to be shown by then, of the clock of `begin_ms`. */
void progress_look(struct progress *progress, int64_t now_ms);

#endif
