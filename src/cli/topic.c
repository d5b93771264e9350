/*
 * Topics of help, see topic.h. The short name of a page is that of its file, unless a command or an
 * earlier page has the same: then its folder stands before it.
 */
#include "cli/topic.h"
#include "base/vec.h"
#include "cli/markdown_text.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define GLOSSARY "glossary"

enum { NEAREST_MAX = 3 };

struct topic {
	const char *name, *title, *text; /* of help_pages */
	const char *shown;		 /* what it is called: within `name` */
};

struct term {
	const char *name; /* "call path"; allocated */
	const char *text; /* "**Call path**: …", up to an empty line */
};

struct topics {
	struct vec_of(struct topic) pages;
	struct vec_of(struct term) terms;
};

/* Equal, where neither case nor the difference between blank, "-" and "_" counts. */
static bool same_name(const char *one, const char *other)
{
	for (; *one && *other; one++, other++) {
		const bool gap = strchr(" -_", *one) && strchr(" -_", *other);

		if (!gap && tolower((unsigned char)*one) != tolower((unsigned char)*other))
			return false;
	}
	return *one == *other;
}

static bool is_among(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static void read_pages(struct topics *topics, const char *const *commands)
{
	for (const char *at = help_pages; *at;) {
		struct topic page = {.name = at};
		const char *base = path_basename(at);
		bool taken = is_among(base, commands);

		page.title = at + strlen(at) + 1;
		page.text = page.title + strlen(page.title) + 1;
		at = page.text + strlen(page.text) + 1;
		vec_foreach (other, &topics->pages)
			taken = taken || strcmp(path_basename(other->name), base) == 0;
		page.shown = taken ? page.name : base;
		vec_push(&topics->pages, page);
	}
}

/* "CPU, Elapsed" are two terms with one text. */
static void read_heads(struct topics *topics, const char *text, const char *end)
{
	for (const char *at = text + 2; at < end;) {
		size_t length = strcspn(at, ",*");
		struct str name = {0};

		for (size_t i = 0; i < length; i++)
			str_printf(&name, "%c", tolower((unsigned char)at[i]));
		if (name.len)
			vec_push(&topics->terms, ((struct term){name.data, text}));
		at += length;
		at += strspn(at, ", *");
	}
}

static void read_terms(struct topics *topics, const char *text)
{
	while ((text = strstr(text, "\n**")) != NULL) {
		const char *end = strstr(++text + 2, "**");

		if (end)
			read_heads(topics, text, end);
		text += 2;
	}
}

static void topics_read(struct topics *topics, const char *const *commands)
{
	read_pages(topics, commands);
	vec_foreach (page, &topics->pages) {
		if (strcmp(page->name, GLOSSARY) == 0)
			read_terms(topics, page->text);
	}
}

static void topics_fini(struct topics *topics)
{
	vec_foreach (term, &topics->terms)
		free((void *)term->name);
	vec_fini(&topics->terms);
	vec_fini(&topics->pages);
}

/* ---- what a word means ---- */

/* "docs/how/waits.md" is "how/waits". */
static void plain_name(const char *word, struct str *name)
{
	if (str_starts_with(word, "docs/"))
		word += strlen("docs/");
	str_append(name, word);
	if (str_ends_with(name->data, ".md"))
		name->data[name->len -= strlen(".md")] = 0;
}

/* The next page that the name means, behind `after`, NULL: the first one; NULL: there is none. */
static const struct topic *page_named(const struct topics *topics, const char *name,
				      const struct topic *after)
{
	vec_foreach (page, &topics->pages) {
		if (after && page <= after)
			continue;
		if (same_name(name, page->name) || same_name(name, path_basename(page->name)))
			return page;
	}
	return NULL;
}

static const struct term *term_named(const struct topics *topics, const char *name)
{
	vec_foreach (term, &topics->terms) {
		if (same_name(name, term->name))
			return term;
	}
	return NULL;
}

/* What the links of a page lead to. */
struct page_links {
	const struct topics *topics;
	const char *page;
};

/* "../reference/record.md#limits" of "how/waits" is "reference/record". */
static void append_link(const void *context, const char *target, struct str *out)
{
	const struct page_links *links = context;
	const char *base = path_basename(links->page);
	struct str path = {0}, name = {0};

	if (strstr(target, "://")) {
		str_printf(out, " <%s>", target);
		return;
	}
	if (str_starts_with(target, "../"))
		target += strlen("../");
	else
		str_append_bytes(&path, links->page, (size_t)(base - links->page));
	str_append_bytes(&path, target, strcspn(target, "#"));
	str_append(&path, "");
	plain_name(path.data, &name);
	const struct topic *page =
		*target == '#' ? NULL : page_named(links->topics, name.data, NULL);
	if (page && strcmp(page->name, links->page) != 0)
		str_printf(out, " [%s]", page->shown);
	str_fini(&path);
	str_fini(&name);
}

static void append_page(const struct topics *topics, const struct topic *page, const char *name,
			size_t columns, struct str *out)
{
	const struct page_links context = {topics, page->name};
	const struct markdown_links links = {append_link, &context};
	const struct topic *other = page_named(topics, name, NULL);

	markdown_text(page->text, columns, &links, out);
	for (; other; other = page_named(topics, name, other))
		if (other != page)
			str_printf(out, "\nSee also: tare help %s (%s)\n", other->name,
				   other->title);
}

static void append_term(const struct topics *topics, const struct term *term, size_t columns,
			struct str *out)
{
	const struct page_links context = {topics, GLOSSARY};
	const struct markdown_links links = {append_link, &context};
	const char *end = strstr(term->text, "\n\n");
	struct str text = {0};

	str_append_bytes(&text, term->text, end ? (size_t)(end - term->text) : strlen(term->text));
	markdown_text(text.data, columns, &links, out);
	str_fini(&text);
}

/* ---- words that mean nothing ---- */

static size_t times_in(const char *text, const char *word)
{
	size_t times = 0;

	while ((text = strcasestr(text, word)) != NULL) {
		times++;
		text += strlen(word);
	}
	return times;
}

/* The pages that have the word, those with most of it first. */
static void append_mentions(const struct topics *topics, const char *word, struct str *out)
{
	size_t least = SIZE_MAX;

	for (int i = 0; i < NEAREST_MAX && strlen(word) > 2; i++) {
		const struct topic *most = NULL;
		size_t most_times = 0;

		vec_foreach (page, &topics->pages) {
			const size_t times = times_in(page->text, word);
			if (times < least && times > most_times) {
				most = page;
				most_times = times;
			}
		}
		if (!most)
			return;
		str_printf(out, "%s%s", i ? ", " : "; pages that have the word: ", most->shown);
		least = most_times;
	}
}

/* The nearest names, each once. */
static void append_nearest(const struct topics *topics, const char *word,
			   const char *const *commands, struct str *out)
{
	struct vec_of(const char *) names = {0};

	for (; *commands; commands++)
		vec_push(&names, *commands);
	vec_foreach (page, &topics->pages)
		vec_push(&names, page->shown);
	vec_foreach (term, &topics->terms)
		vec_push(&names, term->name);
	for (int i = 0; i < NEAREST_MAX; i++) {
		const char *nearest = str_nearest(word, names.data, names.len);

		if (!nearest)
			break;
		str_printf(out, "%s%s", i ? ", " : "; the nearest: ", nearest);
		for (size_t at = 0; at < names.len; at++)
			while (at < names.len && strcmp(names.data[at], nearest) == 0)
				names.data[at] = names.data[--names.len];
	}
	vec_fini(&names);
}

static bool unknown(const struct topics *topics, const char *name, const char *const *commands,
		    struct error *err)
{
	struct str near = {0};

	append_nearest(topics, name, commands, &near);
	append_mentions(topics, name, &near);
	error_set(err, ERROR_USAGE,
		  "there is no command, page or word of the glossary \"%s\"%s; tare help lists all",
		  name, near.len ? near.data : "");
	str_fini(&near);
	return false;
}

/* ---- the interface ---- */

bool topic_append(const char *name, const char *const *commands, size_t columns, struct str *out,
		  struct error *err)
{
	struct topics topics = {0};
	struct str plain = {0};
	bool ok = true;

	topics_read(&topics, commands);
	plain_name(name, &plain);
	const struct topic *page = page_named(&topics, plain.data, NULL);
	const struct term *term = page ? NULL : term_named(&topics, plain.data);
	if (page)
		append_page(&topics, page, plain.data, columns, out);
	else if (term)
		append_term(&topics, term, columns, out);
	else
		ok = unknown(&topics, name, commands, err);
	str_fini(&plain);
	topics_fini(&topics);
	return ok;
}

static void append_folder(const struct topics *topics, const char *title, const char *folder,
			  struct str *out)
{
	str_printf(out, "\n%s:\n", title);
	vec_foreach (page, &topics->pages) {
		struct str words = {0};

		if (!str_starts_with(page->name, folder))
			continue;
		markdown_inline(page->title, strlen(page->title), NULL, &words);
		str_printf(out, "  %-24s %s\n", page->shown, words.len ? words.data : "");
		str_fini(&words);
	}
}

void topic_append_list(const char *const *commands, size_t columns, struct str *out)
{
	struct topics topics = {0};
	struct str words = {0};

	topics_read(&topics, commands);
	str_append(out, "\n\"tare help TOPIC\" shows one of these pages, or what a word means.\n");
	append_folder(&topics, "Start", "start/", out);
	append_folder(&topics, "How do I", "how/", out);
	append_folder(&topics, "Reference", "reference/", out);
	append_folder(&topics, "Explanation", "explanation/", out);
	str_append(out, "\nWords (" GLOSSARY " has all):\n");
	vec_foreach (term, &topics.terms)
		str_printf(&words, "%s%s", words.len ? ", " : "", term->name);
	if (words.len)
		markdown_wrap(words.data, "  ", 2, columns, out);
	str_fini(&words);
	topics_fini(&topics);
}

const char *const *topic_words(const char *const *commands)
{
	static struct vec_of(const char *) words;
	struct topics topics = {0};

	vec_fini(&words);
	topics_read(&topics, commands);
	for (const char *const *command = commands; *command; command++)
		vec_push(&words, *command);
	vec_foreach (page, &topics.pages)
		vec_push(&words, page->shown);
	vec_push(&words, NULL);
	topics_fini(&topics);
	return words.data;
}
