/*
 * Which functions are instrumented: an ordered list of --function and --exclude patterns over
 * demangled names, of which the last that matches decides. A pattern is a glob over the whole
 * name, or /REGEX/ (extended, anywhere in the name). A glob may leave out a C++ function's
 * parameters and the suffix of a compiler's clone: it is compared with "ns::f(int)", with "ns::f"
 * and with the mangled name; with "work.constprop.0" and with "work".
 */
#ifndef TARE_CACHE_SELECTION_H
#define TARE_CACHE_SELECTION_H

#include "base/base.h"

#include <regex.h>
#include <stdint.h>

struct selection_pattern {
	char *text; /* as given */
	bool exclude, is_regex;
	regex_t regex;
	uint64_t matches; /* functions, since it was added or the counts were cleared */
};

struct selection {
	struct vec_of(struct selection_pattern) patterns;
	/* The demangled form of a name, or NULL if it has none; freed by the caller. May be NULL:
	   then names are taken as they are. */
	char *(*demangle)(const char *name);
};

/* Fails on an empty pattern and on a malformed regular expression. */
bool selection_add(struct selection *selection, const char *text, bool exclude, struct error *err);
void selection_fini(struct selection *selection);

/*
 * Counts the patterns that match, and decides. Without any match the answer is no if the first
 * pattern selects, yes if it excludes or there is none.
 */
bool selection_decide(struct selection *selection, const char *name);
void selection_clear_counts(struct selection *selection);

/* One line that identifies the whole list. */
void selection_describe(const struct selection *selection, struct str *out);

/* "123456789": per pattern, whether it has matched; and the opposite, adding to the counts. */
void selection_put_matches(const struct selection *selection, struct str *out);
void selection_add_matches(struct selection *selection, const char *matches);

/* The names among `names` that are nearest to the pattern, best first, as `a, b or c`. */
void selection_nearest(const struct selection *selection, const char *pattern,
		       const char *const *names, size_t count, struct str *out);

#endif
