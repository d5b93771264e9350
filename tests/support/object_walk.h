/* Asks an object everything it can answer: what a damaged file must survive. */
#ifndef TARE_TESTS_OBJECT_WALK_H
#define TARE_TESTS_OBJECT_WALK_H

#include "object/object.h"

/* Opens the bytes, walks and closes; false if they could not be opened. */
bool object_walk_bytes(const void *bytes, size_t size, struct error *err);

#endif
