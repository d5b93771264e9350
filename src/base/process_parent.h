/* Which process has started another one, as /proc tells. */
#ifndef TARE_BASE_PROCESS_PARENT_H
#define TARE_BASE_PROCESS_PARENT_H

#include <stdbool.h>
#include <stdint.h>

/* 0: it has none, or there is no such process. */
uint32_t process_parent(uint32_t pid);

/* Whether `pid` is `ancestor` or has been started by it, or by what that has started. */
bool process_descends_from(uint32_t pid, uint32_t ancestor);

#endif
