/*
 * See elf_mutate.h. Parts of the file are found by their section headers, and where those are gone
 * by the program headers. Everything that is read here may be damaged already, so each access is
 * checked; what cannot be found is not mutated, and plain mutation of bytes takes its place.
 */
#include "fuzz/elf_mutate.h"

#include "fuzz/fuzz.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

enum { RECORDS_MAX = 512, STACKED_MAX = 4, CFA_BYTES_MAX = 64 };

struct extent {
	size_t offset, size;
};

struct mutation {
	uint8_t *data;
	size_t size;
	uint64_t random;
	struct extent text, eh_frame, exceptions, rodata, pointers, relocs, dynamic, symbols, notes;
	uint64_t eh_frame_addr;
	uint64_t text_addr;
	size_t records[RECORDS_MAX]; /* offsets in the file of the records of .eh_frame */
	size_t record_count;
};

/* ---- random choices, reads and writes ---- */

static uint64_t next(struct mutation *m)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return m->random;
}

static size_t below(struct mutation *m, size_t bound)
{
	return bound ? (size_t)(next(m) % bound) : 0;
}

static bool fits(const struct mutation *m, size_t offset, size_t size)
{
	return offset <= m->size && size <= m->size - offset;
}

static uint64_t get(const struct mutation *m, size_t offset, size_t size)
{
	uint64_t value = 0;

	if (fits(m, offset, size))
		memcpy(&value, m->data + offset, size);
	return value;
}

static void put(struct mutation *m, size_t offset, uint64_t value, size_t size)
{
	if (fits(m, offset, size))
		memcpy(m->data + offset, &value, size);
}

static size_t inside(struct mutation *m, struct extent extent, size_t align)
{
	return extent.offset + below(m, extent.size / align) * align;
}

static uint64_t code_addr(struct mutation *m)
{
	return m->text_addr + below(m, m->text.size + 1);
}

/* Bounds, addresses of the file, and values close to them. */
static uint64_t odd_value(struct mutation *m)
{
	static const uint64_t fixed[] = {0,
					 1,
					 7,
					 0x7f,
					 0xff,
					 0xfff,
					 0x1000,
					 0x7fffffff,
					 0x80000000,
					 0xffffffff,
					 0x7fffffffffffffff,
					 0x8000000000000000,
					 UINT64_MAX};
	uint64_t value;

	switch (below(m, 5)) {
	case 0:
		value = code_addr(m);
		break;
	case 1:
		value = below(m, m->size + 1);
		break;
	case 2:
		value = next(m) >> below(m, 64);
		break;
	default:
		value = fixed[below(m, sizeof(fixed) / sizeof(*fixed))];
	}
	return below(m, 3) ? value : value + below(m, 17) - 8;
}

/* Another value for a field: an odd one, a close one, or one with a bit changed. */
static void change_field(struct mutation *m, size_t offset, size_t size)
{
	const uint64_t old = get(m, offset, size);

	switch (below(m, 4)) {
	case 0:
		put(m, offset, old + below(m, 33) - 16, size);
		break;
	case 1:
		put(m, offset, old ^ 1ULL << below(m, size * 8), size);
		break;
	default:
		put(m, offset, odd_value(m), size);
	}
}

/* ---- where things are ---- */

static const char *section_name(const struct mutation *m, size_t header)
{
	const size_t table = get(m, offsetof(Elf64_Ehdr, e_shoff), 8);
	const size_t names =
		table + get(m, offsetof(Elf64_Ehdr, e_shstrndx), 2) * sizeof(Elf64_Shdr);
	const size_t at = get(m, names + offsetof(Elf64_Shdr, sh_offset), 8) + get(m, header, 4);

	return fits(m, at, 1) && memchr(m->data + at, 0, m->size - at) ? (char *)m->data + at : "";
}

static void note_section(struct mutation *m, const char *name, uint64_t addr, struct extent extent)
{
	const struct {
		const char *name;
		struct extent *extent;
	} known[] = {{".text", &m->text},
		     {".eh_frame", &m->eh_frame},
		     {".gcc_except_table", &m->exceptions},
		     {".rodata", &m->rodata},
		     {".data.rel.ro", &m->pointers},
		     {".data", &m->pointers},
		     {".rela.dyn", &m->relocs},
		     {".relr.dyn", &m->relocs},
		     {".dynamic", &m->dynamic},
		     {".symtab", &m->symbols},
		     {".dynsym", &m->symbols}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(name, known[i].name) != 0 || (known[i].extent->size && below(m, 2)))
			continue;
		*known[i].extent = extent;
		if (known[i].extent == &m->text)
			m->text_addr = addr;
		if (known[i].extent == &m->eh_frame)
			m->eh_frame_addr = addr;
	}
	if (strncmp(name, ".note", 5) == 0)
		m->notes = extent;
}

