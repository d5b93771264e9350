/*
 * text: a report for people, fitted to the width of a terminal: the header, tables, and what was
 * left out. Private to report.
 */
#ifndef TARE_REPORT_TEXT_H
#define TARE_REPORT_TEXT_H

#include "report/table/table.h"

void report_write_text(const struct report *report, FILE *stream);
/* Two to four lines, or `whole`: with all that is known of the recording. */
void report_write_text_header(const struct report *report, FILE *stream, bool whole);
/* What the short header leaves out. */
void report_write_text_facts(const struct report *report, FILE *stream);
/* Which command to type next, where something stands out, and which package has names. */
void report_write_text_advice(const struct report *report, FILE *stream);
/* Parts of it that the header has, too; they append nothing where there is nothing to say. */
void report_append_start(const struct report *report, struct str *text);
void report_append_event(const struct report *report, struct str *text);
void report_append_losses(const struct report *report, struct str *text);
void report_append_limits(const struct report *report, struct str *text);
/* When, where, totals and losses: of several profiles in one report. */
void report_write_text_totals(const struct report *report, FILE *stream);
/* One line of a header; clears `text`. */
void report_write_text_line(const struct report *report, FILE *stream, const char *key,
			    struct str *text);
void report_write_text_table(const struct report *report, const struct report_table *table,
			     FILE *stream);

/* A table as lines, for a screen that shows some of its rows at a time. */
struct text_table;

/* Columns as its rows need them, of which the table may have few; both have to stay. */
struct text_table *report_lines_new(const struct report *report, const struct report_table *table);
void report_lines_free(struct text_table *t);
/*
 * The next lines are valid until the next call. They have no blanks at their end, and styles
 * (words/style.h) if the options want colours; names are escaped. Groups: "" where there are none.
 */
const char *report_lines_groups(struct text_table *t);
const char *report_lines_titles(struct text_table *t);
/* Any row of the report, of those that the table had or not. */
const char *report_lines_row(struct text_table *t, const struct report_row *row);

/* CPU use over time; nothing where report_add_cpu was not called, or nothing is known. */
void report_write_cpu_line(const struct report *report, FILE *stream);
/* What the call tree left out or put together, in lines below a table. */
void report_write_text_noise(const struct report *report, FILE *stream);

#endif
