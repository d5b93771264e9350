/*
 * segment_base: which files set the base of the segment register %gs themselves, by which counters
 * find the pages of their thread (runtime/files/counters.h); and which use %fs, by which a thread
 * finds its storage.
 */
#ifndef TARE_REWRITE_SEGMENT_BASE_H
#define TARE_REWRITE_SEGMENT_BASE_H

#include "object/object.h"

/*
 * Has executable code what may be a wrgsbase? It is looked for as bytes, in code that nobody knows
 * to be a function, too; so others may be taken for one, by chance one in a hundred megabytes.
 */
bool code_may_set_gs(const struct object *object);

/*
 * Has executable code what may read or write at a fixed distance of %fs, as all code does in which
 * a thread finds itself? By bytes, too; by chance they stand in one of thousands of files.
 */
bool code_may_use_fs(const struct object *object);

#endif
