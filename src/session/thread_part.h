/* What the readers of a thread file share; for thread_files.c, thread_nodes.c, read_waits.c,
   open_calls.c and trace_log.c. */
#ifndef TARE_SESSION_THREAD_PART_H
#define TARE_SESSION_THREAD_PART_H

#include "session/thread_files.h"

/* Opens a file of the session, if it is a regular one. -1 with err. */
int session_file_open(int dir_fd, const char *name, uint64_t *size, struct error *err);

/* Of times as a thread file has them: a sum may lie below 0 (abi/session_files.h). */
static inline bool session_sum_is_sound(int64_t sum)
{
	return sum <= (int64_t)SESSION_FILE_VALUE_MAX && sum >= -(int64_t)SESSION_FILE_VALUE_MAX;
}

/* An open thread file. */
struct thread_file_source {
	int fd;
	uint64_t size;
};

/* thread_file.numbers of nodes that are not in use, and (above all numbers, too) while ordering.
 */
#define THREAD_FILE_NODE_NONE	 UINT32_MAX
#define THREAD_FILE_NODE_ON_PATH (UINT32_MAX - 1)

/* Up to `size` bytes at `offset`; what the file does not have stays as it was. */
size_t session_file_read_at(int fd, void *bytes, size_t size, uint64_t offset);

/*
 * Reads the first `wanted` elements of a kind from the chunks, unless `elements` is NULL. How many
 * of them the file has.
 */
size_t thread_file_read_kind(const struct thread_file *thread,
			     const struct thread_file_source *source, enum tare_chunk_kind kind,
			     uint64_t wanted, void *elements);

/* Fills what thread_file has of nodes, unchecked but for their callers. */
void thread_file_read_nodes(struct thread_file *thread, const struct thread_file_source *source);

/* The node at a run address, as the index in thread_file.nodes; false where there is none. */
bool thread_file_node_at(const struct thread_file *thread, uint64_t addr, size_t *node);

/*
 * Fills open_calls and root_exclusive from the chain of callers that begins at header.top. The
 * nodes have been read and checked.
 */
void open_calls_read(struct thread_file *thread);

/* Fills waits. Of each record of the file, os_numbers has 1 + its index in thread_file.os, or 0. */
void waits_read(struct thread_file *thread, const struct thread_file_source *source,
		const uint32_t *os_numbers, size_t os_number_count);

/* Fills names, and frees them. */
void names_read(struct thread_file *thread, const struct thread_file_source *source);
void names_fini(struct thread_file *thread);

/* Fills marks and given_name. */
void marks_read(struct thread_file *thread, const struct thread_file_source *source);

#endif
