/* What a profile says about the machine and the command, noted in the recording file. */
#ifndef TARE_SESSION_NOTES_H
#define TARE_SESSION_NOTES_H

#include "session/recording_file.h"

void recording_put_command_line(struct recording *recording, char *const *words, size_t count);
/* Host, system, processor and working directory. */
void recording_put_host(struct recording *recording);

#endif
