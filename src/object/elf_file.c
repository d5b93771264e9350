/*
 * Opening an ELF file: header, program headers, notes, and the mapping from link addresses to file
 * contents. Refuses everything that is not a complete x86-64 executable or shared library, and
 * loadable segments that overlap or are out of order (the kernel and the loader rely on it, and so
 * does the binary search here). Headers are copied, as their place in the file may be misaligned.
 */
#include "abi/module.h"
#include "object/private.h"

#include <string.h>

/* [offset, offset + size) of the file, or NULL. */
static const unsigned char *object_file_range(const struct object *object, uint64_t offset,
					      uint64_t size)
{
	if (offset > object->size || size > object->size - offset)
		return NULL;
	return object->bytes + offset;
}

/* ---- checks of the header ---- */

static bool refuse_script(const struct object *object, struct error *err)
{
	const char *line = (const char *)object->bytes + 2;
	size_t length = 0, skip = 0;
	const size_t limit = object->size - 2 < 256 ? object->size - 2 : 256;

	while (skip < limit && (line[skip] == ' ' || line[skip] == '\t'))
		skip++;
	while (skip + length < limit && (unsigned char)line[skip + length] > ' ')
		length++;
	return error_set(err, ERROR_INPUT,
			 "%s is a script, not an ELF file; its interpreter is %.*s", object->path,
			 (int)length, line + skip);
}

static bool refuse_type(const struct object *object, struct error *err)
{
	switch (object->header.e_type) {
	case ET_REL:
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is a relocatable object file; link it first", object->path);
	case ET_CORE:
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is a core dump, not a program or library", object->path);
	default:
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is neither a program nor a shared library (ELF type %u)",
				 object->path, object->header.e_type);
	}
}

static bool header_check_identity(const struct object *object, struct error *err)
{
	const unsigned char *bytes = object->bytes;

	if (object->size >= 2 && bytes[0] == '#' && bytes[1] == '!')
		return refuse_script(object, err);
	if (object->size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return error_set(err, ERROR_INPUT, "%s is not an ELF file", object->path);
	if (object->size < EI_NIDENT)
		return error_set(err, ERROR_INPUT, "%s is truncated: its ELF header is incomplete",
				 object->path);
	if (bytes[EI_CLASS] == ELFCLASS32)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is a 32-bit file; only 64-bit x86-64 files are supported",
				 object->path);
	if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_VERSION] != EV_CURRENT)
		return error_set(err, ERROR_INPUT, "%s has a damaged ELF header", object->path);
	if (bytes[EI_DATA] != ELFDATA2LSB)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is for a big-endian machine; only x86-64 is supported",
				 object->path);
	if (object->size < sizeof(Elf64_Ehdr))
		return error_set(err, ERROR_INPUT, "%s is truncated: its ELF header is incomplete",
				 object->path);
	return true;
}

static bool header_load(struct object *object, struct error *err)
{
	if (!header_check_identity(object, err))
		return false;
	memcpy(&object->header, object->bytes, sizeof(object->header));
	if (object->header.e_machine != EM_X86_64)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is for another machine (ELF machine %u); only x86-64 is "
				 "supported",
				 object->path, object->header.e_machine);
	if (object->header.e_type != ET_EXEC && object->header.e_type != ET_DYN)
		return refuse_type(object, err);
	return true;
}

/* ---- segments ---- */

static bool segment_check(const struct object *object, const Elf64_Phdr *segment, struct error *err)
{
	const size_t index = (size_t)(segment - object->segments);

	if (segment->p_type != PT_LOAD)
		return true;
	if (!object_file_range(object, segment->p_offset, segment->p_filesz))
		return error_set(err, ERROR_INPUT,
				 "%s is truncated: segment %zu lies beyond the end of the file",
				 object->path, index);
	if (segment->p_filesz > segment->p_memsz ||
	    segment->p_memsz > UINT64_MAX - segment->p_vaddr)
		return error_set(err, ERROR_INPUT, "%s is damaged: segment %zu has an invalid size",
				 object->path, index);
	return true;
}

static bool load_append(struct object *object, const Elf64_Phdr *segment, struct error *err)
{
	if (segment->p_type != PT_LOAD || !segment->p_memsz)
		return true;
	if (object->load_count) {
		const Elf64_Phdr *last = &object->loads[object->load_count - 1];
		if (segment->p_vaddr < last->p_vaddr + last->p_memsz)
			return error_set(err, ERROR_INPUT,
					 "%s is damaged: its loadable segments overlap or are not "
					 "in ascending order",
					 object->path);
	}
	object->loads[object->load_count++] = *segment;
	return true;
}

