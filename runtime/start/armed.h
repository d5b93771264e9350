/* armed: the probes of an instrumented file are switched on when it is loaded. */
#ifndef TARE_RUNTIME_START_ARMED_H
#define TARE_RUNTIME_START_ARMED_H

#include "runtime/base/module.h"

/*
 * Fills the slots and arms all probes. False where there is no note, or where it points outside
 * the file's own writable segments.
 */
bool module_arm(const struct module_segments *segments);

/* Its counters get pages that are kept; `ordinal`: of its record. */
void module_count_calls(const struct module_segments *segments, uint64_t ordinal);

#endif
