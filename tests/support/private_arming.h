/* private_arming: what tests give the arming of probes instead of a process. */
#ifndef TARE_TESTS_PRIVATE_ARMING_H
#define TARE_TESTS_PRIVATE_ARMING_H

#include <stdint.h>

/* The function that switches recording on or off; 0: none. */
extern uint64_t private_arming_trigger;

#endif