static bool segments_load(struct object *object, struct error *err)
{
	const Elf64_Ehdr *header = &object->header;
	const size_t count = header->e_phnum;
	const unsigned char *from =
		object_file_range(object, header->e_phoff, count * sizeof(Elf64_Phdr));

	if (count == PN_XNUM)
		return error_set(err, ERROR_UNSUPPORTED, "%s has too many program headers",
				 object->path);
	if (!count || header->e_phentsize != sizeof(Elf64_Phdr))
		return error_set(err, ERROR_INPUT, "%s has no usable program headers",
				 object->path);
	if (!from)
		return error_set(err, ERROR_INPUT,
				 "%s is truncated: its program headers lie beyond the end of the "
				 "file",
				 object->path);
	object->segments = arena_array(&object->arena, Elf64_Phdr, count);
	object->loads = arena_array(&object->arena, Elf64_Phdr, count);
	memcpy(object->segments, from, count * sizeof(Elf64_Phdr));
	object->segment_count = count;
	for (size_t i = 0; i < count; i++)
		if (!segment_check(object, &object->segments[i], err) ||
		    !load_append(object, &object->segments[i], err))
			return false;
	if (!object->load_count)
		return error_set(err, ERROR_INPUT, "%s has no loadable segments", object->path);
	return true;
}

/* ---- notes ---- */

static void note_take(struct object *object, const Elf64_Nhdr *note, const unsigned char *name,
		      uint64_t desc_addr)
{
	const unsigned char *desc = object_at(object, desc_addr, note->n_descsz);

	if (note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 && note->n_type == NT_GNU_BUILD_ID &&
	    desc && note->n_descsz && !object->build_id) {
		object->build_id = desc;
		object->build_id_size = note->n_descsz;
	}
	object->go_note |= note->n_namesz == 4 && memcmp(name, "Go\0", 4) == 0;
	if (note->n_namesz == sizeof(TARE_NOTE_NAME) &&
	    memcmp(name, TARE_NOTE_NAME, sizeof(TARE_NOTE_NAME)) == 0 &&
	    note->n_type == TARE_NOTE_MODULE && note->n_descsz >= sizeof(struct tare_module) &&
	    desc)
		object->tare_note = desc_addr;
}

static void notes_load(struct object *object, const Elf64_Phdr *segment)
{
	const unsigned char *start = object_at(object, segment->p_vaddr, segment->p_filesz);
	const uint64_t align = segment->p_align == 8 ? 8 : 4;
	struct byte_reader reader;

	if (!start)
		return;
	reader = byte_reader(start, segment->p_filesz);
	while (bytes_left(&reader) >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		note.n_namesz = read_u32(&reader);
		note.n_descsz = read_u32(&reader);
		note.n_type = read_u32(&reader);
		const unsigned char *name = reader.at;
		read_skip(&reader, note.n_namesz);
		read_skip(&reader, -(uint64_t)(reader.at - start) & (align - 1));
		const uint64_t desc_addr = segment->p_vaddr + (uint64_t)(reader.at - start);
		read_skip(&reader, note.n_descsz);
		if (reader.failed)
			return;
		note_take(object, &note, name, desc_addr);
		read_skip(&reader, -(uint64_t)(reader.at - start) & (align - 1));
	}
}

/* ---- open and close ---- */

static enum object_kind kind_find(const struct object *object)
{
	bool interpreter = false;

	for (size_t i = 0; i < object->segment_count; i++)
		interpreter |= object->segments[i].p_type == PT_INTERP;
	if (object->header.e_type == ET_EXEC)
		return interpreter ? OBJECT_EXECUTABLE : OBJECT_STATIC_EXECUTABLE;
	if (object->dynamic.flags_1 & DF_1_PIE)
		return interpreter ? OBJECT_PIE : OBJECT_STATIC_EXECUTABLE;
	/* Old linkers did not mark PIEs; libraries that can be run (libc) have a name. */
	return interpreter && !object->dynamic.soname ? OBJECT_PIE : OBJECT_LIBRARY;
}

static void names_read(struct object *object)
{
	symbols_load(object);
	thunks_load(object);
	slot_names_load(object);
}

