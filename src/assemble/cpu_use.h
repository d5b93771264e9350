/*
 * cpu_use: the readings of cpu_watch as rows of the profile, of which there are about
 * CPU_USE_INTERVALS_MAX per process at most.
 */
#ifndef TARE_ASSEMBLE_CPU_USE_H
#define TARE_ASSEMBLE_CPU_USE_H

#include "assemble/sample_assemble.h"
#include "profile/profile.h"
#include "session/recording_file.h"

enum { CPU_USE_INTERVALS_MAX = 512 };

struct cpu_use_input {
	int session_fd;
	const struct recording *recording;
	const struct sample_known_process *processes; /* all that have rows */
	size_t process_count;
	uint64_t end_ticks; /* of the session */
};

/* False with err when the profile cannot be written. Lines that make no sense are left out. */
bool cpu_use_assemble(const struct cpu_use_input *input, struct profile_writer *writer,
		      struct error *err);

#endif
