/*
 * thread: a thread's recording begins and ends; what a forked child has of it.
 */
#ifndef TARE_RUNTIME_PROCESS_THREAD_H
#define TARE_RUNTIME_PROCESS_THREAD_H

#include "runtime/files/self.h"

/*
 * Makes the calling thread's file and sets state_thread; false when that is not possible, now or
 * at all. In a forked child it begins the calls that stood open at the fork.
 */
bool thread_begin(uint64_t sp);

/* The calling thread's file, made if need be; NULL where that is not possible. */
struct tare_thread_file *thread_own(uint64_t sp);

/* In a forked child, which has none of its parent's files. */
void thread_forked(void);

/* Notes the calls in progress, for a child that a system call is about to fork. */
void thread_note_calls(const struct tare_thread_file *self);

/* As it is now; what was there stays where the program's filters forbid to ask. */
void thread_read_name(struct tare_thread_file *self);

/* Charges the last interval and marks the file as complete; `with_process`: no thread goes on. */
void thread_complete(struct tare_thread_file *self, bool with_process);

/* As thread_complete, and gives up the memory: the thread has no further probes. */
void thread_end(struct tare_thread_file *self);

#endif
