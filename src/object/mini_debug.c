/*
 * Names from .gnu_debugdata: a compressed ELF file with the symbols that stripping took away, which
 * some distributions put into every file. It is ignored where it is damaged, needs much memory, or
 * decompresses to something huge: names are welcome, not needed.
 */
#include "object/private.h"

#include <lzma.h>
#include <string.h>

enum { FIRST_GUESS = 8, CONTENTS_MAX = 64 << 20, MEMORY_MAX = 64 << 20 };

/* Decompresses into memory that lives as long as the object; false if that is not possible. */
static bool decompress(struct object *object, struct byte_reader compressed,
		       struct byte_reader *contents)
{
	if (!bytes_left(&compressed))
		return false;
	for (size_t room = bytes_left(&compressed) * FIRST_GUESS; room <= CONTENTS_MAX; room *= 4) {
		uint64_t memory = MEMORY_MAX;
		size_t taken = 0, filled = 0;
		unsigned char *bytes = mem_alloc(room);
		const lzma_ret result =
			lzma_stream_buffer_decode(&memory, 0, NULL, compressed.at, &taken,
						  bytes_left(&compressed), bytes, &filled, room);
		if (result == LZMA_OK) {
			object->mini_debug = bytes;
			*contents = byte_reader(bytes, filled);
			return true;
		}
		free(bytes);
		if (result != LZMA_BUF_ERROR)
			return false;
	}
	return false;
}

void mini_debug_load(struct object *object)
{
	const struct byte_reader file = byte_reader(object->bytes, object->size);
	const struct object_section *section = object_section_by_name(object, ".gnu_debugdata");
	struct object_section *sections;
	struct byte_reader inner;
	size_t count;

	if (!section || !decompress(object, section_contents(file, section), &inner) ||
	    !debug_sections_read(object, inner, &sections, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *header = &sections[i].header;
		if (header->sh_type == SHT_SYMTAB && header->sh_link < count)
			symbols_append(object, section_contents(inner, &sections[i]),
				       section_contents(inner, &sections[header->sh_link]), false);
	}
}
