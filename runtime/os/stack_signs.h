/*
 * stack_signs: what system calls and the stack itself tell of signal handlers' stacks. Reads only
 * memory that is sure to be there, and makes no system call.
 */
#ifndef TARE_RUNTIME_OS_STACK_SIGNS_H
#define TARE_RUNTIME_OS_STACK_SIGNS_H

#include "runtime/base/registers.h"
#include "runtime/files/self.h"

/* Before a system call: signal stacks, signal frames' code, stacks of vfork-like children. */
void stack_signs_note(struct tare_thread_file *self, const struct probes_registers *registers);

/* See host.h. */
enum stacks_sign stack_signs_sign(const struct tare_thread_file *self,
				  const struct accumulate_event *event, struct stacks_signs *signs);
bool stack_signs_called_by(const struct accumulate_event *event, uint64_t stub);
bool stack_signs_is_own(const struct tare_thread_file *self, uint64_t sp);

#endif
