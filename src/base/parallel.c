/* A shared counter hands out the pieces; see parallel.h. */
#include "base/parallel.h"

#include "base/rlimits.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

struct shared {
	const struct parallel_loop *loop;
	atomic_size_t next; /* piece */
};

struct helper {
	struct shared *shared;
	pthread_t thread;
	unsigned worker;
	bool runs;
};

static void take_pieces(struct shared *shared, unsigned worker)
{
	const struct parallel_loop *loop = shared->loop;
	const size_t pieces = (loop->count + loop->piece - 1) / loop->piece;

	for (;;) {
		const size_t number =
			atomic_fetch_add_explicit(&shared->next, 1, memory_order_relaxed);
		if (number >= pieces)
			return;
		const size_t begin = number * loop->piece, left = loop->count - begin;
		loop->run(loop->context, worker, begin,
			  begin + (left < loop->piece ? left : loop->piece));
	}
}

static void *helper_run(void *helper_at)
{
	struct helper *helper = helper_at;

	take_pieces(helper->shared, helper->worker);
	return NULL;
}

bool parallel_start_thread(pthread_t *thread, void *(*run)(void *context), void *context)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	pthread_attr_t attributes;
	sigset_t blocked, before;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, RLIMITS_STACK_BYTES);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	const bool runs = pthread_create(thread, &attributes, run, context) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return runs;
}

void parallel_run(const struct parallel_loop *loop)
{
	struct shared shared = {.loop = loop};
	struct helper helpers[PARALLEL_THREADS_MAX];
	const size_t pieces = (loop->count + loop->piece - 1) / loop->piece;
	const size_t threads = pieces < loop->threads ? pieces : loop->threads;

	for (unsigned i = 1; i < threads; i++) {
		helpers[i] = (struct helper){.shared = &shared, .worker = i};
		helpers[i].runs =
			parallel_start_thread(&helpers[i].thread, helper_run, &helpers[i]);
	}
	take_pieces(&shared, 0);
	for (unsigned i = 1; i < threads; i++) {
		if (helpers[i].runs)
			pthread_join(helpers[i].thread, NULL);
	}
}

unsigned parallel_threads(unsigned wanted)
{
	cpu_set_t set;

	if (!wanted)
		wanted = sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set)
								      : 1;
	if (!wanted)
		wanted = 1;
	return wanted < PARALLEL_THREADS_MAX ? wanted : PARALLEL_THREADS_MAX;
}
