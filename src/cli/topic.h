/*
 * topic: what `tare help` can show besides commands: the pages of docs, which are part of the
 * program, and the words of the glossary.
 */
#ifndef TARE_CLI_TOPIC_H
#define TARE_CLI_TOPIC_H

#include "base/error.h"
#include "base/str.h"

/*
 * The pages, as scripts/embed-pages writes them: of each its name ("how/waits"), its title and its
 * text, with a zero byte behind each; behind the last page another zero byte. The first page that
 * a word could mean is the one that is shown, so the order counts.
 */
extern const char help_pages[];

/*
 * Appends the page that `name` means, or the words of the glossary on it, as plain text of lines of
 * `columns`. A page is named with or without its folder and ".md". Fails with ERROR_USAGE and the
 * nearest topics, or else the pages that have the word. `commands` ends with NULL.
 */
bool topic_append(const char *name, const char *const *commands, size_t columns, struct str *out,
		  struct error *err);
/* Appends the list of all topics, with a line for each page. */
void topic_append_list(const char *const *commands, size_t columns, struct str *out);
/* The commands, and the names of all topics that are one word; ends with NULL. */
const char *const *topic_words(const char *const *commands);

#endif
