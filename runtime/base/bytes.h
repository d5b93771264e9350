/* bytes: strings and memory without libc. */
#ifndef TARE_RUNTIME_BASE_BYTES_H
#define TARE_RUNTIME_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): glibc's are reserved. */
void *memcpy(void *restrict to, const void *restrict from, size_t size_bytes);
void *memset(void *to, int byte, size_t size_bytes);
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

size_t bytes_length(const char *text);
bool bytes_equal(const char *a, const char *b);
bool bytes_begin_with(const char *text, const char *prefix);
/* What stands behind the last slash. */
const char *bytes_base_name(const char *path);
/* FNV-1a. */
uint64_t bytes_hash(const char *text);

/* A string under construction in a fixed buffer; `full` once something did not fit. */
struct bytes_text {
	char *start;
	size_t size_bytes; /* of the buffer */
	size_t length;
	bool full;
};

void bytes_put(struct bytes_text *text, const char *more);
void bytes_put_number(struct bytes_text *text, uint64_t number);

#endif
