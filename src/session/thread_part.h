/* What the readers of a thread file share; for thread_files.c, thread_nodes.c, open_calls.c and
   trace_log.c. */
#ifndef TARE_SESSION_THREAD_PART_H
#define TARE_SESSION_THREAD_PART_H

#include "session/thread_files.h"

/* Opens a file of the session, if it is a regular one. -1 with err. */
int arena_open(int dir_fd, const char *name, uint64_t *size, struct error *err);

/* An open thread file. */
struct arena_source {
	int fd;
	uint64_t size;
};

/* arena_thread.numbers of nodes that are not in use, and (above all numbers, too) while ordering.
 */
#define ARENA_NODE_NONE	   UINT32_MAX
#define ARENA_NODE_ON_PATH (UINT32_MAX - 1)

/* Up to `size` bytes at `offset`; what the file does not have stays as it was. */
size_t arena_read_at(int fd, void *bytes, size_t size, uint64_t offset);

/*
 * Reads the first `wanted` elements of a kind from the chunks, unless `elements` is NULL. How many
 * of them the file has.
 */
size_t arena_read_kind(const struct arena_thread *thread, const struct arena_source *source,
		       enum tare_chunk_kind kind, uint64_t wanted, void *elements);

/* Fills what arena_thread has of nodes, unchecked but for their callers. */
void arena_read_nodes(struct arena_thread *thread, const struct arena_source *source);

/* The node at a run address, as the index in arena_thread.nodes; false where there is none. */
bool arena_node_at(const struct arena_thread *thread, uint64_t addr, size_t *node);

/*
 * Fills open_calls and root_exclusive from the chain of callers that begins at header.top. The
 * nodes have been read and checked.
 */
void open_calls_read(struct arena_thread *thread);

/* Fills names, and frees them. */
void names_read(struct arena_thread *thread, const struct arena_source *source);
void names_fini(struct arena_thread *thread);

/* Fills marks and given_name. */
void marks_read(struct arena_thread *thread, const struct arena_source *source);

#endif