static void find_sections(struct mutation *m)
{
	const size_t table = get(m, offsetof(Elf64_Ehdr, e_shoff), 8);
	const size_t count = get(m, offsetof(Elf64_Ehdr, e_shnum), 2);

	for (size_t i = 0; i < count && i < 100; i++) {
		const size_t header = table + i * sizeof(Elf64_Shdr);
		if (!fits(m, header, sizeof(Elf64_Shdr)))
			return;
		const struct extent extent = {get(m, header + offsetof(Elf64_Shdr, sh_offset), 8),
					      get(m, header + offsetof(Elf64_Shdr, sh_size), 8)};
		if (extent.size && fits(m, extent.offset, extent.size))
			note_section(m, section_name(m, header),
				     get(m, header + offsetof(Elf64_Shdr, sh_addr), 8), extent);
	}
}

/* The header of the unwind table leads to the table, if both lie in one segment. */
static void find_by_unwind_header(struct mutation *m, size_t offset, uint64_t addr)
{
	const uint64_t distance = (uint64_t)(int64_t)(int32_t)get(m, offset + 4, 4);
	const size_t table = offset + 4 + distance;

	if (m->eh_frame.size || !fits(m, table, 4))
		return;
	m->eh_frame = (struct extent){table, m->size - table};
	m->eh_frame_addr = addr + 4 + distance;
}

static void find_segments(struct mutation *m)
{
	const size_t table = get(m, offsetof(Elf64_Ehdr, e_phoff), 8);
	const size_t count = get(m, offsetof(Elf64_Ehdr, e_phnum), 2);

	for (size_t i = 0; i < count && i < 100; i++) {
		const size_t header = table + i * sizeof(Elf64_Phdr);
		if (!fits(m, header, sizeof(Elf64_Phdr)))
			return;
		const struct extent extent = {get(m, header + offsetof(Elf64_Phdr, p_offset), 8),
					      get(m, header + offsetof(Elf64_Phdr, p_filesz), 8)};
		const uint64_t addr = get(m, header + offsetof(Elf64_Phdr, p_vaddr), 8);
		const uint64_t type = get(m, header, 4);
		if (!extent.size || !fits(m, extent.offset, extent.size))
			continue;
		if (type == PT_LOAD && (get(m, header + 4, 4) & PF_X) && !m->text.size) {
			m->text = extent;
			m->text_addr = addr;
		} else if (type == PT_DYNAMIC && !m->dynamic.size) {
			m->dynamic = extent;
		} else if (type == PT_NOTE && !m->notes.size) {
			m->notes = extent;
		} else if (type == PT_GNU_EH_FRAME) {
			find_by_unwind_header(m, extent.offset, addr);
		}
	}
}

static void find_records(struct mutation *m)
{
	const size_t end = m->eh_frame.offset + m->eh_frame.size;

	for (size_t at = m->eh_frame.offset; at + 8 <= end && m->record_count < RECORDS_MAX;) {
		const size_t length = get(m, at, 4);
		if (!length || length > end - at - 4)
			return;
		m->records[m->record_count++] = at;
		at += 4 + length;
	}
}

/* ---- headers ---- */

static void change_segment(struct mutation *m)
{
	static const uint8_t fields[] = {
		offsetof(Elf64_Phdr, p_offset), offsetof(Elf64_Phdr, p_vaddr),
		offsetof(Elf64_Phdr, p_filesz), offsetof(Elf64_Phdr, p_memsz),
		offsetof(Elf64_Phdr, p_align)};
	const size_t table = get(m, offsetof(Elf64_Ehdr, e_phoff), 8);
	const size_t at =
		table + below(m, get(m, offsetof(Elf64_Ehdr, e_phnum), 2)) * sizeof(Elf64_Phdr);

	switch (below(m, 4)) {
	case 0:
		put(m, at, below(m, 2) ? below(m, 8) : PT_GNU_EH_FRAME + below(m, 4), 4);
		break;
	case 1:
		put(m, at + offsetof(Elf64_Phdr, p_flags), below(m, 8), 4);
		break;
	default:
		change_field(m, at + fields[below(m, sizeof(fields))], 8);
	}
}

