/*
 * stack_signs: what system calls and the stack itself tell of signal handlers' stacks. Reads only
 * memory that is sure to be there, and makes no system call.
 */
#ifndef TARE_RUNTIME_STACK_SIGNS_H
#define TARE_RUNTIME_STACK_SIGNS_H

#include "runtime/probes.h"

/* Before a system call: signal stacks, signal frames' code, stacks of vfork-like children. */
void stack_signs_note(struct tare_thread_file *self, const struct probes_registers *registers);

#endif
