/*
 * Several profiles on each side of a comparison: what each row had in which run, and what can be
 * said of the difference. Profiles are read one after the other; of each only the numbers of the
 * columns that are compared stay. Private to report.
 *
 *   median      of each side's runs
 *   interval    95 %, of the difference of the medians: bootstrap.h
 *   significant by rank_test.h, at LEVEL for all rows of a column together; only rows that have
 *               least_percent of the column are tested, as each further one takes from the others
 *
 * Of runs in pairs the new side's median is the base's with the change of the median pair.
 */
#ifndef TARE_REPORT_DIFF_DIFF_RUNS_H
#define TARE_REPORT_DIFF_DIFF_RUNS_H

#include "report/diff/diff_gate.h"
#include "report/diff/diff_rows.h"

/* The columns that name a row: module, function, source, line, path; place. */
/* The last one is for text alone. */
enum { DIFF_NAMES = 6, DIFF_RUN_COLUMNS_MAX = 48 };
extern const char *const diff_names[DIFF_NAMES];

#define DIFF_LEVEL 0.01

/* What the runs tell of one column of a row. */
struct diff_evidence {
	double median[DIFF_SIDES];
	double share;  /* of the column, in percent: mean of all runs */
	bool is_bound; /* in some run only a bound is known */
	bool is_exact; /* counted, and the same in all runs of a side */
	bool is_tested, has_interval;
	double low, high;   /* of the difference of the medians */
	double probability; /* corrected for the other rows; of exact numbers 0 or 1 */
};

/* Of one row. */
struct diff_run_row {
	const struct diff_runs *runs;
	const char *names[DIFF_NAMES];	/* NULL: it has no such column */
	size_t seen[DIFF_SIDES];	/* in so many runs */
	double *numbers;		/* by column, then by run: those of base first */
	struct diff_evidence *evidence; /* by column */
};

struct diff_runs {
	size_t count[DIFF_SIDES], taken[DIFF_SIDES];
	bool is_paired; /* there are as many of each side */
	const struct column *columns[DIFF_RUN_COLUMNS_MAX];
	enum cell_type types[DIFF_RUN_COLUMNS_MAX];
	size_t column_count;
	size_t tested[DIFF_RUN_COLUMNS_MAX]; /* rows */
	double least_percent;
};

/* Whether the numbers of the column are counted, and the same in each run that does the same. */
bool diff_runs_is_counted(const struct column *column);

/* Adds the column unless it is there. */
void diff_runs_add_column(struct diff_runs *runs, const struct column *column);

/* Takes the numbers of the rows that the side has at the moment, as those of its next run. */
void diff_runs_take(struct diff_runs *runs, struct diff_rows *rows, enum diff_side side);

/* When all runs have been taken. Rows are from then on what their medians are. */
void diff_runs_finish(struct diff_runs *runs, struct diff_rows *rows);

/* The least probability that so many runs can have. */
double diff_runs_least(const struct diff_runs *runs);

/* So many rows of the column were tested. */
size_t diff_runs_tested(const struct diff_runs *runs, const struct column *column);

/* The median; empty where the row is in no run of the side. */
struct cell diff_runs_cell(const struct diff_run_row *row, enum diff_side side,
			   const struct column *column);
const struct diff_evidence *diff_runs_evidence(const struct diff_run_row *row,
					       const struct column *column);
/* The text of a column of names, or NULL. */
const char *diff_runs_name(const struct diff_run_row *row, const struct column *column);

bool diff_evidence_is_significant(const struct diff_evidence *evidence);

/* See enum diff_verdict. */
enum diff_verdict diff_runs_judge(const struct diff_gate *gate, const struct diff_run_row *row);

#endif
