/* See session_writer.h. Failures end the test program. */
#include "tests/support/session_writer.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t session_writer_node_addr(size_t node)
{
	return SESSION_WRITER_RUN_ADDR + TARE_THREAD_HEADER_BYTES + node * sizeof(struct tare_node);
}

static void no_ranges(struct tare_node *node)
{
	node->elapsed_inclusive_min = node->elapsed_exclusive_min = INT64_MAX;
	node->application_inclusive_min = node->application_exclusive_min = INT64_MAX;
}

void session_writer_thread_init(struct session_writer_thread *thread, int pid, int tid)
{
	memset(thread, 0, sizeof(*thread));
	thread->header = (struct tare_thread_file){
		.magic = TARE_THREAD_MAGIC,
		.abi = TARE_SESSION_FILES_ABI,
		.flags = TARE_THREAD_ENDED,
		.pid = pid,
		.tid = tid,
		.run_addr = SESSION_WRITER_RUN_ADDR,
		.begin_ticks = 1000,
		.process_begin_ticks = 900,
		.end_ticks = 9000,
		.name = "writer",
		.node_count = 2,
		.chunk_count = 2,
		.chunks = {{.kind = TARE_CHUNK_NODES,
			    .run_addr = session_writer_node_addr(0),
			    .file_offset = TARE_THREAD_HEADER_BYTES,
			    .count = SESSION_WRITER_NODES},
			   {.kind = TARE_CHUNK_OS,
			    .file_offset = TARE_THREAD_HEADER_BYTES + sizeof(thread->nodes),
			    .count = SESSION_WRITER_OS}},
	};
	thread->nodes[1].key = TARE_NODE_OTHER;
	thread->nodes[0].parent = thread->nodes[1].parent = session_writer_node_addr(0);
	thread->nodes[1].index = TARE_NODE_FOLDED | 1;
	no_ranges(&thread->nodes[0]);
	no_ranges(&thread->nodes[1]);
}

size_t session_writer_add_node(struct session_writer_thread *thread, size_t parent, uint64_t key,
			       uint64_t calls, uint64_t elapsed_ticks)
{
	const size_t index = thread->header.node_count++;
	struct tare_node *node = &thread->nodes[index];

	assert(index < sizeof(thread->nodes) / sizeof(thread->nodes[0]));
	*node = (struct tare_node){.key = key,
				   .elapsed_ticks = elapsed_ticks,
				   .parent = session_writer_node_addr(parent),
				   .index = (uint32_t)index};
	no_ranges(node);
	if (calls)
		node->buckets[tare_call_bucket(elapsed_ticks / calls)] = (uint32_t)calls;
	thread->nodes[0].child += elapsed_ticks;
	thread->ended_ticks += elapsed_ticks;
	thread->header.now_ticks += elapsed_ticks;
	return index;
}

void session_writer_open_call(struct session_writer_thread *thread, size_t node,
			      uint64_t exclusive_ticks, enum session_writer_open how)
{
	thread->open[thread->open_count].node = node;
	thread->open[thread->open_count++].exclusive_ticks = exclusive_ticks;
	thread->nodes[node].sp = 0x7fff0000;
	if (how == OPEN_BY_CALL)
		thread->nodes[node].sp -= TARE_CALL_BY_CALL;
	if (how == OPEN_INHERITED)
		thread->header.inherited = session_writer_node_addr(node);
	thread->header.now_ticks += exclusive_ticks;
}

void session_writer_add_os(struct session_writer_thread *thread, size_t node,
			   enum tare_os_cause cause, uint64_t ticks)
{
	thread->os[thread->header.os_count++] = (struct tare_os_record){.node = (uint32_t)node,
									.cause = (uint16_t)cause,
									.syscall_number = 0xffff,
									.count = 1,
									.ticks = ticks};
	thread->header.os_ticks += ticks;
	thread->header.blocked_ticks += cause == TARE_OS_BLOCKED ? ticks : 0;
	thread->header.preempted_ticks += cause == TARE_OS_PREEMPTED ? ticks : 0;
}