static void change_section(struct mutation *m)
{
	static const uint8_t fields[] = {
		offsetof(Elf64_Shdr, sh_flags),	    offsetof(Elf64_Shdr, sh_addr),
		offsetof(Elf64_Shdr, sh_offset),    offsetof(Elf64_Shdr, sh_size),
		offsetof(Elf64_Shdr, sh_addralign), offsetof(Elf64_Shdr, sh_entsize)};
	const size_t table = get(m, offsetof(Elf64_Ehdr, e_shoff), 8);
	const size_t at =
		table + below(m, get(m, offsetof(Elf64_Ehdr, e_shnum), 2)) * sizeof(Elf64_Shdr);

	switch (below(m, 4)) {
	case 0:
		put(m, at + offsetof(Elf64_Shdr, sh_type), below(m, 20), 4);
		break;
	case 1:
		put(m, at + offsetof(Elf64_Shdr, sh_link) + 4 * below(m, 2), below(m, 40), 4);
		break;
	default:
		change_field(m, at + fields[below(m, sizeof(fields))], 8);
	}
}

static void change_file_header(struct mutation *m)
{
	static const uint8_t halves[] = {
		offsetof(Elf64_Ehdr, e_type), offsetof(Elf64_Ehdr, e_phnum),
		offsetof(Elf64_Ehdr, e_shnum), offsetof(Elf64_Ehdr, e_shstrndx)};
	static const uint8_t words[] = {offsetof(Elf64_Ehdr, e_entry),
					offsetof(Elf64_Ehdr, e_phoff),
					offsetof(Elf64_Ehdr, e_shoff)};

	switch (below(m, 4)) {
	case 0:
		put(m, offsetof(Elf64_Ehdr, e_shoff), 0, 8);
		put(m, offsetof(Elf64_Ehdr, e_shnum), 0, 2);
		break;
	case 1:
		change_field(m, words[below(m, sizeof(words))], 8);
		break;
	default:
		change_field(m, halves[below(m, sizeof(halves))], 2);
	}
}

/* What object_open asks for first. */
static void mend_file_header(struct mutation *m)
{
	static const uint8_t ident[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT};

	if (m->size < sizeof(Elf64_Ehdr))
		return;
	memcpy(m->data, ident, sizeof(ident));
	if (get(m, offsetof(Elf64_Ehdr, e_type), 2) != ET_EXEC)
		put(m, offsetof(Elf64_Ehdr, e_type), ET_DYN, 2);
	put(m, offsetof(Elf64_Ehdr, e_machine), EM_X86_64, 2);
	put(m, offsetof(Elf64_Ehdr, e_phentsize), sizeof(Elf64_Phdr), 2);
	put(m, offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Shdr), 2);
	put(m, offsetof(Elf64_Ehdr, e_version), EV_CURRENT, 4);
}

/* ---- unwind records and exception tables ---- */

/* DW_CFA_* with operands, as compilers and hand-written assembly have them, and others. */
static void write_cfa_program(struct mutation *m, size_t at, size_t end)
{
	const size_t limit = at + CFA_BYTES_MAX;

	while (at < end && at < limit) {
		switch (below(m, 8)) {
		case 0:
			put(m, at++, 0x40 | below(m, 64), 1); /* advance_loc */
			break;
		case 1:
			put(m, at++, 0x0e, 1); /* def_cfa_offset */
			put(m, at++, 8 * below(m, 16), 1);
			break;
		case 2:
			put(m, at++, 0x80 | below(m, 20), 1); /* offset */
			put(m, at++, below(m, 16), 1);
			break;
		case 3:
			put(m, at++, 0x0a + below(m, 2), 1); /* remember_state, restore_state */
			break;
		case 4:
			put(m, at++, 0x0c, 1); /* def_cfa */
			put(m, at++, below(m, 17), 1);
			put(m, at++, 8 * below(m, 16), 1);
			break;
		case 5:
			put(m, at++, below(m, 0x18), 1);
			break;
		case 6:
			put(m, at++, 0x0f + below(m, 2) * 7, 1); /* expressions */
			put(m, at++, below(m, 8), 1);
			break;
		default:
			put(m, at++, 0, 1);
		}
	}
}

