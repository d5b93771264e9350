/*
 * Runs the fixture in a fresh directory, keeps what it printed and maps what the runtime left.
 * Anything unexpected fails the running test.
 */
#include "tests/support/probed_session.h"

#include "abi/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *runtime_path, *fixture_path;

bool probed_session_arguments(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: %s RUNTIME FIXTURE\n", argv[0]);
		return false;
	}
	runtime_path = argv[1];
	fixture_path = argv[2];
	return true;
}

static const void *file_map(const struct probed_session *session, const char *name, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", session->directory, name);
	const int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	assert_true((size_t)status.st_size >= size);
	const void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	return map;
}

static uint64_t pages_of(uint64_t bytes)
{
	return (bytes + 4095) & ~4095ULL;
}

/* Where the address of a node leads in the flat copy. */
static uint64_t flat_addr(const struct tare_thread_file *file, uint64_t addr)
{
	for (uint64_t i = 0; i < file->chunk_count; i++) {
		const struct tare_chunk *chunk = &file->chunks[i];
		const uint64_t offset = addr - chunk->run_addr;

		if (chunk->kind == TARE_CHUNK_NODES &&
		    offset < chunk->count * sizeof(struct tare_node))
			return file->run_addr + TARE_THREAD_HEADER_BYTES +
			       chunk->first * sizeof(struct tare_node) + offset;
	}
	return addr;
}

static uint64_t os_offset(const struct tare_thread_file *thread)
{
	return TARE_THREAD_HEADER_BYTES + pages_of(thread->node_count * sizeof(struct tare_node));
}

static uint64_t flat_bytes(const struct tare_thread_file *thread)
{
	return os_offset(thread) + pages_of(thread->os_count * sizeof(struct tare_os_record));
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void chunk_copy(struct tare_thread_file *flat, const struct tare_chunk *chunk,
		       const char *file)
{
	const bool nodes = chunk->kind == TARE_CHUNK_NODES;
	const uint64_t all = nodes ? flat->node_count : flat->os_count;
	const uint64_t bytes = nodes ? sizeof(struct tare_node) : sizeof(struct tare_os_record);
	const uint64_t start = nodes ? TARE_THREAD_HEADER_BYTES : os_offset(flat);

	if (chunk->kind <= TARE_CHUNK_OS && chunk->first < all)
		memcpy((char *)flat + start + chunk->first * bytes, file + chunk->file_offset,
		       least(chunk->count, all - chunk->first) * bytes);
}

/* A copy of a thread file in which nodes, and OS records, lie behind each other. */
static const struct tare_thread_file *thread_flat(const struct probed_session *session,
						  const char *name)
{
	const struct tare_thread_file *file = file_map(session, name, TARE_THREAD_FIRST_BYTES);
	uint64_t size = TARE_THREAD_FIRST_BYTES;

	for (uint64_t i = 0; i < file->chunk_count; i++) {
		const struct tare_chunk *chunk = &file->chunks[i];
		const uint64_t element = chunk->kind == TARE_CHUNK_NODES
						 ? sizeof(struct tare_node)
						 : sizeof(struct tare_os_record);

		if (chunk->file_offset + chunk->count * element > size)
			size = chunk->file_offset + chunk->count * element;
	}
	munmap((void *)file, TARE_THREAD_FIRST_BYTES);
	file = file_map(session, name, size);
	struct tare_thread_file *flat = mmap(NULL, flat_bytes(file), PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(flat, MAP_FAILED);
	*flat = *file;
	for (uint64_t i = 0; i < file->chunk_count; i++)
		chunk_copy(flat, &file->chunks[i], (const char *)file);
	struct tare_node *nodes = (struct tare_node *)probed_nodes(flat);

	for (uint64_t i = 0; i < flat->node_count; i++)
		nodes[i].parent = flat_addr(file, nodes[i].parent);
	flat->top = flat_addr(file, flat->top);
	munmap((void *)file, size);
	return flat;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void files_read(struct probed_session *session)
{
	struct dirent **entries;
	const int count = scandir(session->directory, &entries, NULL, by_name);

	assert_true(count >= 0);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (!strncmp(name, "thread.", 7) && session->thread_count < PROBED_FILES_MAX)
			session->threads[session->thread_count++] = thread_flat(session, name);
		if (!strncmp(name, "process.", 8) && session->process_count < PROBED_FILES_MAX)
			session->processes[session->process_count++] =
				file_map(session, name, 4096);
		free(entries[i]);
	}
	free(entries);
}

static void child_exec(const struct probed_session *session, const char *program,
		       const struct probed_limits *limits, const char *user_audit)
{
	char audit[4096], directory[128];
	char *arguments[] = {(char *)fixture_path, (char *)program, NULL};
	char *environment[] = {(char *)"FIRST=1", audit, directory, (char *)"LAST=1", NULL};

	snprintf(audit, sizeof(audit), "LD_AUDIT=%s%s%s", user_audit ? user_audit : "",
		 user_audit ? ":" : "", runtime_path);
	snprintf(directory, sizeof(directory), TARE_ENV_SESSION "=%s", session->directory);
	if (limits && limits->file_size)
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){limits->file_size, limits->file_size});
	execve(fixture_path, arguments, environment);
	_exit(127);
}

