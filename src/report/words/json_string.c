/* See json_string.h. "<" is escaped too, so that no text can end a script that it stands in. */
#include "report/words/json_string.h"

#include "report/words/name.h"

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c != 0x7f && c != '"' && c != '\\' && c != '<';
}

static size_t plain_length(const char *text)
{
	size_t length = 0;

	while (is_plain((unsigned char)text[length]))
		length++;
	return length;
}

void json_write_string(FILE *stream, const char *text)
{
	struct str valid = {0};

	name_append_utf8(&valid, text ? text : "");
	fputc('"', stream);
	for (const char *at = valid.data; at && *at;) {
		const size_t plain = plain_length(at);
		fwrite(at, 1, plain, stream);
		at += plain;
		if (!*at)
			break;
		const unsigned char c = (unsigned char)*at++;
		if (c == '"' || c == '\\')
			fprintf(stream, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", stream);
		else
			fprintf(stream, "\\u%04x", c);
	}
	fputc('"', stream);
	str_fini(&valid);
}
