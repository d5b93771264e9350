/*
 * Names from a separate debug file: by build-id, then by .gnu_debuglink, below the directory of the
 * object and below /usr/lib/debug. A file that does not match (build-id, else the link's CRC) is
 * ignored, as is a damaged one: names are welcome, not needed.
 */
#include "object/object_private.h"

#include <string.h>

#define DEBUG_ROOT "/usr/lib/debug"

struct debug_link {
	const char *name;
	uint32_t crc;
};

static bool debug_link_read(const struct object *object, struct debug_link *link)
{
	const struct byte_reader file = byte_reader(object->bytes, object->size);
	const struct object_section *section = object_section_by_name(object, ".gnu_debuglink");

	if (!section)
		return false;
	struct byte_reader contents = section_contents(file, section);
	const unsigned char *start = contents.at;
	link->name = read_string(&contents);
	read_skip(&contents, -(uint64_t)(contents.at - start) & 3);
	link->crc = read_u32(&contents);
	return !contents.failed && *link->name && !strchr(link->name, '/');
}

/* The CRC-32 of zlib and .gnu_debuglink. */
static uint32_t crc32_of(const unsigned char *bytes, size_t size)
{
	uint32_t table[256], crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;
		for (unsigned bit = 0; bit < 8; bit++)
			value = value & 1 ? UINT32_C(0xedb88320) ^ (value >> 1) : value >> 1;
		table[i] = value;
	}
	for (size_t i = 0; i < size; i++)
		crc = table[(crc ^ bytes[i]) & 0xff] ^ (crc >> 8);
	return ~crc;
}

/* Whether the file's build-id note equals that of the object. */
static bool build_id_matches(const struct object *object, struct byte_reader file,
			     const struct object_section *sections, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(sections[i].name, ".note.gnu.build-id") != 0)
			continue;
		const struct byte_reader note = section_contents(file, &sections[i]);
		return bytes_left(&note) == 16 + object->build_id_size &&
		       memcmp(note.at + 16, object->build_id, object->build_id_size) == 0;
	}
	return false;
}

bool debug_sections_read(struct object *object, struct byte_reader file,
			 struct object_section **sections, size_t *count)
{
	Elf64_Ehdr header;

	if (bytes_left(&file) < sizeof(header))
		return false;
	memcpy(&header, file.at, sizeof(header));
	return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
	       header.e_machine == EM_X86_64 &&
	       sections_read(&object->arena, file, &header, sections, count);
}

static bool debug_file_take(struct object *object, const char *path, const struct debug_link *link)
{
	struct object_section *sections;
	struct file_view view;
	struct error ignored;
	size_t count;

	if (!file_view_open(&view, path, &ignored))
		return false;
	const struct byte_reader file = byte_reader(view.data, view.size);
	if (!debug_sections_read(object, file, &sections, &count) ||
	    !(object->build_id ? build_id_matches(object, file, sections, count)
			       : link && crc32_of(view.data, view.size) == link->crc)) {
		file_view_close(&view);
		return false;
	}
	object->debug_view = view;
	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *section = &sections[i].header;
		if (section->sh_type == SHT_SYMTAB && section->sh_link < count)
			symbols_append(object, section_contents(file, &sections[i]),
				       section_contents(file, &sections[section->sh_link]), false);
	}
	return true;
}

static bool debug_file_by_build_id(struct object *object)
{
	struct str path = {0};
	bool found;

	if (object->build_id_size < 2)
		return false;
	str_printf(&path, DEBUG_ROOT "/.build-id/%02x/", object->build_id[0]);
	for (size_t i = 1; i < object->build_id_size; i++)
		str_printf(&path, "%02x", object->build_id[i]);
	str_append(&path, ".debug");
	found = debug_file_take(object, path.data, NULL);
	str_fini(&path);
	return found;
}

static bool debug_file_by_link(struct object *object)
{
	static const char *const before[] = {"", "", DEBUG_ROOT};
	static const char *const behind[] = {"/", "/.debug/", "/"};
	struct debug_link link;
	bool found = false;

	if (!debug_link_read(object, &link))
		return false;
	char *real = realpath(object->path, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;
	for (size_t i = 0; slash && !found && i < sizeof(before) / sizeof(*before); i++) {
		struct str path = {0};
		str_append(&path, before[i]);
		str_append_bytes(&path, real, (size_t)(slash - real));
		str_append(&path, behind[i]);
		str_append(&path, link.name);
		/* A stripped file may name itself. */
		if (strcmp(path.data, real) != 0)
			found = debug_file_take(object, path.data, &link);
		str_fini(&path);
	}
	free(real);
	return found;
}

void debug_file_load(struct object *object)
{
	if (!object->view.data)
		return;
	if (!debug_file_by_build_id(object))
		debug_file_by_link(object);
}
