/*
 * descriptors: what the program's file descriptors stand for. A thread asks the kernel once for
 * each, and believes the answer until a system call is seen that may change it.
 */
#ifndef TARE_RUNTIME_OS_DESCRIPTORS_H
#define TARE_RUNTIME_OS_DESCRIPTORS_H

#include "runtime/base/registers.h"
#include "runtime/files/self.h"

/* At any system call, before it: forgets what it may change. `self` may be NULL. */
void descriptors_forget(const struct tare_thread_file *self,
			const struct probes_registers *registers);

/* After it: what others have asked for meanwhile may be of before. */
static inline bool descriptors_is_changing(const struct state_objects *objects)
{
	return objects->changing != 0;
}
void descriptors_changed(struct state_objects *objects);

/* Is the descriptor's name known to the thread without asking? */
bool descriptors_known(const struct state_objects *objects, int32_t fd, uint32_t *name);

/* Its name; with the gate closed. Overwrites objects->text. */
uint32_t descriptors_name(struct tare_thread_file *self, int32_t fd);

/*
 * The same of a socket about to be connected to an address in the program's memory. */
uint32_t descriptors_name_to_be(struct tare_thread_file *self, int32_t fd, uint64_t address,
				uint64_t address_bytes);

#endif
