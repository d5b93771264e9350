/* How a process has ended that is no child, as far as the kernel tells. */
#ifndef TARE_TARGET_ENDING_H
#define TARE_TARGET_ENDING_H

#include "target/target.h"

#include <stdint.h>
#include <sys/types.h>

struct ending {
	bool known;	 /* the next */
	int wait_status; /* as wait gives it to the parent */
	bool cpu_known;	 /* the next two; see struct launch */
	uint64_t cpu_ns, descendants_cpu_ns;
};

/*
 * Of process `pid`, whose end the descriptor `pid_fd` has told. Where its parent has collected it
 * already, the status is known since Linux 6.15, and the CPU time is not.
 */
void ending_read(pid_t pid, int pid_fd, struct ending *ending);

/* Whether there is no such process, or only what is left of it until somebody collects it: an
   orphan may wait for that for ever where process 1 does not. */
bool ending_is_past(pid_t pid);

#endif