static void space_limit(struct probed_session *session, uint64_t space)
{
	char options[64];

	snprintf(options, sizeof(options), "size=%lu,mode=700", (unsigned long)space);
	session->mounted = mount("tare-test", session->directory, "tmpfs", 0, options) == 0;
	if (session->mounted)
		return;
	rmdir(session->directory);
	print_message("skipped: a small file system cannot be mounted: %s\n", strerror(errno));
	skip();
}

void probed_session_run_with(struct probed_session *session, const char *program,
			     const struct probed_limits *limits, const char *user_audit)
{
	int pipe_fds[2];
	size_t length = 0;
	ssize_t got;

	*session = (struct probed_session){.directory = "/dev/shm/tare-test-XXXXXX"};
	if (!mkdtemp(session->directory)) {
		strcpy(session->directory, "/tmp/tare-test-XXXXXX");
		assert_non_null(mkdtemp(session->directory));
	}
	if (limits && limits->space)
		space_limit(session, limits->space);
	assert_int_equal(pipe(pipe_fds), 0);
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		dup2(pipe_fds[1], 1);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		child_exec(session, program, limits, user_audit);
	}
	close(pipe_fds[1]);
	while ((got = read(pipe_fds[0], session->output + length,
			   sizeof(session->output) - 1 - length)) > 0)
		length += (size_t)got;
	close(pipe_fds[0]);
	assert_int_equal(waitpid(pid, &session->status, 0), pid);
	assert_int_equal(sscanf(session->output,
				"empty %lx run %lx fib %lx tail %lx plt %lx leaf %lx",
				&session->keys.empty, &session->keys.run, &session->keys.fib,
				&session->keys.tail, &session->keys.plt, &session->keys.leaf),
			 6);
	files_read(session);
}

void probed_session_run(struct probed_session *session, const char *program)
{
	probed_session_run_with(session, program, NULL, NULL);
}

