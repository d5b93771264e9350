/* SHA-256, as lower-case hexadecimal text. */
#ifndef TARE_CACHE_DIGEST_H
#define TARE_CACHE_DIGEST_H

#include "base/base.h"

enum { DIGEST_BYTES = 32, DIGEST_TEXT_BYTES = 2 * DIGEST_BYTES + 1 };

void digest_bytes(const void *bytes, size_t size, char text[DIGEST_TEXT_BYTES]);
/* Of the first `size` bytes of the file behind `fd`; false (errno set) where they cannot be read.
 */
bool digest_file(int fd, uint64_t size, char text[DIGEST_TEXT_BYTES]);
/*
 * The same of contents with holes, in time for what is not zero only: the pages that are not all
 * zero, each with its place, and the size. Both tell the same of the same contents.
 */
void digest_sparse_bytes(const void *bytes, size_t size, char text[DIGEST_TEXT_BYTES]);
bool digest_sparse_file(int fd, uint64_t size, char text[DIGEST_TEXT_BYTES]);
/* The digest's bytes; false where `text` is no digest. */
bool digest_parse(const char *text, unsigned char bytes[DIGEST_BYTES]);

#endif
