/*
 * See static_tls.h. glibc puts the block of size S, alignment A at the thread pointer minus S
 * rounded up to A, musl at the same where the image's address is a multiple of A. Adding a multiple
 * of A to S therefore moves the block's begin, and nothing in it.
 */
#include "rewrite/static_tls.h"

#include "abi/static.h"

#include <string.h>

enum { OWN_ALIGNMENT = 8 };

static const uint64_t alignment_max = 0x1000 /* a page */, size_max = UINT64_C(1) << 30;

static uint64_t round_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

static const Elf64_Phdr *segment_find(const struct object *object, uint32_t type)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == type)
			return &segments[i];
	return NULL;
}

static bool refuse(const struct object *object, struct error *err, const char *reason)
{
	return error_set(err, ERROR_UNSUPPORTED, "the thread-local storage of %s cannot grow: %s",
			 object_path(object), reason);
}

bool static_tls_plan(const struct object *object, struct static_tls *tls, struct error *err)
{
	static const Elf64_Phdr none = {.p_align = TARE_STATIC_TLS_BYTES};
	const Elf64_Phdr *segment = segment_find(object, PT_TLS);

	if (!segment)
		segment = &none;
	const uint64_t alignment = segment->p_align ? segment->p_align : 1;
	if (alignment & (alignment - 1) || alignment > alignment_max ||
	    segment->p_memsz > size_max || segment->p_filesz > segment->p_memsz ||
	    (segment->p_filesz && !object_at(object, segment->p_vaddr, segment->p_filesz)))
		return refuse(object, err, "its description is damaged");
	if (segment->p_vaddr % alignment)
		return refuse(object, err, "its image is not aligned");
	const uint64_t block = round_up(segment->p_memsz, alignment);
	const uint64_t distance = round_up(block, OWN_ALIGNMENT) + TARE_STATIC_TLS_BYTES;

	*tls = (struct static_tls){
		.old_addr = segment->p_vaddr,
		.old_file_size = segment->p_filesz,
		.alignment = alignment,
		.room = round_up(distance - block, alignment),
		.own_distance = -(int64_t)distance,
	};
	tls->file_size = tls->room + segment->p_filesz;
	tls->memory_size = tls->room + segment->p_memsz;
	tls->own_offset = block + tls->room - distance;
	return true;
}

void static_tls_image(const struct object *object, const struct static_tls *tls,
		      struct byte_vec *out)
{
	for (uint64_t i = 0; i < tls->room; i++)
		put_u8(out, 0);
	if (tls->old_file_size)
		put_bytes(out, object_at(object, tls->old_addr, tls->old_file_size),
			  tls->old_file_size);
}

/* ---- relocations ---- */

static void patch_u64(const struct static_tls_move *move, uint64_t addr, uint64_t value)
{
	unsigned char *bytes = arena_alloc(move->arena, sizeof(value));
	const struct elf_patch patch = {.addr = addr, .bytes = bytes, .size = sizeof(value)};

	memcpy(bytes, &value, sizeof(value));
	vec_push(move->patches, patch);
}

/* Where a word of the old image has gone; false for all other addresses. */
static bool moved_word(const struct static_tls_move *move, uint64_t addr, uint64_t *moved)
{
	const uint64_t offset = addr - move->tls->old_addr;

	*moved = move->image_addr + move->tls->room + offset;
	return offset < move->tls->old_file_size;
}

static bool rela_move(const struct static_tls_move *move, uint64_t table, uint64_t size,
		      struct error *err)
{
	for (uint64_t at = 0; size - at >= sizeof(Elf64_Rela); at += sizeof(Elf64_Rela)) {
		const unsigned char *bytes =
			object_at(move->object, table + at, sizeof(Elf64_Rela));
		Elf64_Rela rela;
		uint64_t moved;
		if (!bytes)
			return refuse(move->object, err, "its relocations lie outside the file");
		memcpy(&rela, bytes, sizeof(rela));
		switch (ELF64_R_TYPE(rela.r_info)) {
		case R_X86_64_TPOFF64:
		case R_X86_64_DTPOFF64:
		case R_X86_64_DTPMOD64:
		case R_X86_64_TLSDESC:
		case R_X86_64_COPY:
			return refuse(move->object, err, "its relocations depend on its size");
		default:
			break;
		}
		if (moved_word(move, rela.r_offset, &moved))
			patch_u64(move, table + at + offsetof(Elf64_Rela, r_offset), moved);
	}
	return true;
}

/* RELR tables are compressed: the old words are followed by one for each word that has moved. */
static bool relr_move(struct static_tls_move *move, uint64_t table, uint64_t size,
		      struct error *err)
{
	const unsigned char *bytes = object_at(move->object, table, size);
	uint64_t where = 0, moved;

	if (!bytes)
		return refuse(move->object, err, "its relocations lie outside the file");
	put_bytes(&move->relr, bytes, size);
	struct byte_reader reader = byte_reader(bytes, size);
	while (bytes_left(&reader) >= sizeof(uint64_t)) {
		const uint64_t entry = read_u64(&reader);
		if (!(entry & 1)) {
			if (moved_word(move, entry, &moved))
				put_u64(&move->relr, moved);
			where = entry + 8;
			continue;
		}
		for (unsigned bit = 0; bit < 63; bit++)
			if (entry >> (bit + 1) & 1 &&
			    moved_word(move, where + UINT64_C(8) * bit, &moved))
				put_u64(&move->relr, moved);
		where += UINT64_C(8) * 63;
	}
	if (move->relr.len == size)
		vec_fini(&move->relr);
	return true;
}

/* The place of an entry's value in the dynamic section, 0 if there is none; *value gets it. */
static uint64_t dynamic_value(const struct object *object, int64_t tag, uint64_t *value)
{
	const Elf64_Phdr *segment = segment_find(object, PT_DYNAMIC);

	*value = 0;
	if (!segment)
		return 0;
	for (uint64_t at = 0; segment->p_filesz - at >= sizeof(Elf64_Dyn);
	     at += sizeof(Elf64_Dyn)) {
		const unsigned char *bytes =
			object_at(object, segment->p_vaddr + at, sizeof(Elf64_Dyn));
		Elf64_Dyn entry;
		if (!bytes)
			return 0;
		memcpy(&entry, bytes, sizeof(entry));
		if (entry.d_tag == DT_NULL)
			return 0;
		if (entry.d_tag != tag)
			continue;
		*value = entry.d_un.d_val;
		return segment->p_vaddr + at + offsetof(Elf64_Dyn, d_un);
	}
	return 0;
}

bool static_tls_move(struct static_tls_move *move, struct error *err)
{
	uint64_t rela, rela_size, jmprel, jmprel_size, relr, relr_size;

	dynamic_value(move->object, DT_RELA, &rela);
	dynamic_value(move->object, DT_RELASZ, &rela_size);
	dynamic_value(move->object, DT_JMPREL, &jmprel);
	dynamic_value(move->object, DT_PLTRELSZ, &jmprel_size);
	dynamic_value(move->object, DT_RELR, &relr);
	dynamic_value(move->object, DT_RELRSZ, &relr_size);
	return rela_move(move, rela, rela_size, err) && rela_move(move, jmprel, jmprel_size, err) &&
	       (!relr_size || relr_move(move, relr, relr_size, err));
}

void static_tls_place_relr(struct static_tls_move *move, uint64_t relr_addr)
{
	uint64_t ignored;

	patch_u64(move, dynamic_value(move->object, DT_RELR, &ignored), relr_addr);
	patch_u64(move, dynamic_value(move->object, DT_RELRSZ, &ignored), move->relr.len);
}
