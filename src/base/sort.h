/* Numbers, as addresses are sorted by the hundred thousand. */
#ifndef TARE_BASE_SORT_H
#define TARE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Ascending. Takes as much memory again while it sorts. */
void sort_u64(uint64_t *values, size_t count);

#endif
