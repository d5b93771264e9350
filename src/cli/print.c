/* See print.h. */
#include "cli/print.h"

#include "cli/command.h"
#include "report/words/name.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <string.h>

bool print_is_unicode(void)
{
	static enum { UNKNOWN, ASCII, UNICODE } known;

	if (known == UNKNOWN) {
		setlocale(LC_CTYPE, "");
		known = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? UNICODE : ASCII;
	}
	return known == UNICODE;
}

/* Each line in one call, so that lines of several processes do not mix. */
static void put_line(FILE *stream, const char *line)
{
	struct str safe = {0};

	name_append_sentence(&safe, line, print_is_unicode());
	str_append(&safe, "\n");
	fputs(safe.data, stream);
	str_fini(&safe);
}

void print_line(FILE *stream, const char *format, ...)
{
	struct str line = {0};
	va_list args;

	va_start(args, format);
	str_vprintf(&line, format, args);
	va_end(args);
	put_line(stream, line.data);
	str_fini(&line);
}

void print_text(FILE *stream, const char *text)
{
	struct str line = {0};

	while (*text) {
		const size_t length = strcspn(text, "\n");

		str_clear(&line);
		str_append_bytes(&line, text, length);
		put_line(stream, line.data);
		text += length + (text[length] == '\n');
	}
	str_fini(&line);
}

void print_note(const struct command *command, const char *format, ...)
{
	struct str line = {0};
	va_list args;

	str_printf(&line, "tare%s%s: ", command ? " " : "", command ? command->name : "");
	va_start(args, format);
	str_vprintf(&line, format, args);
	va_end(args);
	put_line(stderr, line.data);
	str_fini(&line);
}

void print_data(const char *text)
{
	fputs(text, stdout);
}

void print_passing(const char *text)
{
	struct str safe = {0};

	str_append(&safe, "\r\033[K");
	name_append_sentence(&safe, text ? text : "", print_is_unicode());
	fputs(safe.data, stderr);
	fflush(stderr);
	str_fini(&safe);
}

void print_flush(void)
{
	fflush(stdout);
}
