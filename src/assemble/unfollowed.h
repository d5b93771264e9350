/* Rows of the programs that were executed and are not recorded: see abi/unfollowed.h. */
#ifndef TARE_ASSEMBLE_UNFOLLOWED_H
#define TARE_ASSEMBLE_UNFOLLOWED_H

#include "profile/profile.h"
#include "session/thread_files.h"

/* Is the process an emulator, which runs one program more by itself? A fork of one runs the same.
 */
bool unfollowed_in_emulator(const struct profile_process *process);

/* Those of the process that has this row. */
bool unfollowed_write(struct profile_writer *writer, const struct profile_process *process,
		      int64_t process_id, const struct process_file *file, struct error *err);
/* Those that nobody recorded has executed. */
bool unfollowed_write_guests(struct profile_writer *writer, uint64_t count, struct error *err);

#endif
