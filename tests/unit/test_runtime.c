/*
 * The runtime end to end, without the rewriter: the programs of fixtures/probed.c, whose probes
 * are hand-written, run under LD_AUDIT with a session directory of their own; what they leave in
 * it is read and checked. Arguments: the runtime, the fixture.
 */
#include "abi/arena.h"
#include "abi/session.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FILES_MAX 400

static const char *runtime_path, *fixture_path;

struct keys {
	unsigned long empty, run, fib, tail, plt, leaf;
};

struct session {
	char directory[64];
	char output[4096]; /* the first line gives the keys */
	struct keys keys;
	int status;
	const struct tare_thread_file *threads[FILES_MAX];
	const struct tare_process_file *processes[FILES_MAX];
	size_t thread_count, process_count;
};

static const void *file_map(const struct session *session, const char *name, size_t size)
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

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void files_read(struct session *session)
{
	struct dirent **entries;
	const int count = scandir(session->directory, &entries, NULL, by_name);

	assert_true(count >= 0);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (!strncmp(name, "thread.", 7) && session->thread_count < FILES_MAX)
			session->threads[session->thread_count++] =
				file_map(session, name, TARE_THREAD_FILE_BYTES);
		if (!strncmp(name, "process.", 8) && session->process_count < FILES_MAX)
			session->processes[session->process_count++] =
				file_map(session, name, 4096);
		free(entries[i]);
	}
	free(entries);
}

struct limits {
	rlim_t file_size;
};

static void child_exec(const struct session *session, const char *program,
		       const struct limits *limits, const char *user_audit)
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

static void session_run_with(struct session *session, const char *program,
			     const struct limits *limits, const char *user_audit)
{
	int pipe_fds[2];
	size_t length = 0;
	ssize_t got;

	*session = (struct session){.directory = "/dev/shm/tare-test-XXXXXX"};
	if (!mkdtemp(session->directory)) {
		strcpy(session->directory, "/tmp/tare-test-XXXXXX");
		assert_non_null(mkdtemp(session->directory));
	}
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

static void session_run(struct session *session, const char *program)
{
	session_run_with(session, program, NULL, NULL);
}

static void session_end(struct session *session)
{
	struct dirent **entries;
	const int count = scandir(session->directory, &entries, NULL, NULL);

	for (size_t i = 0; i < session->thread_count; i++)
		munmap((void *)session->threads[i], TARE_THREAD_FILE_BYTES);
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
	rmdir(session->directory);
}

static const struct tare_node *nodes_of(const struct tare_thread_file *thread)
{
	return (const void *)((const char *)thread + TARE_THREAD_NODES_OFFSET);
}

static const struct tare_frame *frames_of(const struct tare_thread_file *thread)
{
	return (const void *)((const char *)thread + TARE_THREAD_FRAMES_OFFSET);
}

static uint64_t depth_of(const struct tare_thread_file *thread)
{
	return (thread->top - thread->run_addr - TARE_THREAD_FRAMES_OFFSET) /
	       sizeof(struct tare_frame);
}

static uint64_t sum_of(const struct tare_thread_file *thread)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < thread->node_count; i++)
		sum += nodes_of(thread)[i].elapsed_ticks;
	for (uint64_t i = 0; i <= depth_of(thread); i++)
		sum += frames_of(thread)[i].exclusive;
	return sum;
}

static void assert_thread_sane(const struct tare_thread_file *thread)
{
	assert_int_equal(thread->magic, TARE_THREAD_MAGIC);
	assert_int_equal(thread->abi, TARE_ARENA_ABI);
	assert_int_equal(thread->gate, 0);
	assert_int_equal(sum_of(thread), thread->now_ticks);
	assert_true(thread->os_ticks <= thread->now_ticks);
	assert_int_equal(thread->folded, 0);
	assert_int_equal(thread->too_deep, 0);
	assert_int_equal(thread->os_lost, 0);
}

static uint64_t calls_in(const struct tare_thread_file *thread, uint64_t key)
{
	uint64_t calls = 0;

	for (uint64_t i = 0; i < thread->node_count; i++)
		if (nodes_of(thread)[i].key == key)
			calls += nodes_of(thread)[i].calls;
	return calls;
}

/* A thread that ended in order: complete, empty stack, nothing dropped. */
static void assert_thread_complete(const struct tare_thread_file *thread)
{
	assert_thread_sane(thread);
	assert_true(thread->flags & TARE_THREAD_ENDED);
	assert_true(thread->end_ticks > thread->begin_ticks);
	assert_int_equal(depth_of(thread), 0);
	assert_int_equal(thread->dropped, 0);
	assert_int_equal(thread->unmatched, 0);
}

