/*
 * The new .eh_frame while it is made: shared by unwind_move.c and unwind_out.c.
 */
#ifndef TARE_REWRITE_UNWIND_BUILDER_H
#define TARE_REWRITE_UNWIND_BUILDER_H

#include "object/cfi.h"
#include "rewrite/unwind_out.h"

/* An entry of the sorted table in .eh_frame_hdr. */
struct unwind_entry {
	uint64_t begin, record_addr;
};

struct unwind_builder {
	const struct unwind_out_input *input;
	struct unwind_out *out;
	struct vec_of(struct unwind_entry) table;
	struct map moved_cies; /* address in the file -> new address */
	struct map new_cies;   /* offset of the original -> address of the copies' CIE */
	struct arena arena;    /* shifted expressions of one range */
	struct cfi_rows rows;  /* of one range */
	struct error *err;
};

/* Link address of the next byte. */
uint64_t unwind_builder_addr(const struct unwind_builder *builder);
void unwind_builder_put_entry(struct unwind_builder *builder, uint64_t begin, uint64_t record_addr);
/* Sets the error for distances that 32 bits do not hold; false. */
bool unwind_builder_fail_distance(const struct unwind_builder *builder);

/* unwind_move.c: all records of the original and of the companion. */
bool unwind_move_records(struct unwind_builder *builder);

#endif
