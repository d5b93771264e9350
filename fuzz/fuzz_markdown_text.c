/*
 * Any bytes as a page of Markdown: the text has no bytes that are no UTF-8, its lines of words fit,
 * and a page of nothing but letters and blanks keeps all its words.
 */
#include "cli/markdown_text.h"
#include "fuzz/fuzz.h"
#include "report/words/name.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { COLUMNS = 40, PAGE_MAX = 1 << 14 };

static void append_target(const void *context, const char *target, struct str *out)
{
	assert(!context);
	str_printf(out, " [%s]", target);
}

static bool is_plain(const char *text)
{
	while (islower((unsigned char)*text) || *text == ' ')
		text++;
	return !*text;
}

static size_t letters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += islower((unsigned char)*text) != 0;
	return count;
}

/* A paragraph alone. */
static void check_plain(const char *page, const char *text)
{
	const char *first = page + strspn(page, " ");

	if (!is_plain(page) || first - page >= 4)
		return;
	assert(letters(page) == letters(text));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert(strcspn(line, "\n") <= COLUMNS ||
		       strcspn(line, " \n") == strcspn(line, "\n"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct markdown_links links = {append_target, NULL};
	struct str page = {0}, text = {0}, valid = {0};

	str_append_bytes(&page, (const char *)data, size < PAGE_MAX ? size : PAGE_MAX);
	str_append(&page, "");
	str_append(&text, "");
	str_append(&valid, "");
	markdown_text(page.data, COLUMNS, &links, &text);
	name_append_utf8(&valid, text.data);
	assert(valid.len == text.len);
	check_plain(page.data, text.data);
	str_fini(&page);
	str_fini(&text);
	str_fini(&valid);
	return 0;
}
