/*
 * bound: where the loader's binding of calls leads. The original's entry of a function is a jump to
 * its copy: calls of other files, and those of exported functions within one, go there through the
 * words of the PLT, and this jump takes more of a short call than its counter does. So the words of
 * the PLT, by which functions are called and nothing else, hold the copies' entries. The functions'
 * addresses remain the originals': for the program they are what they were.
 */
#ifndef TARE_RUNTIME_START_BOUND_H
#define TARE_RUNTIME_START_BOUND_H

#include "runtime/base/module.h"

/* Files beyond these keep their jumps. */
enum { BOUND_FILES_MAX = 256 };

/*
 * An instrumented file was loaded, or is about to be unloaded; `file` is whatever names it. The
 * loader says one after the other.
 */
void bound_open(uint64_t file, const struct tare_module *module);
void bound_close(uint64_t file);

/*
 * Where a call of the function at entry_addr of `file` may go at once; entry_addr where it has no
 * copy. From any thread, and while others are opened.
 */
uint64_t bound_entry(uint64_t file, uint64_t entry_addr);

#endif
