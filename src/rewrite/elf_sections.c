/*
 * Section headers and symbols of the new file. Numbers of the original sections stay what they
 * were, as symbols refer to them. Tables that grow are written anew at the end of the file; their
 * old bytes are left behind.
 *
 * Symbols of the copies are local and have to stand before the global ones, which moves those; so
 * where other sections refer to symbols by number (relocations kept by the linker) none are added.
 */
#include "rewrite/elf_sections.h"

#include <string.h>

struct sections {
	const struct elf_out_input *input;
	struct byte_vec *file;
	struct vec_of(Elf64_Shdr) headers;
	size_t original_count;
	size_t names_index; /* of .shstrtab */
	struct byte_vec names;
	/* The string table of .symtab; names_index where both are one. */
	size_t strings_index;
	struct byte_vec strings;
};

static uint32_t string_put(struct byte_vec *strings, const char *text)
{
	const uint32_t offset = (uint32_t)strings->len;

	put_bytes(strings, text, strlen(text) + 1);
	return offset;
}

static void contents_copy(const struct sections *sections, size_t index, struct byte_vec *to)
{
	const Elf64_Shdr *header = &sections->headers.data[index];
	size_t size;
	const unsigned char *bytes = object_bytes(sections->input->object, &size);

	if (header->sh_type != SHT_NOBITS && header->sh_offset <= size &&
	    header->sh_size <= size - header->sh_offset)
		put_bytes(to, bytes + header->sh_offset, header->sh_size);
	/* String tables begin and end with a NUL. */
	if (!to->len || vec_last(to))
		put_u8(to, 0);
}

/* Writes the contents of a section at the end of the file. */
static void contents_write(struct sections *sections, size_t index, const struct byte_vec *contents)
{
	Elf64_Shdr *header = &sections->headers.data[index];

	put_align(sections->file, 8, 0);
	header->sh_offset = sections->file->len;
	header->sh_size = contents->len;
	put_bytes(sections->file, contents->data, contents->len);
}

/* ---- originals and new sections ---- */

static void originals_copy(struct sections *sections)
{
	size_t count;
	const struct object_section *originals = object_sections(sections->input->object, &count);

	for (size_t i = 0; i < count; i++)
		vec_push(&sections->headers, originals[i].header);
	sections->original_count = count;
}

/* A section that is no longer thread-local; one without contents had no addresses of its own. */
static void tls_remove(Elf64_Shdr *header)
{
	if (header->sh_flags & SHF_TLS && header->sh_type == SHT_NOBITS) {
		header->sh_flags = 0;
		header->sh_size = 0;
	}
	header->sh_flags &= ~(Elf64_Xword)SHF_TLS;
}

/* The original of a section that is replaced gets another name: readers look for sections by
   name and take the first. */
static void original_rename(struct sections *sections, const char *name)
{
	size_t count;
	const struct object_section *originals = object_sections(sections->input->object, &count);
	struct str renamed = {0};

	str_printf(&renamed, ".tare.orig_%s", name + (name[0] == '.'));
	for (size_t i = 0; i < count; i++)
		if (strcmp(originals[i].name, name) == 0) {
			sections->headers.data[i].sh_name =
				string_put(&sections->names, renamed.data);
			tls_remove(&sections->headers.data[i]);
		}
	str_fini(&renamed);
}

/* ---- the build-id ---- */

static size_t section_find(const struct sections *sections, const char *name)
{
	size_t count;
	const struct object_section *originals = object_sections(sections->input->object, &count);

	for (size_t i = 1; i < count; i++)
		if (strcmp(originals[i].name, name) == 0)
			return i;
	return 0;
}

/*
 * Tools that keep files by the build-id in their sections, as perf does in ~/.debug, would take the
 * copy for the original from then on, whose unwind data lie elsewhere. So the section of that name
 * gets an id of its own. What is loaded stays, for programs that read their own; that section goes
 * behind all others, where gdb takes the last: separate debug files of the original fit the copy.
 */
