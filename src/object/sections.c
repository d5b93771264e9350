/*
 * Section headers and their names. They are optional in a program: none at all is fine, and a table
 * that lies outside the file is said to be damaged. Names and contents that point outside the file
 * are empty.
 */
#include "object/private.h"

#include <string.h>

static const char *name_at(struct byte_reader strings, uint64_t offset)
{
	const char *name;

	read_skip(&strings, offset);
	name = read_string(&strings);
	return name ? name : "";
}

static bool table_find(struct byte_reader file, const Elf64_Ehdr *header, uint64_t *count,
		       uint64_t *names_index)
{
	Elf64_Shdr first;
	const size_t size = bytes_left(&file);

	if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > size ||
	    size - header->e_shoff < sizeof(first))
		return false;
	memcpy(&first, file.at + header->e_shoff, sizeof(first));
	*count = header->e_shnum ? header->e_shnum : first.sh_size;
	*names_index = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
	return *count <= (size - header->e_shoff) / sizeof(Elf64_Shdr);
}

bool sections_read(struct arena *arena, struct byte_reader file, const Elf64_Ehdr *header,
		   struct object_section **sections, size_t *count)
{
	uint64_t found, names_index;
	struct byte_reader names = byte_reader("", 0);

	*sections = NULL;
	*count = 0;
	if (!header->e_shoff)
		return true;
	if (!table_find(file, header, &found, &names_index))
		return false;
	*sections = arena_array(arena, struct object_section, found);
	*count = found;
	for (size_t i = 0; i < found; i++)
		memcpy(&(*sections)[i].header, file.at + header->e_shoff + i * sizeof(Elf64_Shdr),
		       sizeof(Elf64_Shdr));
	if (names_index < found)
		names = section_contents(file, &(*sections)[names_index]);
	for (size_t i = 0; i < found; i++)
		(*sections)[i].name = name_at(names, (*sections)[i].header.sh_name);
	return true;
}

struct byte_reader section_contents(struct byte_reader file, const struct object_section *section)
{
	const uint64_t offset = section->header.sh_offset, size = section->header.sh_size;

	if (section->header.sh_type == SHT_NOBITS || offset > bytes_left(&file) ||
	    size > bytes_left(&file) - offset)
		return byte_reader(file.at, 0);
	return byte_reader(file.at + offset, size);
}

const struct object_section *object_sections(const struct object *object, size_t *count)
{
	*count = object->section_count;
	return object->sections;
}

const struct object_section *object_section_by_name(const struct object *object, const char *name)
{
	for (size_t i = 0; i < object->section_count; i++)
		if (strcmp(object->sections[i].name, name) == 0)
			return &object->sections[i];
	return NULL;
}
