/* JSON by the schema in docs/reference/columns.md, whole and in parts. Private to report. */
#ifndef TARE_REPORT_DATA_JSON_H
#define TARE_REPORT_DATA_JSON_H

#include "report/table/table.h"

void report_write_json(const struct report *report, FILE *stream);
/* What a header has, without its braces; one table with its name. */
void report_write_json_fields(const struct report *report, FILE *stream);
void report_write_json_table(const struct report *report, const struct report_table *table,
			     FILE *stream);
/* For a view that streams its only table. Up to the tables' names; the header stays open for more
   fields. */
void report_write_json_header(const struct report *report, FILE *stream);
void report_write_json_number(FILE *stream, const char *key, uint64_t number);
void report_write_json_tables(FILE *stream);
void report_write_json_row(const struct report *report, const struct report_table *table,
			   const struct report_row *row, FILE *stream);

#endif
