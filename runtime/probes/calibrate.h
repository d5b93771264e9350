/*
 * calibrate: what the probes themselves cost, measured in the target at its start and at its end;
 * while it runs, see control/pace.h.
 */
#ifndef TARE_RUNTIME_PROBES_CALIBRATE_H
#define TARE_RUNTIME_PROBES_CALIBRATE_H

#include "abi/module.h"

#include "abi/module.h"
#include "abi/session_files.h"

/*
 * Before the first probe: fills calibration and cost_ticks of state_session with what the handlers
 * `slots` cost, here or in a process of the session that has measured it lately.
 */
void calibrate_begin(const struct tare_slots *slots);

/*
 * The process ends, and with it the calling thread's recording: measures ENTER and LEAVE, CALL and
 * RETURN again, once. What the thread's signal handlers report meanwhile is lost. No system calls
 * where the process has measured at its begin.
 */
void calibrate_end(void);

#endif
