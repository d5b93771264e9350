/* A bar on a terminal for what takes longer than a second; it leaves no trace. */
#ifndef TARE_CLI_PROGRESS_H
#define TARE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool enabled, shown;
	int64_t begin_ms, drawn_ms;
};

/* Stays silent where stderr is no terminal, or if `quiet`. */
void progress_begin(struct progress *progress, bool quiet);
/* `context` is a struct progress; has the form of record's callback. */
void progress_show(const char *path, double done, void *context);
void progress_erase(struct progress *progress);

#endif
