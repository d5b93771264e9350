/* Writes process and thread files (abi/session_files.h) as the runtime would, for tests of their
 * readers. */
#ifndef TARE_TESTS_SESSION_WRITER_H
#define TARE_TESTS_SESSION_WRITER_H

#include "abi/session_files.h"

#include <stddef.h>

/* Where the writer says that its thread files were mapped. */
#define SESSION_WRITER_RUN_ADDR 0x7f0000000000ULL

enum { SESSION_WRITER_NODES = 64, SESSION_WRITER_OS = 16 };

/* Where the writer says that a node was. */
uint64_t session_writer_node_addr(size_t node);

enum session_writer_open { OPEN_ENTERED, OPEN_BY_CALL, OPEN_INHERITED };

/* A thread with its root and node 1 (TARE_NODE_OTHER), and no call in progress. */
struct session_writer_thread {
	struct tare_thread_file header;
	struct tare_node nodes[SESSION_WRITER_NODES];
	struct tare_os_record os[SESSION_WRITER_OS];
	uint64_t ended_ticks; /* of the nodes */
	struct {
		size_t node;
		uint64_t exclusive_ticks;
	} open[16];
	size_t open_count;
};

void session_writer_thread_init(struct session_writer_thread *thread, int pid, int tid);
/* Adds a node and its time; the thread's clock follows. The index. */
size_t session_writer_add_node(struct session_writer_thread *thread, size_t parent, uint64_t key,
			       uint64_t calls, uint64_t elapsed_ticks);
/* Begins a call of the node, whose caller is the one opened before. */
void session_writer_open_call(struct session_writer_thread *thread, size_t node,
			      uint64_t exclusive_ticks, enum session_writer_open how);
void session_writer_add_os(struct session_writer_thread *thread, size_t node,
			   enum tare_os_cause cause, uint64_t ticks);
/* Writes `name` in `directory`; the file ends behind the last record. */
void session_writer_write_thread(const struct session_writer_thread *thread, const char *directory,
				 const char *name);

struct session_writer_process {
	struct tare_process_file header;
	unsigned char records[4096];
	size_t size;
};

void session_writer_process_init(struct session_writer_process *process, int pid);
/* A program that it has executed and that is not recorded; any number for its reason. */
void session_writer_add_unfollowed(struct session_writer_process *process, const char *path,
				   uint32_t reason, uint32_t count);
void session_writer_open_module(struct session_writer_process *process, const char *path,
				uint64_t bias, uint64_t ticks);
void session_writer_close_module(struct session_writer_process *process, uint64_t bias,
				 uint64_t ticks);
void session_writer_write_process(struct session_writer_process *process, const char *directory,
				  const char *name);

#endif
