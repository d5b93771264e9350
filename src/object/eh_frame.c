/*
 * .eh_frame: found through PT_GNU_EH_FRAME (what unwinders use at run time) or its section, decoded
 * into CIEs and FDEs.
 *
 * Some files have zero terminators in the middle (objects linked behind crtend.o); unwinders that
 * use the sorted table never notice. So the end is the section's, or, where there is none, behind
 * the last record that the table names. A malformed record ends the list: what came before is kept.
 * Refused: 64-bit records (no unwinder reads them here), augmentations other than z[PLRS]*.
 */
#include "object/eh_frame.h"
#include "object/encoded_pointer.h"
#include "object/private.h"

#include <string.h>

/* ---- records ---- */

bool eh_record_next(const struct object *object, uint64_t *addr, struct eh_record *record)
{
	const uint64_t start = object->eh_frame.addr;
	uint64_t left = start + object->eh_frame.size - *addr;
	const unsigned char *at = object_at(object, *addr, left);

	if (!at || *addr < start)
		return false;
	for (; left >= 4; at += 4, left -= 4, *addr += 4) {
		struct byte_reader reader = byte_reader(at, left);
		const uint32_t length = read_u32(&reader);
		if (!length)
			continue;
		if (length == UINT32_MAX || length < 4 || length > bytes_left(&reader))
			return false;
		const uint32_t id = read_u32(&reader);
		*record = (struct eh_record){.addr = *addr,
					     .bytes = at,
					     .size = (size_t)length + 4,
					     .is_cie = id == 0,
					     .cie_addr = *addr + 4 - id};
		*addr += record->size;
		return true;
	}
	return false;
}

/* ---- CIE ---- */

struct cie_reader {
	struct byte_reader bytes;
	const struct eh_record *record;
};

static uint64_t cie_reader_addr(const struct cie_reader *reader)
{
	return reader->record->addr + (uint64_t)(reader->bytes.at - reader->record->bytes);
}

static bool cie_take_augmentation(struct object_cie *cie, struct cie_reader *reader, char letter)
{
	uint64_t addr;

	switch (letter) {
	case 'R':
		cie->pointer_encoding = read_u8(&reader->bytes);
		return true;
	case 'L':
		cie->lsda_encoding = read_u8(&reader->bytes);
		return true;
	case 'P':
		cie->personality_encoding = read_u8(&reader->bytes);
		addr = cie_reader_addr(reader);
		cie->personality_field = addr;
		if ((cie->personality_encoding & POINTER_BASE) == POINTER_ALIGNED)
			cie->personality_field = (addr + 7) & ~UINT64_C(7);
		cie->personality = pointer_read(&reader->bytes, cie->personality_encoding, addr);
		return true;
	case 'S':
		cie->signal_frame = true;
		return true;
	default:
		return false;
	}
}

static void cie_take_augmentations(struct object_cie *cie, struct cie_reader *reader,
				   const char *augmentation)
{
	const uint64_t length = read_uleb(&reader->bytes);

	if (length > bytes_left(&reader->bytes)) {
		reader->bytes.failed = true;
		return;
	}
	const unsigned char *program = reader->bytes.at + length;
	const unsigned char *end = reader->bytes.end;
	reader->bytes.end = program;
	cie->understood = true;
	for (const char *letter = augmentation + 1; *letter && cie->understood; letter++)
		cie->understood = cie_take_augmentation(cie, reader, *letter);
	/* A pointer that is not understood spoils the CIE, but not where its program begins. */
	cie->understood &= !reader->bytes.failed;
	reader->bytes.failed = false;
	reader->bytes.at = program;
	reader->bytes.end = end;
}

bool eh_cie_read(const struct eh_record *record, struct object_cie *cie)
{
	struct cie_reader reader = {byte_reader(record->bytes, record->size), record};

	read_skip(&reader.bytes, 8);
	const unsigned version = read_u8(&reader.bytes);
	const char *augmentation = read_string(&reader.bytes);
	if (!augmentation || (version != 1 && version != 3 && version != 4))
		return false;
	/* address size 8, no segment selector */
	if (version == 4 && read_u16(&reader.bytes) != 8)
		return false;
	cie->code_align = read_uleb(&reader.bytes);
	cie->data_align = read_sleb(&reader.bytes);
	const uint64_t return_register =
		version == 1 ? read_u8(&reader.bytes) : read_uleb(&reader.bytes);
	if (return_register > 255)
		return false;
	cie->return_register = (unsigned)return_register;
	cie->lsda_encoding = cie->personality_encoding = POINTER_OMIT;
	cie->understood = *augmentation == 0;
	cie->augmented = *augmentation == 'z';
	if (cie->augmented)
		cie_take_augmentations(cie, &reader, augmentation);
	cie->program = reader.bytes.at;
	cie->program_size = bytes_left(&reader.bytes);
	return !reader.bytes.failed;
}

