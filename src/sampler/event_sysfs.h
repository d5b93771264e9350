/* Events that the kernel lists in file systems: of PMUs in sysfs, tracepoints in tracefs. */
#ifndef TARE_SAMPLER_EVENT_SYSFS_H
#define TARE_SAMPLER_EVENT_SYSFS_H

#include "sampler/event.h"

struct name_list vec_of(const char *);

/* The entries of a directory, sorted, without those that begin with a dot; texts in `arena`. */
bool directory_names(const char *path, struct arena *arena, struct name_list *names);

/* Where PMUs are described. */
#define PMU_ROOT "/sys/bus/event_source/devices"
/* PMU/TERM[=NUMBER],…/ under `root`: fills type and config. */
bool event_pmu_find(const char *root, struct event *event, struct error *err);

/* The directory of tracepoints; NULL with a sentence that says how to get at them. */
const char *tracepoints_root(struct error *err);
/* SUBSYSTEM:NAME under `root`: fills type and config. */
bool event_tracepoint_find(const char *root, struct event *event, struct error *err);

#endif
