/* What the readers of a thread file's parts share; for arena_file.c and open_calls.c. */
#ifndef TARE_RECORD_ARENA_PART_H
#define TARE_RECORD_ARENA_PART_H

#include "record/arena_file.h"

/* Up to `size` bytes at `offset`; what the file does not have stays as it was. */
size_t arena_read_at(int fd, void *bytes, size_t size, uint64_t offset);

/* How many of `count` elements of `element` bytes at `offset` may be read, at most `max`. */
size_t arena_elements_in_file(uint64_t count, uint64_t max, uint64_t offset, size_t element,
			      uint64_t file_size);

/*
 * Fills open_calls and root_exclusive from the chain of callers that begins at header.top. The
 * nodes have been read and checked.
 */
void open_calls_read(struct arena_thread *thread, int fd, uint64_t file_size);

#endif
