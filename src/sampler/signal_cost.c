#include "sampler/signal_cost.h"

#include "sampler/clock_gaps.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS   100000
#define SPAN_NS	    8000000
#define MOMENTS_MAX (SPAN_NS / PERIOD_NS + 1)
#define ROUNDS	    64

/* Of the handler, which the only thread that measures at a time is interrupted by. */
static uint64_t moments_ns[MOMENTS_MAX];
static volatile sig_atomic_t moment_count;

static void note(int number)
{
	(void)number;
	if (moment_count < MOMENTS_MAX) {
		moments_ns[moment_count] = clock_gaps_now_ns();
		moment_count = moment_count + 1;
	}
}

/* A signal of ours, for a while. */
struct borrowed {
	int number; /* 0: none is free */
	struct sigaction action;
	sigset_t mask;
};

static void borrow(struct borrowed *borrowed)
{
	struct sigaction ours = {.sa_handler = note, .sa_flags = SA_RESTART};
	sigset_t one;

	for (int number = SIGRTMAX; number >= SIGRTMIN && !borrowed->number; number--)
		if (sigaction(number, NULL, &borrowed->action) == 0 &&
		    borrowed->action.sa_handler == SIG_DFL)
			borrowed->number = number;
	if (!borrowed->number)
		return;
	sigfillset(&ours.sa_mask);
	sigaction(borrowed->number, &ours, NULL);
	sigemptyset(&one);
	sigaddset(&one, borrowed->number);
	sigprocmask(SIG_UNBLOCK, &one, &borrowed->mask);
	moment_count = 0;
}

/* One that is still pending is dropped. */
static void give_back(const struct borrowed *borrowed)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(borrowed->number, &ignore, NULL);
	sigaction(borrowed->number, &borrowed->action, NULL);
	sigprocmask(SIG_SETMASK, &borrowed->mask, NULL);
}

static bool start(timer_t *timer, int number)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
	const struct itimerspec times = {.it_interval = {.tv_nsec = PERIOD_NS},
					 .it_value = {.tv_nsec = PERIOD_NS}};

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, timer) < 0)
		return false;
	timer_settime(*timer, 0, &times, NULL);
	return true;
}

static uint64_t measure_timer(int number)
{
	struct clock_gaps *gaps = mem_zalloc(sizeof(*gaps));
	uint64_t cost = 0;
	timer_t timer;

	if (start(&timer, number)) {
		clock_gaps_find(gaps, SPAN_NS);
		timer_delete(timer);
		cost = clock_gaps_cost(gaps, moments_ns, (size_t)moment_count);
	}
	free(gaps);
	return cost;
}

/* How long the calls of a kind take. */
static uint64_t measure_calls(long call, long process, long thread, long number)
{
	uint64_t lengths[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++) {
		const uint64_t begin = clock_gaps_now_ns();
		syscall(call, process, thread, number);
		lengths[i] = clock_gaps_now_ns() - begin;
	}
	return clock_gaps_quartile(lengths, ROUNDS);
}

/* Sent to itself; less a call that does nothing. */
static uint64_t measure_signal(int number)
{
	const long process = getpid(), thread = syscall(SYS_gettid);
	const uint64_t sent = measure_calls(SYS_tgkill, process, thread, number);
	const uint64_t call = measure_calls(SYS_tgkill, process, thread, 0);

	return sent > call ? sent - call : 0;
}

struct signal_cost signal_cost_measure(void)
{
	struct signal_cost cost = {0};
	struct borrowed borrowed = {0};

	borrow(&borrowed);
	if (!borrowed.number)
		return cost;
	cost.timer_ns = measure_timer(borrowed.number);
	cost.signal_ns = measure_signal(borrowed.number);
	give_back(&borrowed);
	return cost;
}
