/* See json_string.h. "<" is escaped too, so that no text can end a script that it stands in. */
#include "report/json_string.h"

#include "report/name.h"

void json_write_string(FILE *stream, const char *text)
{
	struct str valid = {0};

	name_append_utf8(&valid, text ? text : "");
	fputc('"', stream);
	for (size_t i = 0; i < valid.len; i++) {
		const unsigned char c = (unsigned char)valid.data[i];
		if (c == '"' || c == '\\')
			fprintf(stream, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", stream);
		else if (c < 0x20 || c == 0x7f || c == '<')
			fprintf(stream, "\\u%04x", c);
		else
			fputc(c, stream);
	}
	fputc('"', stream);
	str_fini(&valid);
}
