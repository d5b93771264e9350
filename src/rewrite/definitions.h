/*
 * Which definitions of a register reach an instruction, over the flow graph of a unit's single
 * instructions.
 */
#ifndef TARE_REWRITE_DEFINITIONS_H
#define TARE_REWRITE_DEFINITIONS_H

#include "rewrite/private.h"

/* Predecessors of each instruction of a unit; nodes are numbered over all its ranges. */
struct flow_graph {
	const struct program *program;
	struct unit *unit;
	uint32_t *first_node; /* per range */
	uint32_t node_count;
	size_t jump_count;		 /* indirect jumps of all ranges */
	uint32_t *first_edge;		 /* per node, and one more */
	uint32_t *sources;		 /* per edge */
	unsigned char *origin;		 /* entered from outside, from unknown places */
	struct vec_of(uint64_t) orphans; /* code that only unknown jumps of the unit lead to */
	const struct insn **insns;	 /* per node */
};

/* The caller has found the unit's labels, and calls flow_graph_fini in the end. */
void flow_graph_init(struct flow_graph *graph, const struct program *program, struct unit *unit);
void flow_graph_fini(struct flow_graph *graph);

struct definition_search {
	const struct flow_graph *graph;
	uint8_t reg;
	/* Of each instruction that writes the register: whether the search goes on. */
	bool (*take)(struct definition_search *search, const struct insn *insn);
	uint64_t base;			  /* the one lea target found, 0 none yet */
	const struct indirect_jump *jump; /* whose target is looked for */
	bool failed;
	unsigned char *seen;
	struct vec_of(uint32_t) work;
};

/* Every definition of the register that reaches `node` is one that the search takes. */
bool takes_definitions(struct definition_search *search, uint32_t node);

#endif
