/* status: what the kernel says of the calling thread in /proc. */
#ifndef TARE_RUNTIME_EXEC_STATUS_H
#define TARE_RUNTIME_EXEC_STATUS_H

#include <stdint.h>

/* The number in the line that `line` begins ("\nName:"); 0: there is none, or it cannot be read. */
uint64_t status_number(const char *line);

#endif
