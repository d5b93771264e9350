/*
 * Which rank of a parallel job a process is: what launchers put into the environment of what they
 * start. The one place that knows the variables; the runtime reads its own environment by it, the
 * recorder those of /proc.
 */
#ifndef TARE_ABI_RANK_H
#define TARE_ABI_RANK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * X(constant, name, variable of the rank, variable of the number of ranks). The first one whose
 * rank is there has started the process: an allocation of Slurm sets its own for all that runs in
 * it.
 */
#define TARE_LAUNCHER_LIST(X)                                                                      \
	X(OPEN_MPI, "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")                    \
	X(PMIX, "PMIx", "PMIX_RANK", "PMIX_SIZE")                                                  \
	X(PMI, "PMI", "PMI_RANK", "PMI_SIZE")                                                      \
	X(MVAPICH, "MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE")                        \
	X(SLURM, "Slurm", "SLURM_PROCID", "SLURM_NTASKS")

enum tare_launcher {
	TARE_LAUNCHER_NONE, /* the process is no rank of a job */
#define TARE_LAUNCHER_CONSTANT(constant, name, rank, size) TARE_LAUNCHER_##constant,
	TARE_LAUNCHER_LIST(TARE_LAUNCHER_CONSTANT)
#undef TARE_LAUNCHER_CONSTANT
		TARE_LAUNCHERS
};

#define TARE_RANK_DIGITS 9

/* Numbers below 10 ^ TARE_RANK_DIGITS. */
struct tare_rank {
	uint32_t launcher; /* enum tare_launcher */
	uint32_t rank;
	uint32_t size; /* number of ranks; 0: not known */
	uint32_t reserved;
};

/* What an environment says, as far as it was read. */
struct tare_rank_scan {
	bool in_step; /* of Slurm */
	struct {
		bool has_rank;
		uint32_t rank, size;
	} by[TARE_LAUNCHERS];
};

/* Behind "NAME=" at the begin of the entry; else NULL. */
static inline const char *tare_rank_value(const char *entry, const char *name)
{
	for (; *name; name++)
		if (*entry++ != *name)
			return 0;
	return *entry == '=' ? entry + 1 : 0;
}

/* Of an environment, which anybody may have set: a number and nothing else. */
static inline bool tare_rank_number(const char *text, uint32_t *number)
{
	int digits = 0;

	*number = 0;
	for (; *text >= '0' && *text <= '9' && digits < TARE_RANK_DIGITS; text++, digits++)
		*number = *number * 10 + (uint32_t)(*text - '0');
	return digits && !*text;
}

/* Takes in an entry, NAME=VALUE. */
static inline void tare_rank_take(struct tare_rank_scan *scan, const char *entry)
{
	const char *value;
	uint32_t number;

#define TARE_LAUNCHER_TAKE(constant, name, rank_variable, size_variable)                           \
	if ((value = tare_rank_value(entry, rank_variable)) && tare_rank_number(value, &number)) { \
		scan->by[TARE_LAUNCHER_##constant].has_rank = true;                                \
		scan->by[TARE_LAUNCHER_##constant].rank = number;                                  \
	}                                                                                          \
	if ((value = tare_rank_value(entry, size_variable)) && tare_rank_number(value, &number))   \
		scan->by[TARE_LAUNCHER_##constant].size = number;
	TARE_LAUNCHER_LIST(TARE_LAUNCHER_TAKE)
#undef TARE_LAUNCHER_TAKE
	if ((value = tare_rank_value(entry, "SLURM_STEP_ID")) && tare_rank_number(value, &number))
		scan->in_step = true;
}

/*
 * PMIx says no size; Slurm, whose PMIx it may be, says the same rank and how many there are. Slurm
 * tells a batch script, and the shell of salloc, that it is rank 0 of all that the job may start.
 * It is none: what srun starts has the number of its step, the script has none, and that of the
 * shell is one beyond all numbers here.
 */
static inline struct tare_rank tare_rank_of(const struct tare_rank_scan *scan)
{
	struct tare_rank rank = {TARE_LAUNCHER_NONE, 0, 0, 0};

	for (uint32_t i = TARE_LAUNCHER_NONE + 1; i < TARE_LAUNCHERS; i++) {
		if (!scan->by[i].has_rank || (i == TARE_LAUNCHER_SLURM && !scan->in_step))
			continue;
		if (!rank.launcher)
			rank = (struct tare_rank){i, scan->by[i].rank, 0, 0};
		if (!rank.size && rank.rank == scan->by[i].rank)
			rank.size = scan->by[i].size;
	}
	return rank;
}

#endif