static void change_fde(struct mutation *m, size_t at)
{
	const size_t end = at + 4 + get(m, at, 4);
	const uint64_t place = m->eh_frame_addr + (at + 8 - m->eh_frame.offset);

	switch (below(m, 8)) {
	case 0: /* begins elsewhere */
		put(m, at + 8, code_addr(m) - place, 4);
		break;
	case 1: /* a little earlier or later */
		put(m, at + 8, get(m, at + 8, 4) + below(m, 33) - 16, 4);
		break;
	case 2:
		put(m, at + 12, get(m, at + 12, 4) + below(m, 129) - 64, 4);
		break;
	case 3:
		put(m, at + 12, below(m, 2) ? odd_value(m) : below(m, 24), 4);
		break;
	case 4: /* of the exception table, where there is one */
		change_field(m, at + 17, 4);
		break;
	case 5: /* another CIE */
		put(m, at + 4, at + 4 - m->records[below(m, m->record_count)], 4);
		break;
	default:
		write_cfa_program(m, at + 17 + get(m, at + 16, 1) % 16 + below(m, 8), end);
	}
}

static void change_cie(struct mutation *m, size_t at)
{
	static const char *const augmentations[] = {"zR",  "zPLR", "zRS", "zPR",
						    "zLR", "",	   "eh",  "zB"};
	static const uint8_t encodings[] = {0x1b, 0x00, 0x03, 0x0b, 0x9b,
					    0x3b, 0x04, 0xff, 0x50, 0x01};
	const size_t end = at + 4 + get(m, at, 4);
	const char *text = augmentations[below(m, 8)];

	switch (below(m, 4)) {
	case 0:
		for (size_t i = 0; i <= strlen(text) && at + 9 + i < end; i++)
			put(m, at + 9 + i, (uint8_t)text[i], 1);
		break;
	case 1:
		put(m, at + 12 + below(m, 12), encodings[below(m, sizeof(encodings))], 1);
		break;
	case 2:
		write_cfa_program(m, at + 14 + below(m, 6), end);
		break;
	default:
		put(m, at + 8 + below(m, end - at - 8), next(m), 1);
	}
}

static void change_unwind(struct mutation *m)
{
	if (!m->record_count)
		return;
	const size_t at = m->records[below(m, m->record_count)];
	const size_t end = at + 4 + get(m, at, 4);
	if (end - at < 20 || below(m, 32) == 0)
		change_field(m, at, 4);
	else if (get(m, at + 4, 4) == 0)
		change_cie(m, at);
	else
		change_fde(m, at);
}

static void change_exceptions(struct mutation *m)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x7d, 0x80,
					 0xff, 0x9b, 0x1b, 0x03, 0x10};
	const size_t at = inside(m, m->exceptions, 1);

	for (size_t i = 0, count = 1 + below(m, 3); m->exceptions.size && i < count; i++) {
		if (below(m, 2))
			put(m, at + i, values[below(m, sizeof(values))], 1);
		else
			put(m, at + i, get(m, at + i, 1) + below(m, 9) - 4, 1);
	}
}

/* ---- code ---- */

struct snippet {
	const char *bytes;
	uint8_t size;
	uint8_t rel_at, rel_size; /* a displacement that leads into the code */
};

#define SNIPPET(text, at, size)                                                                    \
	{                                                                                          \
		text, sizeof(text) - 1, at, size                                                   \
	}

