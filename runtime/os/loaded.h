/*
 * loaded: which files this process has loaded where, and whose addresses they were before.
 *
 * The keys of a thread's nodes are run addresses. A file that is unloaded and comes back to its
 * place is as if it had never gone. When another takes the place, the keys of the former are given
 * its ordinal (TARE_KEY_ORDINAL_SHIFT) by each thread at its next event.
 */
#ifndef TARE_RUNTIME_OS_LOADED_H
#define TARE_RUNTIME_OS_LOADED_H

#include "runtime/base/module.h"
#include "runtime/files/process.h"
#include "runtime/files/self.h"

/* A file was loaded: notes it in the process file, unless it is one that was here before. Returns
   its ordinal. */
uint64_t loaded_open(const struct process_module *module, const struct module_segments *segments);

/* The program headers that it was opened with; none where it is not known. */
struct module_segments loaded_segments(uint64_t dynamic_addr);

/* It is about to be unloaded. */
void loaded_close(uint64_t dynamic_addr);

/* A thread's file is new. */
void loaded_begin(struct tare_thread_file *self, struct state_private *private_state);

/* Before an event: takes note of what was replaced since the last one. */
void loaded_notice(struct tare_thread_file *self, struct state_private *private_state);

#endif
