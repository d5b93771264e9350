/* Reading a thread's file while another one becomes rows of the profile. */
#ifndef TARE_ASSEMBLE_THREAD_AHEAD_H
#define TARE_ASSEMBLE_THREAD_AHEAD_H

#include "session/thread_files.h"

#include <pthread.h>

struct thread_ahead {
	int session_fd;
	const char *name; /* of the file; borrowed */
	struct thread_file file;
	struct error err;
	bool ok; /* else err says why it could not be read */
	pthread_t thread;
	bool runs;
};

/* Begins to read. What is borrowed stays until the end. */
void thread_ahead_begin(struct thread_ahead *ahead, int session_fd, const char *name);
/* Waits until it is read; then `file` and `ok` are there. */
void thread_ahead_end(struct thread_ahead *ahead);
/* Ends it if it was begun, and frees what was read. */
void thread_ahead_fini(struct thread_ahead *ahead);

#endif
