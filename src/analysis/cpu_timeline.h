/* cpu_timeline: how much CPU time the processes used, over the session's time. */
#ifndef TARE_ANALYSIS_CPU_TIMELINE_H
#define TARE_ANALYSIS_CPU_TIMELINE_H

#include "analysis/analysis.h"

/*
 * Adds the CPU time of the selected processes, in ticks, to `count` equal parts of the time from
 * the session's begin to its end. What was used between two readings counts as used evenly.
 * `known`: whether the profile says it.
 */
bool analysis_cpu_timeline(const struct analysis *analysis, double *cpu_ticks, uint32_t count,
			   bool *known, struct error *err);

#endif
