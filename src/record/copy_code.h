/*
 * Which function a piece of copied code is a copy of: the first bytes of an instrumented function
 * were replaced by a jump to its copy.
 */
#ifndef TARE_RECORD_COPY_CODE_H
#define TARE_RECORD_COPY_CODE_H

#include "object/object.h"
#include "record/coverage.h"

struct copy_function {
	uint64_t copy_addr, addr; /* link addresses of both begins */
};

struct copy_code {
	struct vec_of(struct copy_function) functions; /* ascending by copy_addr */
	uint64_t end;				       /* of the copied code */
};

/* `copy`: the instrumented file, whose copied code lies above `code_begin`; its verdicts. */
void copy_code_read(struct copy_code *code, const struct object *copy, uint64_t code_begin,
		    const struct coverage *coverage);
void copy_code_fini(struct copy_code *code);

/* The original begin of the function whose copy, or stubs, the address is in; 0: none. */
uint64_t copy_code_function(const struct copy_code *code, uint64_t copy_addr);

#endif
