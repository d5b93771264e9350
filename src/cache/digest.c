/* SHA-256 by nettle. Files are read in blocks, so that one that shrinks meanwhile is an error. */
#include "cache/digest.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Static_assert(DIGEST_BYTES == SHA256_DIGEST_SIZE, "one digest");

static void digest_end(struct sha256_ctx *context, char text[DIGEST_TEXT_BYTES])
{
	unsigned char bytes[DIGEST_BYTES];

	sha256_digest(context, sizeof(bytes), bytes);
	hex_write(text, bytes, sizeof(bytes));
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

/* False with errno where there are fewer. */
static bool read_all(int fd, unsigned char *bytes, size_t size, uint64_t offset)
{
	while (size) {
		const ssize_t got = pread(fd, bytes, size, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = EIO;
		if (got <= 0)
			return false;
		bytes += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

bool digest_file(int fd, uint64_t size, char text[DIGEST_TEXT_BYTES])
{
	enum { BLOCK_BYTES = 1 << 18 };
	struct sha256_ctx context;
	unsigned char *block = mem_alloc(BLOCK_BYTES);
	bool ok = true;

	sha256_init(&context);
	for (uint64_t at = 0; at < size && ok; at += BLOCK_BYTES) {
		const size_t want = size - at < BLOCK_BYTES ? (size_t)(size - at) : BLOCK_BYTES;
		ok = read_all(fd, block, want, at);
		if (ok)
			sha256_update(&context, want, block);
	}
	free(block);
	digest_end(&context, text);
	return ok;
}

static void digest_number(struct sha256_ctx *context, uint64_t number)
{
	sha256_update(context, sizeof(number), (const uint8_t *)&number);
}

/* `bytes` are the contents from `offset` on, a multiple of a page. */
static void digest_pages(struct sha256_ctx *context, const unsigned char *bytes, size_t size,
			 uint64_t offset)
{
	for (size_t begin = 0, end = 0; file_next_extent(bytes, size, &begin, &end); begin = end) {
		for (size_t at = begin; at < end; at += FILE_PAGE_BYTES) {
			digest_number(context, offset + at);
			sha256_update(context,
				      end - at < FILE_PAGE_BYTES ? end - at : FILE_PAGE_BYTES,
				      bytes + at);
		}
	}
}

void digest_sparse_bytes(const void *bytes, size_t size, char text[DIGEST_TEXT_BYTES])
{
	struct sha256_ctx context;

	sha256_init(&context);
	digest_pages(&context, bytes, size, 0);
	digest_number(&context, size);
	digest_end(&context, text);
}

/* The page in which the next data from `at` on lie; `size` where there are none. */
static uint64_t next_data(int fd, uint64_t at, uint64_t size)
{
	const off_t data = lseek(fd, (off_t)at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? size : at;
	const uint64_t page = (uint64_t)data - (uint64_t)data % FILE_PAGE_BYTES;
	return page < at ? at : page < size ? page : size;
}

bool digest_sparse_file(int fd, uint64_t size, char text[DIGEST_TEXT_BYTES])
{
	enum { BLOCK_BYTES = 64 * FILE_PAGE_BYTES };
	struct sha256_ctx context;
	unsigned char *block = mem_alloc(BLOCK_BYTES);
	bool ok = true;

	sha256_init(&context);
	for (uint64_t at = next_data(fd, 0, size); at < size && ok;) {
		const size_t want = size - at < BLOCK_BYTES ? (size_t)(size - at) : BLOCK_BYTES;
		ok = read_all(fd, block, want, at);
		if (ok)
			digest_pages(&context, block, want, at);
		at = next_data(fd, at + want, size);
	}
	free(block);
	digest_number(&context, size);
	digest_end(&context, text);
	return ok;
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
