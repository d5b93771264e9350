/*
 * What counters of edges say (abi/flow.h), written into the profile: executions per thread of
 * blocks and of source lines.
 */
#ifndef TARE_ASSEMBLE_EXECUTION_ROWS_H
#define TARE_ASSEMBLE_EXECUTION_ROWS_H

#include "assemble/flow_lines.h"
#include "resolve/resolve.h"

/* A module whose executions are counted, whichever processes had it. */
struct executed_module {
	struct resolve_module *module;
	uint64_t note_addr;
	struct flow flow;
	int64_t *blocks; /* ids of the rows; 0: not written yet */
	struct flow_lines lines;
	uint64_t *line_counts; /* of one thread and unit, while they are written */
	unsigned char *ran;    /* per line: some thread came there */
};

struct executions {
	struct resolver *resolver;
	struct vec_of(struct executed_module) modules;
	uint64_t in_progress; /* struct flow_counts */
	uint64_t damaged;     /* modules and threads of which nothing can be said */
	uint64_t shared;      /* the same, as threads have counted in each other's counters */
};

void executions_init(struct executions *executions, struct resolver *resolver);
void executions_fini(struct executions *executions);

/*
 * What a thread (0: one without a row) has counted in the module, whose counters are `counted`, as
 * many values as there are. False with err when the profile cannot be written.
 */
bool executions_add(struct executions *executions, struct resolve_module *module,
		    const struct resolve_counted *counted, int64_t thread, const uint64_t *values,
		    struct error *err);

/* Adds what never ran, once everything else is there. */
bool executions_finish(struct executions *executions, struct error *err);

#endif