static const struct snippet snippets[] = {
	SNIPPET("\xe8\0\0\0\0", 1, 4),	       /* call */
	SNIPPET("\xe9\0\0\0\0", 1, 4),	       /* jmp */
	SNIPPET("\x0f\x87\0\0\0\0", 2, 4),     /* ja */
	SNIPPET("\xeb\0", 1, 1),	       /* jmp short */
	SNIPPET("\x74\0", 1, 1),	       /* je short */
	SNIPPET("\x77\0", 1, 1),	       /* ja short */
	SNIPPET("\xe2\0", 1, 1),	       /* loop */
	SNIPPET("\xe3\0", 1, 1),	       /* jrcxz */
	SNIPPET("\xe8\0\0\0\0\x58", 0, 0),     /* call; pop */
	SNIPPET("\xff\xe0", 0, 0),	       /* jmp *rax */
	SNIPPET("\x3e\xff\xe0", 0, 0),	       /* notrack jmp *rax */
	SNIPPET("\xff\xd0", 0, 0),	       /* call *rax */
	SNIPPET("\xff\x15\0\0\0\0", 2, 4),     /* call *x(%rip) */
	SNIPPET("\xff\x25\0\0\0\0", 2, 4),     /* jmp *x(%rip) */
	SNIPPET("\xff\x24\xc5\0\0\0\0", 3, 4), /* jmp *T(,rax,8) */
	SNIPPET("\xff\x24\xc2", 0, 0),	       /* jmp *(rdx,rax,8) */
	SNIPPET("\x48\x8d\x15\0\0\0\0", 3, 4), /* lea x(%rip),rdx */
	SNIPPET("\x48\x63\x04\x82\x48\x01\xd0\xff\xe0", 0,
		0), /* movslq (rdx,rax,4),rax; add; jmp */
	SNIPPET("\x48\x8d\x15\0\0\0\0\x48\x63\x04\x82\x48\x01\xd0\xff\xe0", 3, 4),
	SNIPPET("\x83\xf8\x05\x77\x10", 0, 0), /* cmp 5,eax; ja */
	SNIPPET("\xf0\x48\x0f\xb1\x0a", 0, 0), /* lock cmpxchg */
	SNIPPET("\x74\x01\xf0\x0f\xb1\x0a", 0, 0),
	SNIPPET("\x66\x48\x8d\x3d\0\0\0\0\x66\x66\x48\xe8\0\0\0\0", 12, 4), /* TLS call */
	SNIPPET("\xf3\x0f\x1e\xfa", 0, 0),				    /* endbr64 */
	SNIPPET("\x0f\x05", 0, 0),					    /* syscall */
	SNIPPET("\xc3", 0, 0),
	SNIPPET("\xf3\xc3", 0, 0),
	SNIPPET("\xf2\xe9\0\0\0\0", 2, 4), /* bnd jmp */
	SNIPPET("\xcc", 0, 0),
	SNIPPET("\x0f\x0b", 0, 0),	   /* ud2 */
	SNIPPET("\xc7\xf8\0\0\0\0", 2, 4), /* xbegin */
	SNIPPET("\x0f\x1f\x44\0\0", 0, 0), /* nop */
	SNIPPET("\xc9\xc3", 0, 0),
	SNIPPET("\x55\x48\x89\xe5", 0, 0),
	SNIPPET("\x0f\x94\xc0", 0, 0), /* sete al */
	SNIPPET("\x9c\x9d", 0, 0),     /* pushf; popf */
};

static void write_snippet(struct mutation *m, size_t at)
{
	const struct snippet *snippet = &snippets[below(m, sizeof(snippets) / sizeof(*snippets))];
	uint64_t distance = code_addr(m) - (m->text_addr + (at - m->text.offset) + snippet->size);

	if (!fits(m, at, snippet->size))
		return;
	memcpy(m->data + at, snippet->bytes, snippet->size);
	if (snippet->rel_size == 1 || below(m, 3) == 0)
		distance = below(m, 129) - 64;
	if (snippet->rel_size)
		put(m, at + snippet->rel_at, distance, snippet->rel_size);
}

/* A place in the code; often where a function begins. */
static size_t code_place(struct mutation *m)
{
	const size_t record = m->record_count ? m->records[below(m, m->record_count)] : 0;

	if (!record || get(m, record + 4, 4) == 0 || below(m, 2))
		return inside(m, m->text, 1);
	const uint64_t addr = m->eh_frame_addr + (record + 8 - m->eh_frame.offset) +
			      (uint64_t)(int64_t)(int32_t)get(m, record + 8, 4);
	const uint64_t size = get(m, record + 12, 4);
	return m->text.offset + (addr - m->text_addr) + below(m, size < 64 ? size : 64);
}

static void change_code(struct mutation *m)
{
	const size_t at = code_place(m);

	if (!m->text.size)
		return;
	switch (below(m, 8)) {
	case 0:
		put(m, at, next(m), 1);
		break;
	case 1: {
		const size_t from = inside(m, m->text, 1), length = 1 + below(m, 32);
		if (fits(m, at, length) && fits(m, from, length))
			memmove(m->data + at, m->data + from, length);
		break;
	}
	case 2:
		put(m, at, get(m, at, 4) + below(m, 65) - 32, 4);
		break;
	default:
		write_snippet(m, at);
	}
}

