/*
 * holders: which thread has the lock that a thread is about to wait for.
 *
 * The C library writes down who holds a mutex, and who holds a rwlock for writing: their numbers
 * stand in the lock beside the word that is waited for (glibc's struct __pthread_mutex_s and
 * __pthread_rwlock_arch_t). Nobody writes down who reads.
 */
#ifndef TARE_RUNTIME_OS_HOLDERS_H
#define TARE_RUNTIME_OS_HOLDERS_H

#include "runtime/base/registers.h"
#include "runtime/files/self.h"

/* A thread's recording begins: from now on it may be found by its number. */
void holders_note_thread(const struct tare_thread_file *self, struct state_private *private_state);

/* Does the futex call wait, so that it is worth asking? */
bool holders_may_wait(const struct probes_registers *registers);

/*
 * At such a call of the thread, with the gate closed: which thread of this process has the lock,
 * and where in its call tree it is at this moment. Nothing where the word is in no such lock, or
 * that thread is not recorded. Reads the lock as the kernel copies it, and other threads'
 * files while none is unmapped, so it never faults or waits.
 */
struct tare_holder holders_find(const struct tare_thread_file *self,
				const struct probes_registers *registers);

#endif