/* The CIE of a record, decoded once; NULL for malformed ones. */
static const struct object_cie *cie_get(struct object *object, uint64_t addr)
{
	const uint64_t offset = addr - object->eh_frame.addr;
	uint64_t *slot = map_get(&object->cies, offset), at = addr;
	struct eh_record record;
	struct object_cie *cie;

	if (slot)
		return object->cie_list.data[*slot].cie;
	cie = arena_new(&object->arena, struct object_cie);
	cie->offset = offset;
	if (!eh_record_next(object, &at, &record) || record.addr != addr || !record.is_cie ||
	    !eh_cie_read(&record, cie))
		cie = NULL;
	map_put(&object->cies, offset, object->cie_list.len);
	const struct cie_entry entry = {cie};
	vec_push(&object->cie_list, entry);
	return cie;
}

const struct object_cie *eh_cie_at(const struct object *object, uint64_t addr)
{
	const uint64_t *slot = map_get(&object->cies, addr - object->eh_frame.addr);

	return slot ? object->cie_list.data[*slot].cie : NULL;
}

/* ---- FDE ---- */

static bool fde_read(const struct eh_record *record, const struct object_cie *cie,
		     struct object_fde *fde)
{
	struct byte_reader bytes = byte_reader(record->bytes, record->size);

	read_skip(&bytes, 8);
	fde->cie = cie;
	fde->addr = record->addr;
	fde->begin = pointer_read(&bytes, cie->pointer_encoding, record->addr + 8);
	fde->end = fde->begin + pointer_read_number(&bytes, cie->pointer_encoding);
	if (cie->augmented) {
		const uint64_t length = read_uleb(&bytes);
		struct byte_reader data = bytes;
		read_skip(&bytes, length);
		data.end = bytes.at;
		if (cie->lsda_encoding != POINTER_OMIT && length)
			fde->lsda =
				pointer_read(&data, cie->lsda_encoding,
					     record->addr + (uint64_t)(data.at - record->bytes));
		if (data.failed)
			return false;
	}
	fde->program = bytes.at;
	fde->program_size = bytes_left(&bytes);
	return !bytes.failed;
}

/* Wholly inside the contents of an executable segment: others cover nothing that could run. */
static bool fde_is_usable(const struct object *object, const struct object_fde *fde)
{
	return fde->end > fde->begin && object_is_executable(object, fde->begin) &&
	       object_at(object, fde->begin, fde->end - fde->begin);
}

bool eh_fde_decode(const struct object *object, const struct eh_record *record,
		   const struct object_cie *cie, struct object_fde *fde)
{
	*fde = (struct object_fde){0};
	return cie && (cie->understood || cie->augmented) && fde_read(record, cie, fde) &&
	       fde_is_usable(object, fde);
}

bool eh_fde_read(const struct object *object, const struct eh_record *record,
		 struct object_fde *fde)
{
	return eh_fde_decode(object, record, eh_cie_at(object, record->cie_addr), fde);
}

static void fde_append(struct object *object, const struct eh_record *record)
{
	struct object_fde fde;

	if (eh_fde_decode(object, record, cie_get(object, record->cie_addr), &fde))
		vec_push(&object->fdes, fde);
}

