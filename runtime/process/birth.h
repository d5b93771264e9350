/*
 * birth: the recording of a process begins, at the start of a program and at the first probe in a
 * forked child, and ends.
 */
#ifndef TARE_RUNTIME_PROCESS_BIRTH_H
#define TARE_RUNTIME_PROCESS_BIRTH_H

#include <stdbool.h>

/*
 * Makes the process file where there is none yet. False while another thread does it, or when this
 * process is not recorded.
 */
bool process_begin(void);

#endif
