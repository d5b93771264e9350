/*
 * Functions whose time is known: a chain of multiplications, each of which waits for the one
 * before, so that neither the place of the code nor what surrounds it changes its speed.
 *
 *   known SHAPE STEPS CALLS
 *
 * SHAPE is how known_work is called: leaf, nested (by a function that does as much itself),
 * indirect (through a pointer), plt (in a library: known_library_work), threads (four, with CALLS
 * each). Prints the calls made and the processor time of the loop around them, in nanoseconds.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "known.h"

enum { THREADS = 4 };

typedef uint64_t (*known_function)(uint64_t, long);

static long steps, calls;
static volatile uint64_t sink;

__attribute__((noinline, noclone)) static uint64_t known_work(uint64_t x, long count)
{
	return known_chain(x, count);
}

__attribute__((noinline, noclone)) static uint64_t known_outer(uint64_t x, long count)
{
	const uint64_t inner = known_work(x, count);

	return known_chain(inner, count);
}

static volatile known_function pointer = known_work;

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

#define LOOP(call)                                                                                 \
	for (long i = 0; i < calls; i++)                                                           \
	x = (call)

static int64_t run(const char *shape)
{
	uint64_t x = 1;
	const int64_t begin = cpu_ns();

	if (strcmp(shape, "nested") == 0)
		LOOP(known_outer(x, steps));
	else if (strcmp(shape, "indirect") == 0)
		LOOP(pointer(x, steps));
	else if (strcmp(shape, "plt") == 0)
		LOOP(known_library_work(x, steps));
	else
		LOOP(known_work(x, steps));
	sink = x;
	return cpu_ns() - begin;
}

static void *thread(void *shape)
{
	return (void *)(intptr_t)run(shape);
}

static int64_t run_threads(char *shape)
{
	pthread_t threads[THREADS];
	int64_t sum = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, shape);
	for (int i = 0; i < THREADS; i++) {
		void *ns;
		pthread_join(threads[i], &ns);
		sum += (intptr_t)ns;
	}
	return sum;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: known leaf|nested|indirect|plt|threads STEPS CALLS\n");
		return 2;
	}
	const int several = strcmp(argv[1], "threads") == 0;

	steps = atol(argv[2]);
	calls = atol(argv[3]);
	const int64_t ns = several ? run_threads(argv[1]) : run(argv[1]);
	printf("%ld %lld\n", several ? THREADS * calls : calls, (long long)ns);
	return 0;
}
