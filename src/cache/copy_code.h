/* Which function a piece of copied code is a copy of, and which of its instructions. */
#ifndef TARE_CACHE_COPY_CODE_H
#define TARE_CACHE_COPY_CODE_H

#include "cache/copy_align.h"
#include "cache/coverage.h"
#include "object/object.h"

struct copy_function {		   /* or a part of one */
	uint64_t copy_addr, addr;  /* link addresses of both begins */
	uint64_t size;		   /* of the original */
	uint64_t stubs, stubs_end; /* of the copy's probes, behind its code */
	struct copy_points points; /* read when they are needed first */
	bool points_are_read;
	bool is_prepared; /* they were to be read before */
};

struct copy_code {
	struct vec_of(struct copy_function) functions; /* ascending by copy_addr */
	uint64_t end;				       /* of the copied code */
	const struct object *copy;
};

/* `copy`: the instrumented file, whose copied code lies above `code_begin`, borrowed; its verdicts.
 */
void copy_code_read(struct copy_code *code, const struct object *copy, uint64_t code_begin,
		    const struct coverage *coverage);
void copy_code_fini(struct copy_code *code);

/* Whether the address is in the stubs of probes of a copied function. */
bool copy_code_is_stub(const struct copy_code *code, uint64_t copy_addr);

/*
 * Looks up, on all processors, what copy_code_address needs of the functions in which the addresses
 * are.
 */
void copy_code_prepare(struct copy_code *code, const struct object *original,
		       const uint64_t *copy_addrs, size_t count);

/*
 * The original address of a copied one, in a function: of its instruction, or of the function's
 * begin where that cannot be found. 0: none.
 */
uint64_t copy_code_address(struct copy_code *code, const struct object *original,
			   uint64_t copy_addr);

/*
 * Of the return address of a CALL probe's handler, in its stub, the last byte of the copied call
 * that the probe is for; 0: it is no such address.
 */
uint64_t copy_code_probed_call(const struct copy_code *code, uint64_t copy_addr);

/*
 * Where the address is in what stands for the stub of a procedure linkage table in a copied call:
 * the original begin of the function that is called; *last gets the original address of the call's
 * last byte. 0: it is no such address.
 */
uint64_t copy_code_bound_call(struct copy_code *code, const struct object *original,
			      uint64_t copy_addr, uint64_t *last);

/* The original begin of the function whose copy, or stubs, the address is in; 0: none. */
uint64_t copy_code_function(const struct copy_code *code, uint64_t copy_addr);

#endif
