/* The threads with timers, and the kernel's timers themselves. */
#include "runtime/base/kernel.h"
#include "runtime/timer/timer_thread.h"

#include <linux/time_types.h>

#define EXPIRY_NS	1000 /* of processor time: long before the next tick */
#define SIGEV_THREAD_ID 4

struct timer_thread *timer_threads[TIMER_THREADS_MAX];
struct timer_state timer_state;

struct kernel_event {
	uint64_t value;
	int32_t number, notify, tid;
	int32_t rest[11];
};

struct kernel_interval {
	struct __kernel_timespec interval, first;
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

bool timer_arm(struct timer_thread *thread)
{
	const struct kernel_event event = {.value = thread->index,
					   .number = timer_state.signal,
					   .notify = SIGEV_THREAD_ID,
					   .tid = thread->tid};
	const struct kernel_interval times = {.interval = timespec_of(EXPIRY_NS),
					      .first = timespec_of(EXPIRY_NS)};

	if (kernel_call(SYS_timer_create, thread_clock(thread->tid), &event, &thread->timer))
		return false;
	thread->has_timer = kernel_call(SYS_timer_settime, thread->timer, 0, &times, 0) == 0;
	if (!thread->has_timer)
		kernel_call(SYS_timer_delete, thread->timer);
	return thread->has_timer;
}

void timer_disarm(struct timer_thread *thread)
{
	if (thread->has_timer)
		kernel_call(SYS_timer_delete, thread->timer);
	thread->has_timer = false;
}
