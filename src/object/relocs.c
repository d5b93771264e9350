/*
 * Dynamic relocations: which GOT slot stands for which symbol, which code addresses are stored in
 * data, and which code is changed by the loader. RELA, JMPREL and RELR through PT_DYNAMIC; a static
 * executable without it has its IRELATIVE relocations in a section.
 */
#include "object/private.h"

#include <stddef.h>
#include <string.h>

/* `addr`: where the record is loaded. */
typedef void reloc_visitor(struct object *object, const Elf64_Rela *rela, uint64_t addr);

static void table_visit(struct object *object, struct byte_reader table, uint64_t addr,
			reloc_visitor *visit)
{
	Elf64_Rela rela;

	for (; bytes_left(&table) >= sizeof(rela); table.at += sizeof(rela), addr += sizeof(rela)) {
		memcpy(&rela, table.at, sizeof(rela));
		visit(object, &rela, addr);
	}
}

static void range_visit(struct object *object, uint64_t addr, uint64_t size, reloc_visitor *visit)
{
	uint64_t rest;
	const unsigned char *at = object_rest_at(object, addr, &rest);

	if (at)
		table_visit(object, byte_reader(at, size < rest ? size : rest), addr, visit);
}

static void relas_visit(struct object *object, reloc_visitor *visit)
{
	const struct object_dynamic *dynamic = &object->dynamic;
	const struct byte_reader file = byte_reader(object->bytes, object->size);

	if (dynamic->present) {
		range_visit(object, dynamic->rela, dynamic->rela_size, visit);
		range_visit(object, dynamic->jmprel, dynamic->jmprel_size, visit);
		return;
	}
	for (size_t i = 0; i < object->section_count; i++) {
		const Elf64_Shdr *header = &object->sections[i].header;
		if (header->sh_type == SHT_RELA && (header->sh_flags & SHF_ALLOC))
			table_visit(object, section_contents(file, &object->sections[i]),
				    header->sh_addr, visit);
	}
}

/* ---- names of GOT slots ---- */

static const char *rela_name(const struct object *object, const Elf64_Rela *rela)
{
	const struct object_symbol *resolver;
	Elf64_Sym symbol;

	switch (ELF64_R_TYPE(rela->r_info)) {
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_64:
		if (ELF64_R_SYM(rela->r_info) == 0 ||
		    !dynamic_symbol_get(object, ELF64_R_SYM(rela->r_info), &symbol))
			return NULL;
		return dynamic_string(object, symbol.st_name);
	case R_X86_64_IRELATIVE:
		resolver = object_symbol_at(object, (uint64_t)rela->r_addend);
		return resolver && resolver->type == STT_GNU_IFUNC ? resolver->name : NULL;
	default:
		return NULL;
	}
}

/* What the loader binds the slot to where no other file comes first. */
static void slot_function_put(struct object *object, const Elf64_Rela *rela)
{
	const uint64_t type = ELF64_R_TYPE(rela->r_info);
	Elf64_Sym symbol;

	if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
	    dynamic_symbol_get(object, ELF64_R_SYM(rela->r_info), &symbol) &&
	    symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
		*map_put(&object->slot_functions, rela->r_offset, symbol.st_value) =
			symbol.st_value;
}

static void slot_name_put(struct object *object, const Elf64_Rela *rela, uint64_t addr)
{
	const char *name = rela_name(object, rela);

	(void)addr;
	if (!name || !*name)
		return;
	map_put(&object->slot_names, rela->r_offset, object->names.len);
	slot_function_put(object, rela);
	vec_push(&object->names, name);
}

void slot_names_load(struct object *object)
{
	relas_visit(object, slot_name_put);
}

/* ---- code pointers, text relocations ---- */

static void code_pointer_add(struct object *object, uint64_t addr)
{
	if (object_is_executable(object, addr))
		vec_push(&object->code_pointers, addr);
}

static void code_word_add(struct object *object, struct object_code_word word)
{
	if (object_is_executable(object, word.target)) {
		*map_put(&object->code_word_at, word.addr, 0) = object->code_words.len;
		vec_push(&object->code_words, word);
	}
	code_pointer_add(object, word.target);
}

