/* SHA-256 by nettle. Files are read in blocks, so that one that shrinks meanwhile is an error. */
#include "record/digest.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Static_assert(DIGEST_BYTES == SHA256_DIGEST_SIZE, "one digest");

static void digest_end(struct sha256_ctx *context, char text[DIGEST_TEXT_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[DIGEST_BYTES];

	sha256_digest(context, sizeof(bytes), bytes);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[DIGEST_TEXT_BYTES - 1] = 0;
}

void digest_bytes(const void *bytes, size_t size, char text[DIGEST_TEXT_BYTES])
{
	struct sha256_ctx context;

	sha256_init(&context);
	if (size)
		sha256_update(&context, size, bytes);
	digest_end(&context, text);
}

bool digest_file(int fd, uint64_t size, char text[DIGEST_TEXT_BYTES])
{
	enum { BLOCK_BYTES = 1 << 18 };
	struct sha256_ctx context;
	unsigned char *block = mem_alloc(BLOCK_BYTES);
	uint64_t at = 0;

	sha256_init(&context);
	while (at < size) {
		const uint64_t left = size - at;
		const ssize_t got =
			pread(fd, block, left < BLOCK_BYTES ? left : BLOCK_BYTES, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got == 0)
				errno = EIO;
			break;
		}
		sha256_update(&context, (size_t)got, block);
		at += (uint64_t)got;
	}
	free(block);
	digest_end(&context, text);
	return at == size;
}

static int hex_value(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = digit ? strchr(digits, digit) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool digest_parse(const char *text, unsigned char bytes[DIGEST_BYTES])
{
	if (strlen(text) != DIGEST_TEXT_BYTES - 1)
		return false;
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		const int high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		bytes[i] = (unsigned char)(high * 16 + low);
	}
	return true;
}
