/*
 * From a session directory to a profile: the files of all processes and threads become rows. What
 * is damaged or missing is left out, counted, and makes the profile partial with the reason.
 */
#ifndef TARE_ASSEMBLE_ASSEMBLE_H
#define TARE_ASSEMBLE_ASSEMBLE_H

#include "abi/session_files.h"
#include "profile/profile.h"
#include "session/recording_file.h"
#include "session/session_dir.h"

struct disarm_records vec_of(struct tare_disarm_record);

struct assembled {
	size_t processes, threads, nodes;
	size_t running; /* processes that had not ended */
	bool complete;
	struct str reason;		/* why it is partial */
	struct disarm_records disarmed; /* of all processes, and of all together */
};

/* Writes all tables. The caller commits or discards the writer. */
bool assemble_profile(const struct session *session, const struct recording *recording,
		      struct profile_writer *writer, struct assembled *assembled,
		      struct error *err);
void assembled_fini(struct assembled *assembled);

#endif
