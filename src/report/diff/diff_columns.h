/* The columns of a comparison: of each measure several, and what names a row. Private to report. */
#ifndef TARE_REPORT_DIFF_DIFF_COLUMNS_H
#define TARE_REPORT_DIFF_DIFF_COLUMNS_H

#include "report/diff/diff_rows.h"

/* So many have room in a table; each takes more of it where several runs are compared. */
enum { DIFF_MEASURES_MAX = 24, DIFF_MEASURES_OF_RUNS_MAX = 8 };

/* Columns of the view that are compared. */
struct diff_measures {
	const struct column *list[DIFF_MEASURES_MAX];
	size_t count;
};

/* Adds the columns to the report's first table; its rows have pairs. */
void diff_columns_add(struct report *report, const struct diff_rows *rows,
		      const struct diff_measures *measures);

#endif
