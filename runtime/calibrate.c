/*
 * Runs the real handlers through real stubs on a thread state of its own: batches of calls of an
 * empty instrumented function, and of an empty function that is not instrumented. A batch gives
 * the mean length of the intervals that begin with each kind of event; the cost is the lower
 * quartile of the batches: what disturbs a batch (interrupts, cold caches, a busy sibling) only
 * makes it longer.
 */
#include "runtime/calibrate.h"

#include "runtime/bytes.h"
#include "runtime/kernel.h"
#include "runtime/os_flag.h"
#include "runtime/probes.h"

#include <sys/mman.h>

#define BATCHES	    33
#define BATCH_CALLS 16 /* of calibrate_entered and calibrate_called */
#define AREA_BYTES  8192ULL

/* In calibrate_stubs.S. */
extern uint64_t calibrate_slots[4] __attribute__((visibility("hidden")));
void calibrate_entered(void);
void calibrate_called(void);

static uint64_t quartile(uint64_t *values)
{
	for (int i = 1; i < BATCHES; i++)
		for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
			const uint64_t swap = values[k];

			values[k] = values[k - 1];
			values[k - 1] = swap;
		}
	return values[BATCHES / 4];
}

/* Ticks per call inside the callee's frame, and outside of it. */
static void batches_run(struct tare_thread_file *self, void (*batch)(void), uint64_t costs[2])
{
	uint64_t inside[BATCHES], outside[BATCHES];
	const struct tare_node *nodes =
		(const struct tare_node *)(self->run_addr + TARE_THREAD_NODES_OFFSET);

	for (int i = 0; i < BATCHES; i++) {
		const uint64_t now = self->now_ticks;
		const struct tare_node *node = (const struct tare_node *)nodes[0].last_child;
		const uint64_t elapsed = node->elapsed_ticks;

		accumulate_begin(self, kernel_ticks());
		batch();
		inside[i] = (node->elapsed_ticks - elapsed) / BATCH_CALLS;
		outside[i] = (self->now_ticks - now) / BATCH_CALLS - inside[i];
	}
	costs[0] = quartile(inside);
	costs[1] = quartile(outside);
}

static void thread_state_init(struct tare_thread_file *self, struct state_private *private_state)
{
	self->run_addr = (uint64_t)self;
	self->node_limit = AREA_BYTES / sizeof(struct tare_node);
	self->os_limit = AREA_BYTES / sizeof(struct tare_os_record);
	accumulate_init(self, &private_state->local, kernel_ticks());
	state_private = private_state;
	os_flag_begin(self, private_state);
	state_thread = self;
}

void calibrate_probes(void)
{
	const long map = kernel_call(SYS_mmap, 0, TARE_THREAD_FILE_BYTES, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const struct tare_handlers *handlers = &probes_slots()->plain;
	struct state_private private_state = {0};

	if (map < 0 && map > -4096)
		return;
	struct tare_thread_file *self = (struct tare_thread_file *)map;

	calibrate_slots[0] = handlers->enter;
	calibrate_slots[1] = handlers->leave;
	calibrate_slots[2] = handlers->call;
	calibrate_slots[3] = handlers->return_;
	state_process.selector = state_session.selector;
	state_process.rseq_offset = state_session.rseq_offset;
	thread_state_init(self, &private_state);
	calibrate_entered();
	batches_run(self, calibrate_entered, &state_session.cost_ticks[TARE_EVENT_ENTER]);
	calibrate_called();
	uint64_t costs[2];

	batches_run(self, calibrate_called, costs);
	state_session.cost_ticks[TARE_EVENT_CALL] = costs[0];
	state_session.cost_ticks[TARE_EVENT_RETURN] = costs[1];
	os_flag_end(self);
	state_thread = &state_unborn;
	state_private = NULL;
	state_process.rseq_offset = 0;
	accumulate_fini(&private_state.local);
	kernel_call(SYS_munmap, map, TARE_THREAD_FILE_BYTES);
}
