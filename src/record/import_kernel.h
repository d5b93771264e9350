/* The names of the kernel's functions in a recording of perf. */
#ifndef TARE_RECORD_IMPORT_KERNEL_H
#define TARE_RECORD_IMPORT_KERNEL_H

#include "resolve/kernel_symbols.h"
#include "sampler/perf_data.h"

/*
 * Reads those of the kernel that runs here if it is the recorded one, at the same addresses, else
 * those that perf has kept (~/.debug). Which one it was is told by the address of its code and its
 * build-id; where the recording does not have the latter, by its host, its release and that it was
 * written since this kernel has started. False, and no names, if there are none.
 */
bool import_kernel_symbols(const struct perf_data *data, struct kernel_symbols *symbols);

#endif
