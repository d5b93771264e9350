/*
 * called_code: where the functions begin that neither symbols nor unwind information tell of: where
 * calls lead to, and what code takes the address of. Stripped programs that were built without
 * unwind tables (-fno-asynchronous-unwind-tables, as busybox is) are one gap otherwise, and
 * assembler code (libx264, whose symbols have no sizes) is all its last exported function.
 */
#ifndef TARE_RESOLVE_CALLED_CODE_H
#define TARE_RESOLVE_CALLED_CODE_H

#include "object/object.h"

#include "base/vec.h"

/* Link addresses, ascending. */
struct called_code vec_of(uint64_t);

/*
 * All targets of direct calls, and of lea by %rip, in the file's executable segments where a
 * function may begin. The bytes are searched, not decoded: of a megabyte, a byte or two that only
 * look like a call may be among them. Free with vec_fini.
 */
void called_code_read(struct called_code *code, const struct object *object);

/* The last one at or below the address, 0: none; and the first one above it, UINT64_MAX: none. */
uint64_t called_code_below(const struct called_code *code, uint64_t link_addr);
uint64_t called_code_above(const struct called_code *code, uint64_t link_addr);

#endif
