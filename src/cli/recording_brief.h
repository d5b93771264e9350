/* What a recording has found, in two lines on a terminal, before the line that says how to see
 * more. */
#ifndef TARE_CLI_RECORDING_BRIEF_H
#define TARE_CLI_RECORDING_BRIEF_H

struct command;

/*
 * Where stderr is a terminal. Nothing is said of a profile that cannot be read, or that is so large
 * that to look into it would keep the user waiting.
 */
void recording_brief_print(const struct command *command, const char *profile_path);

#endif
