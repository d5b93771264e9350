/*
 * Names from a separate debug file: by build-id, then by .gnu_debuglink, below the directory of the
 * object and below the roots of debug files, /usr/lib/debug unless TARE_DEBUG_PATH names others. A
 * file that does not match (build-id, else the link's CRC) is ignored, as is a damaged one: names
 * are welcome, not needed.
 */
#include "object/debuginfod.h"
#include "object/private.h"

#include <string.h>

const char *object_debug_roots(void)
{
	const char *roots = getenv("TARE_DEBUG_PATH");

	return roots ? roots : "/usr/lib/debug";
}

/* The next of the roots, without its end; false behind the last one. */
static bool debug_root_next(const char **roots, struct str *root)
{
	while (**roots == ':')
		(*roots)++;
	const size_t length = strcspn(*roots, ":");
	str_clear(root);
	str_append_bytes(root, *roots, length);
	*roots += length;
	return length > 0;
}

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
	struct file_view view = {0};
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
	object->debug_path = arena_strdup(&object->arena, path);
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
	const char *roots = object_debug_roots();
	struct str path = {0};
	bool found = false;

	if (object->build_id_size < 2)
		return false;
	while (!found && debug_root_next(&roots, &path)) {
		str_printf(&path, "/.build-id/%02x/", object->build_id[0]);
		str_append_hex(&path, object->build_id + 1, object->build_id_size - 1);
		str_append(&path, ".debug");
		found = debug_file_take(object, path.data, NULL);
	}
	str_fini(&path);
	return found;
}

/* DIRECTORY/BETWEEN/NAME below a root; `real` is the path of the object itself. */
static bool debug_link_try(struct object *object, const struct debug_link *link, struct str *path,
			   const char *real, const char *between)
{
	str_append_bytes(path, real, (size_t)(strrchr(real, '/') - real));
	str_append(path, between);
	str_append(path, link->name);
	/* A stripped file may name itself. */
	return strcmp(path->data, real) != 0 && debug_file_take(object, path->data, link);
}

static bool debug_file_by_link(struct object *object)
{
	const char *roots = object_debug_roots();
	struct debug_link link;
	struct str path = {0};

	if (!debug_link_read(object, &link))
		return false;
	char *real = realpath(object->path, NULL);
	if (!real)
		return false;
	bool found = debug_link_try(object, &link, &path, real, "/");
	str_clear(&path);
	found = found || debug_link_try(object, &link, &path, real, "/.debug/");
	while (!found && debug_root_next(&roots, &path))
		found = debug_link_try(object, &link, &path, real, "/");
	str_fini(&path);
	free(real);
	return found;
}

static void debug_file_fetch(struct object *object)
{
	char *path =
		object->build_id && debuginfod_is_wanted()
			? debuginfod_fetch(object->path, object->build_id, object->build_id_size)
			: NULL;

	if (path)
		debug_file_take(object, path, NULL);
	free(path);
}

void debug_file_load(struct object *object)
{
	if (!object->view.data || debug_file_by_build_id(object) || debug_file_by_link(object))
		return;
	if (object->fetch)
		debug_file_fetch(object);
}

const char *object_debug_file(const struct object *object)
{
	late_names_want(object);
	return object->debug_path;
}
