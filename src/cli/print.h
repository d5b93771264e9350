/*
 * The only way from the commands to standard output and standard error. What is printed may have
 * names in it that anybody has chosen, of files, functions, commands and hosts: they show what is
 * in them and do nothing to the terminal. scripts/check-output holds that there is no other way.
 */
#ifndef TARE_CLI_PRINT_H
#define TARE_CLI_PRINT_H

#include "base/base.h"

#include <stdio.h>

struct command;

/* Whether the locale shows characters beyond ASCII. */
bool print_is_unicode(void);

/* One line. Where the locale has only ASCII, tare's own signs get their forms of it. */
__attribute__((format(printf, 2, 3))) void print_line(FILE *stream, const char *format, ...);

/* Lines of tare's own: as print_line for each. */
void print_text(FILE *stream, const char *text);

/* A sentence on standard error: "tare COMMAND: …"; command NULL: "tare: …". */
__attribute__((format(printf, 2, 3))) void print_note(const struct command *command,
						      const char *format, ...);

/* Standard output for programs, JSON or a script: every byte as it is. */
void print_data(const char *text);

/* A line on a terminal that the next one takes the place of; NULL: leaves no trace of it. */
void print_passing(const char *text);

/* What is ready goes out, for output that somebody waits for. */
void print_flush(void);

#endif
