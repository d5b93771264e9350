/*
 * html: one analysis, or two to compare, → one HTML page that needs nothing else: neither other
 * files nor a network. The page is built from web/; its data are described in
 * docs/development/page.md.
 */
#ifndef TARE_REPORT_HTML_H
#define TARE_REPORT_HTML_H

#include "report/export.h"

bool html_write(const struct analysis *analysis, const struct export_options *options, FILE *stream,
		struct error *err);

#endif
