/*
 * Runs the real handlers through real stubs on a thread state of its own: batches of calls of an
 * empty function with probes in it, and around it. A batch gives the mean length of the intervals
 * inside of the call and outside of it, as the handlers' own clock reads them; the cost is the
 * lower quartile of the batches: what disturbs a batch (interrupts, cold caches, a busy sibling)
 * only makes it longer.
 *
 * Counters and dormant probes are measured one behind the other: in a program they wait for each
 * other, which takes longer, or stand beside what waits, and take nothing.
 *
 * It is repeated at the end of the process, with the same memory: by then the program may have
 * forbidden itself system calls.
 *
 * A process that begins soon after another one of the session takes what that one has measured:
 * most of the processes of a build live for less time than measuring takes. Such a process measures
 * only at its end, and only if it has lived for long.
 */
#include "runtime/probes/calibrate.h"

#include "abi/module.h"
#include "runtime/base/budget.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/control/control.h"
#include "runtime/control/pace.h"
#include "runtime/files/process.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/trace.h"

#include <asm/prctl.h>

#define BATCHES	      33
#define BATCHES_END   9 /* the program waits for them to end */
#define BATCH_CALLS   16
#define SCRATCH_BYTES 65536
#define BASE_CALLS    4
#define LONG_TICKS    (1ULL << 28) /* a tenth of a second */
#define MEANS_STATIC  (1ULL << 32) /* handlers of a static executable's own runtime */

/* In pace_work.S. */
extern struct tare_slots calibrate_slots __attribute__((visibility("hidden")));
extern volatile uint8_t calibrate_arm __attribute__((visibility("hidden")));
void calibrate_enter(void);
void calibrate_enter_flags(void);
void calibrate_call(void);
void calibrate_call_flags(void);
void calibrate_call_indirect(void);
void calibrate_syscall(void);
void calibrate_gates(void);
void calibrate_counters(void);

static const struct {
	void (*batch)(void);
	enum tare_event_kind first, second;
} pairs[] = {
	[TARE_PAIR_ENTER] = {calibrate_enter, TARE_EVENT_ENTER, TARE_EVENT_LEAVE},
	[TARE_PAIR_CALL] = {calibrate_call, TARE_EVENT_CALL, TARE_EVENT_RETURN},
	[TARE_PAIR_CALL_INDIRECT] = {calibrate_call_indirect, TARE_EVENT_CALL, TARE_EVENT_RETURN},
	[TARE_PAIR_ENTER_FLAGS] = {calibrate_enter_flags, TARE_EVENT_ENTER, TARE_EVENT_LEAVE},
	[TARE_PAIR_CALL_FLAGS] = {calibrate_call_flags, TARE_EVENT_CALL, TARE_EVENT_RETURN},
};
_Static_assert(sizeof(pairs) / sizeof(pairs[0]) == TARE_PAIRS, "one entry per value");

/* A thread file of the calibration's own; it never grows. */
static char file_memory[TARE_THREAD_FIRST_BYTES] __attribute__((aligned(4096)));
static struct state_private calibration_private;
static bool stage_is_ready; /* both of them */

static uint64_t per_call(uint64_t ticks)
{
	return (ticks + BATCH_CALLS / 2) / BATCH_CALLS;
}

static uint64_t quartile(uint64_t *values, int count)
{
	for (int i = 1; i < count; i++)
		for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
			const uint64_t swap = values[k];

			values[k] = values[k - 1];
			values[k - 1] = swap;
		}
	return values[count / 4];
}

/*
 * Ticks per call inside the callee's frame, and outside of it. What the handlers subtract already
 * is added again; the clock stops before the last event's.
 */
static void pair_measure(struct tare_thread_file *self, enum tare_probe_pair pair, int count,
			 struct tare_calibration *result)
{
	const uint32_t *costs = self->cost_ticks;
	uint64_t inside[BATCHES], both[BATCHES];
	const struct tare_node *nodes =
		(const struct tare_node *)(self->run_addr + TARE_THREAD_HEADER_BYTES);