static void assert_exit_ok(const struct session *session)
{
	assert_true(WIFEXITED(session->status));
	assert_int_equal(WEXITSTATUS(session->status), 0);
}

static void test_counts(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "counts");
	assert_exit_ok(&session);
	assert_int_equal(session.process_count, 1);
	assert_int_equal(session.thread_count, 1);
	const struct tare_thread_file *thread = session.threads[0];

	assert_thread_complete(thread);
	assert_int_equal(calls_in(thread, session.keys.empty), 1000 + 100 + 50 + 10 * 20);
	assert_int_equal(calls_in(thread, session.keys.tail), 100);
	assert_int_equal(calls_in(thread, session.keys.plt), 50);
	assert_int_equal(calls_in(thread, session.keys.leaf), 50);
	assert_int_equal(calls_in(thread, session.keys.run), 10);
	assert_int_equal(calls_in(thread, session.keys.fib), 21891);
	session_end(&session);
}

static void test_modules_noted(void **state)
{
	struct session session;
	bool executable = false, loader = false;

	(void)state;
	session_run(&session, "counts");
	const struct tare_process_file *process = session.processes[0];

	assert_int_equal(process->magic, TARE_PROCESS_MAGIC);
	assert_int_equal(process->flags, TARE_PROCESS_ENDED);
	assert_int_equal(process->threads_lost, 0);
	assert_string_equal(process->command, "probed");
	assert_true(process->used_bytes <= 4096);
	for (uint64_t at = sizeof(*process); at < process->used_bytes;) {
		const struct tare_module_record *record =
			(const void *)((const char *)process + at);
		const char *path = (const char *)(record + 1);

		assert_true(record->head.size_bytes >= sizeof(*record));
		at += record->head.size_bytes;
		if (record->head.type != TARE_RECORD_MODULE_OPEN)
			continue;
		executable |= strstr(path, "/probed") && record->instrumented;
		loader |= strstr(path, "ld-linux") && !record->instrumented;
	}
	assert_true(executable && loader);
	session_end(&session);
}

static void test_elapsed_time(void **state)
{
	struct session session;
	unsigned long ticks, nanoseconds;

	(void)state;
	session_run(&session, "time");
	const char *line = strstr(session.output, "\nticks ");

	assert_non_null(line);
	assert_int_equal(sscanf(line, "\nticks %lu ns %lu", &ticks, &nanoseconds), 2);
	const struct tare_thread_file *thread = session.threads[0];

	assert_thread_complete(thread);
	uint64_t inclusive = 0;

	/* all but the root: what ran inside probed_run */
	for (uint64_t i = 2; i < thread->node_count; i++)
		inclusive += nodes_of(thread)[i].elapsed_ticks;
	assert_in_range(inclusive, ticks / 100 * 97, ticks / 100 * 103);
	session_end(&session);
}

static void test_fork_inherits(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "fork");
	assert_int_equal(session.process_count, 2);
	assert_int_equal(session.thread_count, 2);
	const bool first_is_parent = !(session.processes[0]->flags & TARE_PROCESS_FORKED);
	const struct tare_thread_file *parent = session.threads[!first_is_parent];
	const struct tare_thread_file *child = session.threads[first_is_parent];

	assert_thread_complete(parent);
	assert_thread_complete(child);
	assert_int_equal(calls_in(parent, session.keys.empty), 3 + 5 + 2);
	assert_int_equal(calls_in(parent, session.keys.run), 1);
	assert_int_equal(calls_in(child, session.keys.empty), 7 + 2);
	assert_int_equal(calls_in(child, session.keys.run), 0);
	assert_int_equal(child->inherited_frames, 2);
	assert_int_equal(session.processes[first_is_parent]->parent_pid, parent->pid);
	session_end(&session);
}

/* Without a SYSCALL probe the child begins at its root, and what it leaves is unmatched. */
static void test_fork_unseen(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "plain-fork");
	assert_int_equal(session.thread_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_thread_sane(session.threads[i]);
	session_end(&session);
}

static void test_vfork_shares(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "vfork");
	assert_exit_ok(&session);
	assert_int_equal(session.thread_count, 1);
	assert_thread_complete(session.threads[0]);
	assert_int_equal(calls_in(session.threads[0], session.keys.empty), 20);
	session_end(&session);
}

static void test_threads(void **state)
{
	struct session session;
	uint64_t calls = 0;

	(void)state;
	session_run(&session, "threads");
	assert_exit_ok(&session);
	assert_int_equal(session.thread_count, 8);
	for (size_t i = 0; i < session.thread_count; i++) {
		assert_thread_sane(session.threads[i]);
		assert_int_equal(depth_of(session.threads[i]), 0);
		calls += calls_in(session.threads[i], session.keys.empty);
	}
	assert_int_equal(calls, 36000);
	session_end(&session);
}

