/*
 * A direct-mapped table. The place in it is guessed from the bytes that are prefixes, opcode and
 * ModRM in most instructions: a wrong guess only keeps an instruction in several places. What
 * makes a match is the comparison of all deciding bytes. Refuses more than eight of them.
 */
#include "insn/memo.h"

#include <string.h>

#define KEY_BYTES  8
#define PLACE_BITS 12

struct memo {
	uint64_t key, mask; /* mask 0: empty */
	struct insn insn;
};

static _Thread_local struct memo memos[1 << PLACE_BITS];

static uint64_t mask_of(size_t bytes)
{
	return bytes < KEY_BYTES ? (UINT64_C(1) << 8 * bytes) - 1 : ~UINT64_C(0);
}

static struct memo *memo_at(uint64_t first)
{
	const uint8_t byte = (uint8_t)first;
	size_t length = 2;

	if (byte == 0x66 || byte == 0xf2 || byte == 0xf3)
		length = 4;
	else if ((byte & 0xf0) == 0x40)
		length = (uint8_t)(first >> 8) == 0x0f ? 4 : 3;
	else if (byte == 0x0f)
		length = 3;
	else if (byte == 0xc5 || byte == 0xc4 || byte == 0x62)
		length = 6;
	return &memos[(first & mask_of(length)) * 0x9e3779b97f4a7c15u >> (64 - PLACE_BITS)];
}

static uint64_t first_bytes(const unsigned char *bytes)
{
	uint64_t first;

	memcpy(&first, bytes, sizeof(first));
	return first;
}

bool memo_find(const unsigned char *bytes, size_t size, struct insn *insn)
{
	if (size < KEY_BYTES)
		return false;
	const uint64_t first = first_bytes(bytes);
	const struct memo *memo = memo_at(first);

	if (!memo->mask || (first & memo->mask) != memo->key || size < memo->insn.length)
		return false;
	*insn = memo->insn;
	return true;
}

void memo_keep(const unsigned char *bytes, size_t size, size_t deciding, const struct insn *insn)
{
	if (size < KEY_BYTES || deciding > KEY_BYTES)
		return;
	const uint64_t first = first_bytes(bytes), mask = mask_of(deciding);

	*memo_at(first) = (struct memo){.key = first & mask, .mask = mask, .insn = *insn};
}