static void target_add(struct object *object, const Elf64_Rela *rela, uint64_t addr)
{
	const uint64_t addend = (uint64_t)rela->r_addend;
	Elf64_Sym symbol;

	switch (ELF64_R_TYPE(rela->r_info)) {
	case R_X86_64_RELATIVE:
	case R_X86_64_RELATIVE64:
		code_word_add(object, (struct object_code_word){
					      .addr = rela->r_offset,
					      .target = addend,
					      .stored_at = addr + offsetof(Elf64_Rela, r_addend)});
		break;
	case R_X86_64_IRELATIVE:
		code_pointer_add(object, addend);
		break;
	case R_X86_64_64:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_JUMP_SLOT:
		if (dynamic_symbol_get(object, ELF64_R_SYM(rela->r_info), &symbol) &&
		    symbol.st_shndx != SHN_UNDEF)
			code_pointer_add(
				object,
				symbol.st_value +
					(ELF64_R_TYPE(rela->r_info) == R_X86_64_64 ? addend : 0));
		break;
	default:
		break;
	}
}

static void rela_take(struct object *object, const Elf64_Rela *rela, uint64_t addr)
{
	if (ELF64_R_TYPE(rela->r_info) == R_X86_64_NONE)
		return;
	if (object_is_executable(object, rela->r_offset))
		vec_push(&object->text_relocations, rela->r_offset);
	target_add(object, rela, addr);
}

static void relr_take(struct object *object, uint64_t addr)
{
	const unsigned char *word = object_at(object, addr, 8);

	if (!word)
		return;
	struct byte_reader reader = byte_reader(word, 8);
	code_word_add(object, (struct object_code_word){.addr = addr,
							.target = read_u64(&reader),
							.stored_at = addr});
	if (object_is_executable(object, addr))
		vec_push(&object->text_relocations, addr);
}

/* An even word is an address; an odd one has a bit for each of the 63 words that follow. */
static void relr_visit(struct object *object)
{
	const struct object_dynamic *dynamic = &object->dynamic;
	const unsigned char *at = object_at(object, dynamic->relr, dynamic->relr_size);
	uint64_t where = 0;

	if (!at || !dynamic->relr_size)
		return;
	struct byte_reader table = byte_reader(at, dynamic->relr_size);
	while (bytes_left(&table) >= 8) {
		const uint64_t entry = read_u64(&table);
		if (!(entry & 1)) {
			relr_take(object, entry);
			where = entry + 8;
			continue;
		}
		for (unsigned bit = 0; bit < 63; bit++)
			if (entry >> (bit + 1) & 1)
				relr_take(object, where + UINT64_C(8) * bit);
		where += UINT64_C(8) * 63;
	}
}

/*
 * Absolute addresses need no relocation in ET_EXEC, so every aligned word is a candidate, except
 * inside code that has unwind information.
 */
static void words_scan(struct object *object, const Elf64_Phdr *load)
{
	const unsigned char *contents = object->bytes + load->p_offset;

	for (uint64_t at = -load->p_vaddr & 7; load->p_filesz >= 8 && at <= load->p_filesz - 8;) {
		uint64_t word;
		if (load->p_flags & PF_X) {
			const struct object_fde *fde =
				object_fde_covering(object, load->p_vaddr + at);
			if (fde) {
				at = ((fde->end + 7) & ~UINT64_C(7)) - load->p_vaddr;
				continue;
			}
		}
		memcpy(&word, contents + at, sizeof(word));
		code_pointer_add(object, word);
		at += 8;
	}
}

static void sort_unique(struct u64_vec *vec)
{
	size_t kept = 0;

	sort_u64(vec->data, vec->len);
	for (size_t i = 0; i < vec->len; i++)
		if (!kept || vec->data[kept - 1] != vec->data[i])
			vec->data[kept++] = vec->data[i];
	vec->len = kept;
}

void relocations_load(struct object *object)
{
	relas_visit(object, rela_take);
	relr_visit(object);
	if (object->header.e_type == ET_EXEC)
		for (size_t i = 0; i < object->load_count; i++)
			words_scan(object, &object->loads[i]);
	sort_unique(&object->code_pointers);
	sort_unique(&object->text_relocations);
}

const uint64_t *object_code_pointers(const struct object *object, size_t *count)
{
	*count = object->code_pointers.len;
	return object->code_pointers.data;
}

const uint64_t *object_text_relocations(const struct object *object, size_t *count)
{
	*count = object->text_relocations.len;
	return object->text_relocations.data;
}

bool object_code_word(const struct object *object, uint64_t addr, uint64_t *target)
{
	const uint64_t *known = map_get(&object->code_word_at, addr);

	if (known)
		*target = object->code_words.data[*known].target;
	return known != NULL;
}

const struct object_code_word *object_code_words(const struct object *object, size_t *count)
{
	*count = object->code_words.len;
	return object->code_words.data;
}
