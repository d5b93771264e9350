/*
 * The words within a line of Markdown, see markdown_text.h: emphasis loses its signs, code keeps
 * them, a link is its words and where it leads.
 */
#include "cli/markdown_text.h"

#include <ctype.h>
#include <string.h>

struct part {
	const char *at, *end;
	const struct markdown_links *links;
	struct str *out;
	unsigned depth; /* words of links within words of links */
};

enum { DEPTH_MAX = 4 };

static void append_part(struct part *part);

/* Where `sign` stands next, outside of code; NULL: nowhere. */
static const char *find_sign(const char *at, const char *end, char sign)
{
	bool code = false;

	for (; at < end; at++) {
		if (*at == '`')
			code = !code;
		else if (*at == '\\' && !code)
			at++;
		else if (*at == sign && !code)
			return at;
	}
	return NULL;
}

/* Code is kept with its signs, as other text might end where it ends. */
static void append_code(struct part *part)
{
	const char *begin = part->at;
	size_t ticks = 0;

	while (part->at < part->end && *part->at == '`') {
		part->at++;
		ticks++;
	}
	for (const char *at = part->at; at + ticks <= part->end; at++) {
		size_t found = 0;

		while (at + found < part->end && at[found] == '`')
			found++;
		if (found == ticks) {
			part->at = at + ticks;
			break;
		}
		at += found ? found - 1 : 0;
	}
	str_append_bytes(part->out, begin, (size_t)(part->at - begin));
}

static void append_between(const struct part *part, const char *begin, const char *end,
			   const struct markdown_links *links)
{
	struct part inner = *part;

	inner.at = begin;
	inner.end = end;
	inner.links = links;
	inner.depth++;
	append_part(&inner);
}

/* Words, or the name of a picture, and "(TARGET)"; false: these are brackets of the text's own. */
static bool append_link(struct part *part, bool picture)
{
	const char *words = part->at + (picture ? 2 : 1);
	const char *close = part->depth < DEPTH_MAX ? find_sign(words, part->end, ']') : NULL;

	if (!close || close + 1 >= part->end || close[1] != '(')
		return false;
	const char *target_end = memchr(close, ')', (size_t)(part->end - close));
	if (!target_end)
		return false;
	if (picture)
		str_append(part->out, "(picture: ");
	append_between(part, words, close, NULL);
	if (picture) {
		str_append(part->out, ")");
	} else if (part->links) {
		struct str target = {0};
		str_append_bytes(&target, close + 2, (size_t)(target_end - close - 2));
		part->links->append(part->links->context, target.data, part->out);
		str_fini(&target);
	}
	part->at = target_end + 1;
	return true;
}

/* "*words*" and "**words**" without the stars; false: a star of the text's own. */
static bool append_emphasis(struct part *part)
{
	const size_t stars = part->at + 1 < part->end && part->at[1] == '*' ? 2 : 1;
	const char *begin = part->at + stars, *close = begin;

	if (part->depth >= DEPTH_MAX || begin >= part->end || isspace((unsigned char)*begin))
		return false;
	do {
		close = find_sign(close, part->end, '*');
		if (!close)
			return false;
		close++;
	} while (isspace((unsigned char)close[-2]) || close - 1 == begin ||
		 (stars == 2 && (close >= part->end || *close != '*')));
	append_between(part, begin, close - 1, part->links);
	part->at = close - 1 + stars;
	return true;
}

static void append_part(struct part *part)
{
	while (part->at < part->end) {
		const char sign = *part->at;
		const bool picture = sign == '!' && part->at + 1 < part->end && part->at[1] == '[';

		if (sign == '`') {
			append_code(part);
			continue;
		}
		if ((sign == '[' || picture) && append_link(part, picture))
			continue;
		if (sign == '*' && append_emphasis(part))
			continue;
		if (sign == '\\' && part->at + 1 < part->end && ispunct((unsigned char)part->at[1]))
			part->at++;
		str_append_bytes(part->out, *part->at == '\t' ? " " : part->at, 1);
		part->at++;
	}
}

void markdown_inline(const char *text, size_t length, const struct markdown_links *links,
		     struct str *out)
{
	append_part(&(struct part){.at = text, .end = text + length, .links = links, .out = out});
}
