/*
 * segment_base: which files set the base of the segment register %gs themselves, by which counters
 * find the pages of their thread (runtime/files/counters.h).
 */
#ifndef TARE_REWRITE_SEGMENT_BASE_H
#define TARE_REWRITE_SEGMENT_BASE_H

#include "object/object.h"

/*
 * Has executable code what may be a wrgsbase? It is looked for as bytes, in code that nobody knows
 * to be a function, too; so others may be taken for one, by chance one in a hundred megabytes.
 */
bool code_may_set_gs(const struct object *object);

#endif
