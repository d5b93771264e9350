/* Events for all threads of a process that runs already. */
#ifndef TARE_SAMPLER_ATTACH_H
#define TARE_SAMPLER_ATTACH_H

#include "sampler/perf_events.h"

/*
 * Opens the events for each thread of `pid`. A thread that ends meanwhile is left out; one that
 * begins meanwhile is found, or inherits them.
 */
bool attach_threads(struct perf_events *set, const struct perf_events_options *options,
		    uint32_t pid, struct error *err);

#endif
