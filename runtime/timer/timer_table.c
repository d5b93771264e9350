/* The threads with timers, and the kernel's timers themselves. */
#include "runtime/base/kernel.h"
#include "runtime/timer/timer_thread.h"

#define EXPIRY_NS	1000 /* of processor time: long before the next tick */
#define SIGEV_THREAD_ID 4
#define CLOCK_REAL	1 /* CLOCK_MONOTONIC */

struct timer_thread *timer_threads[TIMER_THREADS_MAX];
struct timer_state timer_state;

struct kernel_event {
	uint64_t value;
	int32_t number, notify, tid;
	int32_t rest[11];
};

_Static_assert(sizeof(struct kernel_event) == 64, "struct sigevent");

/* linux/posix-timers.h: a thread's scheduler clock */
static uint64_t thread_clock(int32_t tid)
{
	return (uint64_t)(int64_t)(int32_t)(~(uint32_t)tid << 3 | 6);
}

static struct __kernel_timespec timespec_of(uint64_t ns)
{
	return (struct __kernel_timespec){(long long)(ns / 1000000000),
					  (long long)(ns % 1000000000)};
}

static bool timer_make(const struct timer_thread *thread, uint64_t clock, int32_t *timer)
{
	const struct kernel_event event = {.value = thread->index,
					   .number = timer_state.signal,
					   .notify = SIGEV_THREAD_ID,
					   .tid = thread->tid};

	return kernel_call(SYS_timer_create, clock, &event, timer) == 0;
}

bool timer_arm(struct timer_thread *thread)
{
	const struct timer_interval times = {.interval = timespec_of(EXPIRY_NS),
					     .first = timespec_of(EXPIRY_NS)};
	struct timer_between *between = &thread->between;

	thread->tick.cpu_ns = 0;
	if (!timer_make(thread, thread_clock(thread->tid), &thread->timer))
		return false;
	if (timer_state.between_mean_ns)
		between->has_timer = timer_make(thread, CLOCK_REAL, &between->timer);
	thread->has_timer = kernel_call(SYS_timer_settime, thread->timer, 0, &times, 0) == 0;
	if (!thread->has_timer)
		timer_disarm(thread);
	return thread->has_timer;
}

void timer_disarm(struct timer_thread *thread)
{
	timer_between_drop(thread);
	if (thread->has_timer)
		kernel_call(SYS_timer_delete, thread->timer);
	thread->has_timer = false;
}
