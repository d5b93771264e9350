/*
 * thread_file: a thread's file, its areas and their growth.
 */
#ifndef TARE_RUNTIME_FILES_THREAD_FILE_H
#define TARE_RUNTIME_FILES_THREAD_FILE_H

#include "runtime/files/self.h"

/* NULL, with *limits, where it cannot be made, and there is none in the reserve. */
struct tare_thread_file *thread_file_make(int32_t pid, int32_t tid, uint32_t *limits);

void thread_file_unmap(const struct tare_thread_file *self, struct state_private *private_state);

/* A file for a thread to come, in the reserve; its run address, or 0. */
uint64_t thread_file_spare(const char *name);
uint64_t thread_file_spare_small(const char *name);

/* The further chunk that a new file has which comes from the reserve. */
uint64_t thread_file_spare_bytes(const struct tare_thread_file *self);

/*
 * The run address of the kind's only chunk, for the calling thread; made with room for so many
 * elements, not backed, where there is none. 0 where it cannot be had.
 */
uint64_t thread_area(struct tare_thread_file *self, enum tare_chunk_kind kind, uint64_t elements);

/* See host.h. */
bool thread_grow(struct tare_thread_file *self, enum accumulate_area area);

#endif
