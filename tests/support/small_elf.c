/* See small_elf.h. */
#include "tests/support/small_elf.h"

#include "base/arena.h"

#include <assert.h>
#include <string.h>

enum {
	SEGMENTS = 5,
	STRING_ALPHA = 1,
	STRING_BETA = 7,
	STRING_IMPORTED = 12,
	STRING_SONAME = 21,
	STRING_RUNPATH = 33,
};

static const char strings[] = "\0alpha\0beta\0imported\0libsmall.so\0$ORIGIN/lib";

static const struct section_name {
	const char *name;
	uint32_t type, flags;
} section_names[] = {
	{"", SHT_NULL, 0},
	{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
	{".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
	{".eh_frame", SHT_PROGBITS, SHF_ALLOC},
	{".dynsym", SHT_DYNSYM, SHF_ALLOC},
	{".dynstr", SHT_STRTAB, SHF_ALLOC},
	{".symtab", SHT_SYMTAB, 0},
	{".strtab", SHT_STRTAB, 0},
	{".shstrtab", SHT_STRTAB, 0},
	{".gnu_debuglink", SHT_PROGBITS, 0},
};

enum { SECTIONS = sizeof(section_names) / sizeof(*section_names) };

struct builder {
	struct small_elf *elf;
	struct byte_vec *out;
	const struct small_elf_options *options;
	uint64_t section_addrs[SECTIONS], section_sizes[SECTIONS];
	uint64_t dynsym, dynstr, hash, rela, rela_size, jmprel, relr, note, note_size;
	uint64_t eh_header_size, dynamic_size;
};

static void pad_to(struct byte_vec *out, size_t offset, unsigned char fill)
{
	assert(out->len <= offset);
	while (out->len < offset)
		put_u8(out, fill);
}

static void put_distance(struct byte_vec *out, uint64_t target)
{
	put_u32(out, (uint32_t)(target - out->len));
}

static void put_thunk(struct byte_vec *out, uint32_t bytes)
{
	if (bytes == 9)
		put_bytes(out, "\xf3\x0f\x1e\xfa", 4);
	put_u8(out, bytes == 2 ? 0xeb : 0xe9);
	if (bytes == 2)
		put_u8(out, SMALL_ALPHA_BYTES - 2);
	else
		put_u32(out, SMALL_ALPHA_BYTES - bytes);
}

static void put_code(struct builder *builder)
{
	struct byte_vec *out = builder->out;

	pad_to(out, SMALL_TEXT, 0);
	if (builder->options->thunk_bytes)
		put_thunk(out, builder->options->thunk_bytes);
	pad_to(out, SMALL_PLT, 0xc3);
	put_u8(out, 0xff);
	put_u8(out, 0x25);
	put_u32(out, SMALL_GOT - (SMALL_PLT + 6));
	pad_to(out, SMALL_PLT + SMALL_PLT_BYTES, 0xcc);
	pad_to(out, SMALL_GOT, 0);
	put_u64(out, 0);
	put_u64(out, SMALL_BETA);
	put_u64(out, SMALL_TEXT);
	put_u64(out, 0);
	put_u64(out, SMALL_TEXT + 0x10);
	builder->section_addrs[1] = SMALL_TEXT;
	builder->section_sizes[1] = SMALL_PLT - SMALL_TEXT;
	builder->section_addrs[2] = SMALL_PLT;
	builder->section_sizes[2] = SMALL_PLT_BYTES;
}

/* ---- exceptions ---- */

static void put_lsda(struct builder *builder)
{
	struct byte_vec *out = builder->out;

	put_align(out, 4, 0);
	builder->elf->lsda = out->len;
	put_u8(out, 0xff); /* landing pads relative to the function */
	put_u8(out, builder->options->absolute_types ? 0 : 0x1b);
	/* to behind the types */
	put_uleb(out, 2 + 8 + 6 + 2 + (builder->options->absolute_types ? 16 : 8));
	put_u8(out, 1);
	put_uleb(out, 8);
	/* [4, 20): landing pad 0x30, action 1; [20, 24): none */
	put_bytes(out, (const unsigned char[]){4, 16, 0x30, 1, 20, 4, 0, 0}, 8);
	/* type 1, then the specification at -1, then type 2 */
	put_bytes(out, (const unsigned char[]){1, 1, 0x7f, 1, 2, 0}, 6);
	put_u16(out, 0);
	/* type 2, and type 1: everything */
	if (builder->options->absolute_types) {
		put_u64(out, SMALL_DATA);
		put_u64(out, 0);
	} else {
		put_distance(out, SMALL_DATA);
		put_u32(out, 0);
	}
	put_bytes(out, (const unsigned char[]){1, 2, 0}, 3);
}

static size_t record_begin(struct builder *builder)
{
	const size_t start = builder->out->len;

	put_u32(builder->out, 0);
	return start;
}

static void record_end(struct builder *builder, size_t start)
{
	put_align(builder->out, 4, 0);
	set_u32(builder->out, start, (uint32_t)(builder->out->len - start - 4));
	if (builder->options->terminators)
		put_u32(builder->out, 0);
}

static size_t put_cie(struct builder *builder)
{
	struct byte_vec *out = builder->out;
	const size_t start = record_begin(builder);

	put_u32(out, 0);
	put_u8(out, 1);
	put_bytes(out, "zPLR", 5);
	put_uleb(out, 1);
	put_sleb(out, -8);
	put_u8(out, 16);
	if (builder->options->absolute_personality) {
		put_uleb(out, 11);
		put_u8(out, 0);
		put_u64(out, SMALL_BETA);
	} else {
		put_uleb(out, 7);
		put_u8(out, 0x9b);
		put_distance(out, SMALL_GOT);
	}
	put_u8(out, 0x1b);
	put_u8(out, 0x1b);
	put_bytes(out, (const unsigned char[]){0x0c, 7, 8, 0x90, 1}, 5);
	record_end(builder, start);
	return start;
}

static size_t put_fde(struct builder *builder, size_t cie, uint64_t begin, uint64_t size)
{
	struct byte_vec *out = builder->out;
	const size_t start = record_begin(builder);

	put_u32(out, (uint32_t)(out->len - cie));
	put_distance(out, begin);
	put_u32(out, (uint32_t)size);
	put_uleb(out, 4);
	if (begin == SMALL_TEXT)
		put_distance(out, builder->elf->lsda);
	else
		put_u32(out, 0);
	put_bytes(out, (const unsigned char[]){0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0a}, 9);
	put_bytes(out, (const unsigned char[]){0x48, 0x0c, 7, 8, 0xc6, 0x42, 0x0b}, 7);
	if (begin == SMALL_BETA && builder->options->set_loc) {
		put_u8(out, 1);
		put_distance(out, begin + 0x10);
	}
	record_end(builder, start);
	return start;
}

static void put_unwind(struct builder *builder)
{
	struct byte_vec *out = builder->out;

	put_lsda(builder);
	put_align(out, 8, 0);
	builder->elf->eh_frame = builder->section_addrs[3] = out->len;
	const size_t cie = put_cie(builder);
	const size_t alpha = put_fde(builder, cie, SMALL_TEXT, SMALL_ALPHA_BYTES);
	const size_t beta = put_fde(builder, cie, SMALL_BETA, SMALL_BETA_BYTES);
	put_u32(out, 0);
	builder->section_sizes[3] = out->len - builder->elf->eh_frame;
	const size_t header = builder->elf->eh_frame_hdr = out->len;
	put_bytes(out, (const unsigned char[]){1, 0x1b, 3, 0x3b}, 4);
	put_distance(out, builder->elf->eh_frame);
	put_u32(out, builder->options->header_short ? 1 : 2);
	put_u32(out, (uint32_t)(SMALL_TEXT - header));
	put_u32(out, (uint32_t)(alpha - header));
	put_u32(out, (uint32_t)(SMALL_BETA - header));
	put_u32(out, (uint32_t)(beta - header));
	builder->eh_header_size = out->len - header;
}

/* ---- dynamic linking ---- */

static void put_symbol(struct byte_vec *out, uint32_t name, uint64_t addr, uint64_t size)
{
	const Elf64_Sym symbol = {.st_name = name,
				  .st_info = name ? ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) : 0,
				  .st_shndx = (uint16_t)(addr ? 1 : SHN_UNDEF),
				  .st_value = addr,
				  .st_size = size};

	put_bytes(out, &symbol, sizeof(symbol));
}

static void put_symbols(struct builder *builder, size_t section)
{
	struct byte_vec *out = builder->out;

	put_align(out, 8, 0);
	builder->section_addrs[section] = out->len;
	put_symbol(out, 0, 0, 0);
	put_symbol(out, STRING_IMPORTED, 0, 0);
	put_symbol(out, STRING_ALPHA, SMALL_TEXT,
		   builder->options->thunk_bytes ? builder->options->thunk_bytes
						 : SMALL_ALPHA_BYTES);
	if (section == 6)
		put_symbol(out, STRING_BETA, SMALL_BETA, SMALL_BETA_BYTES);
	builder->section_sizes[section] = out->len - builder->section_addrs[section];
	builder->section_addrs[section + 1] = out->len;
	put_bytes(out, strings, sizeof(strings));
	builder->section_sizes[section + 1] = sizeof(strings);
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

static void put_hash(struct builder *builder)
{
	struct byte_vec *out = builder->out;

	put_align(out, 8, 0);
	builder->hash = out->len;
	if (builder->options->gnu_hash) {
		/* one bucket, symbols hashed from number 2, one word of the filter */
		const uint32_t head[] = {1, 2, 1, 6}, alpha = gnu_hash("alpha");
		put_bytes(out, head, sizeof(head));
		put_u64(out, UINT64_C(1) << alpha % 64 | UINT64_C(1) << (alpha >> 6) % 64);
		put_u32(out, 2);
		put_u32(out, alpha | 1);
	} else {
		const uint32_t table[] = {1, 3, 2, 0, 0, 0};
		put_bytes(out, table, sizeof(table));
	}
}

static void put_rela(struct byte_vec *out, uint64_t addr, uint64_t info, int64_t addend)
{
	const Elf64_Rela rela = {addr, info, addend};

	put_bytes(out, &rela, sizeof(rela));
}

static void put_relocations(struct builder *builder)
{
	struct byte_vec *out = builder->out;

	put_align(out, 8, 0);
	builder->rela = out->len;
	put_rela(out, SMALL_DATA, ELF64_R_INFO(0, R_X86_64_RELATIVE), SMALL_BETA);
	builder->rela_size = out->len - builder->rela;
	builder->jmprel = out->len;
	put_rela(out, SMALL_GOT, ELF64_R_INFO(1, R_X86_64_JUMP_SLOT), 0);
	builder->relr = out->len;
	put_u64(out, SMALL_DATA + 8);
	put_u64(out, 1 << 2 | 1); /* the second word behind */
}

static void put_dynamic(struct builder *builder)
{
	const uint64_t entries[][2] = {
		{DT_SYMTAB, builder->section_addrs[4]},
		{DT_STRTAB, builder->section_addrs[5]},
		{DT_STRSZ, sizeof(strings)},
		{builder->options->gnu_hash ? DT_GNU_HASH : DT_HASH, builder->hash},
		{DT_RELA, builder->rela},
		{DT_RELASZ, builder->rela_size},
		{DT_JMPREL, builder->jmprel},
		{DT_PLTRELSZ, sizeof(Elf64_Rela)},
		{DT_RELR, builder->relr},
		{DT_RELRSZ, 16},
		{DT_SONAME, STRING_SONAME},
		{DT_RUNPATH, STRING_RUNPATH},
		{DT_NULL, 0},
	};

	builder->elf->dynamic = builder->out->len;
	put_bytes(builder->out, entries, sizeof(entries));
	builder->dynamic_size = sizeof(entries);
}

static void put_note(struct builder *builder)
{
	struct byte_vec *out = builder->out;

	builder->note = out->len;
	put_u32(out, 4);
	put_u32(out, 3);
	put_u32(out, NT_GNU_BUILD_ID);
	put_bytes(out, "GNU", 4);
	put_bytes(out, "\x01\x02\x03", 4);
	builder->note_size = out->len - builder->note;
}

/* ---- headers ---- */

static void put_segment(struct byte_vec *headers, uint32_t type, uint64_t addr, uint64_t size)
{
	const Elf64_Phdr segment = {.p_type = type,
				    .p_flags = type == PT_LOAD ? PF_R | PF_X : PF_R,
				    .p_offset = addr,
				    .p_vaddr = addr,
				    .p_paddr = addr,
				    .p_filesz = size,
				    .p_memsz = size,
				    .p_align = type == PT_LOAD ? 0x1000 : 4};

	put_bytes(headers, &segment, sizeof(segment));
}

static void put_debug_link(struct builder *builder)
{
	struct byte_vec *out = builder->out;

	put_align(out, 4, 0);
	builder->section_addrs[9] = out->len;
	put_bytes(out, "small.debug", 12);
	put_u32(out, builder->options->debug_link_crc);
	builder->section_sizes[9] = out->len - builder->section_addrs[9];
}

static void put_sections(struct builder *builder)
{
	struct byte_vec *out = builder->out;
	uint32_t names[SECTIONS];

	put_debug_link(builder);
	builder->section_addrs[8] = out->len;
	for (size_t i = 0; i < SECTIONS; i++) {
		names[i] = (uint32_t)(out->len - builder->section_addrs[8]);
		put_bytes(out, section_names[i].name, strlen(section_names[i].name) + 1);
	}
	builder->section_sizes[8] = out->len - builder->section_addrs[8];
	if (!builder->options->debug_link_crc)
		names[9] = 0;
	if (builder->options->no_symtab)
		builder->section_sizes[6] = 0;
	put_align(out, 8, 0);
	for (size_t i = 0; i < SECTIONS; i++) {
		const struct section_name *name = &section_names[i];
		const bool symbols = name->type == SHT_DYNSYM || name->type == SHT_SYMTAB;
		const Elf64_Shdr section = {.sh_name = names[i],
					    .sh_type = name->type,
					    .sh_flags = name->flags,
					    .sh_addr = name->flags ? builder->section_addrs[i] : 0,
					    .sh_offset = builder->section_addrs[i],
					    .sh_size = builder->section_sizes[i],
					    .sh_link = symbols ? (uint32_t)i + 1 : 0,
					    .sh_info = symbols ? 1 : 0,
					    .sh_addralign = 8,
					    .sh_entsize = symbols ? sizeof(Elf64_Sym) : 0};
		put_bytes(out, &section, sizeof(section));
	}
}

static void put_headers(struct builder *builder, uint64_t loaded, uint64_t sections)
{
	struct byte_vec headers = {0};
	const bool named = !builder->options->no_sections;
	Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			     .e_type = ET_DYN,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_phoff = sizeof(header),
			     .e_shoff = named ? sections : 0,
			     .e_ehsize = sizeof(header),
			     .e_phentsize = sizeof(Elf64_Phdr),
			     .e_phnum = SEGMENTS,
			     .e_shentsize = sizeof(Elf64_Shdr),
			     .e_shnum = (uint16_t)(named ? SECTIONS : 0),
			     .e_shstrndx = (uint16_t)(named ? 8 : 0)};

	put_bytes(&headers, &header, sizeof(header));
	put_segment(&headers, PT_LOAD, 0, loaded);
	put_segment(&headers, PT_DYNAMIC, builder->elf->dynamic, builder->dynamic_size);
	put_segment(&headers, builder->options->no_build_id ? PT_NULL : PT_NOTE, builder->note,
		    builder->note_size);
	put_segment(&headers, builder->options->no_eh_header ? PT_NULL : PT_GNU_EH_FRAME,
		    builder->elf->eh_frame_hdr, builder->eh_header_size);
	put_segment(&headers, PT_GNU_STACK, 0, 0);
	assert(headers.len <= SMALL_TEXT);
	memcpy(builder->out->data, headers.data, headers.len);
	vec_fini(&headers);
}

void small_elf_build(struct small_elf *elf, const struct small_elf_options *options)
{
	struct builder builder = {.elf = elf, .out = &elf->bytes, .options = options};

	*elf = (struct small_elf){0};
	put_code(&builder);
	put_unwind(&builder);
	put_symbols(&builder, 4);
	put_hash(&builder);
	put_relocations(&builder);
	put_dynamic(&builder);
	put_note(&builder);
	const uint64_t loaded = elf->bytes.len;
	if (!options->no_sections) {
		put_symbols(&builder, 6);
		put_sections(&builder);
	}
	put_headers(&builder, loaded, elf->bytes.len - SECTIONS * sizeof(Elf64_Shdr));
}

void small_elf_fini(struct small_elf *elf)
{
	vec_fini(&elf->bytes);
}
