/* thread_waits: when a thread waited, from its file to its row of the profile. */
#ifndef TARE_ASSEMBLE_THREAD_WAITS_H
#define TARE_ASSEMBLE_THREAD_WAITS_H

#include "profile/profile.h"
#include "session/thread_files.h"

/* `os_ids`: of the file's OS records, by their indexes; 0: left out. Writes nothing where there are
   no waits. */
bool thread_waits_write(const struct thread_file *file, int64_t thread, const int64_t *os_ids,
			struct profile_writer *writer, struct error *err);

#endif
