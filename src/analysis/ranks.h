/*
 * ranks: the processes of a parallel job by rank: what the time of each went to, and how evenly the
 * time of functions and of calls of MPI is spread over them.
 *
 * Time in a call of MPI is waiting for other ranks, or for the network, also where the library
 * spins and so uses CPU time. So it is taken from the call's begin to its end, whatever it did in
 * it, and the work of a rank is what remains: its CPU time outside of all such calls.
 */
#ifndef TARE_ANALYSIS_RANKS_H
#define TARE_ANALYSIS_RANKS_H

#include "analysis/analysis.h"

/*
 * All processes of one rank on one host; where some of all ranks call MPI, those that do. Others
 * have the launcher's variables only because a shell or a daemon has handed them on.
 */
struct analysis_rank {
	const char *host, *launcher;
	uint64_t rank, ranks; /* which of how many; 0: not known */
	uint32_t process;     /* the one of most elapsed time */
	uint32_t processes;
	struct analysis_values values; /* of its processes: the sum, without histogram */
	/* Inclusive, in calls of MPI, each interval once; and the rest of the CPU time. */
	uint64_t mpi[ANALYSIS_VALUES];
	uint64_t work;
	uint64_t calling; /* elapsed ticks of the threads that call MPI */
};

/* A rank's calls of one function of MPI, those alone that no other one has made. */
struct analysis_rank_call {
	uint32_t rank; /* index */
	const char *call;
	struct analysis_values values; /* inclusive ones, and calls */
};

/* A value over the ranks. One that has not called the function has 0. */
struct analysis_spread {
	uint64_t least, most, sum;
	uint32_t least_rank, most_rank; /* indexes of the first that have these */
};

/*
 * How evenly a function, or a function of MPI, is spread. Of functions: inclusive, without what was
 * in calls of MPI, and only those that were met outside of them.
 */
struct analysis_imbalance {
	uint32_t function; /* ANALYSIS_NONE: of `call` */
	const char *call;
	uint32_t ranks;	  /* that have called it */
	uint32_t without; /* the first that has not; their number: there is none */
	uint64_t calls;
	struct analysis_spread spread[ANALYSIS_VALUES];
};

struct analysis_ranks {
	struct arena arena;
	struct vec_of(struct analysis_rank) ranks;	    /* by launcher, number, rank, host */
	struct vec_of(struct analysis_rank_call) calls;	    /* by rank, then as met */
	struct vec_of(struct analysis_imbalance) functions; /* as in analysis.functions */
	struct vec_of(struct analysis_imbalance) mpi;	    /* by name */
	uint64_t most_work;				    /* of a rank */
};

/* Of the selected processes. Free with analysis_ranks_fini, also what is all zero. */
void analysis_ranks_find(const struct analysis *analysis, struct analysis_ranks *ranks);
void analysis_ranks_fini(struct analysis_ranks *ranks);

/*
 * Percent imbalance: (most / average - 1) * 100, by which the slowest rank exceeds the average; 0
 * where all are equal. See Pearce, Gamblin, de Supinski, Schulz, Amato: Quantifying the
 * effectiveness of load balance algorithms (ICS 2012). NAN where none has any.
 */
double analysis_imbalance_percent(const struct analysis_spread *spread, size_t ranks);

#endif
