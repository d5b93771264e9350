/* The blocks of a page of Markdown, line by line. See markdown_text.h. */
#include "cli/markdown_text.h"
#include "report/words/name.h"

#include <ctype.h>
#include <string.h>

enum { CODE_INDENT = 4, TAB_COLUMNS = 8, INDENT_MAX = 16 };

struct page {
	struct str *out;
	size_t columns;
	const struct markdown_links *links;
	struct str words; /* of the paragraph that is being read */
	struct str first; /* what stands before its first line */
	size_t indent;	  /* of its other lines */
	bool pause;	  /* a blank line is due before what comes next */
	bool in_list;
};

void markdown_wrap(const char *words, const char *first, size_t indent, size_t columns,
		   struct str *out)
{
	size_t width = name_width(first);
	bool begin = true;

	str_append(out, first);
	for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
		const size_t length = strcspn(words, " ");
		struct str word = {0};

		str_append_bytes(&word, words, length);
		const size_t columns_of_word = name_width(word.data);
		if (!begin && width + 1 + columns_of_word > columns) {
			str_printf(out, "\n%*s", (int)indent, "");
			width = indent;
			begin = true;
		}
		str_printf(out, "%s%s", begin ? "" : " ", word.data);
		width += columns_of_word + !begin;
		begin = false;
		words += length;
		str_fini(&word);
	}
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = 0;
	str_append(out, "\n");
}

static bool is_fence(const char *line)
{
	return str_starts_with(line, "```") || str_starts_with(line, "~~~");
}

/* The page without "<!-- … -->" outside of code; a line that had nothing else is left out. */
static void without_comments(const char *page, struct str *out)
{
	bool fenced = false, comment = false;

	str_append(out, "");
	while (*page) {
		const size_t length = strcspn(page, "\n");
		const char *end = page + length;
		const size_t before = out->len;
		bool had_comment = comment;

		if (!comment && is_fence(page + strspn(page, " ")))
			fenced = !fenced;
		for (const char *at = page; at < end;) {
			if (!fenced && str_starts_with(at, comment ? "-->" : "<!--")) {
				at += comment ? 3 : 4;
				comment = !comment;
				had_comment = true;
			} else {
				str_append_bytes(out, at, comment ? 0 : 1);
				at++;
			}
		}
		if (!had_comment || strspn(out->data + before, " ") < out->len - before)
			str_append(out, "\n");
		else
			out->data[out->len = before] = 0;
		page = end + (*end == '\n');
	}
}

static void begin_block(struct page *page)
{
	if (page->pause && page->out->len)
		str_append(page->out, "\n");
	page->pause = false;
}

static void end_paragraph(struct page *page)
{
	struct str text = {0};

	if (!page->words.len)
		return;
	begin_block(page);
	markdown_inline(page->words.data, page->words.len, page->links, &text);
	markdown_wrap(text.data ? text.data : "", page->first.len ? page->first.data : "",
		      page->indent, page->columns, page->out);
	str_clear(&page->words);
	str_clear(&page->first);
	str_fini(&text);
}

