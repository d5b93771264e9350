/*
 * One run of the hand-instrumented fixture (fixtures/probed.c) under the runtime, without a
 * recorder: what the tests of the runtime share.
 */
#ifndef TARE_TESTS_SUPPORT_PROBED_SESSION_H
#define TARE_TESTS_SUPPORT_PROBED_SESSION_H

#include "abi/session_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBED_FILES_MAX 400

/* Run addresses of the fixture's functions. */
struct probed_keys {
	unsigned long empty, run, fib, tail, plt, leaf;
};

struct probed_session {
	char directory[64];
	char output[4096]; /* the first line gives the keys */
	struct probed_keys keys;
	int status;
	bool mounted; /* the directory is a file system of its own */
	const struct tare_thread_file *threads[PROBED_FILES_MAX];
	const struct tare_process_file *processes[PROBED_FILES_MAX];
	size_t thread_count, process_count;
};

struct probed_limits {
	uint64_t file_size; /* RLIMIT_FSIZE; 0: none */
	uint64_t space;	    /* of the file system that the session lies on; 0: as it is */
};

/* Takes the paths of the runtime and the fixture from the test's arguments. */
bool probed_session_arguments(int argc, char **argv);

/*
 * Runs one of the fixture's programs; with limits, and with an auditor of the user's own. Skips
 * the test when a small file system cannot be mounted.
 */
void probed_session_run(struct probed_session *session, const char *program);
void probed_session_run_with(struct probed_session *session, const char *program,
			     const struct probed_limits *limits, const char *user_audit);

/* Unmaps and removes everything. */
void probed_session_end(struct probed_session *session);

/* All of the thread's, one behind the other. */
const struct tare_node *probed_nodes(const struct tare_thread_file *thread);
const struct tare_os_record *probed_os(const struct tare_thread_file *thread);

/* Calls in progress. */
uint64_t probed_depth(const struct tare_thread_file *thread);

/* Ended calls of the function, on all paths. */
uint64_t probed_calls(const struct tare_thread_file *thread, uint64_t key);

/* Fails the test unless the file is whole and its times add up. */
void probed_thread_check(const struct tare_thread_file *thread);

#endif
