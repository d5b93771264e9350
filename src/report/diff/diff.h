/*
 * diff: two profiles, row by row of a view: what each has of a value and by how much they differ,
 * and gates on these differences. Rows are the same where their names are: module and function,
 * source and line, or the functions of a call path. Described in docs/reference/diff.md.
 */
#ifndef TARE_REPORT_DIFF_H
#define TARE_REPORT_DIFF_H

#include "report/report.h"

struct diff_options {
	/* view: functions, modules, lines or calltree; columns: what is compared, NULL: what the
	   method shown ranks by, in CSV and JSON all; sort: change, change_percent, base, new or
	   name; profile_path: the new one's */
	struct report_options report;
	const char *base_path;
	struct analysis_globs gates; /* "COLUMN>+5%", see docs/reference/diff.md */
	bool is_of_runs;	     /* several profiles on each side: diff_write_runs */
	bool is_paired;		     /* the i-th of one side with the i-th of the other */
};

enum diff_side { DIFF_BASE, DIFF_NEW, DIFF_SIDES };

/* The profiles of several runs of each side. */
struct diff_source {
	size_t count[DIFF_SIDES]; /* none is 0 */
	const char *const *paths[DIFF_SIDES];
	/* Valid until the next call; the first one of each side until the end. */
	bool (*open)(void *context, enum diff_side side, size_t run,
		     const struct analysis **analysis, struct error *err);
	void *context;
};

enum { DIFF_RUNS_MAX = 1000 };

/* Views that there are, ended by NULL. */
extern const char *const diff_view_names[];

/* Checks names and gates before anything is read. Fails with ERROR_USAGE. */
bool diff_check(const struct diff_options *options, struct error *err);

/*
 * Writes the comparison of `profile` with `base`. `failures` gets a sentence for each gate that
 * some row fails; it stays empty where none does.
 */
bool diff_write(const struct analysis *base, const struct analysis *profile,
		const struct diff_options *options, FILE *stream, struct str *failures,
		struct error *err);

/*
 * The same of several runs: medians, the interval of their difference, and whether that is more
 * than chance (diff_runs.h). Only rows that have report.min_percent of a column are tested.
 */
bool diff_write_runs(const struct diff_source *source, const struct diff_options *options,
		     FILE *stream, struct str *failures, struct error *err);

#endif
