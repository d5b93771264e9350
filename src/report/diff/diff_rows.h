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

#endif