static int create(const char *directory, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert(fd >= 0);
	return fd;
}

static void put(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const ssize_t done = pwrite(fd, bytes, size, (off_t)offset);

	assert(done == (ssize_t)size);
	(void)done;
}

void session_writer_write_thread(const struct session_writer_thread *thread, const char *directory,
				 const char *name)
{
	struct session_writer_thread full = *thread;
	const int fd = create(directory, name);
	uint64_t start = thread->ended_ticks;

	if (!full.header.top)
		full.header.top = session_writer_node_addr(0);
	for (size_t i = 0; i < thread->open_count; i++) {
		full.header.top = session_writer_node_addr(thread->open[i].node);
		full.nodes[thread->open[i].node].start = start;
		start += thread->open[i].exclusive_ticks;
	}
	put(fd, &full.header, sizeof(full.header), 0);
	put(fd, full.nodes, sizeof(full.nodes), TARE_THREAD_HEADER_BYTES);
	put(fd, thread->os, sizeof(thread->os), TARE_THREAD_HEADER_BYTES + sizeof(full.nodes));
	close(fd);
}

void session_writer_process_init(struct session_writer_process *process, int pid)
{
	memset(process, 0, sizeof(*process));
	process->header = (struct tare_process_file){
		.magic = TARE_PROCESS_MAGIC,
		.abi = TARE_SESSION_FILES_ABI,
		.flags = TARE_PROCESS_ENDED,
		.pid = pid,
		.parent_pid = 1,
		.begin_ticks = 900,
		.end_ticks = 9100,
		.cost_ticks = {10, 20, 30, 40},
		.command = "writer",
	};
}

static void add_record(struct session_writer_process *process, struct tare_module_record record,
		       const char *path)
{
	const size_t path_bytes = path ? strlen(path) + 1 : 0;
	const size_t size = (sizeof(record) + path_bytes + 7) / 8 * 8;

	assert(process->size + size <= sizeof(process->records));
	record.head.size_bytes = (uint32_t)size;
	record.path_bytes = (uint32_t)path_bytes;
	memcpy(process->records + process->size, &record, sizeof(record));
	if (path)
		memcpy(process->records + process->size + sizeof(record), path, path_bytes);
	process->size += size;
}

void session_writer_add_unfollowed(struct session_writer_process *process, const char *path,
				   uint32_t reason, uint32_t count)
{
	const size_t path_bytes = strlen(path) + 1;
	const struct tare_unfollowed_record record = {
		.head = {.size_bytes = (uint32_t)((sizeof(record) + path_bytes + 7) & ~7UL),
			 .type = TARE_RECORD_UNFOLLOWED},
		.reason = reason,
		.count = count,
	};

	assert(process->size + record.head.size_bytes <= sizeof(process->records));
	memcpy(process->records + process->size, &record, sizeof(record));
	memcpy(process->records + process->size + sizeof(record), path, path_bytes);
	process->size += record.head.size_bytes;
	process->header.images_unfollowed += count;
}

void session_writer_open_module(struct session_writer_process *process, const char *path,
				uint64_t bias, uint64_t ticks)
{
	add_record(process,
		   (struct tare_module_record){.head.type = TARE_RECORD_MODULE_OPEN,
					       .ticks = ticks,
					       .bias = bias,
					       .dynamic_addr = bias + 16,
					       .instrumented = 1},
		   path);
}

void session_writer_close_module(struct session_writer_process *process, uint64_t bias,
				 uint64_t ticks)
{
	add_record(process,
		   (struct tare_module_record){.head.type = TARE_RECORD_MODULE_CLOSE,
					       .ticks = ticks,
					       .bias = bias,
					       .dynamic_addr = bias + 16},
		   NULL);
}

void session_writer_write_process(struct session_writer_process *process, const char *directory,
				  const char *name)
{
	const int fd = create(directory, name);

	process->header.used_bytes = sizeof(process->header) + process->size;
	put(fd, &process->header, sizeof(process->header), 0);
	put(fd, process->records, process->size, sizeof(process->header));
	close(fd);
}
