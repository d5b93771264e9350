/*
 * called_code: where the functions begin that neither symbols nor unwind information tell of: where
 * calls lead to. Stripped programs that were built without unwind tables (-fno-asynchronous-unwind-
 * tables, as busybox is) and assembler code without .cfi directives are one gap otherwise.
 */
#ifndef TARE_RESOLVE_CALLED_CODE_H
#define TARE_RESOLVE_CALLED_CODE_H

#include "object/object.h"

#include "base/vec.h"

/* Link addresses, ascending. */
struct called_code vec_of(uint64_t);

/*
 * All targets of direct calls in the file's executable segments where a function may begin. The
 * bytes are searched, not decoded: of a megabyte, a byte or two that only look like a call may be
 * among them. Free with vec_fini.
 */
void called_code_read(struct called_code *code, const struct object *object);

/* The last one at or below the address, 0: none; and the first one above it, UINT64_MAX: none. */
uint64_t called_code_below(const struct called_code *code, uint64_t link_addr);
uint64_t called_code_above(const struct called_code *code, uint64_t link_addr);

#endif
