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

/* The end of the loaded segment around an address; 0: there is none. */
static uint64_t segment_end(const struct module_segments *segments, uint64_t addr)
{
	for (uint64_t i = 0; i < segments->count; i++) {
		const Elf64_Phdr *header = &segments->headers[i];

		if (header->p_type == PT_LOAD &&
		    addr - segments->bias - header->p_vaddr < header->p_memsz)
			return segments->bias + header->p_vaddr + header->p_memsz;
	}
	return 0;
}

static const Elf64_Dyn *dynamic_section(const struct module_segments *segments)
{
	for (uint64_t i = 0; i < segments->count; i++)
		if (segments->headers[i].p_type == PT_DYNAMIC)
			return (const Elf64_Dyn *)(segments->bias + segments->headers[i].p_vaddr);
	return NULL;
}

/* The loader has added the bias to its own entries, or not: both occur. */
static uint64_t entry_addr(const Elf64_Dyn *entry, uint64_t bias)
{
	const uint64_t value = entry->d_un.d_ptr;

	return value < bias ? bias + value : value;
}

static bool is_table(int64_t tag)
{
	return tag == DT_STRTAB || tag == DT_HASH || tag == DT_GNU_HASH || tag == DT_VERSYM ||
	       tag == DT_VERNEED || tag == DT_VERDEF || tag == DT_RELA || tag == DT_REL ||
	       tag == DT_RELR || tag == DT_JMPREL;
}

/*
 * No entry says how many symbols there are. They end before the table that comes next, which is
 * another one with each linker; 0: none does.
 */
static uint64_t symbols_end(const struct module_segments *segments, uint64_t symbols)
{
	const uint64_t last = segment_end(segments, symbols);
	uint64_t end = 0;

	for (const Elf64_Dyn *at = dynamic_section(segments); at->d_tag != DT_NULL; at++) {
		const uint64_t addr = entry_addr(at, segments->bias);

		if (is_table(at->d_tag) && addr > symbols && (!end || addr < end))
			end = addr;
	}
	return end < last ? end : last;
}

bool module_symbols_find(const struct module_segments *segments, struct module_symbols *symbols)
{
	uint64_t table = 0, names = 0;

	*symbols = (struct module_symbols){0};
	for (const Elf64_Dyn *at = dynamic_section(segments); at && at->d_tag != DT_NULL; at++) {
		if (at->d_tag == DT_SYMTAB)
			table = entry_addr(at, segments->bias);
		else if (at->d_tag == DT_STRTAB)
			names = entry_addr(at, segments->bias);
		else if (at->d_tag == DT_STRSZ)
			symbols->names_bytes = at->d_un.d_val;
	}
	symbols->table = (const Elf64_Sym *)table;
	symbols->names = (const char *)names;
	const uint64_t end = table ? symbols_end(segments, table) : 0;
	const uint64_t names_end = segment_end(segments, names);

	if (!names || !symbols->names_bytes || names_end < names ||
	    symbols->names_bytes > names_end - names || symbols->names[symbols->names_bytes - 1] ||
	    end <= table)
		return false;
	symbols->count = (end - table) / sizeof(*symbols->table);
	if (symbols->count > SYMBOLS_MAX)
		symbols->count = SYMBOLS_MAX;
	return true;
}

const char *module_symbol_name(const struct module_symbols *symbols, uint64_t number)
{
	if (number >= symbols->count || symbols->table[number].st_name >= symbols->names_bytes)
		return "";
	return symbols->names + symbols->table[number].st_name;
}

/* DT_GNU_HASH: the head, words of a Bloom filter, the first symbol of each bucket, hashes. */
struct hash_table {
	uint32_t bucket_count, first_symbol, bloom_words, bloom_shift;
};

struct hash_parts {
	const struct hash_table *head;
	const uint64_t *bloom;
	const uint32_t *buckets, *hashes;
	uint64_t hash_count; /* as far as the segment reaches */
};

static bool hash_parts_find(const struct module_segments *segments, struct hash_parts *parts)
{
	const Elf64_Dyn *entry = dynamic_section(segments);

	while (entry && entry->d_tag != DT_NULL && entry->d_tag != DT_GNU_HASH)
		entry++;
	if (!entry || entry->d_tag == DT_NULL)
		return false;
	const uint64_t begin = entry_addr(entry, segments->bias);
	const uint64_t end = segment_end(segments, begin);

	if (begin % sizeof(uint64_t) || end < begin + sizeof(*parts->head))
		return false;
	parts->head = (const struct hash_table *)begin;
	const uint64_t bloom = begin + sizeof(*parts->head);
	const uint64_t buckets = bloom + parts->head->bloom_words * sizeof(uint64_t);
	const uint64_t hashes = buckets + parts->head->bucket_count * sizeof(uint32_t);

	if (!parts->head->bloom_words || !parts->head->bucket_count || hashes > end)
		return false;
	parts->bloom = (const uint64_t *)bloom;
	parts->buckets = (const uint32_t *)buckets;
	parts->hashes = (const uint32_t *)hashes;
	parts->hash_count = (end - hashes) / sizeof(uint32_t);
	return true;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool bloom_has(const struct hash_parts *parts, uint32_t hash)
{
	const uint64_t word = parts->bloom[hash / 64 % parts->head->bloom_words];

	return word >> hash % 64 & word >> (hash >> parts->head->bloom_shift % 32) % 64 & 1;
}

static bool defines(const struct module_symbols *symbols, uint64_t number, const char *name)
{
	return number < symbols->count && symbols->table[number].st_shndx != SHN_UNDEF &&
	       bytes_equal(module_symbol_name(symbols, number), name);
}

static const Elf64_Sym *hashed_find(const struct hash_parts *parts,
				    const struct module_symbols *symbols, const char *name)
{
	const uint32_t hash = hash_of(name);
	const uint32_t first = parts->head->first_symbol;

	if (!bloom_has(parts, hash))
		return NULL;
	const uint64_t begin = parts->buckets[hash % parts->head->bucket_count];

	/* The last hash of a bucket has its lowest bit set; an empty bucket begins at 0. */
	for (uint64_t at = begin; at >= first && at - first < parts->hash_count; at++) {
		const uint32_t here = parts->hashes[at - first];

		if ((here | 1) == (hash | 1) && defines(symbols, at, name))
			return &symbols->table[at];
		if (here & 1)
			break;
	}
	return NULL;
}

const Elf64_Sym *module_symbol_find(const struct module_segments *segments,
				    const struct module_symbols *symbols, const char *name)
{
	struct hash_parts parts;

	if (hash_parts_find(segments, &parts))
		return hashed_find(&parts, symbols, name);
	for (uint64_t i = 1; i < symbols->count; i++)
		if (defines(symbols, i, name))
			return &symbols->table[i];
	return NULL;
}

bool module_imports(const struct module_segments *segments, const char *name)
{
	struct module_symbols symbols;

	if (!module_symbols_find(segments, &symbols))
		return false;
	for (uint64_t i = 1; i < symbols.count; i++)
		if (symbols.table[i].st_shndx == SHN_UNDEF &&
		    bytes_equal(module_symbol_name(&symbols, i), name))
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
