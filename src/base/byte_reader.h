/*
 * Bounds-checked reading of untrusted bytes. A reader that runs past its end, or meets a malformed
 * number, sets `failed`, returns 0 from then on and never moves again: check once, at the end.
 */
#ifndef TARE_BASE_BYTE_READER_H
#define TARE_BASE_BYTE_READER_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_reader {
	const unsigned char *at, *end;
	bool failed;
};

struct byte_reader byte_reader(const void *bytes, size_t length);
static inline size_t bytes_left(const struct byte_reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

static inline uint8_t read_u8(struct byte_reader *reader)
{
	if (!reader->failed && reader->at != reader->end)
		return *reader->at++;
	reader->failed = true;
	return 0;
}

uint16_t read_u16(struct byte_reader *reader);
uint32_t read_u32(struct byte_reader *reader);
uint64_t read_u64(struct byte_reader *reader);
/* LEB128 numbers of at most 10 bytes; most have one. */
uint64_t read_long_uleb(struct byte_reader *reader);
static inline uint64_t read_uleb(struct byte_reader *reader)
{
	if (!reader->failed && reader->at != reader->end && *reader->at < 0x80)
		return *reader->at++;
	return read_long_uleb(reader);
}
int64_t read_sleb(struct byte_reader *reader);
void read_skip(struct byte_reader *reader, uint64_t count);
/* A NUL-terminated string inside the bytes, or NULL. */
const char *read_string(struct byte_reader *reader);

/* Little-endian appending. */
void put_u8(struct byte_vec *out, unsigned value);
void put_u16(struct byte_vec *out, unsigned value);
void put_u32(struct byte_vec *out, uint32_t value);
void put_u64(struct byte_vec *out, uint64_t value);
void put_uleb(struct byte_vec *out, uint64_t value);
void put_sleb(struct byte_vec *out, int64_t value);
void put_bytes(struct byte_vec *out, const void *bytes, size_t length);
/* Pads with `fill` to a multiple of `alignment`. */
void put_align(struct byte_vec *out, size_t alignment, unsigned char fill);
/* Overwrites four bytes at `offset`. */
void set_u32(struct byte_vec *out, size_t offset, uint32_t value);

#endif
