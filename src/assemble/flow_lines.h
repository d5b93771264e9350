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

/*
 * A line as it stands in a function, or where that was inlined: the line first, then the calls that
 * it was inlined for.
 */
struct flow_place {
	const struct lines_frame *frames;
	size_t count; /* 0: no line */
};

/* Instructions of a block, one after the other, that are the place's own, or were inlined there. */
struct flow_run {
	uint32_t line;
	struct flow_place place;
	bool again;   /* the place comes before in this block, too */
	bool goes_on; /* who comes to it from a block that ends there is still there */
};

/* Until flow_lines_fini. */
struct flow_lines {
	struct lines *debug; /* what the sources' names are part of */
	struct vec_of(struct flow_line) lines;
	struct vec_of(struct flow_run) runs;
	uint32_t *first; /* the runs of block i are those from first[i] to first[i + 1] */
	/* Per block: its last instruction with a line, and 1 + that line's number; 0: none has. */
	struct flow_place *ends;
	uint32_t *last;
	/* Edges by which a loop in one line begins anew: in the last line of where they come from
	   (1), of where they lead (2). */
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
