/* See copy.h. */
#include "rewrite/copy.h"

uint64_t copy_of(const struct copy_range *range, uint64_t addr)
{
	if (addr >= range->fde->end)
		return range->stubs_begin;
	const size_t low = partition_point(range->points.len, i, range->points.data[i].addr < addr);
	return low < range->points.len ? range->points.data[low].copy_addr : range->stubs_begin;
}
