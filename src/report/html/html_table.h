/* html_table: the tables of a page: views of the report. Private to report. */
#ifndef TARE_REPORT_HTML_HTML_TABLE_H
#define TARE_REPORT_HTML_HTML_TABLE_H

#include "report/export.h"
#include "report/html/html_pack.h"
#include "report/table/table.h"

/* Adds "tables" to the JSON object: every view that the profile has data for. */
bool html_pack_tables(struct html_pack *pack, const struct analysis *analysis,
		      const struct export_options *options, struct error *err);

/* One table, into the open list of them; of annotated code without columns that have no cell. */
void html_pack_table(struct html_pack *pack, const struct report *report,
		     const struct report_table *table, const char *name);

#endif
