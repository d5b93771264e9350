/* The rows of two profiles in one view, paired by what they are of. Private to report. */
#ifndef TARE_REPORT_DIFF_DIFF_ROWS_H
#define TARE_REPORT_DIFF_DIFF_ROWS_H

#include "report/diff/diff.h"
#include "report/table/table.h"

/* One pair. */
struct diff_row {
	const char *name; /* for people */
	bool has[DIFF_SIDES], failed;
	struct report_row side[DIFF_SIDES];
	const struct report *report[DIFF_SIDES]; /* which the side's columns are asked with */
	struct diff_run_row *runs; /* of several profiles per side; else NULL: diff_runs.h */
};

struct diff_rows {
	enum view_id view;
	struct report_options options[DIFF_SIDES];
	struct {
		struct report *report;		/* NULL: not open */
		struct analysis_values *values; /* of call paths */
	} sides[DIFF_SIDES];
	enum analysis_method method; /* of the first that was taken */
	bool has_method;
	bool keeps_names;	 /* when profiles are left, too */
	struct strmap pairs;	 /* key of a row → its index */
	struct strmap functions; /* key of a function → number, of all profiles */
	struct map paths; /* number of the parent's path << 32 | of the function → of the path */
	struct arena arena;
	struct vec_of(struct diff_row) list;
};

enum view_id diff_rows_view(const char *name);

/* To be closed. */
void diff_rows_init(struct diff_rows *rows, const struct diff_options *options);
/* Pairs the profile's rows with those that there are; it is the side's until that is left. */
bool diff_rows_take(struct diff_rows *rows, enum diff_side side, const struct analysis *analysis,
		    const char *path, struct error *err);
/* Only its report, for a header. */
bool diff_rows_open_side(struct diff_rows *rows, enum diff_side side,
			 const struct analysis *analysis, const char *path, struct error *err);
/* No row has anything on that side any more, and another profile can be taken there. */
void diff_rows_leave(struct diff_rows *rows, enum diff_side side);
void diff_rows_close(struct diff_rows *rows);

/* A column of the view by its name, if it has values here; NULL otherwise. */
const struct column *diff_rows_column(const struct diff_rows *rows, const char *name);

/* Of several profiles the median. */
struct cell diff_row_cell(const struct diff_row *row, enum diff_side side,
			  const struct column *column, struct str *scratch);
/* NAN where the row is missing on that side; what has no value there is 0. */
double diff_row_value(const struct diff_row *row, enum diff_side side, const struct column *column);

/* Of the row as the profile has it that the side has taken. */
struct cell diff_row_now(const struct diff_row *row, enum diff_side side,
			 const struct column *column, struct str *scratch);
/* 0 of what is no number. */
double diff_cell_number(const struct cell *cell);

/* The least share of a column, in percent, that a row needs on one of the sides. */
struct diff_least {
	const struct column *column;
	double percent;		/* 0: all rows have enough */
	double sum[DIFF_SIDES]; /* of all rows, for columns that the session has no total of */
};
struct diff_least diff_least_of(const struct diff_rows *rows, const struct column *column,
				double percent);
/* In percent of the profile that the side has taken. */
double diff_row_share(const struct diff_rows *rows, const struct diff_row *row, enum diff_side side,
		      const struct diff_least *least);
bool diff_row_is_below(const struct diff_rows *rows, const struct diff_row *row,
		       const struct diff_least *least);

#endif