static void build_id_replace(struct sections *sections)
{
	const size_t index = section_find(sections, ".note.gnu.build-id");
	const uint64_t hash = sections->input->identity;
	size_t id_size;
	const unsigned char *id = object_build_id(sections->input->object, &id_size);
	struct byte_vec note = {0};

	if (!index || sections->headers.data[index].sh_type != SHT_NOTE || !id)
		return;
	Elf64_Shdr original = sections->headers.data[index];
	contents_copy(sections, index, &note);
	if (original.sh_size < id_size || note.len < original.sh_size ||
	    memcmp(note.data + original.sh_size - id_size, id, id_size) != 0) {
		vec_fini(&note);
		return;
	}
	note.len = original.sh_size;
	for (size_t i = 0; i < id_size && i < sizeof(hash); i++)
		note.data[note.len - 1 - i] ^= (unsigned char)(hash >> 8 * i);
	original.sh_name = string_put(&sections->names, ".tare.orig_note.gnu.build-id");
	vec_push(&sections->headers, original);
	sections->headers.data[index].sh_flags = 0;
	sections->headers.data[index].sh_addr = 0;
	contents_write(sections, index, &note);
	vec_fini(&note);
}

static void new_section_put(struct sections *sections, const struct elf_section *section)
{
	const struct elf_layout *layout = &sections->input->layout;
	const Elf64_Shdr header = {
		.sh_name = string_put(&sections->names, section->name),
		.sh_type = section->type,
		.sh_flags = section->flags,
		.sh_addr = section->addr,
		.sh_offset = layout->image_offset + section->addr - layout->image_addr,
		.sh_size = section->size,
		/* Readers take a note's alignment for that of its fields, which here are words. */
		.sh_addralign = section->type == SHT_NOTE ? 4 : section->align,
	};

	vec_push(&sections->headers, header);
}

/* ---- symbols ---- */

static size_t symtab_find(const struct sections *sections)
{
	for (size_t i = 1; i < sections->headers.len; i++)
		if (sections->headers.data[i].sh_type == SHT_SYMTAB)
			return i;
	return 0;
}

static bool symbols_are_referred_to(const struct sections *sections, size_t symtab)
{
	for (size_t i = 1; i < sections->original_count; i++) {
		const Elf64_Shdr *header = &sections->headers.data[i];
		if (header->sh_link == symtab && header->sh_type != SHT_STRTAB &&
		    header->sh_type != SHT_SYMTAB && header->sh_type != SHT_DYNSYM)
			return true;
	}
	return false;
}

static uint16_t section_number(const struct sections *sections, uint64_t addr)
{
	for (size_t i = sections->original_count; i < sections->headers.len; i++) {
		const Elf64_Shdr *header = &sections->headers.data[i];
		if ((header->sh_flags & SHF_ALLOC) && addr >= header->sh_addr &&
		    addr - header->sh_addr < header->sh_size)
			return (uint16_t)i;
	}
	return SHN_ABS;
}

static void copy_symbols_put(struct sections *sections, struct byte_vec *symbols,
			     struct byte_vec *strings)
{
	for (size_t i = 0; i < sections->input->symbol_count; i++) {
		const struct elf_symbol *from = &sections->input->symbols[i];
		const Elf64_Sym symbol = {
			.st_name = string_put(strings, from->name),
			.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			.st_shndx = section_number(sections, from->addr),
			.st_value = from->addr,
			.st_size = from->size,
		};
		put_bytes(symbols, &symbol, sizeof(symbol));
	}
}

static void symtab_extend(struct sections *sections, size_t index)
{
	const Elf64_Shdr *header = &sections->headers.data[index];
	struct byte_vec old = {0}, symbols = {0};
	const size_t locals = (size_t)header->sh_info * sizeof(Elf64_Sym);
	size_t size;
	const unsigned char *bytes = object_bytes(sections->input->object, &size);

	if (header->sh_offset > size || header->sh_size > size - header->sh_offset ||
	    locals > header->sh_size || header->sh_link >= sections->original_count ||
	    sections->headers.data[header->sh_link].sh_type != SHT_STRTAB ||
	    (sections->headers.data[header->sh_link].sh_flags & SHF_ALLOC))
		return;
	put_bytes(&old, bytes + header->sh_offset, header->sh_size);
	sections->strings_index = header->sh_link;
	struct byte_vec *strings = &sections->names;
	if (sections->strings_index != sections->names_index) {
		strings = &sections->strings;
		contents_copy(sections, sections->strings_index, strings);
	}
	put_bytes(&symbols, old.data, locals);
	copy_symbols_put(sections, &symbols, strings);
	put_bytes(&symbols, old.data + locals, old.len - locals);
	sections->headers.data[index].sh_info += (uint32_t)sections->input->symbol_count;
	contents_write(sections, index, &symbols);
	vec_fini(&old);
	vec_fini(&symbols);
}