	pairs[pair].batch();
	for (int i = 0; i < count; i++) {
		const uint64_t now = self->now_ticks;
		const struct tare_node *node = (const struct tare_node *)nodes[0].last_child;
		const uint64_t elapsed = node->elapsed_ticks;

		accumulate_begin(self, kernel_ticks());
		pairs[pair].batch();
		inside[i] = node->elapsed_ticks - elapsed;
		both[i] = self->now_ticks - now;
		inside[i] += (uint64_t)costs[pairs[pair].first] * BATCH_CALLS;
		both[i] += (uint64_t)costs[pairs[pair].first] * BATCH_CALLS +
			   (uint64_t)costs[pairs[pair].second] * (BATCH_CALLS - 1);
	}
	result->inside_ticks[pair] = per_call(quartile(inside, count));
	/* the pair's cost is rounded once */
	result->outside_ticks[pair] = per_call(quartile(both, count)) - result->inside_ticks[pair];
}

/* For handlers that log: a ring of one chunk that nobody reads. */
static void trace_scratch_begin(struct tare_thread_file *self, struct accumulate_local *local)
{
	static unsigned char scratch[SCRATCH_BYTES] __attribute__((aligned(64)));

	if (!state_session.settings.trace_bytes)
		return;
	local->trace_window = (uint64_t)scratch;
	local->trace_window_bytes = sizeof(scratch);
	self->trace_slots = 1;
	self->trace_chunk_bytes = sizeof(scratch);
	self->trace_end = (uint64_t)scratch + sizeof(scratch) - TRACE_ROOM_BYTES;
	trace_begin(self, kernel_ticks());
}

/* Ticks of a batch whose probes do not read the clock; what reading it takes is taken off. */
static uint64_t batch_measure(void (*batch)(void), int count)
{
	uint64_t all[BATCHES], clock[BATCHES];

	batch();
	for (int i = 0; i < count; i++) {
		const uint64_t begin = kernel_ticks();
		const uint64_t middle = kernel_ticks();
		batch();
		all[i] = kernel_ticks() - middle;
		clock[i] = middle - begin;
	}
	const uint64_t ticks = quartile(all, count), without = quartile(clock, count);

	return ticks > without ? ticks - without : 0;
}

static void ask_little(void)
{
	for (int i = 0; i < BASE_CALLS; i++)
		kernel_call(SYS_getpid, 0);
}

static void ask_base(void)
{
	uint64_t base;

	for (int i = 0; i < BASE_CALLS; i++)
		kernel_call(SYS_arch_prctl, ARCH_GET_GS, &base);
}

/*
 * What a switch to a thread takes longer for its base of %gs (runtime/os/os_flag.c): the kernel
 * reads the register that holds it where it is asked for it, as it writes it at a switch, by an
 * instruction that a hypervisor meets alike.
 */
static uint64_t switch_measure(void)
{
	if (state_session.sets_bases)
		return 0;
	const uint64_t without = batch_measure(ask_little, BATCHES_END);
	const uint64_t with = batch_measure(ask_base, BATCHES_END);

	return with > without ? (with - without) / BASE_CALLS : 0;
}

/* Measures the first pairs of enum tare_probe_pair. */
static void pairs_measure(struct tare_thread_file *self, int pair_count, int count,
			  struct tare_calibration *result)
{
	for (int pair = 0; pair < pair_count; pair++)
		pair_measure(self, (enum tare_probe_pair)pair, count, result);
}

static void thread_state_init(struct tare_thread_file *self)
{
	accumulate_place(self, TARE_THREAD_FIRST_NODES);
	self->os_limit = 0;
	self->wait_limit = 0;
	for (int area = 0; area < ACCUMULATE_AREAS; area++)
		calibration_private.local.full[area] = true;
	accumulate_init(self, &calibration_private.local, kernel_ticks());
	trace_scratch_begin(self, &calibration_private.local);
}

static uint64_t means_now(void)
{
	return state_session.os_means | (state_session.start_pointer ? MEANS_STATIC : 0);
}

