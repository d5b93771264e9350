/*
 * The line of the terminal that says what a recording of what runs already is doing: what, how
 * long, how it ends. It is shown only where nothing else writes to that terminal: not where tare
 * runs a command, whose output is the command's own, and not where a recorded process has the same
 * terminal. The line leaves no trace.
 */
#ifndef TARE_CLI_RECORDING_LINE_H
#define TARE_CLI_RECORDING_LINE_H

#include "record/record.h"

struct recording_line {
	bool quiet;
	enum { RECORDING_LINE_UNKNOWN, RECORDING_LINE_NEVER, RECORDING_LINE_ALLOWED } allowed;
	bool shown;
	int64_t second; /* that it shows */
};

void recording_line_show(struct recording_line *line, const struct record_status *now);
void recording_line_erase(struct recording_line *line);

#endif
