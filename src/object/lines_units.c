/*
 * Which compilation unit has the code at an address: by .debug_aranges, and where that has nothing
 * there, by the ranges that each unit's entry states. clang writes no .debug_aranges, and in
 * programs of several compilers it covers some units only. To read the entries of all units takes
 * milliseconds, and few of them have code that is asked for.
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

/* Appends the unit, unless it is one without code. */
static bool unit_append(struct lines *lines, Dwarf_CU *cu)
{
	Dwarf_Die die, split;
	uint8_t type;

	memset(&split, 0, sizeof(split));
	if (dwarf_cu_info(cu, NULL, &type, &die, &split, NULL, NULL, NULL) != 0 ||
	    (type != DW_UT_compile && type != DW_UT_skeleton))
		return false;
	const bool is_split = type == DW_UT_skeleton;
	struct lines_unit unit = {
		.die = die,
		.tree = is_split ? split : die,
		.has_tree = !is_split || split.addr,
	};
	vec_push(&lines->units, unit);
	return true;
}

static int by_begin(const void *a, const void *b)
{
	const struct unit_range *left = a, *right = b;

	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	return (left->unit > right->unit) - (left->unit < right->unit);
}

static void units_read(struct lines *lines)
{
	Dwarf_CU *cu = NULL;
	uint64_t reach = 0;

	if (lines->units_read)
		return;
	lines->units_read = true;
	while (dwarf_get_units(lines->dwarf, cu, &cu, NULL, NULL, NULL, NULL) == 0 &&
	       lines_step(lines))
		if (unit_append(lines, cu))
			unit_ranges_append(lines, &vec_last(&lines->units).die,
					   lines->units.len - 1);
	vec_sort(&lines->ranges, by_begin);
	vec_foreach (range, &lines->ranges) {
		if (range->end > reach)
			reach = range->end;
		range->reach = reach;
	}
}

static size_t stated_unit(const struct lines *lines, uint64_t addr)
{
	const struct unit_range *ranges = lines->ranges.data;
	size_t at = partition_point(lines->ranges.len, i, ranges[i].begin <= addr);

	for (; at-- > 0 && ranges[at].reach > addr;) {
		if (ranges[at].end > addr)
			return ranges[at].unit;
	}
	return SIZE_MAX;
}

/* The entry of the unit that .debug_aranges has at `addr`, if the unit says so, too. */
static bool find_listed(const struct lines *lines, uint64_t addr, Dwarf_Die *die)
{
	Dwarf_Aranges *ranges;
	Dwarf_Addr begin;
	Dwarf_Word length;
	Dwarf_Off offset;
	size_t count;

	if (dwarf_getaranges(lines->dwarf, &ranges, &count) != 0)
		return false;
	Dwarf_Arange *range = dwarf_getarange_addr(ranges, addr);

	return range && dwarf_getarangeinfo(range, &begin, &length, &offset) == 0 &&
	       object_is_executable(lines->object, begin) &&
	       dwarf_offdie(lines->dwarf, offset, die) && dwarf_haspc(die, addr) > 0;
}

static size_t listed_unit(struct lines *lines, uint64_t addr)
{
	Dwarf_Die die;

	if (!find_listed(lines, addr, &die))
		return SIZE_MAX;
	const uint64_t offset = dwarf_dieoffset(&die);
	const uint64_t *known = map_get(&lines->listed, offset);

	if (known)
		return *known;
	if (!unit_append(lines, die.cu))
		return SIZE_MAX;
	return *map_put(&lines->listed, offset, lines->units.len - 1) = lines->units.len - 1;
}

size_t lines_unit_at(struct lines *lines, uint64_t addr)
{
	const size_t unit = lines->units_read ? SIZE_MAX : listed_unit(lines, addr);

	if (unit != SIZE_MAX)
		return unit;
	units_read(lines);
	return stated_unit(lines, addr);
}
