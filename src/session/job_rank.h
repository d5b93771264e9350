/* job_rank: which rank of a parallel job a process is, by the rule of abi/rank.h. */
#ifndef TARE_SESSION_JOB_RANK_H
#define TARE_SESSION_JOB_RANK_H

#include "abi/rank.h"

/* Of this process. */
struct tare_rank job_rank_own(void);

/*
 * Of a running process, by the environment that it began with; none where the variables stand
 * behind its first 256 KiB. False, and none, where that cannot be read or is empty, as it is in the
 * middle of an execve.
 */
bool job_rank_of(uint32_t pid, struct tare_rank *rank);

/* What a launcher is called; NULL: none, or none that is known. */
const char *job_rank_launcher(uint32_t launcher);

#endif