static void symtab_create(struct sections *sections)
{
	struct byte_vec symbols = {0};
	const Elf64_Sym null = {0};
	const size_t index = sections->headers.len;
	const Elf64_Shdr symtab = {.sh_name = string_put(&sections->names, ".symtab"),
				   .sh_type = SHT_SYMTAB,
				   .sh_link = (uint32_t)index + 1,
				   .sh_info = (uint32_t)sections->input->symbol_count + 1,
				   .sh_addralign = 8,
				   .sh_entsize = sizeof(Elf64_Sym)};
	const Elf64_Shdr strtab = {.sh_name = string_put(&sections->names, ".strtab"),
				   .sh_type = SHT_STRTAB,
				   .sh_addralign = 1};

	put_u8(&sections->strings, 0);
	put_bytes(&symbols, &null, sizeof(null));
	copy_symbols_put(sections, &symbols, &sections->strings);
	vec_push(&sections->headers, symtab);
	vec_push(&sections->headers, strtab);
	sections->strings_index = index + 1;
	contents_write(sections, index, &symbols);
	vec_fini(&symbols);
}

static void symbols_write(struct sections *sections)
{
	const size_t symtab = symtab_find(sections);

	if (!sections->input->symbol_count)
		return;
	if (!symtab)
		symtab_create(sections);
	else if (!symbols_are_referred_to(sections, symtab))
		symtab_extend(sections, symtab);
	if (sections->strings_index && sections->strings_index != sections->names_index)
		contents_write(sections, sections->strings_index, &sections->strings);
}

/* ---- table ---- */

static void table_write(struct sections *sections)
{
	struct byte_vec *file = sections->file;
	Elf64_Ehdr header;

	contents_write(sections, sections->names_index, &sections->names);
	put_align(file, 8, 0);
	memcpy(&header, file->data, sizeof(header));
	header.e_shoff = file->len;
	header.e_shnum = (Elf64_Half)sections->headers.len;
	header.e_shstrndx = (Elf64_Half)sections->names_index;
	memcpy(file->data, &header, sizeof(header));
	put_bytes(file, sections->headers.data, sections->headers.len * sizeof(Elf64_Shdr));
}

/* The original's table, if it has one, cannot be read: the copy gets none. */
static void table_remove(struct byte_vec *file)
{
	Elf64_Ehdr header;

	memcpy(&header, file->data, sizeof(header));
	header.e_shoff = 0;
	header.e_shnum = 0;
	header.e_shstrndx = SHN_UNDEF;
	memcpy(file->data, &header, sizeof(header));
}

/* Goes on with the original's table of names, or begins one where that cannot be found: then the
   original's sections have no names. */
static void names_begin(struct sections *sections)
{
	const size_t index = object_header(sections->input->object)->e_shstrndx;

	if (index && index < sections->headers.len &&
	    sections->headers.data[index].sh_type == SHT_STRTAB &&
	    !(sections->headers.data[index].sh_flags & SHF_ALLOC)) {
		sections->names_index = index;
		contents_copy(sections, index, &sections->names);
		return;
	}
	vec_foreach (header, &sections->headers)
		header->sh_name = 0;
	put_u8(&sections->names, 0);
	const Elf64_Shdr names = {.sh_name = string_put(&sections->names, ".shstrtab"),
				  .sh_type = SHT_STRTAB,
				  .sh_addralign = 1};
	sections->names_index = sections->headers.len;
	vec_push(&sections->headers, names);
}

bool elf_sections_write(const struct elf_out_input *input, struct byte_vec *file, struct error *err)
{
	struct sections sections = {.input = input, .file = file};

	originals_copy(&sections);
	if (!sections.headers.len) {
		table_remove(file);
		return true;
	}
	if (sections.headers.len + input->section_count + 4 >= SHN_LORESERVE) {
		vec_fini(&sections.headers);
		return error_set(err, ERROR_TOO_LARGE, "%s has too many sections",
				 object_path(input->object));
	}
	names_begin(&sections);
	for (size_t i = 0; i < input->section_count; i++) {
		original_rename(&sections, input->sections[i].name);
		new_section_put(&sections, &input->sections[i]);
	}
	build_id_replace(&sections);
	symbols_write(&sections);
	table_write(&sections);
	vec_fini(&sections.headers);
	vec_fini(&sections.names);
	vec_fini(&sections.strings);
	return true;
}
