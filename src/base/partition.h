/* Binary search: where a condition that holds for the first elements of something ends. */
#ifndef TARE_BASE_PARTITION_H
#define TARE_BASE_PARTITION_H

#include <stddef.h>

/*
 * The number of leading indexes of [0, count) for which `holds`, an expression of the index `at`,
 * is true; it must hold for none behind the first for which it does not.
 * partition_point(n, i, begin[i] <= addr) is one more than the last that begins at or before addr.
 */
#define partition_point(count, at, holds)                                                          \
	__extension__({                                                                            \
		size_t partition_low = 0, partition_high = (count);                                \
		while (partition_low < partition_high) {                                           \
			const size_t at = partition_low + (partition_high - partition_low) / 2;    \
			if (holds)                                                                 \
				partition_low = at + 1;                                            \
			else                                                                       \
				partition_high = at;                                               \
		}                                                                                  \
		partition_low;                                                                     \
	})

#endif
