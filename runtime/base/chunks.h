/* chunks: where the elements of a thread file are, by their numbers (abi/session_files.h). */
#ifndef TARE_RUNTIME_BASE_CHUNKS_H
#define TARE_RUNTIME_BASE_CHUNKS_H

#include "abi/session_files.h"

/* The chunk of element `number` of a kind; it is there. */
const struct tare_chunk *chunks_find(const struct tare_thread_file *self, enum tare_chunk_kind kind,
				     uint32_t number);

/* Element `number` of a kind; it is there. */
void *chunks_element(const struct tare_thread_file *self, enum tare_chunk_kind kind,
		     uint32_t number);

#endif
