/*
 * Writing call-frame programs.
 */
#ifndef TARE_OBJECT_CFI_WRITE_H
#define TARE_OBJECT_CFI_WRITE_H

#include "object/cfi.h"

/* What a program is relative to: the CIE's factor and the state after its initial instructions. */
struct cfi_writer {
	struct byte_vec *bytes; /* appended to */
	int64_t data_align;
	const struct cfi_state *initial;
};

/* Advances the location; the CIE's code alignment has to be 1. */
void cfi_write_advance(struct byte_vec *bytes, uint64_t delta);

/* The instructions that turn state `from` into `to`. False (with err) where there are none. */
bool cfi_write_change(const struct cfi_writer *out, const struct cfi_state *from,
		      const struct cfi_state *to, struct error *err);

/*
 * The state with `delta` more bytes on the stack: adds to what is relative to rsp. Expressions that
 * use rsp are rewritten into `arena`. False (with err) for expressions that are not understood.
 */
bool cfi_write_shift(struct cfi_state *state, int64_t delta, struct arena *arena,
		     struct error *err);

#endif