static bool object_load(struct object *object, unsigned parts, struct error *err)
{
	const struct byte_reader file = byte_reader(object->bytes, object->size);

	if (!header_load(object, err) || !segments_load(object, err))
		return false;
	/* Nothing that runs needs sections: damaged ones are as good as none. */
	if (!sections_read(&object->arena, file, &object->header, &object->sections,
			   &object->section_count))
		object->section_count = 0;
	plts_find(object);
	for (size_t i = 0; i < object->segment_count; i++)
		if (object->segments[i].p_type == PT_NOTE)
			notes_load(object, &object->segments[i]);
	dynamic_load(object);
	object->kind = kind_find(object);
	object->fetch = parts & OBJECT_FETCH;
	object->of_data = parts & OBJECT_DATA_SYMBOLS;
	if (parts & OBJECT_SYMBOLS)
		late_names_want_by(object, names_read);
	if (parts & OBJECT_UNWIND)
		eh_frame_load(object);
	else if (parts & OBJECT_UNWIND_SEARCH)
		fde_search_load(object);
	if (parts & OBJECT_DEBUG_FRAME)
		debug_frame_load(object);
	if (parts & OBJECT_RELOCS)
		relocations_load(object);
	return true;
}

struct object *object_open(const char *path, unsigned parts, struct error *err)
{
	struct object *object = mem_zalloc(sizeof(*object));

	arena_init(&object->arena);
	late_names_init(object);
	object->path = mem_strdup(path);
	if (!file_view_open(&object->view, path, err))
		goto fail;
	object->bytes = object->view.data;
	object->size = object->view.size;
	object->mode = object->view.mode;
	if (!object_load(object, parts, err))
		goto fail;
	return object;
fail:
	object_close(object);
	return NULL;
}

struct object *object_open_bytes(const void *bytes, size_t size, const char *name, unsigned parts,
				 struct error *err)
{
	struct object *object = mem_zalloc(sizeof(*object));

	arena_init(&object->arena);
	late_names_init(object);
	object->path = mem_strdup(name);
	object->bytes = bytes;
	object->size = size;
	object->mode = 0755;
	if (!object_load(object, parts, err)) {
		object_close(object);
		return NULL;
	}
	return object;
}

void object_close(struct object *object)
{
	if (!object)
		return;
	vec_fini(&object->symbols);
	vec_fini(&object->code_pointers);
	vec_fini(&object->text_relocations);
	vec_fini(&object->fdes);
	vec_fini(&object->debug_fdes);
	free(object->debug_frame);
	vec_fini(&object->names);
	vec_fini(&object->cie_list);
	map_fini(&object->thunks);
	map_fini(&object->slot_names);
	map_fini(&object->slot_functions);
	vec_fini(&object->code_words);
	map_fini(&object->code_word_at);
	map_fini(&object->cies);
	file_view_close(&object->debug_view);
	file_view_close(&object->view);
	late_names_fini(object);
	arena_fini(&object->arena);
	free(object->mini_debug);
	free(object->path);
	free(object);
}

/* ---- accessors ---- */

const char *object_path(const struct object *object)
{
	return object->path;
}

const unsigned char *object_bytes(const struct object *object, size_t *size)
{
	*size = object->size;
	return object->bytes;
}

mode_t object_mode(const struct object *object)
{
	return object->mode;
}

const Elf64_Ehdr *object_header(const struct object *object)
{
	return &object->header;
}

const Elf64_Phdr *object_segments(const struct object *object, size_t *count)
{
	*count = object->segment_count;
	return object->segments;
}

enum object_kind object_kind(const struct object *object)
{
	return object->kind;
}

const unsigned char *object_build_id(const struct object *object, size_t *size)
{
	*size = object->build_id_size;
	return object->build_id;
}

uint64_t object_tare_note(const struct object *object)
{
	return object->tare_note;
}

const char *object_loader(const struct object *object)
{
	for (size_t i = 0; i < object->segment_count; i++) {
		const Elf64_Phdr *segment = &object->segments[i];
		if (segment->p_type != PT_INTERP || segment->p_offset > object->size ||
		    segment->p_filesz > object->size - segment->p_offset)
			continue;
		const char *name = (const char *)object->bytes + segment->p_offset;
		return memchr(name, 0, segment->p_filesz) ? name : NULL;
	}
	return NULL;
}

uint64_t object_static_tls_bytes(const struct object *object)
{
	for (size_t i = 0; object->dynamic.static_tls && i < object->segment_count; i++) {
		const Elf64_Phdr *segment = &object->segments[i];
		if (segment->p_type == PT_TLS && segment->p_memsz <= SIZE_MAX / 4 &&
		    segment->p_align <= SIZE_MAX / 4)
			return segment->p_memsz + segment->p_align;
	}
	return 0;
}

bool object_has_go_note(const struct object *object)
{
	return object->go_note;
}

const char *object_runpath(const struct object *object)
{
	return object->dynamic.runpath;
}

const char *object_soname(const struct object *object)
{
	return object->dynamic.soname;
}
