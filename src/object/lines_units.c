/*
 * Which compilation unit has the code at an address: by the ranges that each unit's entry states.
 * .debug_aranges would say the same faster, but clang does not write it, and in programs of several
 * compilers it covers some units only, which does not show.
 */
#include "base/partition.h"
#include "object/lines_private.h"

#include <dwarf.h>
#include <string.h>

bool lines_step(struct lines *lines)
{
	if (!lines->steps)
		return false;
	lines->steps--;
	return true;
}

static void unit_ranges_append(struct lines *lines, Dwarf_Die *die, size_t unit)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &begin, &end)) > 0 && lines_step(lines)) {
		/* Code that the linker has left out was moved to 0 or to the end. */
		if (begin >= end || !object_is_executable(lines->object, begin))
			continue;
		const struct unit_range range = {.begin = begin, .end = end, .unit = unit};
		vec_push(&lines->ranges, range);
	}
}

static void unit_append(struct lines *lines, Dwarf_CU *cu)
{
	Dwarf_Die die, split;
	uint8_t type;

	memset(&split, 0, sizeof(split));
	if (dwarf_cu_info(cu, NULL, &type, &die, &split, NULL, NULL, NULL) != 0 ||
	    (type != DW_UT_compile && type != DW_UT_skeleton))
		return;
	const bool is_split = type == DW_UT_skeleton;
	struct lines_unit unit = {
		.die = die,
		.tree = is_split ? split : die,
		.has_tree = !is_split || split.addr,
	};
	unit_ranges_append(lines, &die, lines->units.len);
	vec_push(&lines->units, unit);
}

static int by_begin(const void *a, const void *b)
{
	const struct unit_range *left = a, *right = b;

	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	return (left->unit > right->unit) - (left->unit < right->unit);
}

void lines_units_read(struct lines *lines)
{
	Dwarf_CU *cu = NULL;
	uint64_t reach = 0;

	if (lines->units_read)
		return;
	lines->units_read = true;
	while (dwarf_get_units(lines->dwarf, cu, &cu, NULL, NULL, NULL, NULL) == 0 &&
	       lines_step(lines))
		unit_append(lines, cu);
	vec_sort(&lines->ranges, by_begin);
	vec_foreach (range, &lines->ranges) {
		if (range->end > reach)
			reach = range->end;
		range->reach = reach;
	}
}

size_t lines_unit_at(const struct lines *lines, uint64_t addr)
{
	const struct unit_range *ranges = lines->ranges.data;
	size_t at = partition_point(lines->ranges.len, i, ranges[i].begin <= addr);

	for (; at-- > 0 && ranges[at].reach > addr;) {
		if (ranges[at].end > addr)
			return ranges[at].unit;
	}
	return SIZE_MAX;
}
