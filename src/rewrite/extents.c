/*
 * Where functions begin and end: what each FDE covers, and, where there are none, what each symbol
 * with a size does. Those of PLT, .init and .fini are left out: nobody calls them as functions.
 *
 * Refuses files whose code nothing delimits.
 */
#include "rewrite/private.h"

#include <string.h>

static bool is_linkage_section(const char *name)
{
	return str_starts_with(name, ".plt") || strcmp(name, ".iplt") == 0 ||
	       strcmp(name, ".init") == 0 || strcmp(name, ".fini") == 0;
}

/* Executable sections that hold no functions; a program has a few of them, and many FDEs. */
struct linkage_sections vec_of(struct object_extent);

static void find_linkage_sections(const struct object *object, struct linkage_sections *found)
{
	size_t count;
	const struct object_section *sections = object_sections(object, &count);

	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *header = &sections[i].header;
		const struct object_extent extent = {header->sh_addr, header->sh_size};
		if ((header->sh_flags & SHF_EXECINSTR) && is_linkage_section(sections[i].name))
			vec_push(found, extent);
	}
}

static bool in_linkage_section(const struct linkage_sections *sections, uint64_t addr)
{
	vec_foreach (section, sections) {
		if (addr - section->addr < section->size)
			return true;
	}
	return false;
}

/* Some assembly code begins its unwind record behind the endbr64 at which its symbol stands. */
static const char *range_name(const struct program *program, uint64_t addr)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint64_t before = addr - sizeof(endbr64);
	const unsigned char *bytes = object_at(program->object, before, sizeof(endbr64));
	const char *name = object_function_name(program->object, addr);

	if (!name && bytes && memcmp(bytes, endbr64, sizeof(endbr64)) == 0)
		name = object_function_name(program->object, before);
	return name ? name : "";
}

static void add_ranges(struct program *program, const struct linkage_sections *linkage)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(program->object, &count);

	for (size_t i = 0; i < count; i++) {
		const struct object_fde *fde = &fdes[i];
		if (!object_is_executable(program->object, fde->begin) ||
		    in_linkage_section(linkage, fde->begin))
			continue;
		struct range range = {.begin = fde->begin,
				      .end = fde->end,
				      .fde = fde,
				      .name = range_name(program, fde->begin),
				      .entry = true};
		vec_push(&program->ranges, range);
	}
}

/* ---- functions without unwind tables ---- */

/* Their callers see what they saw before: no unwind record covers the copy either. */
static const struct object_fde *absent_fde(struct program *program, uint64_t begin, uint64_t end)
{
	static const struct object_cie cie = {
		.code_align = 1,
		.data_align = -8,
		.return_register = 16,
		.lsda_encoding = 0xff,
		.personality_encoding = 0xff,
		.understood = true,
	};
	struct object_fde *fde = arena_alloc(&program->arena, sizeof(*fde));

	*fde = (struct object_fde){.begin = begin, .end = end, .cie = &cie};
	return fde;
}

static int range_compare(const void *a_pointer, const void *b_pointer)
{
	const struct range *a = a_pointer, *b = b_pointer;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Whether any unwind record, a PLT's too, covers a byte of [begin, end). */
static bool is_taken(const struct object *object, uint64_t begin, uint64_t end)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(object, &count);
	const size_t low = partition_point(count, i, fdes[i].end <= begin);

	return low < count && fdes[low].begin < end;
}

/* V8's builtins have tables of their own, by code addresses, which V8 walks stacks with. */
static bool has_own_tables(const char *name)
{
	return str_starts_with(name, "Builtins_");
}

/*
 * Code without unwind tables (musl, -fno-asynchronous-unwind-tables) that symbols with a type and a
 * size delimit. Symbols that overlap anything but their own aliases are left out.
 */
static void add_symbol_ranges(struct program *program, const struct linkage_sections *linkage)
{
	uint64_t covered = 0;
	size_t count;
	const struct object_symbol *symbols = object_symbols(program->object, &count);

	for (size_t i = 0; i < count; i++) {
		const struct object_symbol *symbol = &symbols[i];
		const uint64_t begin = symbol->addr, end = begin + symbol->size;
		if ((symbol->type != STT_FUNC && symbol->type != STT_GNU_IFUNC) || end <= begin ||
		    begin < covered || is_taken(program->object, begin, end) ||
		    !object_at(program->object, begin, symbol->size) ||
		    in_linkage_section(linkage, begin) || has_own_tables(symbol->name))
			continue;
		covered = end;
		const struct range range = {.begin = begin,
					    .end = end,
					    .fde = absent_fde(program, begin, end),
					    .name = symbol->name,
					    .entry = true};
		vec_push(&program->ranges, range);
	}
	vec_sort(&program->ranges, range_compare);
}

/* Libraries of data alone have an executable segment, too, but nothing in it. */
static bool has_code(const struct object *object)
{
	size_t count;
	const struct object_section *sections = object_sections(object, &count);

	if (!count)
		return true;
	for (size_t i = 0; i < count; i++) {
		if ((sections[i].header.sh_flags & SHF_EXECINSTR) && sections[i].header.sh_size &&
		    !is_linkage_section(sections[i].name))
			return true;
	}
	return false;
}

bool program_find_extents(struct program *program, struct error *err)
{
	struct linkage_sections linkage = {0};

	find_linkage_sections(program->object, &linkage);
	add_ranges(program, &linkage);
	add_symbol_ranges(program, &linkage);
	vec_fini(&linkage);
	if (program->ranges.len || !has_code(program->object))
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "%s has neither unwind tables (.eh_frame) nor symbols that tell its "
			 "functions; rebuild it with -fasynchronous-unwind-tables",
			 object_path(program->object));
}