/* What another process has measured lately. */
static bool measured_take(const struct tare_usage *usage, struct tare_calibration *result)
{
	const uint32_t sequence = __atomic_load_n(&usage->sequence, __ATOMIC_ACQUIRE);
	uint64_t means;

	if (!budget_measured_means(&means) || means != means_now())
		return false;
	*result = usage->measured;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&usage->sequence, __ATOMIC_RELAXED) == sequence;
}

/* For the processes that begin soon. Another one may be at it: its values are as good. */
static void measured_give(struct tare_usage *usage, const struct tare_calibration *result)
{
	uint32_t sequence = __atomic_load_n(&usage->sequence, __ATOMIC_RELAXED);

	if (sequence & 1 || !__atomic_compare_exchange_n(&usage->sequence, &sequence, sequence + 1,
							 false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	usage->measured = *result;
	usage->measured_means = means_now();
	usage->measured_ticks = kernel_ticks();
	__atomic_store_n(&usage->sequence, sequence + 2, __ATOMIC_RELEASE);
}

static void stage_begin(struct tare_thread_file *self)
{
	thread_state_init(self);
	stage_is_ready = true;
	state_private = &calibration_private;
	os_flag_begin(self, &calibration_private);
}

static void measure(struct tare_calibration *result)
{
	struct tare_thread_file *self = (struct tare_thread_file *)file_memory;

	state_process.rseq_offset = state_session.rseq_offset;
	stage_begin(self);
	state_thread = self;
	pairs_measure(self, TARE_PAIRS, BATCHES, result);
	result->pace = pace_measure();
	result->syscall_ticks = per_call(batch_measure(calibrate_syscall, BATCHES));
	calibrate_arm = 0;
	result->bare_ticks = per_call(batch_measure(calibrate_enter, BATCHES));
	result->gates_ticks = batch_measure(calibrate_gates, BATCHES);
	result->counters_ticks = batch_measure(calibrate_counters, BATCHES);
	calibrate_arm = TARE_ARMED;
	result->switch_ticks = switch_measure();
	os_flag_end(self);
	state_thread = &state_unborn;
	state_private = NULL;
	state_process.rseq_offset = 0;
}

void calibrate_begin(const struct tare_slots *slots)
{
	struct tare_calibration *result = &state_session.calibration;
	struct tare_usage *usage = budget_shared();

	calibrate_slots = *slots;
	state_process.selector = state_session.selector;
	if (!measured_take(usage, result)) {
		measure(result);
		measured_give(usage, result);
	}
	state_session.cost_ticks[TARE_EVENT_ENTER] = result->inside_ticks[TARE_PAIR_ENTER];
	state_session.cost_ticks[TARE_EVENT_LEAVE] = result->outside_ticks[TARE_PAIR_ENTER];
	state_session.cost_ticks[TARE_EVENT_CALL] = result->inside_ticks[TARE_PAIR_CALL];
	state_session.cost_ticks[TARE_EVENT_RETURN] = result->outside_ticks[TARE_PAIR_CALL];
}

static void measure_again(struct tare_calibration *result)
{
	struct tare_thread_file *self = (struct tare_thread_file *)file_memory;
	struct tare_thread_file *thread = state_thread;
	struct state_private *private_state = state_private;

	if (!stage_is_ready)
		stage_begin(self);
	self->rseq_word = (uint64_t)__builtin_thread_pointer() + state_process.rseq_offset;
	control_begin_own(self);
	state_private = &calibration_private;
	state_thread = self;
	state_barrier();
	pairs_measure(self, TARE_PAIR_CALL + 1, BATCHES_END, result);
	state_barrier();
	state_thread = thread;
	state_private = private_state;
}

void calibrate_end(void)
{
	struct tare_calibration *due = process_complete() ? process_calibration_due() : NULL;

	if (due && (stage_is_ready || kernel_ticks() - process_begin_ticks() >= LONG_TICKS))
		measure_again(due);
}
