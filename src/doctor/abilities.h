/* What the kernel permits this user to sample, and what would permit the rest. */
#ifndef TARE_DOCTOR_ABILITIES_H
#define TARE_DOCTOR_ABILITIES_H

#include "base/base.h"

enum perf_ability_index {
	PERF_OWN_PROCESSES, /* software events of processes of one's own: without it, no perf */
	PERF_CYCLES,
	PERF_KERNEL_FRAMES, /* and off-cpu, preempted */
	PERF_SYSTEM,	    /* -a */
	PERF_TRACEPOINTS,
	PERF_ABILITIES
};

/* Where the kernel lists its tracepoints. */
enum tracefs_state { TRACEFS_READABLE, TRACEFS_CLOSED, TRACEFS_MISSING };

struct perf_ability {
	const char *name;
	bool works;
	char reason[512]; /* a sentence without full stop: what works, or why not and what would
			     permit it */
};

/* Fills PERF_ABILITIES elements by trying. */
void perf_abilities_find(struct perf_ability *abilities);

enum tracefs_state perf_abilities_tracefs(void);

#endif
