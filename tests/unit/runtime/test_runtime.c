/*
 * The runtime end to end, without the rewriter: the programs of fixtures/probed.c, whose probes
 * are hand-written, run under LD_AUDIT with a session directory of their own; what they leave in
 * it is read and checked. Arguments: the runtime, the fixture.
 */
#include "abi/session_files.h"
#include "tests/support/probed_session.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

/* A thread that ended in order: complete, empty stack, nothing dropped. */
static void assert_thread_complete(const struct tare_thread_file *thread)
{
	probed_thread_check(thread);
	assert_true(thread->flags & TARE_THREAD_ENDED);
	assert_true(thread->end_ticks > thread->begin_ticks);
	assert_int_equal(probed_depth(thread), 0);
	assert_int_equal(thread->dropped, 0);
	assert_int_equal(thread->unmatched, 0);
}

static void assert_exit_ok(const struct probed_session *session)
{
	assert_true(WIFEXITED(session->status));
	assert_int_equal(WEXITSTATUS(session->status), 0);
}

static void test_counts(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "counts");
	assert_exit_ok(&session);
	assert_int_equal(session.process_count, 1);
	assert_int_equal(session.thread_count, 1);
	const struct tare_thread_file *thread = session.threads[0];

	assert_thread_complete(thread);
	assert_int_equal(probed_calls(thread, session.keys.empty), 1000 + 100 + 50 + 10 * 20);
	assert_int_equal(probed_calls(thread, session.keys.tail), 100);
	assert_int_equal(probed_calls(thread, session.keys.plt), 50);
	assert_int_equal(probed_calls(thread, session.keys.leaf), 50);
	assert_int_equal(probed_calls(thread, session.keys.run), 10);
	assert_int_equal(probed_calls(thread, session.keys.fib), 21891);
	probed_session_end(&session);
}

/* The counters of a node have 32 bits; the calls do not. */
static void test_full_counters(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "full");
	assert_exit_ok(&session);
	const struct tare_thread_file *thread = session.threads[0];

	assert_thread_complete(thread);
	assert_int_equal(probed_calls(thread, session.keys.empty),
			 TARE_CALL_BUCKETS * (TARE_BUCKET_FULL - 1ULL) + 1000);
	assert_true(thread->os_count > 0);
	probed_session_end(&session);
}

static void test_modules_noted(void **state)
{
	struct probed_session session;
	bool executable = false, loader = false;

	(void)state;
	probed_session_run(&session, "counts");
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
	probed_session_end(&session);
}

static void test_elapsed_time(void **state)
{
	struct probed_session session;
	unsigned long ticks, nanoseconds;

	(void)state;
	probed_session_run(&session, "time");
	const char *line = strstr(session.output, "\nticks ");

	assert_non_null(line);
	assert_int_equal(sscanf(line, "\nticks %lu ns %lu", &ticks, &nanoseconds), 2);
	const struct tare_thread_file *thread = session.threads[0];

	assert_thread_complete(thread);
	uint64_t inclusive = 0;

	/* all but the root: what ran inside probed_run */
	for (uint64_t i = 2; i < thread->node_count; i++)
		inclusive += probed_nodes(thread)[i].elapsed_ticks;
	assert_true(inclusive <= ticks / 100 * 103);
	/* A thread that is suspended in a slow path loses that time to it. */
	assert_true(inclusive + thread->own_ticks >= ticks / 100 * 97);
	probed_session_end(&session);
}

/* What follows the last probe is a part of the thread's time. */
static void test_last_interval(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "last");
	assert_exit_ok(&session);
	assert_int_equal(session.thread_count, 2);
	for (size_t i = 0; i < session.thread_count; i++) {
		const struct tare_thread_file *thread = session.threads[i];

		assert_thread_complete(thread);
		assert_true(thread->now_ticks >= 20000000 / 100 * 99);
		assert_true(thread->now_ticks <= thread->end_ticks - thread->begin_ticks);
	}
	probed_session_end(&session);
}

