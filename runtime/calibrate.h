/*
 * calibrate: what the probes themselves cost, measured in the target at its start.
 */
#ifndef TARE_RUNTIME_CALIBRATE_H
#define TARE_RUNTIME_CALIBRATE_H

/* Fills state_session.cost_ticks; all zero when there is no memory for it. */
void calibrate_probes(void);

#endif
