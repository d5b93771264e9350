/*
 * markdown_text: a page of the documents as plain text for a terminal. Headings are underlined,
 * lists, code and tables keep their shape, pictures are named, comments are left out. Knows what
 * tare's pages have of Markdown; what it does not know stays as it is. Any bytes may stand in a
 * page.
 */
#ifndef TARE_CLI_MARKDOWN_TEXT_H
#define TARE_CLI_MARKDOWN_TEXT_H

#include "base/str.h"

struct markdown_links {
	/* Appends what stands in brackets behind the words of a link to `target`, or nothing. */
	void (*append)(const void *context, const char *target, struct str *out);
	const void *context;
};

/* Lines of text are at most `columns` wide, which is 40 or more, unless a word or code is wider. */
void markdown_text(const char *text, size_t columns, const struct markdown_links *links,
		   struct str *out);
/* The words of `length` bytes within a paragraph, a heading or a cell; `links` NULL: none shown. */
void markdown_inline(const char *text, size_t length, const struct markdown_links *links,
		     struct str *out);
/* Appends the words wrapped, the first line behind `first`, all others behind `indent` blanks. */
void markdown_wrap(const char *words, const char *first, size_t indent, size_t columns,
		   struct str *out);
/* Appends the table whose lines begin at `text`, as columns if these fit; returns where it ends. */
const char *markdown_table(const char *text, size_t columns, const struct markdown_links *links,
			   struct str *out);

#endif
