/*
 * objects: what each system call of the program is about, found out before it is made, for the OS
 * record of its interval.
 */
#ifndef TARE_RUNTIME_OS_OBJECTS_H
#define TARE_RUNTIME_OS_OBJECTS_H

#include "runtime/base/registers.h"
#include "runtime/files/self.h"

/* At a SYSCALL probe of the thread: fills syscall_number, syscall_object and syscall_name. */
void objects_note(struct tare_thread_file *self, const struct probes_registers *registers);

/* Before that: counts the system call before, if its interval has not ended yet. */
void objects_count_before(struct tare_thread_file *self);

#endif
