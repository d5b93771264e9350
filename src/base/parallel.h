/*
 * Loops on all processors. The work is cut into pieces of a fixed size, so what is kept per piece
 * is the same for any number of threads.
 */
#ifndef TARE_BASE_PARALLEL_H
#define TARE_BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { PARALLEL_THREADS_MAX = 64 };

struct parallel_loop {
	/* Handles [begin, end). Calls with equal `worker` never overlap in time; worker 0 is the
	   caller's own thread. */
	void (*run)(void *context, unsigned worker, size_t begin, size_t end);
	void *context;
	size_t count, piece;
	unsigned threads; /* at least 1 */
};

/* Returns when all is done. Where no threads can be made, the caller's does it all. */
void parallel_run(const struct parallel_loop *loop);

/* `wanted`, or where it is 0, the number of processors that this process may use; bounded. */
unsigned parallel_threads(unsigned wanted);

/*
 * Starts a thread that takes no signals but those of its own faults, with a stack of a usual size
 * whatever the limit of this process's is. False where there can be none.
 */
bool parallel_start_thread(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
