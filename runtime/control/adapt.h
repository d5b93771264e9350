/*
 * adapt: --adaptive. Every call is counted by its counter (abi/counters.h). Whether it is timed,
 * too, is decided for each function (or call target) while the program runs: those whose probes
 * cost more than they tell are disarmed. Their arming bytes, or those of the call sites that lead
 * to them, are cleared; their later time is their caller's, and samples say how much of it is
 * theirs.
 *
 * Nothing of this is on the probes' short way. In the general path, every few milliseconds that
 * a thread has worked, it adds up calls and exclusive time per function over its own nodes. A
 * function of SUMS_CALLS_MIN calls is disarmed when
 *
 *   - the average exclusive time of its calls of late, without waits, is below
 *     RATIO × the cost of the probes of a call, and these have cost SUMS_SHARE of the time that the
 *     thread has worked, of late or in all; or
 *   - all probes together have cost more than SUMS_BUDGET of it of late, and the function is among
 *     those whose calls are shortest.
 *
 * While all probes together cost more than SUMS_BUDGET, or functions stay that should go, single
 * events are looked at, too (looks.h): by the second of its calls among 64 events, or by the first
 * where the probes cost more than an eighth of the work, a function of LOOKS_CALLS_MIN short calls
 * is disarmed at once. Only events tell the call sites that calls through pointers come from.
 *
 * It stays timed if it waits, in whatever thread (waiters.h): only the clock knows that. So does
 * who calls what waits, if the waits are worth it (abi/learned.h), and who shares code with other
 * functions (abi/module.h). One that has become rare is timed again: see phases.h.
 *
 * Calls of it that are in progress when it is disarmed, in any thread, will never report their end.
 * Each thread learns of it at its next probe, which disarming sends to the general path: such calls
 * at the top of the stack end with the last event before, those below others when these end. They
 * are not timed calls, neither ended nor unwound; the time that they had is kept. Likewise calls
 * that are in progress when a function is timed again report an end without a begin, which is no
 * event.
 */
#ifndef TARE_RUNTIME_CONTROL_ADAPT_H
#define TARE_RUNTIME_CONTROL_ADAPT_H

#include "runtime/files/self.h"

/* A thread begins, perhaps with the memory of one that has ended. */
void adapt_begin(struct adapt_local *local);

/* The process has begun; where its counters are not kept, all that was disarmed is timed again. */
void adapt_begin_process(void);

/* Around accumulate_event, in the general path. */
void adapt_before(struct tare_thread_file *self, struct adapt_local *local,
		  const struct accumulate_event *event);
void adapt_after(struct tare_thread_file *self, struct adapt_local *local,
		 const struct accumulate_event *event);

/*
 * A module without probes came while the program runs: calls through pointers may lead there, and
 * only the clock tells them from others of their call sites. So these are timed again.
 */
void adapt_open_plain(void);

/* A module that occupied [begin, end) is gone: other functions may come to its addresses. */
void adapt_forget(uint64_t begin, uint64_t end);

#endif
