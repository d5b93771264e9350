/*
 * The flow graphs of an instrumented file, for those who read its counters (abi/module.h): with
 * them the executions of every instruction follow from the counters of some edges.
 *
 *   struct tare_flow | struct tare_flow_block[block_count] | struct tare_flow_edge[edge_count]
 *
 * What comes into a block by edges, and from outside, is executed, and leaves it by edges, or to
 * outside. Outside is all that no edge describes: callers, exceptions, indirect jumps, calls that
 * do not come back. Numbers of counters are one more than their place; 0: there is none.
 *
 * Readers treat all of it as untrusted.
 */
#ifndef TARE_ABI_FLOW_H
#define TARE_ABI_FLOW_H

#include <stdint.h>

#define TARE_FLOW_OUTSIDE UINT32_MAX

enum tare_flow_block_flags {
	TARE_FLOW_ENTERED = 1, /* comes from outside, where no counter is */
	TARE_FLOW_LEFT = 2,    /* may leave to outside, where no counter is */
	/* Begins a function: `entry` counts what comes in by that. */
	TARE_FLOW_BEGIN = 4,
};

struct tare_flow_block {
	int32_t addr; /* link address of the original, less that of struct tare_module */
	uint32_t size;
	uint32_t insn_count;
	uint32_t flags;	  /* enum tare_flow_block_flags */
	uint32_t unit;	  /* blocks with the same number share code; ascending */
	uint32_t counter; /* of its executions */
	uint32_t entry;
};

enum tare_flow_edge_kind {
	TARE_FLOW_NEXT,	 /* to what follows */
	TARE_FLOW_TAKEN, /* by the jump or branch at the block's end */
};

struct tare_flow_edge {
	uint32_t from, to; /* blocks; to may be TARE_FLOW_OUTSIDE */
	uint32_t kind;	   /* enum tare_flow_edge_kind */
	uint32_t counter;
};

struct tare_flow {
	uint32_t block_count, edge_count;
};

_Static_assert(sizeof(struct tare_flow_block) == 28, "shared layout");
_Static_assert(sizeof(struct tare_flow_edge) == 16, "shared layout");
_Static_assert(sizeof(struct tare_flow) == 8, "shared layout");

#endif
