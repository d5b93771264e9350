/*
 * Starting and stopping. The place of a system call's probe is kept, so that the handler knows
 * whether it has met the thread on its way from there to the call:
 *
 *   copied code ─▶ stub ─▶ probes_syscall ─▶ here: stopped ─▶ … ─▶ back in the stub ─▶ the call
 *                          └────────────── not started again ───────────────────────────┘
 *
 * Refuses to run where a module has system calls that no probe tells of, once a call without a
 * probe was seen to end by a signal, where the kernel counts real time by its tick, and where
 * filters of system calls forbid to stop it.
 */
#include "runtime/base/kernel.h"
#include "runtime/timer/timer_thread.h"

#include <linux/time_types.h>

#define CLOCK_REAL    1 /* CLOCK_MONOTONIC */
#define CLOCK_THREAD  3 /* CLOCK_THREAD_CPUTIME_ID */
#define NS_PER_SECOND 1000000000ULL
#define LATE_SHIFT    3	    /* the clocks may differ by this part of the delay */
#define LATE_NS	      20000 /* and by this much */
#define FILES_ASKED   8	    /* a microsecond or two, of some hundred */
#define STUB_BYTES    16    /* from the handler's return to the end of its stub */
#define WORK_BYTES    65536 /* of stack, below a probe: tare's own work for it */

uint64_t timer_cpu_ns(void)
{
	struct __kernel_timespec now = {0};

	if (kernel_call(SYS_clock_gettime, CLOCK_THREAD, &now))
		return 0;
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static bool timer_set(const struct timer_between *between, uint64_t delay_ns)
{
	const struct timer_interval times = {.first = {(long long)(delay_ns / NS_PER_SECOND),
						       (long long)(delay_ns % NS_PER_SECOND)}};

	return kernel_call(SYS_timer_settime, between->timer, 0, &times, 0) == 0;
}

bool timer_between_has_clock(void)
{
	struct __kernel_timespec resolution = {0};

	return kernel_call(SYS_clock_getres, CLOCK_REAL, &resolution) == 0 &&
	       resolution.tv_sec == 0 && resolution.tv_nsec == 1 && timer_cpu_ns();
}

bool timer_between_is_allowed(const struct filter *filter)
{
	return filter_allows(filter, SYS_timer_settime, NULL) &&
	       filter_allows(filter, SYS_clock_gettime, NULL);
}

void timer_between_drop(struct timer_thread *thread)
{
	struct timer_between *between = &thread->between;

	if (between->has_timer)
		kernel_call(SYS_timer_delete, between->timer);
	between->has_timer = between->runs = false;
}

/* ---- the place of a system call ---- */

#define POP_FLAGS 0x9d

/*
 * The stub's end, see abi/module.h: popf where the flags are live, lea 128(%rsp),%rsp, jmp to the
 * system call. 0 where it reads otherwise, as in poisoned files.
 */
static uint64_t call_addr(uint64_t back)
{
	static const uint8_t end[] = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0, 0xe9};
	const uint8_t *at = (const uint8_t *)back;
	int32_t distance;

	at += *at == POP_FLAGS;
	for (uint64_t i = 0; i < sizeof(end); i++)
		if (at[i] != end[i])
			return 0;
	at += sizeof(end);
	__builtin_memcpy(&distance, at, sizeof(distance));
	return (uint64_t)at + sizeof(distance) + (uint64_t)(int64_t)distance;
}

uint64_t timer_call_addr(const struct probes_registers *registers)
{
	const uint64_t back = ((const uint64_t *)registers)[TIMER_RETURN_WORD];
	const uint64_t call = *(const uint8_t *)back == POP_FLAGS ? 0 : call_addr(back);

	return call && timer_is_syscall(call) ? call : 0;
}

void timer_between_stop(struct timer_thread *self, const struct probes_registers *registers)
{
	const uint64_t back = ((const uint64_t *)registers)[TIMER_RETURN_WORD];
	struct timer_between *between = &self->between;

	if (!between->has_timer)
		return;
	if (self->probe.back != back)
		self->probe.call = call_addr(back);
	self->probe.back = back;
	__atomic_store_n(&self->probe.sp, (uint64_t)registers, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!between->runs || timer_call_cannot_wait(registers, &between->files))
		return;
	timer_set(between, 0);
	between->runs = false;
}

static bool in_runtime(uint64_t addr)
{
	return addr >= (uint64_t)&__ehdr_start && addr < (uint64_t)_end;
}

/*
 * Between the probe of a system call and the call, or it may be. Also before one that the kernel
 * makes again: it leaves in rcx where a call returns to.
 */
static bool is_calling(const struct timer_thread *self, const struct timer_context *context)
{
	const struct timer_probe *probe = &self->probe;

	if (in_runtime(context->rip))
		return !probe->call || probe->sp - context->rsp < WORK_BYTES;
	return !probe->call || context->rcx == context->rip + SYSCALL_BYTES ||
	       context->rip == probe->call || context->rip - probe->back < STUB_BYTES;
}

/* ---- in the handler ---- */

static void start(struct timer_between *between, uint64_t now_ns, uint64_t delay_ns)
{
	between->begin_cpu_ns = now_ns;
	between->delay_ns = delay_ns;
	between->files = FILES_ASKED;
	between->runs = timer_set(between, delay_ns);
}

void timer_between_start(struct timer_thread *self, const struct timer_context *context)
{
	struct timer_between *between = &self->between;
	const uint64_t mean_ns = timer_state.between_mean_ns;

	if (between->runs || !between->has_timer || !mean_ns || is_calling(self, context))
		return;
	start(between, timer_cpu_ns(), timer_delay_draw(&self->random, mean_ns));
}

bool timer_between_passed(struct timer_thread *self, const struct timer_context *context)
{
	struct timer_between *between = &self->between;

	if (!between->runs) /* it was stopped too late */
		return false;
	between->runs = false;
	const uint64_t now_ns = timer_cpu_ns(), passed_ns = now_ns - between->begin_cpu_ns;
	const uint64_t late_ns = LATE_NS + (between->delay_ns >> LATE_SHIFT);

	if (passed_ns + late_ns >= between->delay_ns)
		return true;
	if (!is_calling(self, context))
		start(between, now_ns, between->delay_ns - passed_ns);
	return false;
}
