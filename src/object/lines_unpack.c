/*
 * Debug information that is compressed, unpacked: to do so takes longer than all that is looked up
 * in it. What is made is an ELF file with the same sections, of which only those that lines need
 * have contents:
 *
 *   header │ sections of the names below, each aligned │ section headers
 *
 * Refuses files that are linked to others by paths relative to their own, objects with relocations,
 * and what would be larger than LINES_UNPACK_BYTES_MAX.
 */
#include "object/lines_private.h"

#include <gelf.h>
#include <string.h>

enum { ALIGNMENT = 16, SECTIONS_MAX = 4096 };

static const char *const wanted[] = {
	".debug_info",	   ".debug_types",	 ".debug_abbrev",  ".debug_line",
	".debug_str",	   ".debug_ranges",	 ".debug_aranges", ".debug_rnglists",
	".debug_line_str", ".debug_str_offsets", ".debug_addr",
};

static bool is_wanted(const char *name)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (!strcmp(name, wanted[i]))
			return true;
	}
	return false;
}

/* The sections' names; NULL where the file is none that can be unpacked. */
static const char *name_of(Elf *elf, size_t names, const Elf64_Shdr *header)
{
	const char *name = elf_strptr(elf, names, header->sh_name);

	return name && strcmp(name, ".gnu_debugaltlink") != 0 && header->sh_type != SHT_REL &&
			       !str_starts_with(name, ".rela.debug")
		       ? name
		       : NULL;
}

bool lines_is_packed(Elf *elf)
{
	const Elf64_Ehdr *file = elf64_getehdr(elf);
	Elf_Scn *section = NULL;
	bool packed = false;
	size_t names;

	if (!file || file->e_type == ET_REL || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const Elf64_Shdr *header = elf64_getshdr(section);
		const char *name = header ? name_of(elf, names, header) : NULL;
		if (!name)
			return false;
		packed |= is_wanted(name) && header->sh_flags & SHF_COMPRESSED;
	}
	return packed;
}

static void align(struct str *out)
{
	static const char zeros[ALIGNMENT];

	str_append_bytes(out, zeros, -out->len % ALIGNMENT);
}

/* Appends a section's contents; its header tells where they are. */
static bool put_section(Elf *elf, Elf_Scn *section, size_t names, Elf64_Shdr *header,
			struct str *out)
{
	Elf64_Shdr *own = elf64_getshdr(section);
	const char *name = own ? name_of(elf, names, own) : NULL;

	if (!name)
		return false;
	if (own->sh_flags & SHF_COMPRESSED && is_wanted(name) && elf_compress(section, 0, 0) < 0)
		return false;
	*header = *own;
	header->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	header->sh_link = header->sh_info = 0;
	const bool is_names = elf_ndxscn(section) == names;
	const Elf_Data *data = is_wanted(name) || is_names ? elf_rawdata(section, NULL) : NULL;
	if (!data || !data->d_size || own->sh_type == SHT_NOBITS) {
		header->sh_type = SHT_NOBITS;
		return true;
	}
	if (data->d_size > LINES_UNPACK_BYTES_MAX - out->len)
		return false;
	align(out);
	header->sh_offset = out->len;
	header->sh_size = data->d_size;
	str_append_bytes(out, data->d_buf, data->d_size);
	return true;
}

bool lines_unpack(Elf *elf, struct str *out)
{
	Elf64_Shdr *headers;
	Elf_Scn *section = NULL;
	size_t count, names;
	bool ok = true;

	if (elf_getshdrnum(elf, &count) != 0 || elf_getshdrstrndx(elf, &names) != 0 || count < 2 ||
	    count > SECTIONS_MAX)
		return false;
	Elf64_Ehdr file = *elf64_getehdr(elf);
	headers = mem_zalloc(count * sizeof(*headers));
	str_append_bytes(out, (const char *)&file, sizeof(file));
	while (ok && (section = elf_nextscn(elf, section)))
		ok = put_section(elf, section, names, &headers[elf_ndxscn(section)], out);
	align(out);
	file.e_phoff = file.e_phnum = file.e_phentsize = 0;
	file.e_shoff = out->len;
	file.e_shnum = (uint16_t)count;
	file.e_shstrndx = (uint16_t)names;
	str_append_bytes(out, (const char *)headers, count * sizeof(*headers));
	memcpy(out->data, &file, sizeof(file));
	free(headers);
	return ok;
}
