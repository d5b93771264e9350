/*
 * Waiting, by two clocks.
 *
 *   last reading                         this reading
 *   ├── on the CPU ──┤ waited ├─ on the CPU ─┤      waited = TSC passed - CPU clock advanced
 *
 * The CPU clock counts nanoseconds. What a nanosecond is in ticks is measured against the raw
 * monotonic clock, from the process's begin on, each time that this span has doubled: so what is
 * wrong with it stays a fraction of a microsecond, however long no clock was read.
 *
 * The run delay has no system call, only a file. It is opened while the process has one thread: a
 * descriptor that comes and goes could meet another thread's open, which counts on its number.
 * Where all switches were involuntary no file needs to be asked: the thread was always ready to
 * run. To open it takes longer than the shortest waits, which count as blocked; where these are
 * much beside a longer one, what the file says is not that one's.
 *
 * Refuses to compare readings of different threads: a vfork child has its parent's memory.
 */
#include "runtime/os/waits.h"

#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"

#include <fcntl.h>
#include <linux/time.h>
#include <linux/time_types.h>

#define NS_PER_SECOND	1000000000ULL
#define READ_ROUNDS	4
#define READ_TICKS	8192 /* a reading that took longer was interrupted */
#define LATE_TICKS	65536
#define ASKED_TICKS	65536 /* a shorter wait is not worth a file */
#define UNASKED_PART	8
#define RATE_SHIFT	32
#define DELAY_TEXT_SIZE 96

/* Of two clocks, at one moment. */
struct reading {
	uint64_t ticks, ns;
};

static struct reading process_begin;
static uint64_t rate_ticks; /* the span that `rate` was measured over */
static uint64_t rate;	    /* ticks per nanosecond << RATE_SHIFT */