/* What a session holds is its user's alone, whatever files the program itself makes. */
static void test_files_are_private(void **state)
{
	struct probed_session session;
	size_t files = 0;
	const mode_t before = umask(0);

	(void)state;
	probed_session_run(&session, "threads");
	umask(before);
	assert_exit_ok(&session);
	DIR *directory = opendir(session.directory);

	assert_non_null(directory);
	for (const struct dirent *entry; (entry = readdir(directory));) {
		struct stat info;

		assert_int_equal(
			fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW), 0);
		if (!S_ISREG(info.st_mode))
			continue;
		assert_int_equal(info.st_mode & 07777, 0600);
		files++;
	}
	closedir(directory);
	assert_true(files >= 9);
	probed_session_end(&session);
}

static void test_fork_inherits(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "fork");
	assert_int_equal(session.process_count, 2);
	assert_int_equal(session.thread_count, 2);
	const bool first_is_parent = !(session.processes[0]->flags & TARE_PROCESS_FORKED);
	const struct tare_thread_file *parent = session.threads[!first_is_parent];
	const struct tare_thread_file *child = session.threads[first_is_parent];

	assert_thread_complete(parent);
	assert_thread_complete(child);
	assert_int_equal(probed_calls(parent, session.keys.empty), 3 + 5 + 2);
	assert_int_equal(probed_calls(parent, session.keys.run), 1);
	assert_int_equal(probed_calls(child, session.keys.empty), 7 + 2);
	assert_int_equal(probed_calls(child, session.keys.run), 0);
	assert_int_equal(child->inherited_frames, 2);
	assert_int_equal(session.processes[first_is_parent]->parent_pid, parent->pid);
	probed_session_end(&session);
}

/* Without a SYSCALL probe the child begins at its root, and what it leaves is unmatched. */
static void test_fork_unseen(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "plain-fork");
	assert_int_equal(session.thread_count, 2);
	for (size_t i = 0; i < 2; i++)
		probed_thread_check(session.threads[i]);
	probed_session_end(&session);
}

static void test_vfork_shares(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "vfork");
	assert_exit_ok(&session);
	assert_int_equal(session.thread_count, 1);
	assert_thread_complete(session.threads[0]);
	assert_int_equal(probed_calls(session.threads[0], session.keys.empty), 20);
	probed_session_end(&session);
}

static void test_threads(void **state)
{
	struct probed_session session;
	uint64_t calls = 0;

	(void)state;
	probed_session_run(&session, "threads");
	assert_exit_ok(&session);
	assert_int_equal(session.thread_count, 8);
	for (size_t i = 0; i < session.thread_count; i++) {
		probed_thread_check(session.threads[i]);
		assert_int_equal(probed_depth(session.threads[i]), 0);
		calls += probed_calls(session.threads[i], session.keys.empty);
	}
	assert_int_equal(calls, 36000);
	probed_session_end(&session);
}

static void test_many_threads(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "many-threads");
	assert_exit_ok(&session);
	assert_int_equal(session.thread_count, 300);
	for (size_t i = 0; i < session.thread_count; i++)
		assert_int_equal(probed_calls(session.threads[i], session.keys.empty), 10);
	probed_session_end(&session);
}

static void test_kill(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "kill");
	assert_true(WIFSIGNALED(session.status) && WTERMSIG(session.status) == SIGKILL);
	const struct tare_thread_file *thread = session.threads[0];

	probed_thread_check(thread);
	assert_false(thread->flags & TARE_THREAD_ENDED);
	assert_int_equal(probed_depth(thread), 2); /* probed_run and what it called */
	assert_int_equal(probed_calls(thread, session.keys.empty), 100000);
	assert_int_equal(probed_calls(thread, session.keys.run), 0);
	probed_session_end(&session);
}

static void test_signal_handlers(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "signals");
	assert_exit_ok(&session);
	const struct tare_thread_file *thread = session.threads[0];

	probed_thread_check(thread);
	assert_int_equal(probed_depth(thread), 0);
	assert_int_equal(thread->unmatched, 0);
	/* every handler made ten calls: each was counted, or both of its events were dropped */
	assert_int_equal(2 * probed_calls(thread, session.keys.empty) + thread->dropped,
			 2 * 10 * (uint64_t)atoi(strstr(session.output, "handled ") + 8));
	probed_session_end(&session);
}

