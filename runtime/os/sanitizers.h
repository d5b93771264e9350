/*
 * sanitizers: reports of AddressSanitizer and its like name functions, files and lines. Whoever
 * looks these up for them reads the originals, and is told of the originals' addresses.
 *
 *   gcc's     libbacktrace, in the sanitizer's library: two of its functions are called through
 *             words that the library has for them; these lead here instead
 *   clang's   llvm-symbolizer, to which the process writes `CODE "file" 0xaddress`
 *
 * Where nothing can be asked, or the address is no instruction's of a copy, all stays as it is.
 */
#ifndef TARE_RUNTIME_OS_SANITIZERS_H
#define TARE_RUNTIME_OS_SANITIZERS_H

#include "runtime/base/module.h"
#include "runtime/base/registers.h"

/* A file was loaded. */
void sanitizers_open(const struct module_segments *segments);

/* The loader has bound the files that the program begins with. */
void sanitizers_connect(void);

/* Before a system call: what is written to a symbolizer. */
void sanitizers_show(struct probes_registers *registers);

#endif