void probed_session_end(struct probed_session *session)
{
	struct dirent **entries;
	const int count = scandir(session->directory, &entries, NULL, NULL);

	for (size_t i = 0; i < session->thread_count; i++)
		munmap((void *)session->threads[i], flat_bytes(session->threads[i]));
	for (size_t i = 0; i < session->process_count; i++)
		munmap((void *)session->processes[i], 4096);
	for (int i = 0; i < count; i++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/%s", session->directory, entries[i]->d_name);
		unlink(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	if (session->mounted)
		umount2(session->directory, MNT_DETACH);
	rmdir(session->directory);
}

const struct tare_node *probed_nodes(const struct tare_thread_file *thread)
{
	return (const void *)((const char *)thread + TARE_THREAD_HEADER_BYTES);
}

const struct tare_os_record *probed_os(const struct tare_thread_file *thread)
{
	return (const void *)((const char *)thread + os_offset(thread));
}

static const struct tare_node *caller_of(const struct tare_thread_file *thread,
					 const struct tare_node *node)
{
	return (const void *)((const char *)thread + (node->parent - thread->run_addr));
}

static const struct tare_node *top_of(const struct tare_thread_file *thread)
{
	return (const void *)((const char *)thread + (thread->top - thread->run_addr));
}

uint64_t probed_depth(const struct tare_thread_file *thread)
{
	uint64_t depth = 0;

	for (const struct tare_node *node = top_of(thread); node != probed_nodes(thread);
	     node = caller_of(thread, node))
		depth++;
	return depth;
}

static uint64_t owed_to(const struct tare_node *node, uint64_t end_ticks)
{
	const int64_t own = (int64_t)(end_ticks - node->start - node->child);
	const int64_t least = (int64_t)node->os_exclusive;

	return own < least ? (uint64_t)(least - own) : 0;
}

/*
 * What the clock gets back at the ends of the calls in progress: more cost was subtracted in them
 * than their intervals were long, as when calibration met a busy machine.
 */
static uint64_t clock_owed(const struct tare_thread_file *thread)
{
	const struct tare_node *node = top_of(thread);
	uint64_t end_ticks = thread->now_ticks, owed = 0;

	for (; node != probed_nodes(thread); node = caller_of(thread, node)) {
		owed += owed_to(node, end_ticks);
		end_ticks = node->start;
	}
	return owed + owed_to(node, end_ticks);
}

/* What the nodes have is what the calls in progress know of ended ones. */
static void assert_adds_up(const struct tare_thread_file *thread)
{
	int64_t ended = 0, known = probed_nodes(thread)[0].child;

	for (uint64_t i = 0; i < thread->node_count; i++)
		ended += probed_nodes(thread)[i].elapsed_ticks;
	for (const struct tare_node *node = top_of(thread); node != probed_nodes(thread);
	     node = caller_of(thread, node))
		known += node->child;
	assert_int_equal(ended, known);
	assert_true(ended <= (int64_t)(thread->now_ticks + clock_owed(thread)));
}

static uint64_t full_calls(const struct tare_thread_file *thread, uint64_t node)
{
	const struct tare_os_record *records = probed_os(thread);
	uint64_t calls = 0;

	for (uint64_t i = 0; i < thread->os_count; i++)
		if (records[i].node == node && records[i].cause == TARE_RECORD_CALLS)
			calls += records[i].count;
	return calls;
}

static uint64_t node_calls(const struct tare_thread_file *thread, uint64_t node)
{
	uint64_t calls = full_calls(thread, node);

	for (int bucket = 0; bucket < TARE_CALL_BUCKETS; bucket++)
		calls += probed_nodes(thread)[node].buckets[bucket];
	return calls;
}

/*
 * By how much intervals may be below 0 together, so that those of the operating system are more
 * than all: each by a probe's cost, and a call ends at most four.
 */
static uint64_t shortfall(const struct tare_thread_file *thread)
{
	uint64_t calls = probed_depth(thread) + 1;

	for (uint64_t i = 0; i < thread->node_count; i++)
		calls += node_calls(thread, i);
	return 4 * calls * TARE_PROBE_TICKS_MAX;
}

void probed_thread_check(const struct tare_thread_file *thread)
{
	assert_int_equal(thread->magic, TARE_THREAD_MAGIC);
	assert_int_equal(thread->abi, TARE_SESSION_FILES_ABI);
	assert_int_equal(thread->gate, 0);
	assert_adds_up(thread);
	assert_true(thread->os_ticks <= thread->now_ticks + clock_owed(thread) + shortfall(thread));
	assert_int_equal(thread->folded, 0);
	assert_int_equal(thread->too_deep, 0);
	assert_int_equal(thread->os_lost, 0);
}

uint64_t probed_calls(const struct tare_thread_file *thread, uint64_t key)
{
	uint64_t calls = 0;

	for (uint64_t i = 0; i < thread->node_count; i++)
		if (probed_nodes(thread)[i].key == key)
			calls += node_calls(thread, i);
	return calls;
}
