/*
 * copy_align: which instruction of a function is copied where. Both are read side by side: what the
 * copy has besides are probes and what replaces a few sorts of jumps.
 */
#ifndef TARE_CACHE_COPY_ALIGN_H
#define TARE_CACHE_COPY_ALIGN_H

#include "abi/module.h"
#include "object/object.h"

/* An instruction of the copy; ascending by copy_addr. */
struct copy_point {
	uint64_t copy_addr, addr; /* link addresses; of a probe that of the instruction behind it */
	uint32_t length;	  /* of the original instruction; 0: stands for no bytes of it */
};

struct copy_points vec_of(struct copy_point);

struct copy_pair {
	const struct object *original, *copy;
	uint64_t begin, end;	       /* of the original function */
	uint64_t copy_begin, copy_end; /* of its copy, without the stubs of probes; counts of
					  branches stand at its end */
	uint64_t stubs_end;	       /* where stubs end that begin at copy_end */
};

/* False, and no points, where the two do not fit together. */
bool copy_points_read(const struct copy_pair *pair, struct copy_points *points);
/* The last point that does not lie behind the address; or NULL. */
const struct copy_point *copy_points_at(const struct copy_points *points, uint64_t copy_addr);
/* The original address of a copied one; 0 if there is none. */
uint64_t copy_points_find(const struct copy_points *points, uint64_t copy_addr);

#endif
