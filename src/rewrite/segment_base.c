/*
 * See segment_base.h. wrgsbase is f3 [rex] 0f ae /3 of a register (Intel SDM, volume 2). Its third
 * byte is the rarest, so that is what is searched for.
 */
#include "rewrite/segment_base.h"

#include <string.h>

enum {
	REPEAT = 0xf3,
	REX_BITS = 0xf0,
	REX = 0x40,
	ESCAPE = 0x0f,
	GROUP_15 = 0xae,
	FORM_BITS = 0xf8,
	FORM_SET_GS = 0xd8, /* /3 with a register */
};

static bool is_set_gs(const unsigned char *code, size_t size, size_t at)
{
	if (at < 2 || at + 1 >= size || code[at - 1] != ESCAPE ||
	    (code[at + 1] & FORM_BITS) != FORM_SET_GS)
		return false;
	return code[at - 2] == REPEAT ||
	       (at >= 3 && (code[at - 2] & REX_BITS) == REX && code[at - 3] == REPEAT);
}

static bool sets_gs(const unsigned char *code, size_t size)
{
	for (size_t at = 0; at < size; at++) {
		const unsigned char *found = memchr(code + at, GROUP_15, size - at);

		if (!found)
			return false;
		at = (size_t)(found - code);
		if (is_set_gs(code, size, at))
			return true;
	}
	return false;
}

bool code_may_set_gs(const struct object *object)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++) {
		const Elf64_Phdr *segment = &segments[i];
		const unsigned char *code =
			segment->p_type == PT_LOAD && (segment->p_flags & PF_X)
				? object_at(object, segment->p_vaddr, segment->p_filesz)
				: NULL;
		if (code && sets_gs(code, segment->p_filesz))
			return true;
	}
	return false;
}