static int fde_compare(const void *a_pointer, const void *b_pointer)
{
	const struct object_fde *a = a_pointer, *b = b_pointer;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

void eh_fdes_sort(struct fde_vec *fdes)
{
	size_t kept = 0;

	vec_sort(fdes, fde_compare);
	vec_foreach (fde, fdes)
		if (!kept || fde->begin >= fdes->data[kept - 1].end)
			fdes->data[kept++] = *fde;
	fdes->len = kept;
}

/* ---- where it is ---- */

struct eh_header {
	uint64_t frame_addr;  /* 0 where there is no usable header */
	uint64_t last_record; /* highest address of an FDE in the table, 0 if none */
};

static struct eh_header eh_header_read(const struct object *object)
{
	const struct object_extent *extent = &object->eh_frame_hdr;
	const unsigned char *start = object_at(object, extent->addr, extent->size);
	struct eh_header header = {0};
	struct byte_reader bytes;

	if (!start || !extent->size)
		return header;
	bytes = byte_reader(start, extent->size);
	const unsigned version = read_u8(&bytes);
	const uint8_t frame_encoding = read_u8(&bytes), count_encoding = read_u8(&bytes),
		      table_encoding = read_u8(&bytes);
	const uint64_t frame_addr = pointer_read(&bytes, frame_encoding, extent->addr + 4);
	if (version != 1 || bytes.failed || !object_at(object, frame_addr, 4))
		return header;
	header.frame_addr = frame_addr;
	if (count_encoding == POINTER_OMIT || table_encoding != EH_HDR_TABLE)
		return header;
	const uint64_t count = pointer_read_number(&bytes, count_encoding);
	for (uint64_t i = 0; i < count && bytes_left(&bytes) >= EH_HDR_ENTRY_BYTES; i++) {
		read_u32(&bytes);
		const uint64_t addr = extent->addr + (uint64_t)(int64_t)(int32_t)read_u32(&bytes);
		header.last_record = addr > header.last_record ? addr : header.last_record;
	}
	return header;
}

/* Without a section the end is unknown: it is found by walking the records. */
static void extent_from_header(struct object *object, const struct eh_header *header)
{
	uint64_t rest, addr = header->frame_addr;
	const unsigned char *at = object_rest_at(object, addr, &rest);
	struct eh_record record;

	if (!at)
		return;
	object->eh_frame = (struct object_extent){addr, rest};
	for (;;) {
		uint64_t next = addr;
		const unsigned char *word = object_at(object, addr, 4);
		const bool terminator = word && !(word[0] | word[1] | word[2] | word[3]);
		if (!word || (terminator && addr > header->last_record) ||
		    !eh_record_next(object, &next, &record) ||
		    (terminator && record.addr > header->last_record))
			break;
		addr = next;
	}
	object->eh_frame.size = addr - header->frame_addr;
}

void eh_extent_load(struct object *object)
{
	const struct object_section *section = object_section_by_name(object, ".eh_frame");
	struct eh_header header;

	for (size_t i = 0; i < object->segment_count; i++)
		if (object->segments[i].p_type == PT_GNU_EH_FRAME)
			object->eh_frame_hdr = (struct object_extent){object->segments[i].p_vaddr,
								      object->segments[i].p_filesz};
	header = eh_header_read(object);
	if (!header.frame_addr)
		object->eh_frame_hdr = (struct object_extent){0, 0};
	if (section && section->header.sh_addr &&
	    (!header.frame_addr || header.frame_addr == section->header.sh_addr) &&
	    object_at(object, section->header.sh_addr, section->header.sh_size))
		object->eh_frame =
			(struct object_extent){section->header.sh_addr, section->header.sh_size};
	else if (header.frame_addr)
		extent_from_header(object, &header);
}

void eh_frame_load(struct object *object)
{
	struct eh_record record;

	eh_extent_load(object);
	/* Mostly each has an entry in the header's table. */
	vec_reserve(&object->fdes, object->eh_frame_hdr.size / EH_HDR_ENTRY_BYTES);
	for (uint64_t addr = object->eh_frame.addr; eh_record_next(object, &addr, &record);) {
		if (record.is_cie)
			cie_get(object, record.addr);
		else
			fde_append(object, &record);
	}
	eh_fdes_sort(&object->fdes);
}

/* ---- accessors ---- */

const struct object_fde *object_fdes(const struct object *object, size_t *count)
{
	*count = object->fdes.len;
	return object->fdes.data;
}

const struct object_fde *object_fde_covering(const struct object *object, uint64_t addr)
{
	const size_t low = partition_point(object->fdes.len, i, object->fdes.data[i].begin <= addr);

	return low && addr < object->fdes.data[low - 1].end ? &object->fdes.data[low - 1] : NULL;
}

struct object_extent object_eh_frame(const struct object *object)
{
	return object->eh_frame;
}

struct object_extent object_eh_frame_hdr(const struct object *object)
{
	return object->eh_frame_hdr;
}
