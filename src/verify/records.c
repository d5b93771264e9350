/*
 * The original's unwind records, which the copy has moved: the same code, rows, personality routine
 * and exception table. And the sorted header that unwinders search: it must lead from every record
 * of the copy to that record, in ascending order.
 */
#include "verify/private.h"

#include "object/eh_frame.h"
#include "object/encoded_pointer.h"

#include <inttypes.h>
#include <string.h>

static bool same_rows(const struct object_fde *a, const struct object_fde *b, struct cfi_rows *rows,
		      struct cfi_rows *copy_rows)
{
	struct error ignored;

	rows->len = copy_rows->len = 0;
	const bool understood = cfi_rows_read(a, rows, &ignored);
	if (understood != cfi_rows_read(b, copy_rows, &ignored))
		return false;
	if (!understood)
		return a->program_size == b->program_size &&
		       memcmp(a->program, b->program, a->program_size) == 0;
	if (rows->len != copy_rows->len)
		return false;
	for (size_t i = 0; i < rows->len; i++)
		if (rows->data[i].addr != copy_rows->data[i].addr ||
		    !cfi_state_equal(&rows->data[i].state, &copy_rows->data[i].state))
			return false;
	return true;
}

/* ---- the header ---- */

struct header {
	uint64_t addr, count;
	const unsigned char *entries;
};

static bool read_header(const struct check *check, struct header *header)
{
	static const unsigned char layout[] = {1, POINTER_PCREL | POINTER_S32, POINTER_U32,
					       POINTER_DATAREL | POINTER_S32};
	const struct object_extent extent = object_eh_frame_hdr(check->copy);
	const unsigned char *bytes = object_at(check->copy, extent.addr, 12);
	uint32_t count;
	int32_t distance;

	if (!bytes || memcmp(bytes, layout, sizeof(layout)) != 0)
		return false;
	memcpy(&distance, bytes + 4, sizeof(distance));
	memcpy(&count, bytes + 8, sizeof(count));
	header->addr = extent.addr;
	header->count = count;
	/* There may be none at all, at the very end of the file. */
	bytes = object_at(check->copy, extent.addr, 12 + UINT64_C(8) * count);
	if (!bytes)
		return false;
	header->entries = bytes + 12;
	return extent.addr + 4 + (uint64_t)(int64_t)distance == object_eh_frame(check->copy).addr;
}

static uint64_t entry_part(const struct header *header, uint64_t i, unsigned part)
{
	int32_t distance;

	memcpy(&distance, header->entries + 8 * i + UINT64_C(4) * part, sizeof(distance));
	return header->addr + (uint64_t)(int64_t)distance;
}

static bool header_has(const struct header *header, const struct object_fde *fde)
{
	size_t low = partition_point(header->count, i, entry_part(header, i, 0) < fde->begin);

	for (; low < header->count && entry_part(header, low, 0) == fde->begin; low++)
		if (entry_part(header, low, 1) == fde->addr)
			return true;
	return false;
}

/* ---- records ---- */

/* What a record of the copy, or one that stands where the original's does, says of its function. */
static const char *record_difference(const struct check *check, const struct object_fde *fde,
				     const struct object_fde *copy, struct cfi_rows rows[2])
{
	if (copy->begin != fde->begin || copy->end != fde->end)
		return "the original's unwind record is lost";
	if (!same_rows(fde, copy, &rows[0], &rows[1]))
		return "the original's unwind record has other rows";
	if (fde->lsda != copy->lsda || !rows_same_personality(check, fde->cie, copy->cie) ||
	    fde->cie->signal_frame != copy->cie->signal_frame)
		return "the original's unwind record has another exception table";
	return NULL;
}

/*
 * The record at `addr` of the copy. One that cannot be moved stays where it is: its bytes are
 * compared as all others of the original are.
 */
static const char *record_at_differs(const struct check *check, const struct object_fde *fde,
				     uint64_t addr, struct cfi_rows rows[2])
{
	uint64_t at = addr;
	struct eh_record record;
	struct object_fde copy;

	if (addr == fde->addr)
		return NULL;
	if (!eh_record_next(check->copy, &at, &record) || record.addr != addr || record.is_cie ||
	    !eh_fde_read(check->copy, &record, &copy))
		return "the sorted table of unwind records leads to none";
	return record_difference(check, fde, &copy, rows);
}

/*
 * Unwinders look records up in the table. Where records of the original overlap, there is more than
 * one of an address; theirs is the choice in both files.
 */
static const char *lookup_differs(const struct check *check, const struct header *header,
				  const struct object_fde *fde, struct cfi_rows rows[2])
{
	const char *differs = "the original's unwind record is lost";
	size_t low = partition_point(header->count, i, entry_part(header, i, 0) < fde->begin);

	for (; low < header->count && entry_part(header, low, 0) == fde->begin; low++) {
		differs = record_at_differs(check, fde, entry_part(header, low, 1), rows);
		if (!differs)
			return NULL;
	}
	return differs;
}

static void check_records(struct check *check, const struct header *header)
{
	struct cfi_rows rows[2] = {0};

	vec_foreach (range, &check->ranges) {
		if (!range->fde)
			continue;
		check->result->counts.records++;
		const char *differs = lookup_differs(check, header, range->fde, rows);
		if (differs)
			check_differs(check, VERIFY_UNWIND, range->begin, 0, "%s", differs);
	}
	vec_fini(&rows[0]);
	vec_fini(&rows[1]);
}

static bool is_in_order(struct check *check, const struct header *header)
{
	for (uint64_t i = 1; i < header->count; i++)
		if (entry_part(header, i - 1, 0) > entry_part(header, i, 0)) {
			check_differs(check, VERIFY_UNWIND, 0, header->addr + 12 + 8 * i,
				      "the sorted table of unwind records is out of order");
			return false;
		}
	return true;
}

static void check_header(struct check *check, const struct header *header)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(check->copy, &count);

	for (size_t i = 0; i < count; i++)
		if (!header_has(header, &fdes[i]))
			check_differs(check, VERIFY_UNWIND, fdes[i].begin, fdes[i].addr,
				      "an unwind record is missing in the sorted table");
}

void records_check(struct check *check)
{
	struct header header;

	if (!read_header(check, &header)) {
		check_differs(check, VERIFY_UNWIND, 0, object_eh_frame_hdr(check->copy).addr,
			      "the sorted table of unwind records is malformed");
		return;
	}
	if (!is_in_order(check, &header))
		return;
	check_records(check, &header);
	check_header(check, &header);
}
