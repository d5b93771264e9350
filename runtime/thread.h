/*
 * thread: birth, growth and end of a thread's file.
 */
#ifndef TARE_RUNTIME_THREAD_H
#define TARE_RUNTIME_THREAD_H

#include "runtime/state.h"

/*
 * Makes the calling thread's file and sets state_thread; false when that is not possible, now or
 * at all. In a forked child it begins the calls that stood open at the fork.
 */
bool thread_begin(uint64_t sp);

/* See host.h. */
bool thread_grow(struct tare_thread_file *self, enum accumulate_area area);

/* In a forked child, which has none of its parent's files. */
void thread_forked(void);

/* A file for a thread to come, in the reserve; its run address, or 0. */
uint64_t thread_file_spare(const char *name);

/* Notes the calls in progress, for a child that a system call is about to fork. */
void thread_note_calls(const struct tare_thread_file *self);

/*
 * The run address of the kind's only chunk, for the calling thread; made with room for so many
 * elements, not backed, where there is none. 0 where it cannot be had.
 */
uint64_t thread_area(struct tare_thread_file *self, enum tare_chunk_kind kind, uint64_t elements);

/* As it is now; what was there stays where the program's filters forbid to ask. */
void thread_read_name(struct tare_thread_file *self);

/* Charges the last interval and marks the file as complete; `with_process`: no thread goes on. */
void thread_complete(struct tare_thread_file *self, bool with_process);

/* As thread_complete, and gives up the memory: the thread has no further probes. */
void thread_end(struct tare_thread_file *self);

#endif
