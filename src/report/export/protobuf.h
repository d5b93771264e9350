/*
 * The wire format of protocol buffers, as far as the exports need it: numbers and what has a length
 * (protobuf.dev/programming-guides/encoding).
 */
#ifndef TARE_REPORT_EXPORT_PROTOBUF_H
#define TARE_REPORT_EXPORT_PROTOBUF_H

#include "base/byte_reader.h"

#include <string.h>

enum protobuf_wire { PROTOBUF_NUMBER = 0, PROTOBUF_FIXED = 1, PROTOBUF_BYTES = 2 };

static inline uint64_t protobuf_tag(unsigned field, enum protobuf_wire wire)
{
	return (uint64_t)field << 3 | wire;
}

static inline void protobuf_number(struct byte_vec *out, unsigned field, uint64_t number)
{
	put_uleb(out, protobuf_tag(field, PROTOBUF_NUMBER));
	put_uleb(out, number);
}

/* Of 8 bytes (fixed64). */
static inline void protobuf_fixed(struct byte_vec *out, unsigned field, uint64_t number)
{
	put_uleb(out, protobuf_tag(field, PROTOBUF_FIXED));
	put_bytes(out, &number, sizeof(number));
}

static inline void protobuf_bytes(struct byte_vec *out, unsigned field, const void *bytes,
				  size_t size)
{
	put_uleb(out, protobuf_tag(field, PROTOBUF_BYTES));
	put_uleb(out, size);
	put_bytes(out, bytes, size);
}

static inline void protobuf_text(struct byte_vec *out, unsigned field, const char *text)
{
	protobuf_bytes(out, field, text, strlen(text));
}

static inline void protobuf_message(struct byte_vec *out, unsigned field,
				    const struct byte_vec *message)
{
	protobuf_bytes(out, field, message->data, message->len);
}

#endif
