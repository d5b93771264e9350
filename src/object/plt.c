/*
 * What a PLT stub or a GOT slot stands for. A stub is decoded where it is asked for: it is an
 * indirect jump through a slot whose relocation has a name. Where the file has section headers, the
 * address has to lie in a .plt section, as a tail call in ordinary code looks the same.
 */
#include "object/private.h"

#include <string.h>

static bool is_in_plt(const struct object *object, uint64_t addr)
{
	if (!object->section_count)
		return true;
	for (size_t i = 0; i < object->plt_count; i++) {
		const Elf64_Shdr *header = &object->plts[i]->header;
		if (addr >= header->sh_addr && addr - header->sh_addr < header->sh_size)
			return true;
	}
	return false;
}

static bool is_plt(const struct object_section *section)
{
	return str_starts_with(section->name, ".plt") || strcmp(section->name, ".iplt") == 0;
}

void plts_find(struct object *object)
{
	object->plts =
		arena_array(&object->arena, const struct object_section *, object->section_count);
	for (size_t i = 0; i < object->section_count; i++)
		if (is_plt(&object->sections[i]))
			object->plts[object->plt_count++] = &object->sections[i];
}

static void skip_bytes(struct byte_reader *code, const char *bytes, size_t length)
{
	if (bytes_left(code) >= length && memcmp(code->at, bytes, length) == 0)
		code->at += length;
}

/* [endbr64] [mov $imm32,%r11d] [bnd] jmp *slot(%rip); the slot's address, or 0. */
static uint64_t stub_slot(const struct object *object, uint64_t addr)
{
	uint64_t rest;
	const unsigned char *start = object_rest_at(object, addr, &rest);
	struct byte_reader code;

	if (!start)
		return 0;
	code = byte_reader(start, rest < 16 ? rest : 16);
	skip_bytes(&code, "\xf3\x0f\x1e\xfa", 4);
	if (bytes_left(&code) >= 6 && code.at[0] == 0x41 && code.at[1] == 0xbb)
		code.at += 6;
	skip_bytes(&code, "\xf2", 1);
	if (read_u16(&code) != 0x25ff)
		return 0;
	const int32_t displacement = (int32_t)read_u32(&code);
	return code.failed ? 0
			   : addr + (uint64_t)(code.at - start) + (uint64_t)(int64_t)displacement;
}

/* The slot that is or that the stub at `addr` goes through, 0 if neither is there. */
static uint64_t named_slot(const struct object *object, uint64_t addr)
{
	late_names_want(object);
	if (map_get(&object->slot_names, addr))
		return addr;
	/* Sections come last: few addresses have such a jump, and files may have many sections. */
	if (!object_is_executable(object, addr))
		return 0;
	const uint64_t slot = stub_slot(object, addr);
	return slot && map_get(&object->slot_names, slot) && is_in_plt(object, addr) ? slot : 0;
}

const char *object_plt_symbol(const struct object *object, uint64_t addr)
{
	const uint64_t slot = named_slot(object, addr);

	return slot ? object->names.data[*map_get(&object->slot_names, slot)] : NULL;
}

uint64_t object_plt_function(const struct object *object, uint64_t addr, uint64_t *slot)
{
	*slot = named_slot(object, addr);
	const uint64_t *function = *slot ? map_get(&object->slot_functions, *slot) : NULL;
	return function ? *function : 0;
}
