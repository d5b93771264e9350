/*
 * Filters: conditions on the columns of a row.
 *
 *   expression = term {"or" term}        term = factor {"and" factor}
 *   factor     = "not" factor | "(" expression ")" | test
 *   test       = COLUMN ("=" | "!=" | "<" | "<=" | ">" | ">=") NUMBER [unit]
 *              | COLUMN ("=" | "!=" | "~" | "!~") TEXT
 *
 * Texts are words, or stand in double quotes; = compares, ~ matches a glob, or a regular expression
 * between slashes. Times have a unit: ns, us, ms, s. A cell without value passes "!=" and "!~"
 * only. Private to report.
 */
#ifndef TARE_REPORT_TABLE_ROW_FILTER_H
#define TARE_REPORT_TABLE_ROW_FILTER_H

#include "report/table/table.h"

struct filter;

/* NULL with err (ERROR_USAGE) that says what was expected where. */
struct filter *filter_parse(const char *text, const struct view *view, struct error *err);
void filter_free(struct filter *filter);

/* Columns of the filter that have no values in this report fail it with ERROR_NOT_FOUND. */
bool filter_applies(const struct filter *filter, const struct report *report, struct error *err);

bool filter_passes(const struct filter *filter, const struct report *report,
		   const struct report_row *row);

#endif
