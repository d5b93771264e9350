/*
 * sandbox: what the program does to itself that takes the ground from under the runtime, noticed
 * at its system call, before it: filters of system calls, no clock, another root, user or limit.
 */
#ifndef TARE_RUNTIME_EXEC_SANDBOX_H
#define TARE_RUNTIME_EXEC_SANDBOX_H

#include "runtime/base/registers.h"
#include "runtime/files/self.h"

/* At a SYSCALL probe; `self` may be NULL. */
void sandbox_notice(struct tare_thread_file *self, const struct probes_registers *registers);

/*
 * May a program that this process executes be recorded? Not where the session cannot be reached
 * from there, or where filters that it inherits do not allow what its runtime would do.
 */
bool sandbox_permits_image(void);

#endif
