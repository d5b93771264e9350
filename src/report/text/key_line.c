/* See key_line.h. */
#include "report/text/key_line.h"

#include "report/text/line.h"
#include "report/text/text.h"
#include "report/words/name.h"
#include "report/words/number.h"
#include "report/words/style.h"

#include <ctype.h>
#include <string.h>

enum { ROOM_MIN = 20 };

const char *key_line_text_or(const char *text, const char *otherwise)
{
	return text && text[0] ? text : otherwise;
}

size_t key_line_room(const struct report *report)
{
	const int room = report->options->width - KEY_LINE_WIDTH - 2;

	return room > ROOM_MIN ? (size_t)room : ROOM_MIN;
}

static void write_line(const struct report *report, FILE *stream, int look, const char *key,
		       const char *line)
{
	static const char *const styles[][2] = {[LINE_ALERT] = {STYLE_HOT, STYLE_BOLD},
						[LINE_PLAIN] = {STYLE_DIM, ""},
						[LINE_QUIET] = {STYLE_DIM, STYLE_DIM},
						[LINE_NAMED] = {STYLE_DIM, STYLE_BOLD}};
	const bool color = report->options->color;
	const char *style = color ? styles[look][1] : "";

	line_printf(stream, report->options, "%s%-*s%s %s%s%s", color ? styles[look][0] : "",
		    KEY_LINE_WIDTH, key, color ? STYLE_OFF : "", style, line,
		    style[0] ? STYLE_OFF : "");
}

void key_line_write(const struct report *report, FILE *stream, int look, const char *key,
		    struct str *text)
{
	const bool unicode = report->options->unicode;
	struct str escaped = {0}, line = {0};

	name_append_sentence(&escaped, text->data ? text->data : "", unicode);
	name_append_shortened(&line, escaped.data ? escaped.data : "", key_line_room(report), "");
	write_line(report, stream, look, key, line.data ? line.data : "");
	str_fini(&escaped);
	str_fini(&line);
	str_clear(text);
}

void report_write_text_line(const struct report *report, FILE *stream, const char *key,
			    struct str *text)
{
	key_line_write(report, stream, LINE_PLAIN, key, text);
}

/* Where a line may end: not within "12 ms", "99.3 %" or "± 3". */
static bool is_break(const char *text, size_t at)
{
	if (text[at] != ' ' || text[at + 1] == '%')
		return false;
	const unsigned char before = at ? (unsigned char)text[at - 1] : ' ';
	return !isdigit(before) && before < 0x80 && before != '-';
}

/* Bytes of the beginning of `text` that fit, up to a blank if there is one. */
static size_t bytes_that_fit(const char *text, size_t room)
{
	const size_t most = name_bytes_within(text, room);
	size_t length = most;

	if (!text[most])
		return most;
	while (length && !is_break(text, length))
		length--;
	return length ? length : most;
}

void key_line_write_facts(const struct report *report, FILE *stream, int look, const char *key,
			  struct str *text)
{
	const size_t room = key_line_room(report);
	struct str escaped = {0}, line = {0};

	name_append_sentence(&escaped, text->data ? text->data : "", report->options->unicode);
	for (const char *at = escaped.data ? escaped.data : ""; *at; key = "") {
		const size_t length = bytes_that_fit(at, room);
		str_clear(&line);
		str_append_bytes(&line, at, length);
		write_line(report, stream, look, key, line.data ? line.data : "");
		at += length + (at[length] == ' ');
	}
	str_fini(&escaped);
	str_fini(&line);
	str_clear(text);
}

void key_line_append_time(const struct report *report, uint64_t ticks, struct str *text)
{
	time_append_with_unit(text, analysis_ns(report->analysis, ticks), report->options->unicode);
}

void key_line_append_count(struct str *text, uint64_t count, const char *one, const char *many)
{
	number_append(text, count);
	str_printf(text, " %s", count == 1 ? one : many);
}

void key_line_append_loss(struct str *text, uint64_t count, const char *what)
{
	if (!count)
		return;
	if (text->len)
		str_append(text, ", ");
	number_append(text, count);
	str_printf(text, " %s", what);
}

void key_line_begin_fact(struct str *text)
{
	if (text->len)
		str_append(text, "; ");
}
