/*
 * names: what the objects of system calls are called, in a chunk of the thread's file, each name
 * once. With the gate closed.
 */
#ifndef TARE_RUNTIME_OS_NAMES_H
#define TARE_RUNTIME_OS_NAMES_H

#include "runtime/files/self.h"

/*
 * The name of a kind with these bytes: found or made. TARE_NAME_OTHERS where the thread has too
 * many already, TARE_NAME_UNKNOWN where there is no place for any.
 */
uint32_t names_text(struct tare_thread_file *self, enum tare_name_kind kind, const char *text,
		    uint64_t text_bytes);
uint32_t names_struct(struct tare_thread_file *self, enum tare_name_kind kind, const void *bytes,
		      uint32_t size_bytes);

/* Room for names to come, while it may still be had. */
void names_reserve(struct tare_thread_file *self);

/* The text of a name of a kind, which stays, and its length; NULL: it is of another. */
const char *names_text_of(const struct tare_thread_file *self, uint32_t name,
			  enum tare_name_kind kind, uint32_t *text_bytes);

#endif
