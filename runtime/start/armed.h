/* armed: the probes of an instrumented file are switched on when it is loaded. */
#ifndef TARE_RUNTIME_START_ARMED_H
#define TARE_RUNTIME_START_ARMED_H

#include "runtime/base/module.h"

/*
 * Fills the slots and arms all probes. False where there is no note, or where it points outside
 * the file's own writable segments.
 */
bool module_arm(const struct module_segments *segments);

/*
 * Its counters get pages that are kept; `ordinal`: of its record. Those of a copy that another
 * version of tare has made may be anywhere in it: they get memory that is not kept.
 */
void module_count_calls(const struct module_segments *segments, uint64_t ordinal);

/* It is about to be unloaded. */
void module_count_no_calls(const struct module_segments *segments);

#endif
