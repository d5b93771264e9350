/* The rows of two profiles in one view, paired by name. Private to report. */
#ifndef TARE_REPORT_DIFF_DIFF_ROWS_H
#define TARE_REPORT_DIFF_DIFF_ROWS_H

#include "report/diff/diff.h"
#include "report/table/table.h"

enum diff_side { DIFF_BASE, DIFF_NEW, DIFF_SIDES };

/* One pair. */
struct diff_row {
	const char *name; /* for people */
	bool has[DIFF_SIDES], failed;
	struct report_row side[DIFF_SIDES];
	const struct report *report[DIFF_SIDES]; /* which the side's columns are asked with */
};

struct diff_rows {
	enum view_id view;
	struct report_options options[DIFF_SIDES];
	struct {
		struct report *report;		/* NULL: not open */
		struct analysis_values *values; /* of call paths */
	} sides[DIFF_SIDES];
	struct arena arena;
	struct vec_of(struct diff_row) list;
};

enum view_id diff_rows_view(const char *name);

/* To be closed in any case. */
bool diff_rows_open(struct diff_rows *rows, const struct analysis *base,
		    const struct analysis *profile, const struct diff_options *options,
		    struct error *err);
void diff_rows_close(struct diff_rows *rows);

/* A column of the view by its name, if it has values here; NULL otherwise. */
const struct column *diff_rows_column(const struct diff_rows *rows, const char *name);

struct cell diff_row_cell(const struct diff_row *row, enum diff_side side,
			  const struct column *column, struct str *scratch);
/* NAN where the row is missing on that side; what has no value there is 0. */
double diff_row_value(const struct diff_row *row, enum diff_side side, const struct column *column);

/* The least share of a column, in percent, that a row needs on one of the sides. */
struct diff_least {
	const struct column *column;
	double percent;		/* 0: all rows have enough */
	double sum[DIFF_SIDES]; /* of all rows, for columns that the session has no total of */
};
struct diff_least diff_least_of(const struct diff_rows *rows, const struct column *column,
				double percent);
bool diff_row_is_below(const struct diff_rows *rows, const struct diff_row *row,
		       const struct diff_least *least);

#endif
