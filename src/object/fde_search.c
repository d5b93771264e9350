/*
 * One FDE by the sorted table behind .eh_frame_hdr (LSB core specification), as unwinders do at run
 * time: rows of two 32-bit words relative to the header, the begin of code and its FDE.
 *
 * A table that lies (out of order, other FDEs) finds less, or nothing; an FDE that is found covers
 * the address.
 */
#include "object/encoded_pointer.h"
#include "object/private.h"

#include <string.h>

enum { ROW_BYTES = 8 };

/* The rows of the table, none where there is no table of the usual form. */
static struct byte_reader table_read(const struct object *object)
{
	const struct object_extent *header = &object->eh_frame_hdr;
	const unsigned char *start =
		header->size ? object_at(object, header->addr, header->size) : NULL;
	const struct byte_reader none = {0};

	if (!start)
		return none;
	struct byte_reader reader = byte_reader(start, header->size);

	read_u8(&reader); /* version */
	const uint8_t frame_encoding = read_u8(&reader), count_encoding = read_u8(&reader);
	const uint8_t table_encoding = read_u8(&reader);
	pointer_read(&reader, frame_encoding, header->addr + 4);
	if (table_encoding != EH_HDR_TABLE || count_encoding == POINTER_OMIT)
		return none;
	const uint64_t count = pointer_read_number(&reader, count_encoding);

	if (reader.failed || count > bytes_left(&reader) / ROW_BYTES)
		return none;
	return byte_reader(reader.at, count * ROW_BYTES);
}

void fde_search_load(struct object *object)
{
	eh_extent_load(object);
	object->fde_table = table_read(object);
	if (!bytes_left(&object->fde_table))
		eh_frame_load(object);
}

/* The address in a word of the table. */
static uint64_t table_addr(const struct object *object, size_t row, size_t word)
{
	int32_t offset;

	memcpy(&offset, object->fde_table.at + row * ROW_BYTES + word * sizeof(offset),
	       sizeof(offset));
	return object->eh_frame_hdr.addr + (uint64_t)(int64_t)offset;
}

bool object_fde_find(const struct object *object, uint64_t addr, struct object_fde *fde,
		     struct object_cie *cie)
{
	const struct object_fde *known = object_fde_covering(object, addr);
	struct eh_record record, common;

	if (known) {
		*cie = *known->cie;
		*fde = *known;
		fde->cie = cie;
		return true;
	}
	const size_t count = bytes_left(&object->fde_table) / ROW_BYTES;
	const size_t row = partition_point(count, i, table_addr(object, i, 0) <= addr);

	if (!row)
		return false;
	uint64_t at = table_addr(object, row - 1, 1);
	uint64_t cie_at;

	if (!eh_record_next(object, &at, &record) || record.is_cie)
		return false;
	cie_at = record.cie_addr;
	*cie = (struct object_cie){.offset = cie_at - object->eh_frame.addr};
	return eh_record_next(object, &cie_at, &common) && common.is_cie &&
	       common.addr == record.cie_addr && eh_cie_read(&common, cie) &&
	       eh_fde_decode(object, &record, cie, fde) && addr >= fde->begin && addr < fde->end;
}
