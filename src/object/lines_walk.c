/*
 * The functions, inlined ones included, that hold the addresses asked for. A unit's tree is walked
 * once for all of them:
 *
 *   unit ─ namespace, class … ─ subprogram ─ lexical block … ─ inlined subroutine ─ …
 *                               looked into only where an address lies in its ranges
 *
 * An entry takes the addresses in its ranges whose innermost frame so far is the entry that it
 * lies in; so of functions that the linker has merged the first one counts. Damaged trees cost a
 * bounded number of steps: entries are followed only forwards and to a bounded depth.
 */
#include "base/partition.h"
#include "object/lines_private.h"

#include <dwarf.h>

static void walk_children(struct walk *walk, Dwarf_Die *parent, size_t frame, unsigned depth);

/* The queries in [begin, end) that lie in `outer` lie in `frame`; whether there are any. */
static bool queries_take(struct walk *walk, uint64_t begin, uint64_t end, size_t outer,
			 size_t frame)
{
	bool any = false;

	for (size_t i = partition_point(walk->count, at, walk->queries[at].addr < begin);
	     i < walk->count && walk->queries[i].addr < end; i++) {
		if (walk->queries[i].frame != outer || !lines_step(walk->lines))
			continue;
		walk->queries[i].frame = frame;
		any = true;
	}
	return any;
}

/* Whether an address that is asked for lies in the entry, in whatever frame. */
static bool holds_queries(struct walk *walk, Dwarf_Die *die, bool *has_ranges)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t offset = 0;

	*has_ranges = false;
	while ((offset = dwarf_ranges(die, offset, &base, &begin, &end)) > 0 &&
	       lines_step(walk->lines)) {
		*has_ranges = true;
		const size_t i = partition_point(walk->count, at, walk->queries[at].addr < begin);
		if (i < walk->count && walk->queries[i].addr < end)
			return true;
	}
	return false;
}

/* Enters the function as a frame within `outer`; returns its number, 0 if nothing lies in it. */
static size_t function_take(struct walk *walk, Dwarf_Die *die, size_t outer)
{
	const size_t number = walk->frames.len + 1;
	Dwarf_Addr base, begin, end;
	ptrdiff_t offset = 0;
	bool any = false;
	const struct walk_frame frame = {
		.die = *die,
		.outer = outer,
		.depth = outer ? walk->frames.data[outer - 1].depth + 1 : 1,
	};

	if (frame.depth > LINES_INLINES_MAX)
		return 0;
	while ((offset = dwarf_ranges(die, offset, &base, &begin, &end)) > 0 &&
	       lines_step(walk->lines))
		any |= queries_take(walk, begin, end, outer, number);
	if (!any)
		return 0;
	vec_push(&walk->frames, frame);
	return number;
}

static void walk_entry(struct walk *walk, Dwarf_Die *die, size_t frame, unsigned depth)
{
	bool has_ranges;
	size_t inner;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		/* A function within a function has code of its own. */
		inner = function_take(walk, die, 0);
		if (inner || walk->thorough)
			walk_children(walk, die, inner, depth);
		return;
	case DW_TAG_inlined_subroutine:
		inner = frame ? function_take(walk, die, frame) : 0;
		if (inner)
			walk_children(walk, die, inner, depth);
		return;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		if (holds_queries(walk, die, &has_ranges) || !has_ranges)
			walk_children(walk, die, frame, depth);
		return;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_interface_type:
		walk_children(walk, die, frame, depth);
		return;
	default:
		return;
	}
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, size_t frame, unsigned depth)
{
	Dwarf_Die die;

	if (depth >= LINES_DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	while (lines_step(walk->lines)) {
		const void *at = die.addr;
		walk_entry(walk, &die, frame, depth + 1);
		if (dwarf_siblingof(&die, &die) != 0 || (const char *)die.addr <= (const char *)at)
			return;
	}
}

static bool any_without_frame(const struct walk *walk)
{
	for (size_t i = 0; i < walk->count; i++) {
		if (!walk->queries[i].frame)
			return true;
	}
	return false;
}

void lines_walk_unit(struct walk *walk, struct lines_unit *unit)
{
	walk->thorough = false;
	walk_children(walk, &unit->tree, 0, 0);
	if (!any_without_frame(walk))
		return;
	walk->thorough = true;
	walk_children(walk, &unit->tree, 0, 0);
}
