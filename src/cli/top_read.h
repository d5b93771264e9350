/* A snapshot of a recording → the rows of tare top. */
#ifndef TARE_CLI_TOP_READ_H
#define TARE_CLI_TOP_READ_H

#include "cli/top_table.h"

/*
 * Appends to an initialised table what the profile has, all of it as the interval. Times of calls
 * are measured; of samples they are what the samples stand for, in one table those of the CPU, of
 * waits and of preemption, as far as they were sampled.
 */
bool top_read(const char *profile_path, struct top_table *table, struct error *err);

#endif