/* ---- data ---- */

/* Entries of jump tables: distances and addresses. */
static void change_words(struct mutation *m, struct extent extent)
{
	const size_t wide = below(m, 2) ? 8 : 4;
	const size_t at = inside(m, extent, wide);
	const size_t other = inside(m, extent, wide);

	if (!extent.size)
		return;
	switch (below(m, 4)) {
	case 0:
		put(m, at, get(m, other, wide), wide);
		break;
	case 1:
		put(m, at, get(m, at, wide) + below(m, 33) - 16, wide);
		break;
	case 2:
		put(m, at, code_addr(m), wide);
		break;
	default:
		put(m, at, code_addr(m) - at, wide);
	}
}

static void change_reloc(struct mutation *m)
{
	const size_t at = inside(m, m->relocs, sizeof(Elf64_Rela));

	if (!m->relocs.size)
		return;
	switch (below(m, 4)) {
	case 0:
		change_field(m, at, 8);
		break;
	case 1:
		put(m, at + 8, below(m, 40), 4);
		break;
	case 2:
		put(m, at + 12, below(m, 40), 4);
		break;
	default:
		put(m, at + 16, code_addr(m), 8);
	}
}

static void change_dynamic(struct mutation *m)
{
	const size_t at = inside(m, m->dynamic, sizeof(Elf64_Dyn));

	if (!m->dynamic.size)
		return;
	if (below(m, 3))
		change_field(m, at + 8, 8);
	else
		put(m, at, below(m, 2) ? below(m, 40) : DT_GNU_HASH + below(m, 3), 8);
}

static void change_symbol(struct mutation *m)
{
	const size_t at = inside(m, m->symbols, sizeof(Elf64_Sym));

	if (!m->symbols.size)
		return;
	switch (below(m, 4)) {
	case 0:
		put(m, at + offsetof(Elf64_Sym, st_info), below(m, 256), 1);
		break;
	case 1:
		put(m, at + offsetof(Elf64_Sym, st_value), code_addr(m), 8);
		break;
	case 2:
		change_field(m, at + offsetof(Elf64_Sym, st_size), 8);
		break;
	default:
		change_field(m, at, 4);
	}
}

static void change_note(struct mutation *m)
{
	const size_t at = inside(m, m->notes, 4);

	if (m->notes.size)
		change_field(m, at, 4);
}

/* ---- all together ---- */

static void change_something(struct mutation *m)
{
	switch (below(m, 32)) {
	case 0:
		change_segment(m);
		break;
	case 1:
		change_section(m);
		break;
	case 2:
		change_file_header(m);
		break;
	case 3:
		change_dynamic(m);
		break;
	case 4:
		change_symbol(m);
		break;
	case 5:
		change_note(m);
		break;
	case 6:
	case 7:
		change_reloc(m);
		break;
	case 8:
	case 9:
	case 10:
		change_words(m, m->rodata);
		break;
	case 11:
	case 12:
		change_words(m, m->pointers);
		break;
	case 13:
	case 14:
	case 15:
	case 16:
		change_exceptions(m);
		break;
	case 17:
	case 18:
	case 19:
	case 20:
	case 21:
		change_unwind(m);
		break;
	default:
		change_code(m);
	}
}

size_t elf_mutate(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
	struct mutation m = {
		.data = data, .size = size, .random = 0x9e3779b97f4a7c15ULL * (seed + 1ULL)};

	if (!m.random)
		m.random = 1;
	for (int i = 0; i < 4; i++)
		next(&m);
	if (size < sizeof(Elf64_Ehdr) || below(&m, 16) == 0)
		return LLVMFuzzerMutate(data, size, size_max);
	find_sections(&m);
	find_segments(&m);
	find_records(&m);
	/* Targets take their options from the unused bytes of e_ident. */
	if (below(&m, 4) == 0)
		put(&m, EI_PAD + below(&m, 4), next(&m), 1);
	for (size_t i = 0, count = 1 + below(&m, STACKED_MAX); i < count; i++)
		change_something(&m);
	if (below(&m, 8))
		mend_file_header(&m);
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
	return elf_mutate(data, size, size_max, seed);
}
