/*
 * trace_file: where a thread's event log is mapped, and its growth (see trace.h, abi/trace.h).
 */
#ifndef TARE_RUNTIME_FILES_TRACE_FILE_H
#define TARE_RUNTIME_FILES_TRACE_FILE_H

#include "runtime/files/self.h"

/* Makes the log's file if the session's settings want one; before trace_begin. */
void trace_file_make(struct tare_thread_file *self, struct accumulate_local *local);

/* Unmaps the log. */
void trace_file_end(const struct accumulate_local *local);

/* See host.h. */
bool trace_file_grow(struct tare_thread_file *self);
uint64_t trace_file_next(struct tare_thread_file *self);

#endif
