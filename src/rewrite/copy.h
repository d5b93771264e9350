/*
 * What the code emitter hands to the writers of unwind tables and of the file: where each original
 * instruction went, and what was put between.
 */
#ifndef TARE_REWRITE_COPY_H
#define TARE_REWRITE_COPY_H

#include "insn/insn.h"
#include "object/cfi.h"
#include "object/object.h"

/* A place in the copy that is no copied instruction (a stub, a step in it): from copy_addr on the
   unwind state is that of the original address `like`, with cfa_delta more bytes on the stack.
   Where a function leaves, a probe has written over the slots below the stack pointer from which
   its epilogue took the caller's registers: those registers hold what they should. */
struct copy_extra {
	uint64_t copy_addr;
	uint64_t like;
	int32_t cfa_delta;
	bool leaves;
};

/* A call that has another way, at [copy_begin, copy_end) in the stubs. */
struct copy_far_call {
	uint64_t last; /* original address of the call's last byte */
	uint64_t copy_begin, copy_end;
};

/* One copied range: the code of one FDE. Stubs lie in [stubs_begin, copy_end). */
struct copy_range {
	const struct object_fde *fde;  /* addr 0: the original has none, and neither has the copy */
	uint64_t copy_begin, copy_end; /* the first byte may be the entry probe */
	uint64_t stubs_begin;
	uint64_t unit_begin; /* lowest copy_begin of the ranges that share code with this one */
	size_t unit;	     /* ranges with equal numbers share code */
	/* The instructions that were copied, and how far behind copy_begin each went: ascending
	   both. Where a probe stands before the instruction, it is the probe that is there.
	   Borrowed. */
	const struct insn *insns;
	const uint32_t *copy_offset;
	size_t insn_count;
	struct vec_of(struct copy_extra) extras; /* ascending; those in the stubs and inline ones */
	struct vec_of(struct copy_far_call) far_calls; /* ascending */
};

struct copy_ranges vec_of(struct copy_range);

static inline uint64_t copy_addr_at(const struct copy_range *range, size_t insn)
{
	return range->copy_begin + range->copy_offset[insn];
}

/* The copy of original address `addr` in the range: of the instruction there, or of the next one
   behind it (dropped padding); copy of fde->end is stubs_begin. */
uint64_t copy_of(const struct copy_range *range, uint64_t addr);

#endif
