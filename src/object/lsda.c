/*
 * Decoder of exception tables. The sizes of the action table, the type table and the exception
 * specifications are not stored; they follow from what the call sites reach.
 *
 *   header | call sites | action table | ... type 2 | type 1 | type_base: specifications
 *
 * Refused: call sites that are out of order or leave the function, action chains and
 * specifications that leave the file or do not end.
 */
#include "object/lsda.h"
#include "base/partition.h"
#include "object/encoded_pointer.h"
#include "object/private.h"

#include <inttypes.h>

struct lsda_reader {
	const struct object *object;
	const struct object_fde *fde;
	struct lsda *lsda;
	uint64_t addr; /* of `bytes` below */
	struct byte_reader bytes;
	const unsigned char *start;
	uint64_t pad_base; /* what landing pads are relative to */
	struct error *err;
};

static bool fail_damaged(const struct lsda_reader *reader, const char *what)
{
	return error_set(reader->err, ERROR_INPUT,
			 "the exception table of the code at 0x%" PRIx64 " is damaged: %s",
			 reader->fde->begin, what);
}

static uint64_t reader_addr(const struct lsda_reader *reader)
{
	return reader->addr + (uint64_t)(reader->bytes.at - reader->start);
}

/* ---- call sites ---- */

static bool call_site_read(struct lsda_reader *reader, uint8_t encoding)
{
	const struct object_fde *fde = reader->fde;
	const uint64_t size = fde->end - fde->begin;
	struct lsda *lsda = reader->lsda;
	const uint64_t start = pointer_read_number(&reader->bytes, encoding);
	const uint64_t length = pointer_read_number(&reader->bytes, encoding);
	const uint64_t pad = pointer_read_number(&reader->bytes, encoding);
	const struct lsda_call_site site = {
		.begin = fde->begin + start,
		.end = fde->begin + start + length,
		.landing_pad = pad ? reader->pad_base + pad : 0,
		.action = read_uleb(&reader->bytes),
	};

	if (reader->bytes.failed)
		return fail_damaged(reader, "a call site is cut off");
	if (start > size || length > size - start)
		return fail_damaged(reader, "a call site leaves the function");
	if (lsda->call_sites.len && site.begin < vec_last(&lsda->call_sites).end)
		return fail_damaged(reader, "its call sites are not in order");
	if (site.landing_pad && !object_is_executable(reader->object, site.landing_pad))
		return fail_damaged(reader, "a landing pad is not in code");
	vec_push(&lsda->call_sites, site);
	return true;
}

static bool call_sites_read(struct lsda_reader *reader)
{
	const uint8_t encoding = read_u8(&reader->bytes);
	const uint64_t size = read_uleb(&reader->bytes);

	if (reader->bytes.failed || size > bytes_left(&reader->bytes))
		return fail_damaged(reader, "it is cut off");
	if (encoding & (POINTER_BASE | POINTER_INDIRECT))
		return fail_damaged(reader, "a call site is relative to an unknown base");
	const unsigned char *end = reader->bytes.end, *actions = reader->bytes.at + size;
	reader->bytes.end = actions;
	while (bytes_left(&reader->bytes))
		if (!call_site_read(reader, encoding))
			return false;
	reader->bytes.end = end;
	reader->lsda->actions = actions;
	return true;
}

/* ---- actions, specifications ---- */

static void type_used(struct lsda *lsda, uint64_t index)
{
	lsda->type_count = index > lsda->type_count ? index : lsda->type_count;
}

/* A list of type indices that ends with 0, at -filter - 1 behind type_base. */
static bool filter_read(struct lsda_reader *reader, uint64_t offset)
{
	struct lsda *lsda = reader->lsda;
	uint64_t rest, index;
	const unsigned char *start = object_rest_at(reader->object, lsda->type_base, &rest);
	struct byte_reader list;

	if (!lsda->type_base || !start)
		return fail_damaged(reader, "it has no exception specifications");
	list = byte_reader(start, rest);
	read_skip(&list, offset);
	do {
		index = read_uleb(&list);
		type_used(lsda, index);
	} while (index);
	if (list.failed)
		return fail_damaged(reader, "an exception specification is cut off");
	lsda->filters = start;
	const size_t size = (size_t)(list.at - start);
	lsda->filters_size = size > lsda->filters_size ? size : lsda->filters_size;
	return true;
}

