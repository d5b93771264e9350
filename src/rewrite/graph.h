/*
 * The flow graph of one unit: blocks of instructions that run one after the other, and the edges by
 * which control goes from one to another. Everything that no edge describes is outside.
 */
#ifndef TARE_REWRITE_GRAPH_H
#define TARE_REWRITE_GRAPH_H

#include "rewrite/private.h"

enum { GRAPH_OUTSIDE = UINT32_MAX };

struct graph_block {
	uint32_t range;	      /* number in the program */
	uint32_t first, last; /* instructions */
	uint32_t counter;     /* 1 + number of its counter among its range's; 0: there is none */
	uint32_t first_edge;  /* of those that leave it */
	uint64_t weight;      /* how often it may run, as others do */
	bool entry;	      /* a function begins here, which has a counter */
	bool from_outside;    /* what comes in besides has none */
	bool to_outside;
	bool is_site;	 /* it ends with a call that has a counter */
	bool skips_lock; /* a jump leads behind its first byte */
};

struct graph_edge {
	uint32_t from, to;
	uint32_t counter;
	uint64_t weight;
	bool taken; /* by the branch at the end; else it goes on */
	bool fixed; /* no counter can stand there */
};

struct graph {
	struct vec_of(struct graph_block) blocks; /* in the order of ranges and instructions */
	struct vec_of(struct graph_edge) edges;	  /* ascending by `from` */
};

/* graph.c: NULL where the flow is not known. The caller frees it. */
struct graph *graph_make(const struct program *program, const struct unit *unit);
void graph_free(struct graph *graph);

/* graph_weights.c */
void graph_weigh(const struct program *program, const struct unit *unit, struct graph *graph);

/* spanning.c: chooses what gets a counter, and notes it in the ranges. False: that cannot be, and
   nothing was noted. */
bool graph_count(const struct program *program, struct graph *graph);

/*
 * unroll.c: how many copies of the block stand where the edge is counted; 0: the edge is counted
 * each time that it is taken.
 */
uint32_t graph_copies(const struct program *program, const struct graph *graph,
		      const struct graph_edge *edge);

#endif
