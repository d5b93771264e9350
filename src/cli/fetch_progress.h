/*
 * How far debuginfod servers have come with a debug file: on a terminal a line that leaves no
 * trace, for what takes longer than a second; elsewhere one note after five.
 */
#ifndef TARE_CLI_FETCH_PROGRESS_H
#define TARE_CLI_FETCH_PROGRESS_H

#include "cli/options.h"

#include <stdbool.h>
#include <stdint.h>

struct command;

/* The element of an option table whose value, a bool, is at `at`. */
#define NO_DEBUGINFOD_OPTION(at)                                                                   \
	{                                                                                          \
		.name = "no-debuginfod", .rare = true,                                             \
		.help = "Ask no server for the names of stripped files; without it those are "     \
			"asked that DEBUGINFOD_URLS names",                                        \
		.type = OPTION_FLAG, .offset = (at)                                                \
	}

struct fetch_progress {
	const struct command *command;
	bool quiet, is_terminal;
	bool goes_on, shown, told;
	int64_t begin_ms, drawn_ms; /* of the file that is asked for */
};

/* From now on servers may be asked, and this shows it on stderr, or nothing if `quiet`. */
void fetch_progress_begin(struct fetch_progress *progress, const struct command *command,
			  bool quiet);

/* What has come of a file's debug file, by a clock; debug_servers.h. */
void fetch_progress_look(struct fetch_progress *progress, const char *file,
			 const long done_and_all[2], int64_t now_ms);

#endif
