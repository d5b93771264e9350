/*
 * static_out: what an instrumented static executable has besides (abi/static.h): the runtime as a
 * companion, whose entry point is the file's, and thread-local storage with room for the runtime.
 */
#ifndef TARE_REWRITE_STATIC_OUT_H
#define TARE_REWRITE_STATIC_OUT_H

#include "rewrite/private.h"
#include "rewrite/static_tls.h"

struct static_out {
	struct static_tls tls;
	struct byte_vec image; /* initial image of thread-local storage */
	uint64_t image_addr;   /* link address */
	uint64_t entry;	       /* link address of the runtime's entry point */
};

/* Whether the file carries its runtime. */
bool static_out_is_wanted(const struct program *program);

/* Makes the image of thread-local storage; its place is chosen by the caller. */
bool static_out_plan(const struct program *program, struct static_out *out, struct error *err);
void static_out_fini(struct static_out *out);

/*
 * With the companion and the image in their places: fills what the runtime needs to know, moves
 * relocations of the old image to the new one, and appends to program->image.
 */
bool static_out_place(struct program *program, struct static_out *out, struct elf_patches *patches,
		      struct error *err);

Elf64_Phdr static_out_segment(const struct static_out *out);

#endif
