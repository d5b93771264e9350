/*
 * manual: man pages from the tables that --help is printed from. The pages hold nothing but what
 * roff of any kind knows: man-db with groff and mandoc show them without a warning.
 */
#ifndef TARE_CLI_MANUAL_H
#define TARE_CLI_MANUAL_H

#include "cli/command.h"

/* Appends tare(1). */
void manual_program(const struct command *const *commands, struct str *out);
/* Appends tare-NAME(1). */
void manual_command(const struct command *command, const struct command *const *commands,
		    struct str *out);
/* Of a description's line "  term   text": bytes of the term, which two blanks stand before; else
 * 0. */
size_t manual_term_length(const char *line, size_t length);

#endif
