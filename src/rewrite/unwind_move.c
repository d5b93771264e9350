/*
 * The original's unwind records, and a companion's, moved to the new .eh_frame: what is relative to
 * the place of a record is adjusted, and FDEs follow their CIEs.
 *
 * Records that cannot be moved (their pointers are changed by the loader, or their program holds an
 * address) stay where they are; the sorted table refers to them there. Refused: malformed records,
 * as unwinding might need them.
 */
#include "object/eh_frame.h"
#include "object/encoded_pointer.h"
#include "rewrite/unwind_builder.h"

#include <inttypes.h>
#include <string.h>

/* An object whose records are moved, and the link address that its address 0 has in the file. */
struct source {
	const struct object *object;
	uint64_t addr;
};

/* Whether a field of this encoding stays true when it moves, or can be adjusted. */
static bool encoding_is_movable(const struct object *object, uint8_t encoding)
{
	const uint8_t base = encoding & POINTER_BASE, format = encoding & POINTER_FORMAT;

	if (encoding == POINTER_OMIT)
		return true;
	if (base == POINTER_PCREL)
		return format == POINTER_S32 || pointer_size(encoding) == 8;
	/* Absolute pointers of position-independent files are filled in by the loader. */
	return base == 0 && object_header(object)->e_type == ET_EXEC && pointer_size(encoding);
}

/*
 * An absolute personality pointer need not move with its CIE: the moved CIE refers to it. (A
 * pointer of eight bytes becomes a distance of eight bytes.)
 */
static bool personality_by_reference(const struct object *object, const struct object_cie *cie)
{
	return object_header(object)->e_type != ET_EXEC &&
	       (cie->personality_encoding & (POINTER_BASE | POINTER_INDIRECT)) == 0 &&
	       pointer_size(cie->personality_encoding) == 8;
}

static bool cie_is_movable(const struct object *object, const struct object_cie *cie)
{
	return cie && cie->understood && encoding_is_movable(object, cie->pointer_encoding) &&
	       encoding_is_movable(object, cie->lsda_encoding) &&
	       (encoding_is_movable(object, cie->personality_encoding) ||
		personality_by_reference(object, cie));
}

/* Adjusts the pc-relative field at `offset` of the output, which came `distance` bytes up. */
static bool field_adjust(struct unwind_builder *builder, size_t offset, uint8_t encoding,
			 uint64_t distance)
{
	unsigned char *field = builder->out->eh_frame.data + offset;
	const unsigned size = pointer_size(encoding);
	struct byte_reader reader = byte_reader(field, size);
	uint64_t value;

	if (encoding == POINTER_OMIT || (encoding & POINTER_BASE) != POINTER_PCREL)
		return true;
	value = pointer_read_number(&reader, encoding);
	if (!value)
		return true;
	value -= distance;
	if (size == 4 && (uint64_t)(int64_t)(int32_t)value != value)
		return unwind_builder_fail_distance(builder);
	memcpy(field, &value, size);
	return true;
}

static bool cie_move(struct unwind_builder *builder, const struct source *source,
		     const struct eh_record *record, const struct object_cie *cie)
{
	struct byte_vec *bytes = &builder->out->eh_frame;
	const uint64_t addr = unwind_builder_addr(builder), from = source->addr + record->addr;
	const size_t start = bytes->len, field = cie->personality_field - record->addr;

	map_put(&builder->moved_cies, from, addr);
	put_bytes(bytes, record->bytes, record->size);
	if (!cie->personality)
		return true;
	if (personality_by_reference(source->object, cie)) {
		const uint64_t relative = from - addr;
		bytes->data[start + field - 1] = POINTER_INDIRECT | POINTER_PCREL | POINTER_S64;
		memcpy(bytes->data + start + field, &relative, sizeof(relative));
		return true;
	}
	return field_adjust(builder, start + field, cie->personality_encoding, addr - from);
}

