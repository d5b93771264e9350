/*
 * Commands that would mend what the doctor finds, to be read by people and run where they want
 * that. tare runs none of them.
 */
#ifndef TARE_DOCTOR_HINTS_H
#define TARE_DOCTOR_HINTS_H

#include "doctor/abilities.h"

enum { HINT_BYTES = 256 };

/* What is known where one of the abilities is missing. */
struct perf_obstacle {
	enum perf_ability_index ability;
	enum tracefs_state tracefs;
	int paranoid;	  /* kernel.perf_event_paranoid */
	bool all_refused; /* software events of one's own processes, too */
	bool is_root;
};

/*
 * Each writes HINT_BYTES into `hint`: a command as this user would type it, for root without sudo;
 * "" where no command mends it, such as a counter that the processor does not have. Root whom the
 * kernel refuses is one of a container.
 */
void hint_for_perf(const struct perf_obstacle *obstacle, char *hint);
/* The package of Debian, which is missing. */
void hint_for_package(const char *package, char *hint);
/* The runtime library is not there, or not that of the running tare. */
void hint_for_runtime(char *hint);
void hint_copy(const char *command, char *hint);

#endif
