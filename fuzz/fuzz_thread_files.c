/*
 * Files with any contents: the process file as it is, and a thread file whose header, nodes,
 * frames and OS records come from the input, one after the other, as sparse as the real ones.
 * Whatever the reader accepts is then added up as the recorder does.
 */
#include "assemble/thread_tree.h"
#include "fuzz/fuzz.h"
#include "session/thread_files.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t put_part(int fd, uint64_t offset, const uint8_t **data, size_t *size, size_t part)
{
	const size_t take = *size < part ? *size : part;
	const ssize_t done = pwrite(fd, *data, take, (off_t)offset);

	assert(done == (ssize_t)take);
	*data += done;
	*size -= take;
	return take;
}

static void check_tree(const struct thread_file *thread)
{
	static const uint64_t cost[TARE_EVENT_KINDS] = {30, 31, 32, 33};
	struct error err;
	struct tree tree = {0};

	tree_init(&tree, thread);
	for (size_t i = 0; i < thread->node_count; i++) {
		tree.nodes[i].reports_enter = i & 1;
		assert(thread->parents[i] < i || i == 0);
		/* its own, and of the call in progress: the clock less two sums that may be below 0
		 */
		assert(tree.nodes[i].elapsed_ticks <= 4 * SESSION_FILE_VALUE_MAX);
		if (tree.nodes[i].keep)
			assert(tree.nodes[thread->parents[i]].keep);
	}
	tree_compute_overhead(&tree, cost);
	tree_check_sums(&tree, &err);
	tree_fini(&tree);
}

#define NODES_OFFSET TARE_THREAD_HEADER_BYTES
#define OS_OFFSET    (NODES_OFFSET + 64 * sizeof(struct tare_node))

/* Two chunks of nodes, one of OS records and one of names, as a runtime would have them. */
static void put_chunks(struct tare_thread_file *header)
{
	header->chunk_count = 4;
	header->chunks[0] = (struct tare_chunk){
		.run_addr = NODES_OFFSET, .file_offset = NODES_OFFSET, .count = 8};
	header->chunks[1] =
		(struct tare_chunk){.kind = TARE_CHUNK_OS, .file_offset = OS_OFFSET, .count = 99};
	header->chunks[2] =
		(struct tare_chunk){.run_addr = 1 << 20,
				    .file_offset = NODES_OFFSET + 8 * sizeof(struct tare_node),
				    .first = 8,
				    .count = 56};
	header->chunks[3] = (struct tare_chunk){.kind = TARE_CHUNK_NAMES,
						.file_offset = NODES_OFFSET + 64,
						.count = TARE_THREAD_NAMES_BYTES};
}

static void try_thread(const uint8_t *data, size_t size)
{
	struct tare_thread_file header = {0};
	struct thread_file thread = {0};
	struct error err;
	uint64_t end = sizeof(header);
	const int fd = memfd_create("thread", MFD_CLOEXEC);

	assert(fd >= 0);
	put_part(fd, 0, &data, &size, sizeof(header));
	if (put_part(fd, NODES_OFFSET, &data, &size, 16 * sizeof(struct tare_node)))
		end = NODES_OFFSET + 16 * sizeof(struct tare_node);
	if (put_part(fd, OS_OFFSET, &data, &size, size))
		end = OS_OFFSET + 512;
	/* Magic and version right, so that the rest is reached; and pointers near the file. */
	if (pread(fd, &header, sizeof(header), 0) == sizeof(header)) {
		header.magic = TARE_THREAD_MAGIC;
		header.abi = TARE_SESSION_FILES_ABI;
		header.node_count &= 0xfff;
		header.names_bytes &= 0x1fff;
		header.run_addr = 0;
		if (header.chunk_count & 1)
			put_chunks(&header);
		const ssize_t done = pwrite(fd, &header, sizeof(header), 0);
		assert(done == sizeof(header));
	}
	if (thread_file_parse(&thread, fd, end, &err)) {
		check_tree(&thread);
		thread_file_fini(&thread);
	}
	close(fd);
}

static void try_process(const uint8_t *data, size_t size)
{
	struct process_file process = {0};
	struct tare_process_file header;
	struct error err;

	if (size < sizeof(header))
		return;
	uint8_t *bytes = mem_alloc(size);
	memcpy(bytes, data, size);
	memcpy(&header, bytes, sizeof(header));
	header.magic = TARE_PROCESS_MAGIC;
	header.abi = TARE_SESSION_FILES_ABI;
	header.used_bytes = size;
	memcpy(bytes, &header, sizeof(header));
	if (process_file_parse(&process, bytes, size, &err)) {
		vec_foreach (module, &process.modules)
			assert(module->path);
		process_file_fini(&process);
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_process(data, size);
	try_thread(data, size);
	return 0;
}
