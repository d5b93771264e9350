/*
 * Names that anybody may have chosen, made fit for a format: valid UTF-8, without control
 * characters, no wider than asked.
 */
#ifndef TARE_REPORT_WORDS_NAME_H
#define TARE_REPORT_WORDS_NAME_H

#include "base/str.h"

#include <stdbool.h>

/*
 * Appends `text` with control characters, bytes that are no UTF-8, and characters that change the
 * direction or cannot be seen as \n, \t, \xNN or \u{NNNN}. Without `unicode`, everything beyond
 * ASCII is escaped.
 */
void name_append_escaped(struct str *out, const char *text, bool unicode);

/*
 * A sentence or a line of tare's own with names in it: as name_append_escaped, but without
 * `unicode` the signs that tare itself writes appear as ASCII, ">=" and not \u{2265}.
 */
void name_append_sentence(struct str *out, const char *text, bool unicode);

/* Appends `text` with only the bytes that are no UTF-8 escaped, as \xNN. */
void name_append_utf8(struct str *out, const char *text);

/* Columns that valid UTF-8 without control characters takes on a terminal. */
size_t name_width(const char *text);

/* Bytes of the longest beginning of `text` that takes at most `width` columns. */
size_t name_bytes_within(const char *text, size_t width);

/*
 * Appends `text` (valid UTF-8), shortened to `width` columns by "..." in its middle; what
 * follows the middle begins with `mark`, which tells apart names that would look alike.
 */
void name_append_shortened(struct str *out, const char *text, size_t width, const char *mark);

/*
 * Appends a function's demangled name, shortened to `width` columns: first loses the arguments of
 * templates, the innermost first, then the parameters, then the type that it returns, each for
 * dots, and only then its middle.
 */
void name_append_fitted(struct str *out, const char *name, size_t width, bool unicode);

/*
 * Appends a function's demangled name as text shows it everywhere: strings by their short names,
 * without the library's inner namespaces, and with dots for the arguments of templates:
 * "std::map<…>::find(std::string const&)".
 */
void name_append_plain(struct str *out, const char *name, bool unicode);

/*
 * Appends a function's demangled name without its parameters, and with "..." for the arguments of
 * templates: "std::map<...>::operator[]".
 */
void name_append_brief(struct str *out, const char *name);

/* As name_append_shortened, with an ellipsis of one column where `unicode`. */
void name_append_middle(struct str *out, const char *text, size_t width, bool unicode);

/* As name_append_shortened, but what is too much goes from the end. */
void name_append_cut(struct str *out, const char *text, size_t width);

#endif
