/*
 * .debug_frame: the same records for debuggers, which some compilers write instead of .eh_frame
 * (Go's, and C's with -fno-asynchronous-unwind-tables -g). Not loaded at run time, and often
 * compressed. DWARF 5, section 6.4.1; the differences from .eh_frame: a CIE's id is all ones, an
 * FDE names its CIE by the offset in the section, addresses are absolute.
 *
 * Refused: 64-bit records, compression other than zlib's. A malformed record ends the list.
 */
#include "object/private.h"

#include <string.h>
#include <zlib.h>

enum { CONTENTS_MAX = 256 << 20 };

/* Decompresses into memory that lives as long as the object. */
static struct byte_reader decompress(struct object *object, struct byte_reader contents)
{
	const struct byte_reader none = {0};
	Elf64_Chdr header;

	if (bytes_left(&contents) < sizeof(header))
		return none;
	memcpy(&header, contents.at, sizeof(header));
	read_skip(&contents, sizeof(header));
	uLongf size = header.ch_size;

	if (header.ch_type != ELFCOMPRESS_ZLIB || !size || size > CONTENTS_MAX)
		return none;
	object->debug_frame = mem_alloc(size);
	if (uncompress(object->debug_frame, &size, contents.at, bytes_left(&contents)) != Z_OK)
		return none;
	return byte_reader(object->debug_frame, size);
}

/* Before SHF_COMPRESSED there was .zdebug_frame: "ZLIB" and the size, big-endian. */
static struct byte_reader decompress_old(struct object *object, struct byte_reader contents)
{
	const struct byte_reader none = {0};
	uLongf size = 0;

	if (bytes_left(&contents) < 12 || memcmp(contents.at, "ZLIB", 4) != 0)
		return none;
	for (int i = 4; i < 12; i++)
		size = size << 8 | contents.at[i];
	read_skip(&contents, 12);
	if (!size || size > CONTENTS_MAX)
		return none;
	object->debug_frame = mem_alloc(size);
	if (uncompress(object->debug_frame, &size, contents.at, bytes_left(&contents)) != Z_OK)
		return none;
	return byte_reader(object->debug_frame, size);
}

static struct byte_reader section_find(struct object *object)
{
	const struct byte_reader file = byte_reader(object->bytes, object->size);
	const struct object_section *section = object_section_by_name(object, ".debug_frame");
	const struct object_section *old = object_section_by_name(object, ".zdebug_frame");

	if (section && section->header.sh_flags & SHF_COMPRESSED)
		return decompress(object, section_contents(file, section));
	if (section)
		return section_contents(file, section);
	return old ? decompress_old(object, section_contents(file, old)) : byte_reader(NULL, 0);
}

/* The record at `offset`, addresses being offsets; false at the end, and for malformed ones. */
static bool record_at(struct byte_reader section, uint64_t offset, struct eh_record *record)
{
	if (offset >= bytes_left(&section))
		return false;
	const unsigned char *begin = section.at + offset;
	const uint64_t left = bytes_left(&section) - offset;
	struct byte_reader reader = byte_reader(begin, left);
	const uint32_t length = read_u32(&reader), id = read_u32(&reader);

	if (reader.failed || length < 4 || length > left - 4)
		return false;
	*record = (struct eh_record){.addr = offset,
				     .bytes = begin,
				     .size = (size_t)length + 4,
				     .is_cie = id == UINT32_MAX,
				     .cie_addr = id};
	return true;
}

struct cies {
	struct byte_reader section;
	struct map by_offset; /* → struct object_cie *, 0: malformed */
	struct arena *arena;
};

static const struct object_cie *cie_get(struct cies *cies, uint64_t offset)
{
	const uint64_t *known = map_get(&cies->by_offset, offset);
	struct eh_record record;

	if (known)
		return (const struct object_cie *)(uintptr_t)*known;
	struct object_cie *cie = arena_new(cies->arena, struct object_cie);

	cie->offset = offset;
	if (!record_at(cies->section, offset, &record) || !record.is_cie ||
	    !eh_cie_read(&record, cie))
		cie = NULL;
	map_put(&cies->by_offset, offset, (uintptr_t)cie);
	return cie;
}

void debug_frame_load(struct object *object)
{
	struct cies cies = {.section = section_find(object), .arena = &object->arena};
	struct eh_record record;
	struct object_fde fde;

	map_init(&cies.by_offset);
	for (uint64_t at = 0; record_at(cies.section, at, &record); at += record.size) {
		if (record.is_cie ||
		    !eh_fde_decode(object, &record, cie_get(&cies, record.cie_addr), &fde))
			continue;
		fde.addr = fde.lsda = 0;
		vec_push(&object->debug_fdes, fde);
	}
	map_fini(&cies.by_offset);
	eh_fdes_sort(&object->debug_fdes);
}

const struct object_fde *object_debug_fdes(const struct object *object, size_t *count)
{
	*count = object->debug_fdes.len;
	return object->debug_fdes.data;
}
