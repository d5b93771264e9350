/*
 * Strings and memory without libc. memcpy and memset exist because compilers call them. Nothing
 * here checks pointers; bytes_text never writes beyond its buffer and stays NUL-terminated.
 */
#include "runtime/base/bytes.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size_bytes)
{
	void *at = to;

	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size_bytes)::"memory");
	return to;
}

void *memset(void *to, int byte, size_t size_bytes)
{
	void *at = to;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(size_bytes) : "a"(byte) : "memory");
	return to;
}

size_t bytes_length(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

bool bytes_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

bool bytes_begin_with(const char *text, const char *prefix)
{
	while (*prefix && *text == *prefix) {
		text++;
		prefix++;
	}
	return !*prefix;
}

const char *bytes_base_name(const char *path)
{
	const char *base = path;

	for (const char *at = path; *at; at++)
		if (*at == '/')
			base = at + 1;
	return base;
}

uint64_t bytes_hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return hash;
}

void bytes_put(struct bytes_text *text, const char *more)
{
	for (; *more; more++) {
		if (text->length + 1 >= text->size_bytes) {
			text->full = true;
			return;
		}
		text->start[text->length++] = *more;
		text->start[text->length] = 0;
	}
}

void bytes_put_number(struct bytes_text *text, uint64_t number)
{
	char digits[21];
	size_t at = sizeof(digits) - 1;

	digits[at] = 0;
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	bytes_put(text, digits + at);
}
