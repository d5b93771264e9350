/* mapped: code that the program maps from files itself, and memory that it makes executable. */
#ifndef TARE_RUNTIME_EXEC_MAPPED_H
#define TARE_RUNTIME_EXEC_MAPPED_H

#include "runtime/base/registers.h"

/* At the probe of a system call. */
void mapped_notice(const struct probes_registers *registers);

#endif
