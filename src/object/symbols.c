/*
 * Symbols in executable segments, or of data: collected from .symtab, .dynsym, the separate debug
 * file and .gnu_debugdata, and sorted so that the best name of an address comes first. The dynamic
 * ones are found through PT_DYNAMIC; section headers are needed for .symtab only.
 */
#include "object/private.h"

#include <string.h>

static bool type_is_wanted(unsigned type)
{
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE ||
	       type == STT_OBJECT;
}

/* The name without its version ("memcpy@@GLIBC_2.14"), borrowed or copied into the arena. */
static const char *name_without_version(struct object *object, const char *name)
{
	const char *at = strchr(name, '@');

	return at && at != name ? arena_strndup(&object->arena, name, (size_t)(at - name)) : name;
}

static void symbol_append(struct object *object, const Elf64_Sym *symbol,
			  struct byte_reader strings, bool dynamic)
{
	const char *name;

	if (symbol->st_shndx == SHN_UNDEF ||
	    (symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_XINDEX) ||
	    !type_is_wanted(ELF64_ST_TYPE(symbol->st_info)) ||
	    object_is_executable(object, symbol->st_value) == object->of_data)
		return;
	read_skip(&strings, symbol->st_name);
	name = read_string(&strings);
	/* Labels that the assembler should have dropped. */
	if (!name || !*name || str_starts_with(name, ".L"))
		return;
	const struct object_symbol found = {
		.addr = symbol->st_value,
		.size = symbol->st_size,
		.name = name_without_version(object, name),
		.type = ELF64_ST_TYPE(symbol->st_info),
		.bind = ELF64_ST_BIND(symbol->st_info),
		.dynamic = dynamic,
	};
	vec_push(&object->symbols, found);
}

void symbols_append(struct object *object, struct byte_reader table, struct byte_reader strings,
		    bool dynamic)
{
	Elf64_Sym symbol;

	for (; bytes_left(&table) >= sizeof(symbol); table.at += sizeof(symbol)) {
		memcpy(&symbol, table.at, sizeof(symbol));
		symbol_append(object, &symbol, strings, dynamic);
	}
}

static void section_symbols_append(struct object *object)
{
	const struct byte_reader file = byte_reader(object->bytes, object->size);

	for (size_t i = 0; i < object->section_count; i++) {
		const struct object_section *section = &object->sections[i];
		if (section->header.sh_type == SHT_SYMTAB &&
		    section->header.sh_link < object->section_count)
			symbols_append(
				object, section_contents(file, section),
				section_contents(file, &object->sections[section->header.sh_link]),
				false);
	}
}

/* ---- dynamic symbols ---- */

static void dynamic_symbols_append(struct object *object)
{
	uint64_t rest;
	const unsigned char *at = object_rest_at(object, object->dynamic.strtab, &rest);
	const uint64_t count = dynamic_symbol_count(object);
	Elf64_Sym symbol;

	if (!at)
		return;
	const struct byte_reader strings = byte_reader(at, rest);
	for (uint64_t i = 1; i < count && dynamic_symbol_get(object, i, &symbol); i++)
		symbol_append(object, &symbol, strings, true);
}

/* ---- order ---- */

static int type_rank(uint8_t type)
{
	return type == STT_FUNC || type == STT_GNU_IFUNC ? 0 : type == STT_NOTYPE ? 1 : 2;
}

/* What callers write comes before its implementation: of "write" and "__write" the C library may
 * have the first weak. */
static int name_compare(const struct object_symbol *a, const struct object_symbol *b)
{
	const bool a_local = a->bind == STB_LOCAL, b_local = b->bind == STB_LOCAL;
	const bool a_weak = a->bind == STB_WEAK, b_weak = b->bind == STB_WEAK;
	const size_t a_underscores = strspn(a->name, "_"), b_underscores = strspn(b->name, "_");

	if (a_local != b_local)
		return a_local - b_local;
	if (a_underscores != b_underscores)
		return a_underscores < b_underscores ? -1 : 1;
	if (a_weak != b_weak)
		return a_weak - b_weak;
	return strcmp(a->name, b->name);
}

static int symbol_compare(const void *a_pointer, const void *b_pointer)
{
	const struct object_symbol *a = a_pointer, *b = b_pointer;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (type_rank(a->type) != type_rank(b->type))
		return type_rank(a->type) - type_rank(b->type);
	return name_compare(a, b);
}