static void test_siglongjmp_out_of_probes(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "siglongjmp");
	assert_exit_ok(&session);
	probed_thread_check(session.threads[0]);
	assert_int_equal(probed_depth(session.threads[0]), 0);
	assert_true(probed_calls(session.threads[0], session.keys.empty) >= 1000);
	probed_session_end(&session);
}

static void test_registers_kept(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "registers");
	assert_exit_ok(&session);
	assert_non_null(strstr(session.output, "changed 0 errno 12345"));
	probed_session_end(&session);
}

static void test_exec_followed(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "exec");
	assert_exit_ok(&session);
	assert_int_equal(session.process_count, 2);
	assert_int_equal(session.thread_count, 2);
	assert_thread_complete(session.threads[0]);
	assert_thread_complete(session.threads[1]);
	assert_int_equal(probed_calls(session.threads[0], session.keys.empty), 9);
	assert_int_equal(probed_calls(session.threads[1], session.keys.fib), 21891);
	assert_true(session.processes[0]->flags & TARE_PROCESS_ENDED);
	probed_session_end(&session);
}

/* The thread goes on: readers must not take it, nor its process, for one that has ended. */
static void test_failed_exec_is_no_end(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "failed-exec");
	assert_true(WIFSIGNALED(session.status));
	assert_int_equal(session.process_count, 1);
	assert_int_equal(session.thread_count, 1);
	assert_int_equal(probed_calls(session.threads[0], session.keys.empty), 9);
	assert_false(session.threads[0]->flags & TARE_THREAD_ENDED);
	assert_int_equal(session.threads[0]->end_ticks, 0);
	assert_false(session.processes[0]->flags & TARE_PROCESS_ENDED);
	assert_int_equal(session.processes[0]->end_ticks, 0);
	probed_session_end(&session);
}

static void test_environment_hidden(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run(&session, "environment");
	assert_exit_ok(&session);
	assert_null(strstr(session.output, "seen"));
	assert_non_null(strstr(session.output, "page size 4096, from the stack 4096"));
	probed_session_end(&session);
}

static void test_environment_keeps_users_auditor(void **state)
{
	struct probed_session session;

	(void)state;
	probed_session_run_with(&session, "environment", NULL, "/nonexistent/auditor.so");
	assert_non_null(strstr(session.output, "seen LD_AUDIT=/nonexistent/auditor.so\n"));
	assert_null(strstr(session.output, "seen TARE"));
	probed_session_end(&session);
}

/* Where no files can be made the program runs as if nothing were there. */
static void test_limits(void **state)
{
	const struct probed_limits small = {.file_size = 1 << 21}, none = {.file_size = 4096};
	struct probed_session session;

	(void)state;
	probed_session_run_with(&session, "counts", &small, NULL);
	assert_exit_ok(&session);
	assert_int_equal(session.thread_count, 1);
	probed_thread_check(session.threads[0]);
	probed_session_end(&session);
	probed_session_run_with(&session, "counts", &none, NULL);
	assert_exit_ok(&session);
	assert_int_equal(session.thread_count, 0);
	if (session.process_count)
		assert_true(session.processes[0]->threads_lost > 0);
	probed_session_end(&session);
}

/* A file system that fills up: some threads are lost, and counted; the program notices nothing. */
static void test_full_file_system(void **state)
{
	const struct probed_limits limits = {.space = 120 << 10};
	struct probed_session session;

	(void)state;
	probed_session_run_with(&session, "threads", &limits, NULL);
	assert_exit_ok(&session);
	assert_int_equal(session.process_count, 1);
	assert_in_range(session.thread_count, 1, 7);
	assert_int_equal(session.processes[0]->threads_lost, 8 - session.thread_count);
	for (size_t i = 0; i < session.thread_count; i++)
		probed_thread_check(session.threads[i]);
	probed_session_end(&session);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_full_counters),
		cmocka_unit_test(test_modules_noted),
		cmocka_unit_test(test_elapsed_time),
		cmocka_unit_test(test_last_interval),
		cmocka_unit_test(test_files_are_private),
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
		cmocka_unit_test(test_failed_exec_is_no_end),
		cmocka_unit_test(test_environment_hidden),
		cmocka_unit_test(test_environment_keeps_users_auditor),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_full_file_system),
	};

	if (!probed_session_arguments(argc, argv))
		return 2;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
