/*
 * Exception tables for copied code, in the form that gcc writes:
 *
 *   0xff          landing pads count from the copy's begin, where all of them are ahead of it;
 *                 Rust's personality misreads the other form
 *   0x1b LPStart  else: below the unit's lowest copy, so that every landing pad is ahead of it
 *   type encoding and distance to type_base (uleb128, padded to 5 bytes)
 *   0x01 length, call sites (uleb128)
 *   action records, as they were: their links are relative
 *   types n..1 (4 bytes each, pc-relative) | specifications, as they were
 *
 * Type entries are relative to themselves, directly or through a slot that the loader fills. Where
 * the original entry is itself such a slot (an absolute pointer), the copy goes through it.
 * Refused: absolute pointers that are indirect on top, and distances beyond 2 GiB.
 */
#include "rewrite/lsda_out.h"
#include "object/encoded_pointer.h"

#include <assert.h>
#include <inttypes.h>

enum {
	PAD_BASE_DISTANCE = 16,
	PCREL32 = POINTER_PCREL | POINTER_S32,
	TYPE_BYTES = 4,
};

static bool types_through_slots(const struct lsda *lsda)
{
	return (lsda->type_encoding & POINTER_BASE) == 0 && pointer_size(lsda->type_encoding) == 8;
}

static uint8_t type_encoding_new(const struct lsda *lsda)
{
	if (lsda->type_encoding == POINTER_OMIT)
		return POINTER_OMIT;
	if (types_through_slots(lsda))
		return PCREL32 | POINTER_INDIRECT;
	return (uint8_t)(PCREL32 | (lsda->type_encoding & POINTER_INDIRECT));
}

static bool types_check(const struct object *object, const struct object_fde *fde,
			const struct lsda *lsda, struct error *err)
{
	uint64_t entry, value;

	for (uint64_t i = 1; i <= lsda->type_count; i++)
		if (!lsda_type(object, lsda, i, &entry, &value) ||
		    (types_through_slots(lsda) && (lsda->type_encoding & POINTER_INDIRECT)))
			return error_set(
				err, ERROR_UNSUPPORTED,
				"the exception table of the code at 0x%" PRIx64
				" encodes its types in a way that is not supported (0x%02x)",
				fde->begin, lsda->type_encoding);
	return true;
}

bool lsda_out_check(const struct object *object, const struct object_fde *fde, struct error *err)
{
	struct lsda lsda = {0};
	bool ok;

	if (!lsda_read(object, fde, &lsda, err))
		return false;
	ok = types_check(object, fde, &lsda, err);
	lsda_fini(&lsda);
	return ok;
}

/* A 32-bit distance from the place where it is stored, the end of the bytes. */
static bool put_distance(const struct lsda_out *out, uint64_t target, struct error *err)
{
	const uint64_t distance = target - (out->bytes_addr + out->bytes->len);

	if ((uint64_t)(int64_t)(int32_t)distance != distance)
		return error_set(err, ERROR_TOO_LARGE,
				 "the exception tables at 0x%" PRIx64
				 " are too far from what they refer to",
				 out->bytes_addr);
	put_u32(out->bytes, (uint32_t)distance);
	return true;
}

static void put_uleb_5(struct byte_vec *out, uint64_t value)
{
	for (unsigned group = 0; group < 4; group++, value >>= 7)
		put_u8(out, (unsigned)(value & 0x7f) | 0x80);
	put_u8(out, (unsigned)value & 0x7f);
	assert(value < 0x80);
}

/* What the landing pads of the new table count from. A distance of 0 means that there is none. */
static uint64_t pads_base(const struct lsda_out *out, const struct copy_range *range,
			  const struct lsda *lsda)
{
	vec_foreach (site, &lsda->call_sites)
		if (site->landing_pad &&
		    out->landing_pad(out->context, site->landing_pad) <= range->copy_begin)
			return range->unit_begin - PAD_BASE_DISTANCE;
	return range->copy_begin;
}

/*
 * Where a call site's bound is in the copy. One within an instruction is its begin: the unwinder
 * looks for the last byte of a call, which a site that begins within has, and one that ends has
 * not.
 */
static uint64_t bound_of(const struct copy_range *range, uint64_t addr)
{
	const size_t low = partition_point(range->insn_count, i, range->insns[i].addr <= addr);

	return addr >= range->fde->end || !low ? copy_of(range, addr)
					       : copy_addr_at(range, low - 1);
}

/* The call sites of one table. */
struct site_list {
	const struct lsda_out *out;
	const struct copy_range *range;
	uint64_t pads_base;
	struct byte_vec *bytes;
};

static void put_site(const struct site_list *list, uint64_t begin, uint64_t end, uint64_t pad,
		     uint64_t action)
{
	put_uleb(list->bytes, begin - list->range->copy_begin);
	put_uleb(list->bytes, end - begin);
	put_uleb(list->bytes, pad);
	put_uleb(list->bytes, action);
}