/* False where the clock may not be read. The shortest of a few readings is the best. */
static bool clock_read(int clock, struct reading *reading)
{
	uint64_t shortest = UINT64_MAX;

	for (int round = 0; round < READ_ROUNDS && shortest > READ_TICKS; round++) {
		struct __kernel_timespec time = {0};
		const uint64_t before = kernel_ticks();

		if (kernel_call(SYS_clock_gettime, clock, &time))
			return false;
		const uint64_t took = kernel_ticks() - before;

		if (took >= shortest)
			continue;
		shortest = took;
		reading->ticks = before + took / 2;
		reading->ns = (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
	}
	return true;
}

void waits_probe_host(void)
{
	rate = 0;
	if (!clock_read(CLOCK_MONOTONIC_RAW, &process_begin))
		process_begin = (struct reading){0};
}

/* (value << RATE_SHIFT) / divisor, which is above value >> RATE_SHIFT. There is no library for it.
 */
static uint64_t divide_shifted(uint64_t value, uint64_t divisor)
{
	uint64_t quotient, rest;

	__asm__("divq %4"
		: "=a"(quotient), "=d"(rest)
		: "0"(value << RATE_SHIFT), "1"(value >> (64 - RATE_SHIFT)), "r"(divisor)
		: "cc");
	return quotient;
}

/* Any thread's measurement is as good as another's. */
static void rate_measure(uint64_t span)
{
	struct reading now;

	if (!process_begin.ticks || !clock_read(CLOCK_MONOTONIC_RAW, &now) ||
	    now.ns <= process_begin.ns)
		return;
	const uint64_t ticks = now.ticks - process_begin.ticks, ns = now.ns - process_begin.ns;

	if (ticks >> RATE_SHIFT >= ns)
		return;
	__atomic_store_n(&rate, divide_shifted(ticks, ns), __ATOMIC_RELAXED);
	__atomic_store_n(&rate_ticks, span, __ATOMIC_RELAXED);
}

/* 0 where it cannot be told. */
static uint64_t rate_at(uint64_t ticks)
{
	const uint64_t span = ticks - process_begin.ticks;

	if (!__atomic_load_n(&rate, __ATOMIC_RELAXED) ||
	    span / 2 >= __atomic_load_n(&rate_ticks, __ATOMIC_RELAXED))
		rate_measure(span);
	return __atomic_load_n(&rate, __ATOMIC_RELAXED);
}

static uint64_t ticks_of(uint64_t ns, uint64_t at_rate)
{
	return (uint64_t)((unsigned __int128)ns * at_rate >> RATE_SHIFT);
}

/* The second number of "…  …  …": how long the thread was ready to run, in nanoseconds. */
static bool delay_parse(const char *text, long length, uint64_t *delay_ns)
{
	long at = 0;

	while (at < length && text[at] != ' ')
		at++;
	at++;
	if (at >= length || text[at] < '0' || text[at] > '9')
		return false;
	*delay_ns = 0;
	for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
		*delay_ns = *delay_ns * 10 + (uint64_t)(text[at] - '0');
	return true;
}

static long delay_read_text(char *text, uint64_t size_bytes)
{
	const long fd = kernel_call(SYS_openat, AT_FDCWD,
				    kernel_is_first() ? "/proc/self/schedstat"
						      : "/proc/thread-self/schedstat",
				    O_RDONLY | O_CLOEXEC);
	long length = -1;

	if (fd >= 0) {
		length = kernel_call(SYS_read, fd, text, size_bytes);
		kernel_call(SYS_close, fd);
	}
	return length;
}

/* A signal handler must not meet the descriptor, nor leave it behind. */
static bool delay_read(uint64_t *delay_ns)
{
	char text[DELAY_TEXT_SIZE];
	long length = -1;

	if (memory_has_threads() || kernel_is_stepped())
		return false;
	const uint64_t mask = kernel_signals_block();

	if (memory_alone_begin()) {
		length = delay_read_text(text, sizeof(text));
		memory_alone_end();
	}
	kernel_signals_restore(mask);
	return length > 0 && delay_parse(text, length, delay_ns);
}

/*
 * The CPU clock of one thread, as pthread_getcpuclockid makes it: the kernel refuses it to another
 * process, so that a vfork child in the thread's memory needs no call of its own to be told apart.
 */
static int clock_of(int32_t tid)
{
	return (int)(~(uint32_t)tid << 3 | 6);
}

/* A filter of the program's may know no other clocks than those that have names. */
static bool cpu_read(int32_t tid, struct state_waits_seen *seen)
{
	struct reading now;

	if (!clock_read(clock_of(tid), &now) &&
	    (!kernel_is_tid(tid) || !clock_read(CLOCK_THREAD_CPUTIME_ID, &now)))
		return false;
	seen->ticks = now.ticks;
	seen->cpu_ns = now.ns;
	return true;
}

void waits_begin(const struct tare_thread_file *self, struct state_private *private_state)
{
	struct state_waits_seen *seen = &private_state->waits_seen;

	*seen = (struct state_waits_seen){0};
	if (cpu_read(self->tid, seen))
		seen->has_delay = delay_read(&seen->delay_ns);
}

/*
 * Where the thread was switched again between the end of the interval and the reading, that wait is
 * the runtime's: then the interval's own end counts, at which the CPU clock was some microseconds
 * behind.
 */
static uint64_t end_of(const struct state_waits_seen *seen, uint64_t interval_end)
{
	return (int64_t)(seen->ticks - interval_end) > LATE_TICKS ? interval_end : seen->ticks;
}

/*
 * What the thread has waited between the last reading and the end of the interval; the last reading
 * becomes that of now.
 */
static bool waited_until(int32_t tid, struct state_waits_seen *seen, uint64_t interval_end,
			 uint64_t *waited_ticks, uint64_t *used_rate)
{
	const struct state_waits_seen before = *seen;

	if (!before.ticks || !cpu_read(tid, seen))
		return false;
	*used_rate = rate_at(seen->ticks);
	if (!*used_rate)
		return false;
	const uint64_t on_cpu = seen->cpu_ns > before.cpu_ns
					? ticks_of(seen->cpu_ns - before.cpu_ns, *used_rate)
					: 0;
	const int64_t passed = (int64_t)(end_of(seen, interval_end) - before.ticks);

	*waited_ticks = passed > (int64_t)on_cpu ? (uint64_t)passed - on_cpu : 0;
	return true;
}

/* How much of `waited`, which is not 0, the thread was ready to run. */
static uint64_t ready_ticks(struct tare_thread_file *self, struct state_waits_seen *seen,
			    enum waits_kind kind, uint64_t waited, uint64_t used_rate)
{
	const uint64_t before = seen->delay_ns;
	const bool had = seen->has_delay && seen->unasked_ticks <= waited / UNASKED_PART;

	if (kind == WAITS_INVOLUNTARY) {
		if (waited >> RATE_SHIFT < used_rate)
			seen->delay_ns += divide_shifted(waited, used_rate);
		return waited;
	}
	if (waited < ASKED_TICKS) {
		seen->unasked_ticks += waited;
		self->delays_unread++;
		return 0;
	}
	seen->has_delay = delay_read(&seen->delay_ns);
	seen->unasked_ticks = 0;
	if (!had || !seen->has_delay) {
		self->delays_unread++;
		return 0;
	}
	const int64_t delay_ns = (int64_t)(seen->delay_ns - before);
	const uint64_t ready = delay_ns > 0 ? ticks_of((uint64_t)delay_ns, used_rate) : 0;

	return ready < waited ? ready : waited - (kind == WAITS_VOLUNTARY); /* it did block */
}

/* Nothing but the kind of the switches is known, where it is. */
static void waits_unread(struct tare_thread_file *self, enum waits_kind kind,
			 struct accumulate_event *event)
{
	self->cpu_unread++;
	if (kind == WAITS_VOLUNTARY)
		event->blocked_ticks = UINT64_MAX;
	if (kind == WAITS_INVOLUNTARY)
		event->preempted_ticks = UINT64_MAX;
}

void waits_collect(struct tare_thread_file *self, struct state_private *private_state,
		   enum waits_kind kind, struct accumulate_event *event)
{
	struct state_waits_seen *seen = &private_state->waits_seen;
	uint64_t waited, used_rate;

	if (!waited_until(self->tid, seen, event->ticks, &waited, &used_rate)) {
		waits_unread(self, kind, event);
		return;
	}
	waited += !waited && kind != WAITS_UNASKED; /* a switch takes time */
	if (!waited)
		return;
	event->preempted_ticks = ready_ticks(self, seen, kind, waited, used_rate);
	event->blocked_ticks = waited - event->preempted_ticks;
}

void waits_forget(const struct tare_thread_file *self, struct state_private *private_state)
{
	struct state_waits_seen *seen = &private_state->waits_seen;

	if (cpu_read(self->tid, seen) && seen->has_delay)
		seen->has_delay = delay_read(&seen->delay_ns);
}
