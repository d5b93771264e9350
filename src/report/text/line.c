/* See line.h. */
#include "report/text/line.h"

#include "report/words/name.h"
#include "report/words/style.h"

#include <stdarg.h>
#include <string.h>

/* The length of the style at `at`, "\033[1;31m"; 0 where there is none. */
static size_t style_length(const char *at)
{
	if (!str_starts_with(at, "\033["))
		return 0;
	const size_t length = 2 + strspn(at + 2, "0123456789;");

	return at[length] == 'm' ? length + 1 : 0;
}

static void append_line(struct str *out, const struct report_options *options, const char *text)
{
	struct str part = {0};

	while (*text) {
		const size_t style = options->color ? style_length(text) : 0;
		const size_t plain = style ? 0 : 1 + strcspn(text + 1, "\033");

		str_append_bytes(out, text, style);
		str_clear(&part);
		str_append_bytes(&part, text, plain);
		name_append_sentence(out, part.data, options->unicode);
		text += style + plain;
	}
	str_fini(&part);
}

void line_write(FILE *stream, const struct report_options *options, const char *style,
		const char *text)
{
	const bool styled = style[0] && options->color;
	struct str line = {0};

	str_append(&line, styled ? style : "");
	append_line(&line, options, text);
	str_append(&line, styled ? STYLE_OFF "\n" : "\n");
	fputs(line.data, stream);
	str_fini(&line);
}

/* Bytes of the parts that fit into `room` columns, or of the first one, with the blank behind. */
static size_t parts_that_fit(const char *text, size_t room)
{
	const size_t most = name_bytes_within(text, room);
	size_t length = 0;

	if (!text[most])
		return most;
	for (size_t i = 0; text[i] && (i < most || !length); i++)
		if ((text[i] == ',' || text[i] == ':') && text[i + 1] == ' ')
			length = i + 2;
	return length ? length : strlen(text);
}

void line_write_parts(FILE *stream, const struct report_options *options, const char *style,
		      const char *text)
{
	struct str line = {0};

	while (*text) {
		const size_t length = parts_that_fit(text, (size_t)options->width);

		str_clear(&line);
		str_append_bytes(&line, text, length - (length && text[length - 1] == ' '));
		line_write(stream, options, style, line.data);
		text += length;
	}
	str_fini(&line);
}

void line_printf(FILE *stream, const struct report_options *options, const char *format, ...)
{
	struct str line = {0};
	va_list args;

	va_start(args, format);
	str_vprintf(&line, format, args);
	va_end(args);
	line_write(stream, options, "", line.data);
	str_fini(&line);
}
