/* See gzip.h. The time stamp in the header is 0: the same profile gives the same bytes. */
#include "report/export/gzip.h"

#include "base/base.h"

#include <zlib.h>

enum { WINDOW_BITS_GZIP = 15 + 16, MEMORY_LEVEL = 8, OUT_BYTES = 1 << 16 };

struct gzip {
	z_stream zlib;
	FILE *stream;
	int code; /* of zlib, the first that is an error */
	unsigned char out[OUT_BYTES];
};

struct gzip *gzip_open(FILE *stream)
{
	struct gzip *gzip = mem_zalloc(sizeof(*gzip));

	gzip->stream = stream;
	gzip->code = deflateInit2(&gzip->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS_GZIP,
				  MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
	return gzip;
}

static void run(struct gzip *gzip, int flush)
{
	while (gzip->code == Z_OK) {
		gzip->zlib.next_out = gzip->out;
		gzip->zlib.avail_out = OUT_BYTES;
		const int code = deflate(&gzip->zlib, flush);
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
			gzip->code = code;
		fwrite(gzip->out, 1, OUT_BYTES - gzip->zlib.avail_out, gzip->stream);
		if (gzip->zlib.avail_out)
			break;
	}
}

void gzip_write(struct gzip *gzip, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	while (size && gzip->code == Z_OK) {
		const size_t part = size < UINT32_MAX ? size : UINT32_MAX;

		gzip->zlib.next_in = (unsigned char *)at;
		gzip->zlib.avail_in = (unsigned)part;
		run(gzip, Z_NO_FLUSH);
		at += part;
		size -= part;
	}
}

bool gzip_close(struct gzip *gzip, struct error *err)
{
	run(gzip, Z_FINISH);
	const bool ok = gzip->code == Z_OK;

	if (!ok)
		error_set(err, ERROR_SYSTEM, "cannot compress the output: zlib says %d",
			  gzip->code);
	deflateEnd(&gzip->zlib);
	free(gzip);
	return ok;
}
