/*
 * See segment_base.h. wrgsbase is f3 [rex] 0f ae /3 of a register (Intel SDM, volume 2). Its third
 * byte is the rarest, so that is what is searched for. A thread's own address is read from a fixed
 * distance of %fs: 64 [rex] opcode, ModRM with SIB, and as SIB 25, an address without registers.
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
	FS = 0x64,
	MEMORY_BITS = 0xc7, /* of ModRM, beside the register */
	MEMORY_BY_SIB = 0x04,
	SIB_ADDRESS = 0x25, /* neither base nor index */
};

static bool is_set_gs(const unsigned char *code, size_t size, size_t at)
{
	if (at < 2 || at + 1 >= size || code[at - 1] != ESCAPE ||
	    (code[at + 1] & FORM_BITS) != FORM_SET_GS)
		return false;
	return code[at - 2] == REPEAT ||
	       (at >= 3 && (code[at - 2] & REX_BITS) == REX && code[at - 3] == REPEAT);
}

static bool is_at_fs(const unsigned char *code, size_t size, size_t at)
{
	size_t opcode = at + 1;

	if (opcode < size && (code[opcode] & REX_BITS) == REX)
		opcode++;
	if (opcode < size && code[opcode] == ESCAPE)
		opcode++;
	return opcode + 2 < size && (code[opcode + 1] & MEMORY_BITS) == MEMORY_BY_SIB &&
	       code[opcode + 2] == SIB_ADDRESS;
}

/* Bytes that are looked for: one that all have, and what says whether they stand around it. */
struct pattern {
	unsigned char byte;
	bool (*is_there)(const unsigned char *code, size_t size, size_t at);
};

static bool bytes_have(const unsigned char *code, size_t size, const struct pattern *pattern)
{
	for (size_t at = 0; at < size; at++) {
		const unsigned char *found = memchr(code + at, pattern->byte, size - at);

		if (!found)
			return false;
		at = (size_t)(found - code);
		if (pattern->is_there(code, size, at))
			return true;
	}
	return false;
}

static bool code_has(const struct object *object, const struct pattern *pattern)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++) {
		const Elf64_Phdr *segment = &segments[i];
		const unsigned char *code =
			segment->p_type == PT_LOAD && (segment->p_flags & PF_X)
				? object_at(object, segment->p_vaddr, segment->p_filesz)
				: NULL;
		if (code && bytes_have(code, segment->p_filesz, pattern))
			return true;
	}
	return false;
}

bool code_may_set_gs(const struct object *object)
{
	return code_has(object, &(struct pattern){GROUP_15, is_set_gs});
}

bool code_may_use_fs(const struct object *object)
{
	return code_has(object, &(struct pattern){FS, is_at_fs});
}
