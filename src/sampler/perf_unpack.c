/*
 * The buffer holds what zstd gives at once and, in front of it, less than one record that was not
 * whole yet (under 64 KiB). A piece that unpacks to very much fills it again and again.
 */
#include "sampler/perf_unpack.h"

#include <string.h>
#include <zstd.h>

enum { BUFFER_BYTES = 1 << 18, RECORD_BYTES_MAX = 1 << 16 };

struct perf_unpack {
	ZSTD_DStream *stream;
	size_t rest; /* bytes at the begin of the buffer */
	bool damaged;
	unsigned char buffer[BUFFER_BYTES];
};

struct perf_unpack *perf_unpack_new(void)
{
	struct perf_unpack *unpack = mem_zalloc(sizeof(*unpack));

	unpack->stream = ZSTD_createDStream();
	if (!unpack->stream || ZSTD_isError(ZSTD_initDStream(unpack->stream)))
		unpack->damaged = true;
	return unpack;
}

void perf_unpack_free(struct perf_unpack *unpack)
{
	if (!unpack)
		return;
	ZSTD_freeDStream(unpack->stream);
	free(unpack);
}

bool perf_unpack_add(struct perf_unpack *unpack, const void *bytes, size_t size,
		     size_t (*take)(void *context, const unsigned char *bytes, size_t size),
		     void *context)
{
	ZSTD_inBuffer in = {.src = bytes, .size = size};
	bool more = true;

	while (!unpack->damaged && (in.pos < in.size || more)) {
		const size_t before = in.pos;
		ZSTD_outBuffer out = {
			.dst = unpack->buffer, .size = BUFFER_BYTES, .pos = unpack->rest};
		const size_t hint = ZSTD_decompressStream(unpack->stream, &out, &in);

		if (ZSTD_isError(hint) || (in.pos == before && out.pos == unpack->rest)) {
			unpack->damaged = ZSTD_isError(hint) || in.pos < in.size;
			break;
		}
		more = out.pos == out.size;
		const size_t used = take(context, unpack->buffer, out.pos);

		unpack->rest = out.pos - used;
		memmove(unpack->buffer, unpack->buffer + used, unpack->rest);
		unpack->damaged = unpack->rest > RECORD_BYTES_MAX;
	}
	return !unpack->damaged;
}

size_t perf_unpack_rest(const struct perf_unpack *unpack)
{
	return unpack->rest;
}