/* The original's site, for [begin, end) of the copy. */
static bool put_call_site(const struct site_list *list, const struct lsda_call_site *site,
			  uint64_t begin, uint64_t end, struct error *err)
{
	const struct copy_range *range = list->range;
	uint64_t pad = 0;

	if (begin >= end)
		return true;
	if (site->landing_pad) {
		pad = list->out->landing_pad(list->out->context, site->landing_pad);
		if (pad < range->unit_begin)
			return error_set(err, ERROR_UNSUPPORTED,
					 "the exception table of the code at 0x%" PRIx64
					 " has a landing pad at 0x%" PRIx64
					 " that was not copied with it",
					 range->fde->begin, site->landing_pad);
		assert(pad > list->pads_base); /* 0 stands for no landing pad */
		pad -= list->pads_base;
	}
	put_site(list, begin, end, pad, site->action);
	return true;
}

/* A call whose other way stands in the stubs is in the same site there. */
static bool put_far_call(const struct site_list *list, const struct lsda *lsda,
			 const struct copy_far_call *call, struct error *err)
{
	const struct lsda_call_site *site = lsda_call_site_at(lsda, call->last);

	return !site || put_call_site(list, site, call->copy_begin, call->copy_end, err);
}

static bool put_call_sites(const struct site_list *list, const struct lsda *lsda, struct error *err)
{
	const struct copy_range *range = list->range;
	uint64_t stubs_begin = range->stubs_begin;

	vec_foreach (site, &lsda->call_sites)
		if (!put_call_site(list, site, bound_of(range, site->begin),
				   bound_of(range, site->end), err))
			return false;
	vec_foreach (call, &range->far_calls) {
		assert(call->copy_begin >= stubs_begin);
		if (call->copy_begin > stubs_begin)
			put_site(list, stubs_begin, call->copy_begin, 0, 0);
		if (!put_far_call(list, lsda, call, err))
			return false;
		stubs_begin = call->copy_end;
	}
	if (stubs_begin < range->copy_end)
		put_site(list, stubs_begin, range->copy_end, 0, 0);
	return true;
}

static bool put_types(const struct lsda_out *out, const struct lsda *lsda, struct error *err)
{
	uint64_t entry, value;

	for (uint64_t i = lsda->type_count; i > 0; i--) {
		if (!lsda_type(out->object, lsda, i, &entry, &value))
			return error_set(err, ERROR_INPUT,
					 "the type table at 0x%" PRIx64 " is damaged",
					 lsda->type_base);
		if (types_through_slots(lsda))
			value = entry;
		if (!value)
			put_u32(out->bytes, 0);
		else if (!put_distance(out, value, err))
			return false;
	}
	put_bytes(out->bytes, lsda->filters, lsda->filters_size);
	return true;
}

static bool put_table(const struct lsda_out *out, const struct copy_range *range,
		      const struct lsda *lsda, const struct byte_vec *sites, struct error *err)
{
	const uint64_t base = pads_base(out, range, lsda);
	struct byte_vec *bytes = out->bytes;
	struct byte_vec length = {0};

	if (base == range->copy_begin) {
		put_u8(bytes, POINTER_OMIT);
	} else {
		put_u8(bytes, PCREL32);
		if (!put_distance(out, base, err))
			return false;
	}
	put_u8(bytes, type_encoding_new(lsda));
	put_uleb(&length, sites->len);
	if (lsda->type_encoding != POINTER_OMIT) {
		const size_t behind = 1 + length.len + sites->len + lsda->actions_size;
		const size_t padding = -(bytes->len + 5 + behind) & (TYPE_BYTES - 1);
		put_uleb_5(bytes, behind + padding + lsda->type_count * TYPE_BYTES);
	}
	put_u8(bytes, POINTER_ULEB);
	put_bytes(bytes, length.data, length.len);
	put_bytes(bytes, sites->data, sites->len);
	put_bytes(bytes, lsda->actions, lsda->actions_size);
	vec_fini(&length);
	if (lsda->type_encoding == POINTER_OMIT)
		return true;
	put_align(bytes, TYPE_BYTES, 0);
	return put_types(out, lsda, err);
}

bool lsda_out_append(const struct lsda_out *out, const struct copy_range *range,
		     uint64_t *lsda_addr, struct error *err)
{
	const size_t before = out->bytes->len;
	struct byte_vec sites = {0};
	struct lsda lsda = {0};
	bool ok;

	if (!lsda_read(out->object, range->fde, &lsda, err))
		return false;
	const struct site_list list = {.out = out,
				       .range = range,
				       .pads_base = pads_base(out, range, &lsda),
				       .bytes = &sites};
	ok = types_check(out->object, range->fde, &lsda, err) && put_call_sites(&list, &lsda, err);
	if (ok) {
		put_align(out->bytes, TYPE_BYTES, 0);
		*lsda_addr = out->bytes_addr + out->bytes->len;
		ok = put_table(out, range, &lsda, &sites, err);
	}
	if (!ok)
		out->bytes->len = before;
	vec_fini(&sites);
	lsda_fini(&lsda);
	return ok;
}