/* The same symbol in .symtab and .dynsym becomes one. */
static void duplicates_merge(struct symbol_vec *symbols)
{
	size_t kept = 0;

	vec_foreach (symbol, symbols) {
		struct object_symbol *last = kept ? &symbols->data[kept - 1] : NULL;
		if (last && symbol_compare(last, symbol) == 0) {
			last->dynamic |= symbol->dynamic;
			last->size = last->size > symbol->size ? last->size : symbol->size;
		} else {
			symbols->data[kept++] = *symbol;
		}
	}
	symbols->len = kept;
}

static bool symbol_covers(const struct object_symbol *symbol, uint64_t addr)
{
	return addr >= symbol->addr && addr - symbol->addr < symbol->size;
}

/*
 * outer[i]: 1 + index of the nearest earlier symbol that ends behind the start of symbol i. All
 * symbols that cover an address lie on one chain of these links.
 */
static void outer_load(struct object *object)
{
	const struct symbol_vec *symbols = &object->symbols;

	object->symbol_outer = arena_array(&object->arena, uint32_t, symbols->len + 1);
	for (size_t i = 1; i < symbols->len; i++) {
		uint32_t outer = (uint32_t)i;
		while (outer && !symbol_covers(&symbols->data[outer - 1], symbols->data[i].addr))
			outer = object->symbol_outer[outer - 1];
		object->symbol_outer[i] = outer;
	}
}

void symbols_load(struct object *object)
{
	section_symbols_append(object);
	dynamic_symbols_append(object);
	debug_file_load(object);
	mini_debug_load(object);
	vec_sort(&object->symbols, symbol_compare);
	duplicates_merge(&object->symbols);
	outer_load(object);
}

/* ---- lookups ---- */

const struct object_symbol *object_symbols(const struct object *object, size_t *count)
{
	late_names_want(object);
	*count = object->symbols.len;
	return object->symbols.data;
}

/* Index of the first symbol whose address is not below `addr`. */
static size_t symbol_lower_bound(const struct object *object, uint64_t addr)
{
	return partition_point(object->symbols.len, i, object->symbols.data[i].addr < addr);
}

const struct object_symbol *object_symbol_at(const struct object *object, uint64_t addr)
{
	late_names_want(object);
	const size_t index = symbol_lower_bound(object, addr);

	return index < object->symbols.len && object->symbols.data[index].addr == addr
		       ? &object->symbols.data[index]
		       : NULL;
}

const struct object_symbol *object_symbol_covering(const struct object *object, uint64_t addr)
{
	late_names_want(object);
	const struct object_symbol *symbols = object->symbols.data;
	size_t index =
		addr == UINT64_MAX ? object->symbols.len : symbol_lower_bound(object, addr + 1);

	while (index && !symbol_covers(&symbols[index - 1], addr))
		index = object->symbol_outer[index - 1];
	if (!index)
		return NULL;
	const struct object_symbol *found = &symbols[index - 1], *best = found;
	while (found > symbols && found[-1].addr == best->addr) {
		found--;
		if (symbol_covers(found, addr))
			best = found;
	}
	return best;
}

/* The loader binds unversioned references to the default version: bit 15 marks the others. */
static bool is_hidden_version(const struct object *object, uint64_t index)
{
	const unsigned char *at = object->dynamic.versym
					  ? object_at(object, object->dynamic.versym + index * 2, 2)
					  : NULL;

	return at && (at[1] & 0x80);
}

static bool is_named(const struct object *object, const Elf64_Sym *symbol, const char *wanted)
{
	const char *name = dynamic_string(object, symbol->st_name);

	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
	       ELF64_ST_TYPE(symbol->st_info) != STT_TLS && name && !strcmp(name, wanted);
}

uint64_t object_dynamic_symbol(const struct object *object, const char *name)
{
	const struct dynamic_indices candidates = dynamic_symbols_of(object, name);
	uint64_t value = 0;
	bool found = false;
	Elf64_Sym symbol;

	if (!*name)
		return 0;
	for (uint64_t i = candidates.begin;
	     i < candidates.end && dynamic_symbol_get(object, i, &symbol); i++) {
		if (!is_named(object, &symbol, name) || (found && is_hidden_version(object, i)))
			continue;
		value = symbol.st_value;
		found = true;
	}
	return value;
}
