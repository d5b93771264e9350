/*
 * Markdown as GitHub and GitLab read it in comments: tables, and names as code,
 * so that none of them is markup, a mention of somebody, or the end of a cell.
 * Private to report.
 */
#ifndef TARE_REPORT_DATA_MARKDOWN_H
#define TARE_REPORT_DATA_MARKDOWN_H

#include "report/table/table.h"

/* Appends `text` as code; nothing where it is empty. Within tables and outside.
 */
void markdown_append_code(struct str *out, const char *text);

/* Numbers have their units, names are code; below it how many rows the limit
 * has left out. */
void report_write_markdown_table(const struct report *report, const struct report_table *table,
				 FILE *stream);

#endif
