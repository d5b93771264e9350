/* Growing text buffer. Zero-initialise; str_fini frees. `data` is NUL-terminated once non-NULL. */
#ifndef TARE_BASE_STR_H
#define TARE_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct str {
	char *data;
	size_t len, cap;
};

void str_append(struct str *str, const char *text);
void str_append_bytes(struct str *str, const char *bytes, size_t length);
/* Two small hexadecimal digits of each byte, without a zero behind them. */
void hex_write(char *digits, const unsigned char *bytes, size_t size);
void str_append_hex(struct str *str, const unsigned char *bytes, size_t size);
/* The word as a shell reads it back, whatever is in it: in single quotes. */
void str_append_quoted(struct str *out, const char *word);
__attribute__((format(printf, 2, 3))) void str_printf(struct str *str, const char *format, ...);
__attribute__((format(printf, 2, 0))) void str_vprintf(struct str *str, const char *format,
						       va_list args);
void str_clear(struct str *str);
void str_fini(struct str *str);

bool str_starts_with(const char *text, const char *prefix);
bool str_ends_with(const char *text, const char *suffix);
/* The part after the last '/'. */
const char *path_basename(const char *path);
/* Damerau-Levenshtein distance of two short strings, for "did you mean". */
size_t str_distance(const char *a, const char *b);
/* The one of `count` names that `text` was probably meant to be, or NULL if none is near. */
const char *str_nearest(const char *text, const char *const *names, size_t count);

#endif
