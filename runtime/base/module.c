/*
 * Finding the note of an instrumented file among its segments.
 *
 * Refuses other versions of it.
 */
#include "runtime/base/module.h"

#include "runtime/base/bytes.h"

#define SYMBOLS_MAX 4096

static const void *notes_find(const char *at, uint64_t size_bytes, uint32_t type,
			      uint64_t least_bytes)
{
	while (size_bytes >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
		const uint64_t name_bytes = ((uint64_t)note->n_namesz + 3) & ~3ULL;
		const uint64_t body_bytes = ((uint64_t)note->n_descsz + 3) & ~3ULL;
		const uint64_t all = sizeof(*note) + name_bytes + body_bytes;

		if (all > size_bytes)
			return NULL;
		if (note->n_type == type && note->n_namesz == sizeof(TARE_NOTE_NAME) &&
		    note->n_descsz >= least_bytes &&
		    bytes_equal(at + sizeof(*note), TARE_NOTE_NAME))
			return at + sizeof(*note) + name_bytes;
		at += all;
		size_bytes -= all;
	}
	return NULL;
}

const void *module_note(const struct module_segments *segments, uint32_t type, uint64_t least_bytes)
{
	const void *found = NULL;

	for (uint64_t i = 0; i < segments->count && !found; i++)
		if (segments->headers[i].p_type == PT_NOTE)
			found = notes_find(
				(const char *)(segments->bias + segments->headers[i].p_vaddr),
				segments->headers[i].p_memsz, type, least_bytes);
	return found;
}

const struct tare_module *module_find(const struct module_segments *segments)
{
	const struct tare_module *module =
		module_note(segments, TARE_NOTE_MODULE, sizeof(struct tare_module));

	return module && module->abi == TARE_MODULE_ABI ? module : NULL;
}

bool module_may_write(const struct module_segments *segments, uint64_t addr, uint64_t size_bytes)
{
	for (uint64_t i = 0; i < segments->count; i++) {
		const Elf64_Phdr *header = &segments->headers[i];
		const uint64_t offset = addr - segments->bias - header->p_vaddr;

		if (header->p_type == PT_LOAD && header->p_flags & PF_W &&
		    offset <= header->p_memsz && size_bytes <= header->p_memsz - offset)
			return true;
	}
	return false;
}

bool module_symbols_find(const struct module_segments *segments, struct module_symbols *symbols)
{
	const uint64_t bias = segments->bias;
	const Elf64_Dyn *dynamic = NULL;

	for (uint64_t i = 0; i < segments->count; i++)
		if (segments->headers[i].p_type == PT_DYNAMIC)
			dynamic = (const Elf64_Dyn *)(bias + segments->headers[i].p_vaddr);
	*symbols = (struct module_symbols){0};
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		/* the loader has added the bias to its own entries, or not: both occur */
		const uint64_t value = dynamic->d_un.d_ptr;
		const uint64_t addr = value < bias ? bias + value : value;

		if (dynamic->d_tag == DT_SYMTAB)
			symbols->table = (const Elf64_Sym *)addr;
		else if (dynamic->d_tag == DT_STRTAB)
			symbols->names = (const char *)addr;
	}
	if (!symbols->table || !symbols->names || (const char *)symbols->table >= symbols->names)
		return false;
	symbols->count =
		(uint64_t)(symbols->names - (const char *)symbols->table) / sizeof(*symbols->table);
	if (symbols->count > SYMBOLS_MAX)
		symbols->count = SYMBOLS_MAX;
	return true;
}

bool module_imports(const struct module_segments *segments, const char *name)
{
	struct module_symbols symbols;

	if (!module_symbols_find(segments, &symbols))
		return false;
	for (uint64_t i = 1; i < symbols.count; i++)
		if (symbols.table[i].st_shndx == SHN_UNDEF &&
		    bytes_equal(symbols.names + symbols.table[i].st_name, name))
			return true;
	return false;
}

uint64_t module_begin(const struct module_segments *segments)
{
	for (uint64_t i = 0; i < segments->count; i++) /* in ascending order */
		if (segments->headers[i].p_type == PT_LOAD)
			return segments->bias + segments->headers[i].p_vaddr;
	return 0;
}

uint64_t module_end(const struct module_segments *segments)
{
	for (uint64_t i = segments->count; i-- > 0;)
		if (segments->headers[i].p_type == PT_LOAD)
			return segments->bias + segments->headers[i].p_vaddr +
			       segments->headers[i].p_memsz;
	return 0;
}
