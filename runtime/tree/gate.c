#include "runtime/tree/gate.h"

#include "runtime/base/state.h"

void gate_close(struct tare_thread_file *self, uint64_t sp)
{
	self->gate = sp;
	state_barrier();
}

bool gate_enter(struct tare_thread_file *self, uint64_t sp)
{
	const uint64_t gate = self->gate;

	if (gate && gate != GATE_OFF) {
		if (!stacks_abandoned(self, gate, sp))
			return false; /* of a probe that is still at work below this one */
		accumulate_repair(self);
	}
	gate_close(self, sp);
	return true;
}

void gate_exit(struct tare_thread_file *self, uint64_t gate)
{
	state_barrier();
	self->gate = gate;
}
