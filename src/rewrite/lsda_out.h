/*
 * Exception tables for copied code.
 */
#ifndef TARE_REWRITE_LSDA_OUT_H
#define TARE_REWRITE_LSDA_OUT_H

#include "object/lsda.h"
#include "rewrite/copy.h"

struct lsda_out {
	const struct object *object;
	struct byte_vec *bytes; /* appended to */
	uint64_t bytes_addr;	/* link address of bytes->data[0] */
	/* The copy of the landing pad at original address `addr`, which may be in another range of
	   the same unit; 0 if it was not copied. */
	uint64_t (*landing_pad)(void *context, uint64_t addr);
	void *context;
};

/*
 * Appends the table for the copy of `range`, which has one (fde->lsda). Call sites are those of the
 * original; its gaps, where exceptions terminate, stay gaps. So are the far
 * calls in the stubs; the other stubs get an entry of their own, so that unwinding passes through
 * them. False (with err) where the table cannot be carried over;
 * then nothing was appended.
 */
bool lsda_out_append(const struct lsda_out *out, const struct copy_range *range,
		     uint64_t *lsda_addr, struct error *err);

/* Whether lsda_out_append can succeed for code of this FDE: usable before there are copies. */
bool lsda_out_check(const struct object *object, const struct object_fde *fde, struct error *err);

#endif
