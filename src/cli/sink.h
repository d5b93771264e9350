/*
 * sink: where a command's output goes: the standard output, a pager, or a file that appears only
 * when it is complete. A device or pipe is written to as it is.
 */
#ifndef TARE_CLI_SINK_H
#define TARE_CLI_SINK_H

#include "base/base.h"
#include "cli/pager.h"

#include <stdio.h>

struct sink {
	FILE *stream;
	const char *path; /* borrowed; NULL: the standard output */
	struct file_output file;
	struct pager pager;
	enum { SINK_STDOUT, SINK_PAGER, SINK_FILE, SINK_DEVICE } kind;
	mode_t mode; /* SINK_FILE: what it gets */
};

enum sink_flags {
	SINK_PAGES = 1,	  /* through $PAGER where it is a terminal */
	SINK_PRIVATE = 2, /* a file is its owner's alone: it tells a recording's command line */
};

/* `output` NULL: the standard output. */
bool sink_open(struct sink *sink, const char *output, unsigned flags, struct error *err);
/* Returns `ok`, or false where the output could not be written. */
bool sink_close(struct sink *sink, bool ok, struct error *err);

#endif