/* DW_CFA_set_loc is the only instruction that would have to be adjusted; the reader refuses it. */
static bool fde_is_movable(struct unwind_builder *builder, const struct object *object,
			   const struct object_fde *fde)
{
	struct error ignored;
	uint64_t other_register;

	builder->rows.len = 0;
	return cie_is_movable(object, fde->cie) &&
	       cfi_rows_read_known(fde, &builder->rows, &other_register, &ignored);
}

/* Offset of the LSDA pointer in an FDE record, 0 if it has none. */
static size_t fde_lsda_offset(const struct eh_record *record, const struct object_cie *cie)
{
	struct byte_reader reader = byte_reader(record->bytes, record->size);

	read_skip(&reader, 8 + UINT64_C(2) * pointer_size(cie->pointer_encoding));
	if (!cie->augmented || cie->lsda_encoding == POINTER_OMIT || !read_uleb(&reader))
		return 0;
	return (size_t)(reader.at - record->bytes);
}

/* The record stays where it is. */
static bool fde_keep(struct unwind_builder *builder, const struct source *source,
		     const struct object_fde *fde)
{
	builder->out->records_kept++;
	unwind_builder_put_entry(builder, source->addr + fde->begin, source->addr + fde->addr);
	return true;
}

static bool fde_move(struct unwind_builder *builder, const struct source *source,
		     const struct eh_record *record, const struct object_fde *fde)
{
	struct byte_vec *bytes = &builder->out->eh_frame;
	const uint64_t addr = unwind_builder_addr(builder);
	const uint64_t distance = addr - (source->addr + record->addr);
	const uint64_t *cie_addr = map_get(&builder->moved_cies, source->addr + record->cie_addr);
	const size_t start = bytes->len, lsda = fde_lsda_offset(record, fde->cie);

	/* Its CIE comes later, which no tool writes. */
	if (!cie_addr)
		return fde_keep(builder, source, fde);
	put_bytes(bytes, record->bytes, record->size);
	set_u32(bytes, start + 4, (uint32_t)(addr + 4 - *cie_addr));
	unwind_builder_put_entry(builder, source->addr + fde->begin, addr);
	builder->out->records_moved++;
	return field_adjust(builder, start + 8, fde->cie->pointer_encoding, distance) &&
	       (!lsda || field_adjust(builder, start + lsda, fde->cie->lsda_encoding, distance));
}

static bool record_move(struct unwind_builder *builder, const struct source *source,
			const struct eh_record *record)
{
	const struct object *object = source->object;
	struct object_fde fde;

	if (record->is_cie) {
		const struct object_cie *cie = eh_cie_at(object, record->addr);
		return !cie_is_movable(object, cie) || cie_move(builder, source, record, cie);
	}
	/* What covers no code (discarded sections) is dropped. */
	if (!eh_fde_read(object, record, &fde))
		return true;
	if (fde_is_movable(builder, object, &fde))
		return fde_move(builder, source, record, &fde);
	return fde_keep(builder, source, &fde);
}

static bool source_move(struct unwind_builder *builder, const struct source *source)
{
	const struct object *object = source->object;
	const struct object_extent extent = object_eh_frame(object);
	uint64_t addr = extent.addr;
	struct eh_record record;

	while (eh_record_next(object, &addr, &record))
		if (!record_move(builder, source, &record))
			return false;
	if (extent.addr + extent.size - addr >= 4)
		return error_set(builder->err, ERROR_INPUT,
				 "%s has a damaged unwind table: the record at 0x%" PRIx64
				 " is malformed",
				 object_path(object), addr);
	return true;
}

bool unwind_move_records(struct unwind_builder *builder)
{
	const struct unwind_out_input *input = builder->input;
	const struct source original = {input->object, 0};
	const struct source companion = {input->companion, input->companion_addr};

	return source_move(builder, &original) &&
	       (!companion.object || source_move(builder, &companion));
}
