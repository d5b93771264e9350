/*
 * Reads a companion into the memory that it will be, and checks that nothing but its segments is
 * needed to run it; see companion.h for all that is refused.
 */
#include "rewrite/companion.h"

#include "abi/static.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t page_bytes = 0x1000, memory_max = UINT64_C(64) << 20;

static bool refuse(const struct companion *companion, struct error *err, const char *reason)
{
	return error_set(err, ERROR_INPUT, "%s cannot be put into another file: %s",
			 object_path(companion->object), reason);
}

static uint64_t page_up(uint64_t value)
{
	return (value + page_bytes - 1) & ~(page_bytes - 1);
}

/* ---- segments ---- */

static bool load_take(struct companion *companion, const Elf64_Phdr *load, struct error *err)
{
	const unsigned char *contents = object_at(companion->object, load->p_vaddr, load->p_filesz);
	const bool writable = load->p_flags & PF_W;

	if (load->p_vaddr > memory_max || load->p_memsz > memory_max - load->p_vaddr)
		return refuse(companion, err, "it is too large");
	if (load->p_filesz > load->p_memsz || (load->p_filesz && !contents))
		return refuse(companion, err, "a segment lies outside the file");
	if (load->p_vaddr < companion->memory_size)
		return refuse(companion, err, "its segments overlap");
	if (writable && (load->p_flags & PF_X))
		return refuse(companion, err, "a segment is both writable and executable");
	if (!writable && companion->memory_size > companion->code_size)
		return refuse(companion, err, "a segment lies behind the writable ones");
	if (writable && load->p_vaddr < companion->code_size)
		return refuse(companion, err, "code and data share a page");
	companion->memory_size = load->p_vaddr + load->p_memsz;
	if (!writable)
		companion->code_size = companion->memory_size = page_up(companion->memory_size);
	if (!load->p_filesz)
		return true;
	while (companion->bytes.len < load->p_vaddr)
		put_u8(&companion->bytes, 0);
	put_bytes(&companion->bytes, contents, load->p_filesz);
	return true;
}

static bool segments_take(struct companion *companion, struct error *err)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(companion->object, &count);
	bool first = true;

	for (size_t i = 0; i < count; i++) {
		const Elf64_Phdr *segment = &segments[i];
		if (segment->p_type == PT_INTERP ||
		    (segment->p_type == PT_TLS &&
		     (!companion->loads_itself || segment->p_memsz > TARE_STATIC_TLS_BYTES)))
			return refuse(companion, err, "it needs a loader");
		if (segment->p_type != PT_LOAD || !segment->p_memsz)
			continue;
		if (first && segment->p_vaddr != 0)
			return refuse(companion, err, "it does not begin at address 0");
		first = false;
		if (!load_take(companion, segment, err))
			return false;
	}
	if (!companion->code_size)
		return refuse(companion, err, "it has no code");
	while (companion->bytes.len < companion->code_size)
		put_u8(&companion->bytes, 0);
	return true;
}

/* ---- what a loader would have to do ---- */

struct loading {
	uint64_t rela, rela_size;
	const char *refusal;
};

static void entry_take(struct loading *loading, uint64_t tag, uint64_t value)
{
	switch (tag) {
	case DT_RELA:
		loading->rela = value;
		break;
	case DT_RELASZ:
		loading->rela_size = value;
		break;
	case DT_NEEDED:
		loading->refusal = "it needs other libraries";
		break;
	case DT_JMPREL:
	case DT_REL:
	case DT_RELR:
		loading->refusal = "it has imports, or relocations of a kind that is not supported";
		break;
	case DT_INIT:
	case DT_FINI:
	case DT_INIT_ARRAY:
	case DT_FINI_ARRAY:
	case DT_PREINIT_ARRAY:
		loading->refusal = "it has constructors or destructors";
		break;
	case DT_TEXTREL:
		loading->refusal = "its code has to be relocated";
		break;
	default:
		break;
	}
}

