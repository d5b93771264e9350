/*
 * executable: what the target sees of its own file. It runs from a copy; programs that find their
 * files beside themselves (java, clang, node) must be told of the original.
 */
#ifndef TARE_RUNTIME_OS_EXECUTABLE_H
#define TARE_RUNTIME_OS_EXECUTABLE_H

#include "runtime/base/registers.h"

#include <elf.h>

/*
 * Asks the recorder for the original of the copy at `path`; where there is one, AT_EXECFN in the
 * auxiliary vector names it from now on, and executable_show works.
 */
void executable_know(const char *path, Elf64_auxv_t *vector);

/*
 * Before a system call: where it reads or opens the process's own link /proc/…/exe, replaces the
 * path argument by a link that leads to the original.
 */
void executable_show(struct probes_registers *registers);

#endif
