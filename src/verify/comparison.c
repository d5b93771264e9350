/*
 * The state of a comparison as its parts see it: differences, ranges by address, where control may
 * go.
 */
#include "verify/private.h"

#include <stdarg.h>
#include <stdio.h>

void check_report(struct check *check, enum verify_kind kind, struct check_place place,
		  const char *format, ...)
{
	const struct object_symbol *symbol = object_symbol_covering(check->original, place.addr);
	struct verify_difference difference = {.kind = kind,
					       .addr = place.addr,
					       .copy_addr = place.copy_addr,
					       .function = symbol ? symbol->name : ""};
	va_list arguments;

	if (check->result->difference_count++ >= VERIFY_KEPT_DIFFERENCES)
		return;
	va_start(arguments, format);
	vsnprintf(difference.text, sizeof(difference.text), format, arguments);
	va_end(arguments);
	vec_push(&check->result->differences, difference);
}

struct check_kept check_keep(const struct check *check)
{
	return (struct check_kept){.counts = check->result->counts,
				   .difference_count = check->result->difference_count,
				   .differences = check->result->differences.len};
}

void check_restore(struct check *check, const struct check_kept *kept)
{
	check->result->counts = kept->counts;
	check->result->difference_count = kept->difference_count;
	check->result->differences.len = kept->differences;
}

struct check_range *check_range_at(const struct check *check, uint64_t addr)
{
	const size_t low =
		partition_point(check->ranges.len, i, check->ranges.data[i].begin <= addr);

	if (!low || addr >= check->ranges.data[low - 1].end)
		return NULL;
	return &check->ranges.data[low - 1];
}

uint64_t check_patch_addr(const struct check *check, const struct check_range *range)
{
	const uint64_t size = range->end - range->begin;
	const unsigned char *bytes = object_at(check->original, range->begin, size);
	struct insn first;

	if (!bytes || !insn_decode(bytes, size, range->begin, &first) || !first.is_endbr)
		return range->begin;
	return insn_end(&first);
}

static const struct check_point *point_at(const struct check_range *range, uint64_t addr)
{
	const uint64_t offset = addr - range->begin;

	const size_t low =
		partition_point(range->points.len, i, range->points.data[i].offset < offset);
	return low < range->points.len && range->points.data[low].offset == offset
		       ? &range->points.data[low]
		       : NULL;
}

/* A branch over a lock prefix: into the copy of the instruction, behind its prefix. */
static bool skips_lock(const struct check *check, const struct check_range *range, uint64_t target,
		       uint64_t copy_target)
{
	const struct check_point *before = point_at(range, target - 1);
	const unsigned char *prefix = object_at(check->original, target - 1, 1);
	const unsigned char *copy_prefix = object_at(check->copy, copy_target - 1, 1);

	return before && prefix && copy_prefix && *prefix == 0xf0 && *copy_prefix == 0xf0 &&
	       copy_target == range->copy_begin + before->copy + 1;
}

bool check_leads_to(const struct check *check, uint64_t target, const struct check_range *from,
		    uint64_t copy_target)
{
	const struct check_range *range = check_range_at(check, target);

	if (!range || !range->copied)
		return copy_target == target;
	if (range->broken)
		return true; /* reported already */
	const struct check_point *point = point_at(range, target);
	if (!point)
		return copy_target == target || skips_lock(check, range, target, copy_target);
	if (target == range->begin && range->entry && range != from)
		return copy_target == range->copy_begin;
	return copy_target >= range->copy_begin + point->copy &&
	       copy_target <= range->copy_begin + point->copy_end;
}

bool check_begins_with_counter(const struct check *check, uint64_t function)
{
	const struct check_range *range = check_range_at(check, function);
	const struct check_point *point =
		range && range->begin == function ? point_at(range, function) : NULL;

	return range && (range->broken || (point && point->copy == TARE_COUNT_BYTES));
}
