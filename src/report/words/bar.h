/* Bars of a few columns that show a share, and spans of time as a line. Private to report. */
#ifndef TARE_REPORT_WORDS_BAR_H
#define TARE_REPORT_WORDS_BAR_H

#include "base/str.h"

#include <stdbool.h>

struct bar_look {
	size_t width; /* columns: what 1 takes */
	bool unicode; /* eighths of a column; else whole ones */
	bool color;
	const char *style; /* of the solid part, where there are colours */
};

/*
 * Appends a bar of `whole` (0 to 1): solid for its first part, `solid` (0 to 1, of it), shaded for
 * the rest, blanks up to the width.
 */
void bar_append(struct str *out, double whole, double solid, const struct bar_look *look);

/* Appends a line of `width` columns, heavy from `begin` to `end` (0 to 1), dots elsewhere. */
void bar_append_span(struct str *out, double begin, double end, size_t width, bool unicode);

#endif
