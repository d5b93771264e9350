/*
 * report: one analysis → one view in one format on a stream. Computes no values. Views, columns
 * and the JSON schema are described in docs/reference/columns.md.
 */
#ifndef TARE_REPORT_REPORT_H
#define TARE_REPORT_REPORT_H

#include "analysis/outline.h"

#include <stdio.h>

enum report_format {
	REPORT_TEXT,
	REPORT_CSV,
	REPORT_JSON,
	REPORT_FORMATS,
	REPORT_MARKDOWN = REPORT_FORMATS, /* of comparisons alone */
};
enum report_unit { REPORT_MS, REPORT_TICKS, REPORT_UNITS }; /* ms: nanoseconds in CSV and JSON */

#define REPORT_LIMIT_DEFAULT (-1) /* of the view for text, none for CSV and JSON */

struct report_options {
	const char *view;	  /* a name of report_view_names */
	const char *function;	  /* of views that need one, else NULL: a name or glob */
	const char *profile_path; /* as the user gave it */
	enum report_format format;
	enum report_unit unit;
	const char *sort;    /* "[+|-]COL,…"; NULL: the view's */
	const char *columns; /* "COL,…" or "all"; NULL: the view's for text, all for CSV, JSON */
	int64_t limit;	     /* rows; 0: no limit */
	double min_percent;  /* of the inclusive value */
	/* calltree, hot path of the summary: percent, as in analysis/outline.h; 0: nothing */
	double trim, fold; /* where given; else thresholds for text, none for CSV and JSON */
	bool trim_given, fold_given;
	bool noise;	  /* neither */
	bool is_expanded; /* calltree: as asked for */
	enum analysis_expand expand;
	uint32_t levels;
	/* what the analysis was asked for */
	bool my_code, fold_recursion, merge_threads;
	const char *root;
	struct analysis_globs modules, functions;
	struct analysis_globs filters;	   /* names of functions, of which one has to match */
	struct analysis_globs expressions; /* conditions on columns, which all have to hold */
	/* calltrace: range of time as analysis_time_parse has it, NULL: all; calls that deep */
	const char *from, *to;
	int64_t depth;
	bool inverted; /* calltree: from its leaves */
	bool verbose;  /* coverage: a row per function */
	bool never;    /* lines, instructions: code that was never executed, instead */
	/* annotate: instructions instead of lines; "FROM=TO": where sources are on this machine */
	bool assembly;
	struct analysis_globs source_paths;
	/* annotate: this function; NULL: by its name */
	const struct annotation_whole *whole;
	int width;    /* text: columns of the terminal */
	bool color;   /* text: with escape sequences */
	bool unicode; /* text: characters beyond ASCII may be written */
};

/* Numbers have units and room, and what only programs need is left out. */
static inline bool report_is_for_people(const struct report_options *options)
{
	return options->format == REPORT_TEXT || options->format == REPORT_MARKDOWN;
}

/* Ended by NULL. */
const char *const *report_view_names(void);
/* Whether the view takes a function; true for "callers". */
bool report_view_needs_function(const char *view);

/* What the view, which is known, wants of an analysis: places, code, a range of time. */
void report_select(const struct report_options *options, struct analysis_options *selection);

/* Whether a filter is an expression, as docs/reference/selecting.md has them, or the name of a
 * function. */
bool report_filter_is_expression(const char *filter);

/* Checks names of view and columns before anything is read. Fails with ERROR_USAGE. */
bool report_check(const struct report_options *options, struct error *err);

/* Fails with ERROR_NOT_FOUND where no function matches `function`. */
bool report_write(const struct analysis *analysis, const struct report_options *options,
		  FILE *stream, struct error *err);

#endif