static bool dynamic_read(const struct companion *companion, struct loading *loading,
			 struct error *err)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(companion->object, &count);

	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type != PT_DYNAMIC)
			continue;
		const uint64_t size = segments[i].p_filesz;
		const unsigned char *at = object_at(companion->object, segments[i].p_vaddr, size);
		if (!at)
			return refuse(companion, err, "its dynamic section lies outside the file");
		struct byte_reader reader = byte_reader(at, size);
		for (;;) {
			const uint64_t tag = read_u64(&reader), value = read_u64(&reader);
			if (reader.failed || tag == DT_NULL)
				break;
			entry_take(loading, tag, value);
		}
	}
	return !loading->refusal || refuse(companion, err, loading->refusal);
}

static bool relocation_take(struct companion *companion, struct byte_reader *table,
			    struct error *err)
{
	const uint64_t place = read_u64(table), info = read_u64(table), addend = read_u64(table);

	if (ELF64_R_TYPE(info) == R_X86_64_NONE)
		return true;
	if (ELF64_R_TYPE(info) != R_X86_64_RELATIVE)
		return refuse(companion, err,
			      "it has imports, or relocations of a kind that is not supported");
	if (place % 8 || place < companion->code_size || companion->bytes.len < 8 ||
	    place > companion->bytes.len - 8 || addend > companion->memory_size)
		return refuse(companion, err, "a relocation leads out of its data");
	memcpy(companion->bytes.data + place, &addend, sizeof(addend));
	vec_push(&companion->relocations, place);
	return true;
}

static int place_compare(const void *a_pointer, const void *b_pointer)
{
	const uint64_t a = *(const uint64_t *)a_pointer, b = *(const uint64_t *)b_pointer;

	return (a > b) - (a < b);
}

static bool relocations_take(struct companion *companion, struct error *err)
{
	struct loading loading = {0};

	if (!dynamic_read(companion, &loading, err))
		return false;
	if (!loading.rela_size)
		return true;
	const unsigned char *at = object_at(companion->object, loading.rela, loading.rela_size);
	if (!at || loading.rela_size % sizeof(Elf64_Rela))
		return refuse(companion, err, "its relocations lie outside the file");
	struct byte_reader table = byte_reader(at, loading.rela_size);
	while (bytes_left(&table)) {
		if (!relocation_take(companion, &table, err))
			return false;
	}
	vec_sort(&companion->relocations, place_compare);
	for (size_t i = 1; i < companion->relocations.len; i++) {
		if (companion->relocations.data[i] == companion->relocations.data[i - 1])
			return refuse(companion, err, "a word has two relocations");
	}
	return true;
}

/* ---- public ---- */

bool companion_init(struct companion *companion, const struct object *object, struct error *err)
{
	*companion = (struct companion){.object = object};
	if (!object)
		return true;
	if (object_header(object)->e_type != ET_DYN)
		return refuse(companion, err, "it is not a shared object");
	companion->loads_itself = object_dynamic_symbol(object, TARE_STATIC_ENTRY) != 0;
	if (segments_take(companion, err) &&
	    (companion->loads_itself || relocations_take(companion, err)))
		return true;
	companion_fini(companion);
	return false;
}

void companion_fini(struct companion *companion)
{
	vec_fini(&companion->bytes);
	vec_fini(&companion->relocations);
}

void companion_place(struct companion *companion, uint64_t addr, bool fixed)
{
	companion->addr = addr;
	if (!fixed)
		return;
	vec_foreach (place, &companion->relocations) {
		uint64_t value;
		memcpy(&value, companion->bytes.data + *place, sizeof(value));
		value += addr;
		memcpy(companion->bytes.data + *place, &value, sizeof(value));
	}
}

bool companion_symbol(const struct companion *companion, const char *name, uint64_t *offset)
{
	*offset = companion->object ? object_dynamic_symbol(companion->object, name) : 0;
	return *offset && *offset < companion->memory_size;
}
