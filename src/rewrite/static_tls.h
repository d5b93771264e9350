/*
 * static_tls: room for the runtime's thread-local block in a static executable. Variables are
 * addressed by constants, as distances from the thread pointer; the block of the program ends
 * there. So the block grows at its begin, and the distances stay:
 *
 *   … | runtime's block | padding | program's block (O bytes) | ▲ thread pointer
 *
 * PT_TLS then describes a copy of the initial image that has the runtime's block before it.
 */
#ifndef TARE_REWRITE_STATIC_TLS_H
#define TARE_REWRITE_STATIC_TLS_H

#include "rewrite/elf_out.h"

struct static_tls {
	uint64_t old_addr, old_file_size; /* of the original's image; size 0: none */
	uint64_t room;			  /* bytes before the program's block */
	uint64_t file_size, memory_size;  /* of the new PT_TLS */
	uint64_t alignment;
	uint64_t own_offset;  /* of the runtime's block in the image */
	int64_t own_distance; /* from the thread pointer to it */
};

/*
 * Refuses images that are damaged or whose address is not aligned as they say: where C libraries
 * put such ones is not certain.
 */
bool static_tls_plan(const struct object *object, struct static_tls *tls, struct error *err);

/* The new initial image; the runtime's block is zero. */
void static_tls_image(const struct object *object, const struct static_tls *tls,
		      struct byte_vec *out);

/* Relocations of a position-independent static executable. */
struct static_tls_move {
	const struct object *object;
	const struct static_tls *tls;
	uint64_t image_addr; /* link address of the new image */
	struct arena *arena; /* for the bytes of patches */
	struct elf_patches *patches;
	/* Gets the new table of DT_RELR, if that has to change; its address is patched by
	   static_tls_place_relr. */
	struct byte_vec relr;
};

/*
 * Words of the initial image that the program relocates at its start are relocated in the new
 * image. Refuses relocations that depend on the size of the block.
 */
bool static_tls_move(struct static_tls_move *move, struct error *err);
void static_tls_place_relr(struct static_tls_move *move, uint64_t relr_addr);

#endif
