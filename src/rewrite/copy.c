/* See copy.h. */
#include "rewrite/copy.h"

uint64_t copy_of(const struct copy_range *range, uint64_t addr)
{
	size_t low = 0, high = range->points.len;

	if (addr >= range->fde->end)
		return range->stubs_begin;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (range->points.data[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < range->points.len ? range->points.data[low].copy_addr : range->stubs_begin;
}
