/*
 * completion: scripts that complete the command line in bash, zsh and fish, from the tables that
 * --help is printed from. They run tare only where a function is to be named, for the functions of
 * the profile on the line or of the newest one here.
 */
#ifndef TARE_CLI_COMPLETION_H
#define TARE_CLI_COMPLETION_H

#include "cli/command.h"

/* Whether the argument of an option is a path, by its name in the help. */
bool completion_is_path(const struct option *option);
/* Whether it is a function, or a pattern for functions. */
bool completion_is_function(const struct option *option);
/* The values that an option's argument has, or that are proposed for it; NULL: not known. */
const char *const *completion_values(const struct option *option);
/* Appends words with a space between. */
void completion_words(const char *const *words, struct str *out);

void completion_bash(const struct command *const *commands, struct str *out);
void completion_zsh(const struct command *const *commands, struct str *out);
void completion_fish(const struct command *const *commands, struct str *out);

#endif