static void test_many_threads(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "many-threads");
	assert_exit_ok(&session);
	assert_int_equal(session.thread_count, 300);
	for (size_t i = 0; i < session.thread_count; i++)
		assert_int_equal(calls_in(session.threads[i], session.keys.empty), 10);
	session_end(&session);
}

static void test_kill(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "kill");
	assert_true(WIFSIGNALED(session.status) && WTERMSIG(session.status) == SIGKILL);
	const struct tare_thread_file *thread = session.threads[0];

	assert_thread_sane(thread);
	assert_false(thread->flags & TARE_THREAD_ENDED);
	assert_int_equal(depth_of(thread), 2); /* probed_run and what it called */
	assert_int_equal(calls_in(thread, session.keys.empty), 100000);
	assert_int_equal(calls_in(thread, session.keys.run), 0);
	session_end(&session);
}

static void test_signal_handlers(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "signals");
	assert_exit_ok(&session);
	const struct tare_thread_file *thread = session.threads[0];

	assert_thread_sane(thread);
	assert_int_equal(depth_of(thread), 0);
	assert_int_equal(thread->unmatched, 0);
	/* every handler made ten calls: each was counted, or both of its events were dropped */
	assert_int_equal(2 * calls_in(thread, session.keys.empty) + thread->dropped,
			 2 * 10 * (uint64_t)atoi(strstr(session.output, "handled ") + 8));
	session_end(&session);
}

static void test_siglongjmp_out_of_probes(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "siglongjmp");
	assert_exit_ok(&session);
	assert_thread_sane(session.threads[0]);
	assert_int_equal(depth_of(session.threads[0]), 0);
	assert_true(calls_in(session.threads[0], session.keys.empty) >= 1000);
	session_end(&session);
}

static void test_registers_kept(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "registers");
	assert_exit_ok(&session);
	assert_non_null(strstr(session.output, "changed 0 errno 12345"));
	session_end(&session);
}

static void test_exec_followed(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "exec");
	assert_exit_ok(&session);
	assert_int_equal(session.process_count, 2);
	assert_int_equal(session.thread_count, 2);
	assert_thread_complete(session.threads[0]);
	assert_thread_complete(session.threads[1]);
	assert_int_equal(calls_in(session.threads[0], session.keys.empty), 9);
	assert_int_equal(calls_in(session.threads[1], session.keys.fib), 21891);
	assert_true(session.processes[0]->flags & TARE_PROCESS_ENDED);
	session_end(&session);
}

static void test_environment_hidden(void **state)
{
	struct session session;

	(void)state;
	session_run(&session, "environment");
	assert_exit_ok(&session);
	assert_null(strstr(session.output, "seen"));
	assert_non_null(strstr(session.output, "page size 4096, from the stack 4096"));
	session_end(&session);
}

static void test_environment_keeps_users_auditor(void **state)
{
	struct session session;

	(void)state;
	session_run_with(&session, "environment", NULL, "/nonexistent/auditor.so");
	assert_non_null(strstr(session.output, "seen LD_AUDIT=/nonexistent/auditor.so\n"));
	assert_null(strstr(session.output, "seen TARE"));
	session_end(&session);
}

/* Where no files can be made the program runs as if nothing were there. */
static void test_limits(void **state)
{
	const struct limits limits[] = {{.file_size = 1 << 21}, {.file_size = 4096}};

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct session session;

		session_run_with(&session, "counts", &limits[i], NULL);
		assert_exit_ok(&session);
		assert_int_equal(session.thread_count, 0);
		if (session.process_count)
			assert_true(session.processes[0]->threads_lost > 0);
		session_end(&session);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_modules_noted),
		cmocka_unit_test(test_elapsed_time),
		cmocka_unit_test(test_fork_inherits),
		cmocka_unit_test(test_fork_unseen),
		cmocka_unit_test(test_vfork_shares),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_many_threads),
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_signal_handlers),
		cmocka_unit_test(test_siglongjmp_out_of_probes),
		cmocka_unit_test(test_registers_kept),
		cmocka_unit_test(test_exec_followed),
		cmocka_unit_test(test_environment_hidden),
		cmocka_unit_test(test_environment_keeps_users_auditor),
		cmocka_unit_test(test_limits),
	};

	if (argc < 3) {
		fprintf(stderr, "usage: test_runtime RUNTIME FIXTURE\n");
		return 2;
	}
	runtime_path = argv[1];
	fixture_path = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
