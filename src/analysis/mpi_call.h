/* mpi_call: which functions are calls of MPI, by their names. */
#ifndef TARE_ANALYSIS_MPI_CALL_H
#define TARE_ANALYSIS_MPI_CALL_H

#include "base/base.h"

/*
 * What the call is named in C, "MPI_Barrier", where the symbol is one of it: that itself, the
 * profiling interface's (PMPI_Barrier), or what Fortran compilers call (mpi_barrier_,
 * mpi_barrier_f08_). False: it is none.
 */
bool mpi_call_name(const char *symbol, struct str *name);

#endif
