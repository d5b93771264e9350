/*
 * Copies that nobody could run, of every function of a real file: each original byte counts as an
 * instruction and gets `stride` bytes in the copy, with extras strewn in. They show whether what is
 * written about copies is true, without a rewriter.
 */
#ifndef TARE_TESTS_FAKE_COPIES_H
#define TARE_TESTS_FAKE_COPIES_H

#include "base/arena.h"
#include "rewrite/elf_out.h"
#include "rewrite/lsda_out.h"
#include "rewrite/unwind_out.h"

struct fake_copies {
	struct arena arena; /* of the ranges' instructions */
	struct copy_ranges ranges;
	struct vec_of(uint64_t) lsda_addrs;
	struct elf_layout layout;
	struct byte_vec image;
	struct object_extent note;
	struct unwind_out unwind;
	struct byte_vec file; /* the whole new file */
	size_t refused;	      /* functions that unwind_out_check or lsda_out_append refused */
};

enum { FAKE_STRIDE = 3, FAKE_STUB_BYTES = 24 };

bool fake_copies_build(const struct object *object, struct fake_copies *copies, struct error *err);
void fake_copies_fini(struct fake_copies *copies);

/* What holds at a byte of a copy: the state of the original at *like with *delta more bytes. */
void fake_copies_expect(const struct copy_range *range, uint64_t copy_addr, uint64_t *like,
			int64_t *delta);

#endif
