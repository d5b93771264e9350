/*
 * adapt: --adaptive. A function (or call target) whose calls are so short that its probes cost more
 * than it does is disarmed while the program runs: its arming byte, or those of the call sites
 * that lead to it, are cleared, and its later time is its caller's.
 *
 * Nothing of this is on the probes' short way. In the general path, at most every few
 * milliseconds, a thread adds up calls and exclusive time per function over its own nodes. A
 * function is disarmed when all of this holds:
 *
 *   - ADAPT_CALLS_MIN calls of it have ended,
 *   - their average exclusive time, without the operating system's, is below RATIO × the cost of
 *     the probes of a call,
 *   - these probes have cost ADAPT_SHARE of the time that the thread itself has worked,
 *   - it shares no code with other functions (abi/module.h).
 *
 * Calls of it that are in progress then, in any thread, will never report their end. Each thread
 * learns of it at its next probe, which disarming sends to the general path: such calls at the top
 * of the stack end with the last event before, those below others when these end. They count as no
 * call, neither ended nor unwound; the time that they had is kept. So what is counted of a disarmed
 * function is a lower bound of its calls, and all times still add up.
 */
#ifndef TARE_RUNTIME_CONTROL_ADAPT_H
#define TARE_RUNTIME_CONTROL_ADAPT_H

#include "runtime/files/self.h"

#define ADAPT_CALLS_MIN 10000
#define ADAPT_SHARE	1024 /* one in so many */

/* Around accumulate_event, in the general path. */
void adapt_before(struct tare_thread_file *self, const struct accumulate_event *event);
void adapt_after(struct tare_thread_file *self, struct adapt_local *local,
		 const struct accumulate_event *event);

/* See host.h. */
bool adapt_loses_ends(uint64_t key);

/* A module that occupied [begin, end) is gone: other functions may come to its addresses. */
void adapt_forget(uint64_t begin, uint64_t end);

#endif
