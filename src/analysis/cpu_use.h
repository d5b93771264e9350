/* cpu_use: the CPU time of the selected processes over the session's time. */
#ifndef TARE_ANALYSIS_CPU_USE_H
#define TARE_ANALYSIS_CPU_USE_H

#include "analysis/analysis.h"

enum analysis_cpu_source {
	CPU_USE_UNKNOWN, /* nobody has read it; merged recordings have no common time */
	CPU_USE_READ,	 /* by the recorder, of the processes' CPU clocks */
	CPU_USE_SAMPLED, /* made of samples, each of which stands for a time */
};

struct analysis_cpu_use {
	enum analysis_cpu_source source;
	/* Ticks by equal parts of the time from the session's begin to its end. */
	uint64_t *parts;
	uint32_t count;
	uint64_t unplaced; /* ticks that are known, but not when they were used */
};

/*
 * `count` parts. CPU time of an interval of the recorder is spread
 * over it evenly; the sum of all parts is exact. Not known where threads were selected: it is the
 * processes'. Free with analysis_cpu_use_fini.
 */
bool analysis_cpu_use(const struct analysis *analysis, uint32_t count, struct analysis_cpu_use *use,
		      struct error *err);
void analysis_cpu_use_fini(struct analysis_cpu_use *use);

/* As many parts as readings can fill, but at most so many. */
uint32_t analysis_cpu_parts(const struct analysis *analysis, uint32_t most);

/* When part `i` begins, in ticks since the session's begin; `count` for the end of the last one. */
uint64_t analysis_cpu_part_begin(const struct analysis *analysis,
				 const struct analysis_cpu_use *use, uint32_t i);

#endif