/* The chain of records from `offset`; `seen` holds those that were followed already. */
static bool actions_follow(struct lsda_reader *reader, uint64_t offset, struct map *seen)
{
	struct lsda *lsda = reader->lsda;
	const size_t size = (size_t)(reader->bytes.end - lsda->actions);

	while (offset < size && !map_get(seen, offset)) {
		struct byte_reader record = byte_reader(lsda->actions, size);
		map_put(seen, offset, 0);
		read_skip(&record, offset);
		const int64_t filter = read_sleb(&record);
		const uint64_t next_at = (uint64_t)(record.at - lsda->actions);
		const int64_t next = read_sleb(&record);
		const size_t end = (size_t)(record.at - lsda->actions);
		if (record.failed)
			return fail_damaged(reader, "an action is cut off");
		lsda->actions_size = end > lsda->actions_size ? end : lsda->actions_size;
		if (filter > 0)
			type_used(lsda, (uint64_t)filter);
		else if (filter < 0 && !filter_read(reader, -(uint64_t)filter - 1))
			return false;
		if (!next)
			return true;
		offset = next_at + (uint64_t)next;
	}
	return offset < size || fail_damaged(reader, "an action lies outside");
}

static bool actions_read(struct lsda_reader *reader)
{
	struct map seen = {0};
	bool ok = true;

	map_init(&seen);
	vec_foreach (site, &reader->lsda->call_sites) {
		ok = !site->action || actions_follow(reader, site->action - 1, &seen);
		if (!ok)
			break;
	}
	map_fini(&seen);
	return ok;
}

static bool types_check(const struct lsda_reader *reader)
{
	const struct lsda *lsda = reader->lsda;
	const unsigned size = pointer_size(lsda->type_encoding);

	if (!lsda->type_count)
		return true;
	if (!lsda->type_base || !size)
		return fail_damaged(reader, "it uses types but has no usable type table");
	if (lsda->type_count > lsda->type_base / size ||
	    !object_at(reader->object, lsda->type_base - lsda->type_count * size,
		       lsda->type_count * size))
		return fail_damaged(reader, "its type table lies outside the file");
	return true;
}

/* ---- public ---- */

static bool table_read(struct lsda_reader *reader)
{
	struct lsda *lsda = reader->lsda;
	const uint8_t pad_encoding = read_u8(&reader->bytes);

	reader->pad_base = reader->fde->begin;
	if (pad_encoding != POINTER_OMIT)
		reader->pad_base = pointer_read(&reader->bytes, pad_encoding, reader_addr(reader));
	lsda->type_encoding = read_u8(&reader->bytes);
	if (lsda->type_encoding != POINTER_OMIT) {
		const uint64_t offset = read_uleb(&reader->bytes);
		lsda->type_base = reader_addr(reader) + offset;
	}
	if (reader->bytes.failed)
		return fail_damaged(reader, "its header is cut off or not understood");
	return call_sites_read(reader) && actions_read(reader) && types_check(reader);
}

bool lsda_read(const struct object *object, const struct object_fde *fde, struct lsda *lsda,
	       struct error *err)
{
	uint64_t rest;
	const unsigned char *start = object_rest_at(object, fde->lsda, &rest);
	struct lsda_reader reader = {.object = object,
				     .fde = fde,
				     .lsda = lsda,
				     .addr = fde->lsda,
				     .start = start,
				     .err = err};

	*lsda = (struct lsda){.type_encoding = POINTER_OMIT};
	if (!start)
		return fail_damaged(&reader, "it lies outside the file");
	if (fde->cie->lsda_encoding & POINTER_INDIRECT)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the exception table of the code at 0x%" PRIx64
				 " is referred to indirectly, which is not supported",
				 fde->begin);
	reader.bytes = byte_reader(start, rest);
	if (!table_read(&reader)) {
		lsda_fini(lsda);
		return false;
	}
	return true;
}

void lsda_fini(struct lsda *lsda)
{
	vec_fini(&lsda->call_sites);
}

bool lsda_type(const struct object *object, const struct lsda *lsda, uint64_t i,
	       uint64_t *entry_addr, uint64_t *value)
{
	const unsigned size = pointer_size(lsda->type_encoding);

	if (!i || i > lsda->type_count || !size)
		return false;
	*entry_addr = lsda->type_base - i * size;
	const unsigned char *at = object_at(object, *entry_addr, size);
	if (!at)
		return false;
	struct byte_reader reader = byte_reader(at, size);
	*value = pointer_read(&reader, lsda->type_encoding, *entry_addr);
	return !reader.failed;
}

const struct lsda_call_site *lsda_call_site_at(const struct lsda *lsda, uint64_t addr)
{
	const size_t low =
		partition_point(lsda->call_sites.len, i, lsda->call_sites.data[i].end <= addr);

	if (low < lsda->call_sites.len && lsda->call_sites.data[low].begin <= addr)
		return &lsda->call_sites.data[low];
	return NULL;
}
