/*
 * The only way of a text report to its stream: a line, of which everything is escaped that a
 * terminal would not show, but for styles (style.h) where colours are wanted. Private to report.
 */
#ifndef TARE_REPORT_TEXT_LINE_H
#define TARE_REPORT_TEXT_LINE_H

#include "report/report.h"

#include <stdio.h>

/* `style`: of the whole line, or "". Signs of tare's own appear as ASCII where `unicode` is not. */
void line_write(FILE *stream, const struct report_options *options, const char *style,
		const char *text);
/* The same in as many lines as its parts need, which end with a comma or a colon. */
void line_write_parts(FILE *stream, const struct report_options *options, const char *style,
		      const char *text);
__attribute__((format(printf, 3, 4))) void
line_printf(FILE *stream, const struct report_options *options, const char *format, ...);

#endif
