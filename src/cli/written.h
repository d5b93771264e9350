/* The last line of commands that make a profile: what was written, and how to see it. */
#ifndef TARE_CLI_WRITTEN_H
#define TARE_CLI_WRITTEN_H

#include "base/str.h"

struct command;

/* As a shell reads the word: bare, in quotes, or with escapes. */
void written_append_word(struct str *out, const char *word);

/* How tare was called, argv[0]; borrowed. */
void written_set_caller(const char *name);

/*
 * "wrote PATH FACTS; to see it: tare report PATH". What follows the colon works in the user's shell
 * as it stands: tare by the name or path that it was called by, words quoted where they need it.
 */
void written_print(const struct command *command, const char *path, const char *facts);
/* `partial`: why the profile is not whole, or NULL. */
void written_print_partial(const struct command *command, const char *path, const char *partial);

#endif
