/*
 * companion: code that comes along inside the output file, so that copies can call it directly: a
 * position-independent shared object without a loader's help. What it must be:
 *
 *   - an ELF64 x86-64 ET_DYN whose first PT_LOAD begins at address 0; its writable PT_LOADs lie
 *     behind the others, on pages of their own. No PT_TLS, no PT_INTERP, nothing executable and
 *     writable at once;
 *   - no DT_NEEDED, no DT_JMPREL, DT_REL or DT_RELR, no constructors, no DT_TEXTREL; in DT_RELA
 *     R_X86_64_RELATIVE only, for aligned words of writable data, whose addends lie inside it;
 *   - the functions that copies call are exported (.dynsym), and have unwind tables.
 *
 * In the output it is a read-and-execute segment and a writable one, as far apart as in its own
 * file, below .tare.data:
 *
 *   original | companion: rx | companion: rw, bss | slots, arming bytes | image
 *
 * Its FDEs stand in the output's .eh_frame and sorted header, with those of the original and of
 * the copies. Its relocations are applied here where the output's addresses are final (ET_EXEC).
 * In position-independent outputs whose loader would have to apply them they are refused, unless
 * the writer of the file says that it will add them (`relocations` lists the words).
 *
 * The runtime for static executables (abi/static.h) relocates itself, so that its relocations, its
 * thread-local storage and its constructors, which never run there, are not looked at.
 */
#ifndef TARE_REWRITE_COMPANION_H
#define TARE_REWRITE_COMPANION_H

#include "object/object.h"

struct companion {
	const struct object *object; /* borrowed; NULL: there is none */
	struct byte_vec bytes;	     /* of its memory, from address 0; zero from here on */
	uint64_t code_size;	     /* of the part that is read and executed; whole pages */
	uint64_t memory_size;	     /* with the writable part, which begins at code_size */
	/* Places of R_X86_64_RELATIVE, from its address 0, ascending; addends stand in `bytes`. */
	struct vec_of(uint64_t) relocations;
	bool loads_itself; /* the runtime, see above */
	uint64_t addr;	   /* link address of its address 0 in the output, 0 before it has one */
};

/* Reads and checks. `object` (opened with OBJECT_ALL) is borrowed; NULL is a companion of size 0.
 */
bool companion_init(struct companion *companion, const struct object *object, struct error *err);
void companion_fini(struct companion *companion);

/* Gives it its place; with `fixed`, the words of `relocations` get their values. */
void companion_place(struct companion *companion, uint64_t addr, bool fixed);

/* An exported symbol, from its address 0; false where there is none. */
bool companion_symbol(const struct companion *companion, const char *name, uint64_t *offset);

#endif
