/* Which vertices follow each other in a unit: blocks, then its jump tables, then all its labels. */
#ifndef TARE_REWRITE_GRAPH_WAYS_H
#define TARE_REWRITE_GRAPH_WAYS_H

#include "rewrite/graph.h"

struct graph_way {
	uint32_t from, to; /* to GRAPH_OUTSIDE, too */
	bool back;	   /* closes a loop */
};

struct graph_ways {
	uint32_t count;	 /* of vertices */
	uint32_t *first; /* per vertex, and one more: its ways; of blocks first
			    those by edges, in their order */
	struct vec_of(struct graph_way) ways;
	uint8_t *depth;	 /* per vertex: of loops */
	uint32_t *order; /* all vertices, each behind those from which ways lead to it that do not
			    go back */
};

void graph_ways_init(struct graph_ways *ways, const struct program *program,
		     const struct unit *unit, const struct graph *graph);
void graph_ways_fini(struct graph_ways *ways);

#endif
