/* A stream that is compressed as gzip (RFC 1952), by zlib. */
#ifndef TARE_REPORT_EXPORT_GZIP_H
#define TARE_REPORT_EXPORT_GZIP_H

#include "base/error.h"

#include <stdio.h>

struct gzip;

/* What is written goes to `stream` compressed. */
struct gzip *gzip_open(FILE *stream);
void gzip_write(struct gzip *gzip, const void *bytes, size_t size);
/* Writes what is left, and frees. False with err if zlib failed; the stream's own errors stay its.
 */
bool gzip_close(struct gzip *gzip, struct error *err);

#endif
