/*
 * calibrate: what the probes themselves cost, measured in the target at its start and at its end.
 */
#ifndef TARE_RUNTIME_CALIBRATE_H
#define TARE_RUNTIME_CALIBRATE_H

#include "abi/arena.h"

/* Before the first probe: fills calibration and cost_ticks of state_session. */
void calibrate_begin(void);

/*
 * Measures ENTER and LEAVE, CALL and RETURN again. No event of the calling thread may be recorded
 * any more: what its signal handlers report meanwhile is lost. No system calls.
 */
void calibrate_end(struct tare_calibration *result);

#endif
