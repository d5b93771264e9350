/*
 * The original's unwind records, which the copy has moved: the same code, rows, personality routine
 * and exception table. And the sorted header that unwinders search: it must lead from every record
 * of the copy to that record, in ascending order.
 */
#include "verify/check.h"

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

static void check_records(struct check *check)
{
	struct cfi_rows rows = {0}, copy_rows = {0};

	vec_foreach (range, &check->ranges) {
		const struct object_fde *fde = range->fde;
		const struct object_fde *copy = object_fde_covering(check->copy, range->begin);
		if (!fde)
			continue;
		check->result->counts.records++;
		if (!copy || copy->begin != fde->begin || copy->end != fde->end)
			check_differs(check, VERIFY_UNWIND, fde->begin, copy ? copy->addr : 0,
				      "the original's unwind record is lost");
		else if (!same_rows(fde, copy, &rows, &copy_rows))
			check_differs(check, VERIFY_UNWIND, fde->begin, copy->addr,
				      "the original's unwind record has other rows");
		else if (fde->lsda != copy->lsda ||
			 !rows_same_personality(check, fde->cie, copy->cie) ||
			 fde->cie->signal_frame != copy->cie->signal_frame)
			check_differs(check, VERIFY_EXCEPTIONS, fde->begin, copy->addr,
				      "the original's unwind record has another exception table");
	}
	vec_fini(&rows);
	vec_fini(&copy_rows);
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
	header->entries = object_at(check->copy, extent.addr + 12, UINT64_C(8) * count);
	return header->entries &&
	       extent.addr + 4 + (uint64_t)(int64_t)distance == object_eh_frame(check->copy).addr;
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

static void check_header(struct check *check)
{
	struct header header;
	size_t count;
	const struct object_fde *fdes = object_fdes(check->copy, &count);

	if (!read_header(check, &header)) {
		check_differs(check, VERIFY_UNWIND, 0, object_eh_frame_hdr(check->copy).addr,
			      "the sorted table of unwind records is malformed");
		return;
	}
	for (uint64_t i = 1; i < header.count; i++)
		if (entry_part(&header, i - 1, 0) > entry_part(&header, i, 0)) {
			check_differs(check, VERIFY_UNWIND, 0, header.addr + 12 + 8 * i,
				      "the sorted table of unwind records is out of order");
			return;
		}
	for (size_t i = 0; i < count; i++)
		if (!header_has(&header, &fdes[i]))
			check_differs(check, VERIFY_UNWIND, fdes[i].begin, fdes[i].addr,
				      "an unwind record is missing in the sorted table");
}

void records_check(struct check *check)
{
	check_records(check);
	check_header(check);
}
