/* Events for all threads of a process that runs already. */
#ifndef TARE_SAMPLER_ATTACH_H
#define TARE_SAMPLER_ATTACH_H

#include "sampler/perf_events.h"

/*
 * Adds each thread of `pid`. A thread that ends meanwhile is left out; one that begins meanwhile is
 * found, or inherits the events. Fails if the process has ended.
 */
bool attach_threads(struct perf_events *set, uint32_t pid, struct error *err);

#endif
