/* Reading the copy of a range, step by step. */
#include "verify/private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool walk_fails(struct walk *walk, enum verify_kind kind, const char *format, ...)
{
	char text[sizeof(((struct verify_difference *)NULL)->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	check_differs(walk->check, kind, walk->insn ? walk->insn->addr : walk->range->begin,
		      walk_addr(walk), "%s", text);
	return false;
}

bool walk_take(struct walk *walk, const void *bytes, size_t size)
{
	if (walk->size - walk->at < size || memcmp(walk->code + walk->at, bytes, size) != 0)
		return false;
	walk->at += (uint32_t)size;
	return true;
}

bool walk_take_disp(struct walk *walk, int32_t *disp)
{
	if (walk->size - walk->at < sizeof(*disp))
		return false;
	memcpy(disp, walk->code + walk->at, sizeof(*disp));
	walk->at += (uint32_t)sizeof(*disp);
	return true;
}

bool walk_take_distance(struct walk *walk, unsigned trailing, uint64_t *target)
{
	int32_t distance;

	if (walk->size - walk->at < sizeof(distance) + trailing || !walk_take_disp(walk, &distance))
		return false;
	*target = walk_addr(walk) + trailing + (uint64_t)(int64_t)distance;
	return true;
}

const unsigned char *walk_insn_bytes(const struct walk *walk, const struct insn *insn)
{
	return walk->original + (insn->addr - walk->range->begin);
}

bool walk_take_moved(struct walk *walk, const unsigned char *bytes, size_t size, size_t rip_offset,
		     uint64_t target)
{
	const uint32_t before = walk->at;
	uint64_t copy_target;

	if (!rip_offset)
		return walk_take(walk, bytes, size);
	if (walk_take(walk, bytes, rip_offset) &&
	    walk_take_distance(walk, (unsigned)(size - rip_offset - 4), &copy_target) &&
	    copy_target == target && walk_take(walk, bytes + rip_offset + 4, size - rip_offset - 4))
		return true;
	walk->at = before;
	return false;
}

bool walk_take_reused(struct walk *walk, struct insn_operation operation)
{
	unsigned char bytes[24];
	size_t rip_offset = 0;
	const size_t size = insn_reuse_operand(walk_insn_bytes(walk, walk->insn), walk->insn,
					       operation, bytes, &rip_offset);

	return size && walk_take_moved(walk, bytes, size, rip_offset, walk->insn->target);
}
