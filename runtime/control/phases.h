/*
 * phases: functions that were hot are timed again when they have become rare, as their counters
 * say. Who is disarmed again waits twice as long.
 */
#ifndef TARE_RUNTIME_CONTROL_PHASES_H
#define TARE_RUNTIME_CONTROL_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#define PHASES_RARE  4096 /* one in so many of a processor's time */
#define PHASES_LOOKS 2	  /* in a row, the first time */
#define PHASES_PART  256  /* of the time may be taken by those that are timed again */

/*
 * Looks at some of the disarmed bytes, when that is due; under arming's lock. `pair_ticks`: what
 * the probes of a call cost. Returns whether any byte was set again.
 */
bool phases_look(uint64_t now_ticks, uint64_t pair_ticks);

#endif
