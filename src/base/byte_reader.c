/* See byte_reader.h. */
#include "base/byte_reader.h"

#include <assert.h>
#include <string.h>

struct byte_reader byte_reader(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	/* Even adding 0 to NULL is undefined. */
	return (struct byte_reader){.at = at, .end = length ? at + length : at};
}

static bool take(struct byte_reader *reader, void *out, size_t size)
{
	if (reader->failed || bytes_left(reader) < size) {
		reader->failed = true;
		return false;
	}
	memcpy(out, reader->at, size);
	reader->at += size;
	return true;
}

uint16_t read_u16(struct byte_reader *reader)
{
	uint16_t value;

	return take(reader, &value, sizeof(value)) ? value : 0;
}

uint32_t read_u32(struct byte_reader *reader)
{
	uint32_t value;

	return take(reader, &value, sizeof(value)) ? value : 0;
}

uint64_t read_u64(struct byte_reader *reader)
{
	uint64_t value;

	return take(reader, &value, sizeof(value)) ? value : 0;
}

/* Reads the groups of a LEB128 number; *shift ends as the number of bits read. */
static uint64_t read_leb(struct byte_reader *reader, unsigned *shift, uint8_t *last)
{
	uint64_t value = 0;

	*shift = 0;
	do {
		*last = read_u8(reader);
		if (*shift >= 70)
			reader->failed = true;
		if (reader->failed)
			return 0;
		if (*shift < 64)
			value |= (uint64_t)(*last & 0x7f) << *shift;
		*shift += 7;
	} while (*last & 0x80);
	return value;
}

uint64_t read_long_uleb(struct byte_reader *reader)
{
	unsigned shift;
	uint8_t last;

	return read_leb(reader, &shift, &last);
}

int64_t read_sleb(struct byte_reader *reader)
{
	unsigned shift;
	uint8_t last = 0;
	uint64_t value = read_leb(reader, &shift, &last);

	if (shift < 64 && (last & 0x40))
		value |= ~UINT64_C(0) << shift;
	return (int64_t)value;
}

void read_skip(struct byte_reader *reader, uint64_t count)
{
	if (reader->failed || bytes_left(reader) < count)
		reader->failed = true;
	else if (count)
		reader->at += count;
}

const char *read_string(struct byte_reader *reader)
{
	const char *text = (const char *)reader->at;
	const unsigned char *nul =
		reader->failed ? NULL : memchr(reader->at, 0, bytes_left(reader));

	if (!nul) {
		reader->failed = true;
		return NULL;
	}
	reader->at = nul + 1;
	return text;
}

void put_u8(struct byte_vec *out, unsigned value)
{
	vec_push(out, (unsigned char)value);
}

void put_u16(struct byte_vec *out, unsigned value)
{
	const uint16_t word = (uint16_t)value;

	vec_append(out, (const unsigned char *)&word, sizeof(word));
}

void put_u32(struct byte_vec *out, uint32_t value)
{
	vec_append(out, (const unsigned char *)&value, sizeof(value));
}

void put_u64(struct byte_vec *out, uint64_t value)
{
	vec_append(out, (const unsigned char *)&value, sizeof(value));
}

void put_uleb(struct byte_vec *out, uint64_t value)
{
	do {
		const unsigned group = value & 0x7f;
		value >>= 7;
		put_u8(out, value ? group | 0x80 : group);
	} while (value);
}

void put_sleb(struct byte_vec *out, int64_t value)
{
	bool more = true;

	while (more) {
		const unsigned group = (unsigned)value & 0x7f;
		value >>= 7;
		more = !((value == 0 && !(group & 0x40)) || (value == -1 && (group & 0x40)));
		put_u8(out, more ? group | 0x80 : group);
	}
}

void put_bytes(struct byte_vec *out, const void *bytes, size_t length)
{
	vec_append(out, (const unsigned char *)bytes, length);
}

void put_align(struct byte_vec *out, size_t alignment, unsigned char fill)
{
	while (out->len % alignment)
		put_u8(out, fill);
}

void set_u32(struct byte_vec *out, size_t offset, uint32_t value)
{
	assert(offset + sizeof(value) <= out->len);
	memcpy(out->data + offset, &value, sizeof(value));
}