static void append_code_line(struct page *page, const char *line, size_t length, size_t indent)
{
	struct str text = {0};

	str_printf(&text, "%*s", (int)indent, "");
	for (size_t i = 0, column = 0; i < length; i++) {
		const size_t blanks = line[i] == '\t' ? TAB_COLUMNS - column % TAB_COLUMNS : 0;

		str_printf(&text, "%*s", (int)blanks, "");
		if (!blanks)
			str_append_bytes(&text, line + i, 1);
		column += blanks ? blanks : 1;
	}
	str_printf(page->out, "%s\n", strspn(text.data, " ") < text.len ? text.data : "");
	str_fini(&text);
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

static const char *append_fence(struct page *page, const char *line, size_t margin)
{
	end_paragraph(page);
	page->in_list = page->in_list && margin;
	const size_t indent = CODE_INDENT + (page->in_list ? page->indent : 0);
	page->pause = true;
	begin_block(page);
	for (line = next_line(line); *line; line = next_line(line)) {
		const size_t blanks = strspn(line, " ");
		const size_t cut = blanks < margin ? blanks : margin;

		if (is_fence(line + blanks)) {
			line = next_line(line);
			break;
		}
		append_code_line(page, line + cut, strcspn(line, "\n") - cut, indent);
	}
	page->pause = true;
	return line;
}

/* "# Title", with a line below it. */
static bool append_heading(struct page *page, const char *line, size_t length)
{
	static const char rules[] = {'=', '-'};
	const size_t level = strspn(line, "#");
	struct str text = {0};

	if (!level || level > 6 || line[level] != ' ')
		return false;
	end_paragraph(page);
	page->in_list = false;
	page->pause = true;
	begin_block(page);
	markdown_inline(line + level + 1, length - level - 1, NULL, &text);
	str_printf(page->out, "%s\n", text.len ? text.data : "");
	for (size_t i = text.len ? name_width(text.data) : 0; i && level <= sizeof(rules); i--)
		str_append_bytes(page->out, &rules[level - 1], 1);
	str_append(page->out, level <= sizeof(rules) ? "\n" : "");
	page->pause = true;
	str_fini(&text);
	return true;
}

/* Bytes of "- ", "* " or "12. "; 0: the line begins no entry. */
static size_t marker_length(const char *line)
{
	const size_t digits = strspn(line, "0123456789");

	if ((*line == '-' || *line == '*') && line[1] == ' ')
		return 2;
	return digits && digits < 4 && line[digits] == '.' && line[digits + 1] == ' ' ? digits + 2
										      : 0;
}

static void begin_entry(struct page *page, const char *line, size_t blanks, size_t marker)
{
	blanks = blanks < INDENT_MAX ? blanks : INDENT_MAX;
	end_paragraph(page);
	str_printf(&page->first, "%*s", (int)blanks, "");
	str_append_bytes(&page->first, line, marker);
	page->indent = blanks + marker;
	page->in_list = true;
}

static void continue_paragraph(struct page *page, const char *line, size_t length, size_t blanks)
{
	if (!page->words.len && !page->first.len) {
		if (!blanks)
			page->in_list = false;
		if (!page->in_list)
			page->indent = 0;
		str_printf(&page->first, "%*s", (int)page->indent, "");
	}
	str_append_bytes(&page->words, line, length);
	str_append(&page->words, " ");
}

/* One line, or several of a block; returns what follows. */
static const char *append_lines(struct page *page, const char *line)
{
	const size_t length = strcspn(line, "\n"), blanks = strspn(line, " ");
	const char *text = line + blanks;
	/* A number at the begin of a line is one of the words, unless a list is there or begins. */
	const bool numbered = isdigit((unsigned char)*text) && page->words.len && !page->in_list;
	const size_t marker = numbered ? 0 : marker_length(text);

	if (blanks >= length) {
		end_paragraph(page);
		page->pause = true;
	} else if (is_fence(text)) {
		return append_fence(page, line, blanks);
	} else if (*line == '|') {
		end_paragraph(page);
		begin_block(page);
		return markdown_table(line, page->columns, page->links, page->out);
	} else if (blanks >= CODE_INDENT && !page->words.len && !page->in_list) {
		begin_block(page);
		append_code_line(page, line, length, 0);
	} else if (!append_heading(page, line, length)) {
		if (marker && (blanks < CODE_INDENT || page->in_list))
			begin_entry(page, text, blanks, marker);
		continue_paragraph(page, text + marker, length - blanks - marker, blanks);
	}
	return next_line(line);
}

void markdown_text(const char *text, size_t columns, const struct markdown_links *links,
		   struct str *out)
{
	struct page page = {.out = out, .columns = columns, .links = links};
	struct str valid = {0}, plain = {0};

	name_append_utf8(&valid, text);
	without_comments(valid.len ? valid.data : "", &plain);
	str_fini(&valid);
	for (const char *line = plain.data; *line;)
		line = append_lines(&page, line);
	end_paragraph(&page);
	str_fini(&plain);
	str_fini(&page.words);
	str_fini(&page.first);
}
