/* See str.h. The distance is the restricted form (optimal string alignment). */
#include "base/str.h"

#include "base/arena.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void str_reserve(struct str *str, size_t extra)
{
	if (str->cap - str->len > extra)
		return;
	size_t cap = str->cap ? str->cap * 2 : 64;
	if (cap < str->len + extra + 1)
		cap = str->len + extra + 1;
	str->data = mem_realloc(str->data, cap);
	str->cap = cap;
}

void str_append_bytes(struct str *str, const char *bytes, size_t length)
{
	str_reserve(str, length);
	memcpy(str->data + str->len, bytes, length);
	str->len += length;
	str->data[str->len] = 0;
}

void hex_write(char *digits, const unsigned char *bytes, size_t size)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		digits[2 * i] = digit[bytes[i] >> 4];
		digits[2 * i + 1] = digit[bytes[i] & 15];
	}
}

void str_append_hex(struct str *str, const unsigned char *bytes, size_t size)
{
	str_reserve(str, 2 * size);
	hex_write(str->data + str->len, bytes, size);
	str->len += 2 * size;
	str->data[str->len] = 0;
}

void str_append(struct str *str, const char *text)
{
	str_append_bytes(str, text, strlen(text));
}

void str_vprintf(struct str *str, const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	const int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	str_reserve(str, (size_t)length);
	vsnprintf(str->data + str->len, (size_t)length + 1, format, args);
	str->len += (size_t)length;
}

void str_printf(struct str *str, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_vprintf(str, format, args);
	va_end(args);
}

void str_clear(struct str *str)
{
	str->len = 0;
	if (str->data)
		str->data[0] = 0;
}

void str_fini(struct str *str)
{
	free(str->data);
	*str = (struct str){0};
}

bool str_starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends_with(const char *text, const char *suffix)
{
	const size_t length = strlen(text), tail = strlen(suffix);

	return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

const char *path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

enum { DISTANCE_MAX = 64 };

static size_t min3(size_t a, size_t b, size_t c)
{
	const size_t least = a < b ? a : b;

	return least < c ? least : c;
}

size_t str_distance(const char *a, const char *b)
{
	size_t rows[3][DISTANCE_MAX + 1];
	const size_t la = strlen(a), lb = strlen(b);

	if (la > DISTANCE_MAX || lb > DISTANCE_MAX)
		return la > lb ? la : lb;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *now = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			now[j] =
				min3(up[j] + 1, now[j - 1] + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    up2[j - 2] + 1 < now[j])
				now[j] = up2[j - 2] + 1;
		}
	}
	return rows[la % 3][lb];
}

const char *str_nearest(const char *text, const char *const *names, size_t count)
{
	const size_t length = strlen(text);
	size_t best_distance = 1 + length / 3;
	const char *best = NULL;

	for (size_t i = 0; i < count; i++) {
		const size_t distance = str_distance(text, names[i]);
		if (distance <= best_distance && (!best || distance < best_distance)) {
			best = names[i];
			best_distance = distance;
		}
	}
	for (size_t i = 0; i < count && !best && length >= 3; i++) {
		assert(names[i]);
		if (str_starts_with(names[i], text))
			best = names[i];
	}
	return best;
}

void str_append_quoted(struct str *out, const char *word)
{
	str_append(out, "'");
	for (const char *at = word; *at; at++) {
		if (*at == '\'')
			str_append(out, "'\\''");
		else
			str_append_bytes(out, at, 1);
	}
	str_append(out, "'");
}
