/*
 * waits: how long a thread that was switched has waited, by the kernel's CPU clock of the thread;
 * and how much of that it could have run, by the run delay.
 *
 * The clock is read only where the thread was switched: all time between two readings that it has
 * not advanced by is waiting.
 */
#ifndef TARE_RUNTIME_OS_WAITS_H
#define TARE_RUNTIME_OS_WAITS_H

#include "runtime/files/self.h"

/* Once in a process image, early: clocks are compared from here on. */
void waits_probe_host(void);

/* Forgets what was read before: a new thread, or a forked child. */
void waits_begin(const struct tare_thread_file *self, struct state_private *private_state);

/* How an interval's switches came about; the last: nobody may ask whether there were any. */
enum waits_kind { WAITS_VOLUNTARY, WAITS_INVOLUNTARY, WAITS_UNASKED };

/*
 * In an interval with switches, of that kind: fills the event's waits, as far as is known. Where
 * the clock may not be read, which is counted, all of the interval is waiting, if it is known that
 * there was a switch.
 */
void waits_collect(struct tare_thread_file *self, struct state_private *private_state,
		   enum waits_kind kind, struct accumulate_event *event);

/* After switches during the runtime's own work: their waits are nobody's. */
void waits_forget(const struct tare_thread_file *self, struct state_private *private_state);

#endif
