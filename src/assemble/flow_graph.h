/*
 * The flow graphs of an instrumented file (abi/flow.h), read as untrusted bytes, and what follows
 * from its counters.
 */
#ifndef TARE_ASSEMBLE_FLOW_GRAPH_H
#define TARE_ASSEMBLE_FLOW_GRAPH_H

#include "abi/flow.h"
#include "base/base.h"

struct flow {
	uint32_t block_count, edge_count;
	struct tare_flow_block *blocks;
	struct tare_flow_edge *edges;
	/* Edges from and to block i: numbers [first_out[i], first_out[i + 1]), and the numbers
	   in[first_in[i]…first_in[i + 1]). */
	uint32_t *first_out, *first_in, *in;
};

/* Blocks that share code: [begin, end). */
struct flow_unit {
	uint32_t begin, end;
};

/* The executions of a thread; the lists are as long as the graph's. */
struct flow_counts {
	uint64_t *blocks, *edges;
	/* By how much what came in is not what went out: blocks in progress at the end, or when
	   collection was switched. */
	uint64_t in_progress;
};

/*
 * Reads the graphs from `bytes`, at most `size`, of a file with so many counters. False: they make
 * no sense.
 */
bool flow_read(struct flow *flow, const unsigned char *bytes, size_t size, uint32_t counter_count);
void flow_fini(struct flow *flow);
/* Link address of a block's original; `note_addr`: that of the copy's struct tare_module. */
uint64_t flow_block_addr(const struct flow *flow, uint32_t block, uint64_t note_addr);

/*
 * Executions of all blocks and edges, from what the counters have counted, by the rule that what
 * comes into a block leaves it. Values that would be negative are 0, and in progress. False: the
 * counters do not determine them.
 */
bool flow_solve(const struct flow *flow, const uint64_t *values, struct flow_counts *counts);
void flow_counts_fini(struct flow_counts *counts);

#endif
