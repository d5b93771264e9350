/*
 * bounds: how far a number of a row may be from what it stands for, by the errors that are stated
 * for it, and what share of the session it has. Private to report.
 */
#ifndef TARE_REPORT_TABLE_BOUNDS_H
#define TARE_REPORT_TABLE_BOUNDS_H

#include "report/table/table.h"

/* In the unit of the column's cells. */
struct column_bounds {
	double low, high; /* both the number itself where no error is stated */
	bool is_known;	  /* false: of the number only a bound is known, or about how much it is */
};

/*
 * For another run: of times the error of the probes, and the 95 % interval where samples tell them,
 * with the systematic part by which runs differ; by the clock that part alone; an elapsed time may
 * be less by what other threads had. Of samples the same interval. Other numbers are exact, and
 * least, greatest and percentiles of calls have no error that is stated.
 */
struct column_bounds column_bounds_of(const struct column *column, const struct report *report,
				      const struct report_row *row);

/*
 * What a row that is not in the report may have had there unseen: from 0 on. `like` is the same
 * row of another report.
 */
struct column_bounds column_bounds_missing(const struct column *column, const struct report *report,
					   const struct report_row *like);

/*
 * The share of the session's total that the row has of what the column is about, in percent; of a
 * time per call that of all calls. NAN where there is no such total.
 */
double column_share(const struct column *column, const struct report *report,
		    const struct report_row *row);

#endif
