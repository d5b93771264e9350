/* control_calls: changes of levels by the program (the functions of abi/api.h) and from outside. */
#ifndef TARE_RUNTIME_PROCESS_CONTROL_CALLS_H
#define TARE_RUNTIME_PROCESS_CONTROL_CALLS_H

#include <stdint.h>

/* Both return one of enum tare_result. */
int control_change(int operation, int level, uint32_t id);
int control_state(void);

/* At a system call: takes in what has been changed from outside. */
void control_poll(void);

#endif
