/*
 * See per_call.h.
 *
 *   flags │ smallest, largest - smallest │ … │ steps to a bucket << 4 | calls, their rests │ …
 *           of each range that is there        up to the end
 *
 * Many ranges are another one once more, which takes a flag: exclusive those of a function without
 * callees, Application's without OS events. Most buckets take a byte. Refuses values of 2^63 and
 * more, and buckets that are none.
 */
#include "profile/per_call.h"

#include <string.h>

#define VALUE_MAX ((uint64_t)INT64_MAX)

enum { RANGES = TARE_LIST_COUNT(TARE_NODE_RANGES) };
_Static_assert(2 * RANGES <= 8, "the flags of all ranges are in one byte");

/* That a range may be the same as; the first one is the same as none. */
static const int likes[RANGES] = {0, 0, 0, 1};

enum { HALF_FULL = 15 }; /* half of a byte, whose rest follows */

/* Flags of a range: it is there; and it is the same as that of likes[]. */
static unsigned there(int range)
{
	return 1u << range;
}

static unsigned same(int range)
{
	return 1u << (range + RANGES);
}

static bool is_there(const uint64_t *range)
{
	return range[0] <= range[1];
}

static unsigned flags_of(const struct profile_node *row)
{
	unsigned flags = 0;

	for (int i = 0; i < RANGES; i++) {
		const uint64_t *range = row->ranges[i], *like = row->ranges[likes[i]];

		if (is_there(range))
			flags |= there(i);
		if (i && is_there(range) && range[0] == like[0] && range[1] == like[1])
			flags |= same(i);
	}
	return flags;
}

static unsigned half_of(uint64_t number)
{
	return number < HALF_FULL ? (unsigned)number : HALF_FULL;
}

static void half_put(struct byte_vec *out, uint64_t steps, uint64_t calls)
{
	put_u8(out, half_of(steps) << 4 | half_of(calls));
	if (steps >= HALF_FULL)
		put_uleb(out, steps - HALF_FULL);
	if (calls >= HALF_FULL)
		put_uleb(out, calls - HALF_FULL);
}

static uint64_t half_read(struct byte_reader *reader, unsigned half)
{
	const uint64_t rest = half == HALF_FULL ? read_uleb(reader) : 0;

	reader->failed |= rest > VALUE_MAX - HALF_FULL;
	return half + rest;
}

static void lengths_put(struct byte_vec *out, const uint64_t *lengths)
{
	uint32_t next = 0;

	for (uint32_t bucket = 0; bucket < TARE_CALL_BUCKETS; bucket++) {
		if (!lengths[bucket])
			continue;
		half_put(out, bucket - next, lengths[bucket]);
		next = bucket + 1;
	}
}

void per_call_put(struct byte_vec *out, const struct profile_node *row)
{
	const unsigned flags = flags_of(row);

	out->len = 0;
	put_u8(out, flags);
	for (int i = 0; i < RANGES; i++) {
		const uint64_t *range = row->ranges[i];

		if (!(flags & there(i)) || flags & same(i))
			continue;
		put_uleb(out, range[0]);
		put_uleb(out, range[1] - range[0]);
	}
	if (row->lengths)
		lengths_put(out, row->lengths);
	if (out->len == 1 && !flags)
		out->len = 0;
}

/* Takes them into `to` where it is not NULL. */
static void ranges_read(struct byte_reader *reader, struct profile_node *to)
{
	const unsigned flags = bytes_left(reader) ? read_u8(reader) : 0;
	uint64_t all[RANGES][2];

	for (int i = 0; i < RANGES; i++) {
		uint64_t *range = all[i];

		range[0] = UINT64_MAX;
		range[1] = 0;
		if (i && flags & same(i) && flags & there(i)) {
			memcpy(range, all[likes[i]], sizeof(all[i]));
		} else if (flags & there(i)) {
			const uint64_t least = read_uleb(reader), more = read_uleb(reader);

			reader->failed |= least > VALUE_MAX || more > VALUE_MAX - least;
			range[0] = least;
			range[1] = least + more;
		}
		if (to)
			memcpy(to->ranges[i], range, sizeof(all[i]));
	}
}

bool per_call_take_ranges(void *row, const void *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	struct profile_node *node = row;

	ranges_read(&reader, node);
	node->per_call = (struct profile_bytes){reader.at, bytes_left(&reader)};
	return !reader.failed;
}

struct byte_reader per_call_lengths(const void *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);

	ranges_read(&reader, NULL);
	return reader;
}

int per_call_next(struct byte_reader *lengths, struct profile_histogram *row)
{
	if (!lengths->failed && !bytes_left(lengths))
		return 0;
	const unsigned both = read_u8(lengths);
	const uint64_t steps = half_read(lengths, both >> 4);

	row->calls = half_read(lengths, both & 0xf);
	if (lengths->failed || steps >= TARE_CALL_BUCKETS)
		return -1;
	row->bucket =
		row->bucket == PER_CALL_FIRST ? (uint32_t)steps : row->bucket + 1 + (uint32_t)steps;
	return row->bucket < TARE_CALL_BUCKETS ? 1 : -1;
}
