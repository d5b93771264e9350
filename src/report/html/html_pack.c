/*
 * Packs the data of a page. Numbers are LEB128, which zlib then shortens further: a call path takes
 * about ten bytes. What leaves here is base64, so that no name can end the element it stands in.
 */
#include "report/html/html_pack.h"

#include "report/words/name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK_BYTES = 3 << 14, LEVEL = 6 };

void html_pack_init(struct html_pack *pack)
{
	*pack = (struct html_pack){0};
	strmap_init(&pack->known);
	arena_init(&pack->arena);
}

void html_pack_fini(struct html_pack *pack)
{
	str_fini(&pack->json);
	str_fini(&pack->columns);
	str_fini(&pack->index);
	str_fini(&pack->strings);
	strmap_fini(&pack->known);
	arena_fini(&pack->arena);
}

/* ---- columns ---- */

void html_pack_begin(struct html_pack *pack)
{
	pack->begin = pack->columns.len;
	pack->count = 0;
}

void html_pack_number(struct html_pack *pack, uint64_t number)
{
	char bytes[10];
	size_t length = 0;

	do {
		bytes[length] = (char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
		length++;
		number >>= 7;
	} while (number);
	str_append_bytes(&pack->columns, bytes, length);
	pack->count++;
}

void html_pack_signed(struct html_pack *pack, int64_t number)
{
	const uint64_t bits = (uint64_t)number;

	html_pack_number(pack, number < 0 ? ~(bits << 1) : bits << 1);
}

void html_pack_end(struct html_pack *pack, const char *name, ...)
{
	struct str text = {0};
	char full[256];
	va_list arguments;

	va_start(arguments, name);
	vsnprintf(full, sizeof(full), name, arguments);
	va_end(arguments);
	html_json_text(&text, full);
	str_printf(&pack->index, "%s[%s,%zu,%zu]", pack->index.len ? "," : "", text.data,
		   pack->count, pack->columns.len - pack->begin);
	str_fini(&text);
}

bool html_pack_any(const struct html_pack *pack)
{
	for (size_t i = pack->begin; i < pack->columns.len; i++)
		if (pack->columns.data[i])
			return true;
	return false;
}

void html_pack_drop(struct html_pack *pack)
{
	pack->columns.len = pack->begin;
}

/* ---- texts ---- */

void html_json_text(struct str *json, const char *text)
{
	struct str visible = {0};
	const char *at;

	name_append_escaped(&visible, text, true);
	at = visible.data ? visible.data : "";
	str_append(json, "\"");
	while (*at) {
		const size_t plain = strcspn(at, "\"\\");
		str_append_bytes(json, at, plain);
		at += plain;
		if (*at)
			str_printf(json, "\\%c", *at++);
	}
	str_append(json, "\"");
	str_fini(&visible);
}

uint64_t html_pack_text(struct html_pack *pack, const char *text)
{
	if (!text)
		return 0;
	const uint64_t *known = strmap_get(&pack->known, text);
	if (known)
		return *known;
	if (pack->string_count++)
		str_append(&pack->strings, ",");
	html_json_text(&pack->strings, text);
	strmap_put(&pack->known, arena_strdup(&pack->arena, text), pack->string_count);
	return pack->string_count;
}

void html_pack_key(struct html_pack *pack, const char *key)
{
	str_printf(&pack->json, "%s\"%s\":", pack->json.len ? ",\n" : "", key);
}

void html_pack_key_text(struct html_pack *pack, const char *key, const char *text)
{
	html_pack_key(pack, key);
	html_json_text(&pack->json, text ? text : "");
}

void html_pack_key_number(struct html_pack *pack, const char *key, uint64_t number)
{
	html_pack_key(pack, key);
	str_printf(&pack->json, "%" PRIu64, number);
}

/* ---- output ---- */

/* Bytes on their way through zlib and base64 to the stream. */
struct html_sink {
	FILE *stream;
	z_stream zip;
	unsigned char out[BLOCK_BYTES]; /* a multiple of three, so that base64 has no gaps */
	char text[BLOCK_BYTES / 3 * 4 + 1];
};

static void sink_write_base64(struct html_sink *sink, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = sink->out;
	char *out = sink->text;

	for (size_t i = 0; i < size; i += 3) {
		const size_t left = size - i;
		const unsigned word = (unsigned)in[i] << 16 |
				      (left > 1 ? (unsigned)in[i + 1] << 8 : 0) |
				      (left > 2 ? (unsigned)in[i + 2] : 0);
		*out++ = digits[word >> 18];
		*out++ = digits[word >> 12 & 63];
		*out++ = left > 1 ? digits[word >> 6 & 63] : '=';
		*out++ = left > 2 ? digits[word & 63] : '=';
	}
	fwrite(sink->text, 1, (size_t)(out - sink->text), sink->stream);
}

static void sink_put(struct html_sink *sink, const void *bytes, size_t size, bool last)
{
	const unsigned char *at = bytes;
	int state = Z_OK;

	do {
		const size_t step = size < BLOCK_BYTES ? size : BLOCK_BYTES;
		const bool finish = last && step == size;
		sink->zip.next_in = (unsigned char *)at;
		sink->zip.avail_in = (uInt)step;
		at += step;
		size -= step;
		do {
			state = deflate(&sink->zip, finish ? Z_FINISH : Z_NO_FLUSH);
			const size_t ready = BLOCK_BYTES - sink->zip.avail_out;
			if (sink->zip.avail_out && state != Z_STREAM_END)
				break;
			sink_write_base64(sink, ready);
			sink->zip.next_out = sink->out;
			sink->zip.avail_out = BLOCK_BYTES;
		} while (state != Z_STREAM_END && (sink->zip.avail_in || finish));
	} while (size);
}

bool html_pack_write(struct html_pack *pack, FILE *stream, struct error *err)
{
	struct html_sink *sink = mem_zalloc(sizeof(*sink));
	struct str json = {0};

	sink->stream = stream;
	if (deflateInit(&sink->zip, LEVEL) != Z_OK) {
		free(sink);
		return error_set_errno(err, ENOMEM, "cannot compress the page's data");
	}
	sink->zip.next_out = sink->out;
	sink->zip.avail_out = BLOCK_BYTES;
	str_printf(&json, "{%s,\n\"columns\":[%s],\n\"strings\":[", pack->json.data,
		   pack->index.len ? pack->index.data : "");
	const uint64_t length = json.len + pack->strings.len + 2;
	const unsigned char head[8] = {
		(unsigned char)length,	       (unsigned char)(length >> 8),
		(unsigned char)(length >> 16), (unsigned char)(length >> 24),
		(unsigned char)(length >> 32), (unsigned char)(length >> 40),
		(unsigned char)(length >> 48), (unsigned char)(length >> 56),
	};
	sink_put(sink, head, sizeof(head), false);
	sink_put(sink, json.data, json.len, false);
	sink_put(sink, pack->strings.data, pack->strings.len, false);
	sink_put(sink, "]}", 2, false);
	sink_put(sink, pack->columns.data, pack->columns.len, true);
	deflateEnd(&sink->zip);
	str_fini(&json);
	free(sink);
	return true;
}
