/*
 * Unwind tables of the new file: the original records, moved, and those of the copies.
 */
#ifndef TARE_REWRITE_UNWIND_OUT_H
#define TARE_REWRITE_UNWIND_OUT_H

#include "object/object.h"
#include "rewrite/copy.h"

struct unwind_out_input {
	const struct object *object;
	/* Another object that lies in the file, its address 0 at companion_addr; NULL: none. Its
	   records come along. */
	const struct object *companion;
	uint64_t companion_addr;
	const struct copy_ranges *ranges;
	const uint64_t *lsda_addrs; /* per range: of the copied exception table, 0 if none */
	uint64_t eh_frame_addr;	    /* where the result will lie; a multiple of 8 */
};

struct unwind_out {
	struct byte_vec eh_frame;
	struct byte_vec eh_frame_hdr;
	uint64_t eh_frame_hdr_addr;	      /* behind .eh_frame, a multiple of 4 */
	uint64_t records_moved, records_kept; /* original FDEs; kept: stay where they are */
	uint64_t records_new;
};

/* Whether the copy of this FDE's code can be described: usable before there are copies. */
bool unwind_out_check(const struct object *object, const struct object_fde *fde, struct error *err);

/* Builds the sections for their final addresses. Free with unwind_out_fini. */
bool unwind_out_build(const struct unwind_out_input *input, struct unwind_out *out,
		      struct error *err);
void unwind_out_fini(struct unwind_out *out);

#endif
