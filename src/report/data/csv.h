/* CSV as in RFC 4180, by docs/reference/columns.md. Private to report. */
#ifndef TARE_REPORT_DATA_CSV_H
#define TARE_REPORT_DATA_CSV_H

#include "report/table/table.h"

void report_write_csv(const struct report *report, FILE *stream);
/* Its parts, for a view that streams its only table. */
void report_write_csv_names(const struct report *report, const struct report_table *table,
			    FILE *stream);
void report_write_csv_row(const struct report *report, const struct report_table *table,
			  const struct report_row *row, FILE *stream);

#endif
