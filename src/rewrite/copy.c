/* See copy.h. */
#include "rewrite/copy.h"

uint64_t copy_of(const struct copy_range *range, uint64_t addr)
{
	if (addr >= range->fde->end)
		return range->stubs_begin;
	const size_t low = partition_point(range->insn_count, i, range->insns[i].addr < addr);
	return low < range->insn_count ? copy_addr_at(range, low) : range->stubs_begin;
}
