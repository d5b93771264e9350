#include "runtime/timer/timer_tick.h"

#include "abi/timer.h"
#include "runtime/control/control.h"
#include "runtime/timer/timer_thread.h"

#define TICK_MEMORY 16
#define TICK_NS_MAX (1ULL << 40) /* which no thread runs for without a tick */

void timer_tick_begin(struct timer_tick *tick, uint64_t tick_ns)
{
	const struct timer_mean mean = {.ns = (int64_t)tick_ns};

	*tick = (struct timer_tick){.mean = {mean, mean}};
}

/* Up to here, since the tick before; 0: not known. */
static uint64_t time_since(struct timer_tick *tick)
{
	const uint64_t now_ns = timer_cpu_ns(), off_mark = control_off_mark();
	const bool known = tick->cpu_ns && now_ns > tick->cpu_ns && off_mark == tick->off_mark &&
			   now_ns - tick->cpu_ns < TICK_NS_MAX;
	const uint64_t since_ns = known ? now_ns - tick->cpu_ns : 0;

	tick->cpu_ns = now_ns;
	tick->off_mark = off_mark;
	return since_ns;
}

static void mean_add(struct timer_mean *mean, int64_t ns)
{
	mean->count += mean->count < TICK_MEMORY;
	mean->ns += (ns - mean->ns) / mean->count;
}

/* Rounded by chance. */
static int64_t units_of(int64_t ns, int64_t unit_ns, uint64_t *random)
{
	const int64_t units = (ns + (int64_t)(timer_random(random) % (uint64_t)unit_ns)) / unit_ns;

	return units < TARE_TIMER_PERIODS_MAX ? units : TARE_TIMER_PERIODS_MAX;
}

uint32_t timer_tick_meets(struct timer_tick *tick, bool was_sampled_between, uint64_t unit_ns,
			  uint64_t *random)
{
	const int64_t since_ns = (int64_t)time_since(tick);
	struct timer_mean *mean = &tick->mean[was_sampled_between];

	if (since_ns)
		mean_add(mean, since_ns);
	const int64_t ns = mean->ns + mean->owed_ns / TICK_MEMORY;
	const int64_t units = ns > 0 ? units_of(ns, (int64_t)unit_ns, random) : 0;

	if (since_ns)
		mean->owed_ns += since_ns - units * (int64_t)unit_ns;
	return (uint32_t)units;
}
