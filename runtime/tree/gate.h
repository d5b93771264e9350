/*
 * gate: who may work on a thread's file. A signal handler may run at any instruction of a probe,
 * and its code has probes. Those find the gate closed and drop their event (counted). When their
 * stack lies above the gate's, the probe that closed it was left by siglongjmp and will not go on.
 */
#ifndef TARE_RUNTIME_TREE_GATE_H
#define TARE_RUNTIME_TREE_GATE_H

#include "runtime/tree/accumulate.h"

#define GATE_OFF (~0ULL) /* of a thread whose collection is off (control.h) */

/*
 * Closes the gate as a probe does whose stack is at `sp`, for other work on the thread's file.
 * False in a handler of a signal that has interrupted a probe.
 */
bool gate_enter(struct tare_thread_file *self, uint64_t sp);

/* The same where the gate is the probe's own, or free. */
void gate_close(struct tare_thread_file *self, uint64_t sp);

/* Leaves the gate with a value: 0, open, or GATE_OFF. */
void gate_exit(struct tare_thread_file *self, uint64_t gate);

/* Of what was done behind the gate: the runtime's own time is nobody's. */
static inline void gate_spend(struct tare_thread_file *self, uint64_t spent_ticks)
{
	if ((int64_t)spent_ticks > 0) {
		self->own_ticks += spent_ticks;
		self->lost_ticks += spent_ticks;
	}
}

#endif
