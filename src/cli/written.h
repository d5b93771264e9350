/* The last line of commands that make a profile: what was written, and how to see it. */
#ifndef TARE_CLI_WRITTEN_H
#define TARE_CLI_WRITTEN_H

struct command;

/* "wrote PATH FACTS; to see it: tare report PATH" */
void written_print(const struct command *command, const char *path, const char *facts);
/* `partial`: why the profile is not whole, or NULL. */
void written_print_partial(const struct command *command, const char *path, const char *partial);

#endif
