/*
 * Which source lines the blocks of a module's flow graphs belong to, and how often these are
 * executed.
 */
#ifndef TARE_ASSEMBLE_FLOW_LINES_H
#define TARE_ASSEMBLE_FLOW_LINES_H

#include "assemble/flow_graph.h"
#include "object/lines.h"

struct flow_line {
	const char *source;
	uint32_t line;
};

/* Until flow_lines_fini. */
struct flow_lines {
	struct lines *debug; /* what the sources' names are part of */
	struct vec_of(struct flow_line) lines;
	/* The lines of block i, each followed by another: runs[first[i]…first[i + 1]). */
	uint32_t *first, *runs;
	unsigned char *again; /* per run: its line comes before in its block, too */
	/* Edges by which a loop that lies in one line begins anew. */
	unsigned char *repeats;
};

/*
 * Reads them from the debug information of the original, which is closed with the lines, and NULL
 * where there is no original; `note_addr` is what addresses in the graphs are relative to. A file
 * without any has no lines.
 */
void flow_lines_read(struct flow_lines *lines, const struct flow *flow, const struct object *object,
		     struct lines *debug, uint64_t note_addr);
void flow_lines_fini(struct flow_lines *lines);

/* Adds to counts[i] how often the unit came to line i: from other lines, and round loops in it. */
void flow_lines_count(const struct flow_lines *lines, const struct flow *flow,
		      const struct flow_counts *executions, struct flow_unit unit,
		      uint64_t *counts);

#endif
