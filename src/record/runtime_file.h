/*
 * runtime_file: the library that the processes of a recording load. It is tried before a command
 * runs: one that the loader refuses would leave the command without recording, and one of another
 * build might harm it.
 */
#ifndef TARE_RECORD_RUNTIME_FILE_H
#define TARE_RECORD_RUNTIME_FILE_H

#include "base/base.h"

/*
 * Its path, to be freed. NULL with err where it is not found, cannot be read, is damaged, or is of
 * another build of tare: what its segments load is not what this tare was built with.
 */
char *runtime_file_find(struct error *err);

#endif
