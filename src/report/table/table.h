/*
 * table: what views fill and the rooms above write: columns, rows, tables. No format is chosen here
 * yet. Private to report.
 */
#ifndef TARE_REPORT_TABLE_H
#define TARE_REPORT_TABLE_H

#include "analysis/cpu_use.h"
#include "analysis/outline.h"
#include "report/report.h"
#include "report/table/column.h"
#include "report/table/row.h"

enum view_id {
	VIEW_SUMMARY,
	VIEW_FUNCTIONS,
	VIEW_CALLERS,
	VIEW_CALLTREE,
	VIEW_CALLTREE_INVERTED, /* the same from its leaves */
	VIEW_MODULES,
	VIEW_THREADS,
	VIEW_PROCESSES,
	VIEW_OS,
	VIEW_LOCKS,
	VIEW_WAKERS,
	VIEW_TIMELINE,
	VIEW_COVERAGE,
	VIEW_COVERAGE_FUNCTIONS, /* coverage with a row per function */
	VIEW_MARKS,
	VIEW_CALLTRACE,
	VIEW_LINES,
	VIEW_INSTRUCTIONS,
	VIEW_BRANCHES,
	VIEW_METHODS,
	VIEW_ANNOTATE,
	VIEW_RANKS,
	VIEW_IMBALANCE,
	VIEW_COUNT
};

/* A table has room for all columns there are: the summary takes those of many kinds of rows. */
enum { COLUMNS_MAX = 256, TABLES_MAX = 8 };

/* Text: so much stands left of what a line of the header says. */
enum { REPORT_KEY_WIDTH = 13 };

struct report_table {
	const char *name;  /* key in JSON */
	const char *title; /* heading in text */
	const struct column *columns[COLUMNS_MAX];
	size_t column_count;
	struct report_rows rows;
	uint64_t hidden;  /* rows left out by the limit */
	int64_t limit;	  /* text: of rows, where it has one of its own; 0: the view's */
	bool by_user;	  /* the user chose the columns */
	const char *drop; /* text: columns to leave out where there is no room, in this order */
};

/* What filters leave of a call tree; all NULL: all of it. */
struct report_kept {
	bool *nodes, *passing; /* per node: it or one below it passes; it does itself */
	bool *processes;
};

/* A whole report on its way from analysis to stream. */
struct report {
	const struct analysis *analysis;
	const struct report_options *options;
	const struct view *view;
	struct arena arena;
	struct report_table tables[TABLES_MAX];
	size_t table_count;
	struct vec_of(struct report_mark) marks;
	struct vec_of(struct report_comparison) comparisons;
	struct vec_of(struct filter *) filters; /* a row has to pass all */
	struct analysis_edges edges[8];		/* owns the values of callers' rows */
	size_t edges_count;
	struct annotation annotation;
	bool annotated;
	struct analysis_cpu_use cpu;
	struct report_kept kept;
	struct analysis_ranks ranks;
	struct analysis_outline outline;
	bool is_outlined;
	size_t outlined; /* of the tables */
};

/* How a view looks as text: of calls, of samples, of samples that count by their weight, of samples
   of places that stand for CPU time, of executions alone. */
enum { LAYOUT_CALLS, LAYOUT_SAMPLES, LAYOUT_WEIGHTS, LAYOUT_TIMED, LAYOUT_EXECUTED, LAYOUTS };

struct view_layout {
	const char *columns;
	const char *drop, *sort;
};

/* What a profile must have for a view. */
enum view_needs {
	NEEDS_EITHER,
	NEEDS_NOTHING,
	NEEDS_CALLS,
	NEEDS_PLACES,
	NEEDS_EXECUTIONS,
	NEEDS_BOTH
};

struct view {
	const char *name, *summary; /* name NULL: a variant of the view before it */
	struct view_layout layouts[LAYOUTS];
	int64_t limit; /* text */
	bool (*fill)(struct report *report, struct error *err);
	bool streams; /* instead of `fill`: it has too many rows to keep, see calltrace.h */
	enum view_id id;
	unsigned rows; /* bits 1 << enum row_type: which its tables have */
	enum view_needs needs;
	bool needs_function;
	bool has_time;	   /* takes --from and --to by itself */
	bool is_of_method; /* its values are those of the method shown, never of both */
};

const struct view_layout *report_layout(const struct report *report);
/* Whether samples of an event of this name were taken. */
bool report_has_event(const struct analysis *analysis, const char *name);

extern const struct view report_views[];
extern const size_t report_view_count;

const struct view *report_view_of(enum view_id id);

/*
 * Fills the tables of a view that does not stream, for a caller that writes them by itself;
 * report_close frees what they hold.
 */
bool report_open(struct report *report, const struct analysis *analysis,
		 const struct report_options *options, struct error *err);
/* The same up to the rows, which the view's `fill` makes. */
bool report_prepare(struct report *report, const struct analysis *analysis,
		    const struct report_options *options, struct error *err);
void report_close(struct report *report);

/* ---- rows ---- */

struct report_row report_row_empty(enum row_type type);
/* With the function's module and values. */
struct report_row report_row_of_function(const struct report *report, enum row_type type,
					 uint32_t function);

/* A table of the view with the columns in effect. */
struct report_table *report_add_table(struct report *report, const char *name, const char *title,
				      const char *text_columns);
/*
 * Drops rows that do not pass the filters, and those below min_percent, from `first` on, sorts the
 * rest by `sort` (NULL: options, else the view's) and cuts it to the limit.
 */
void report_finish_rows(struct report *report, struct report_table *table, size_t first,
			const char *sort);
/* Text leaves out the last table where it has no rows. */
void report_drop_empty(struct report *report, struct report_table *table);
/* Sorts rows[0..count) as above. */
void report_sort(struct report *report, struct report_row *rows, size_t count, const char *sort);
/* The row's inclusive share of the session, by the method shown, in percent; 0: it has none. */
double report_row_share(const struct report *report, const struct report_row *row);
/* Rows that text or the user limits a table to; INT64_MAX for no limit. */
int64_t report_limit(const struct report *report);
bool report_is_selected(const struct report *report, uint32_t function);
bool report_module_is_selected(const struct report *report, const struct analysis_module *module);
/* The function's name; as text with what tells it apart from others. */
void report_append_function(const struct report *report, const struct analysis_function *function,
			    struct str *out);
/* Whether it passes all filters. */
bool report_passes(const struct report *report, const struct report_row *row);

/* table.c */
bool report_check_columns(const struct report_options *options, const struct view *view,
			  struct error *err);
/* Columns that the user named, in a list or as an order, must have values here. */
bool report_columns_have_data(const struct report *report, const char *list, struct error *err);

/* ---- views, by their files ---- */

/* plain_rows.c */
bool report_fill_functions(struct report *report, struct error *err);
bool report_fill_modules(struct report *report, struct error *err);
bool report_fill_threads(struct report *report, struct error *err);
bool report_fill_processes(struct report *report, struct error *err);
bool report_fill_marks(struct report *report, struct error *err);
/* rank_rows.c */
bool report_fill_ranks(struct report *report, struct error *err);
bool report_fill_imbalance(struct report *report, struct error *err);
/* lane_rows.c */
bool report_fill_timeline(struct report *report, struct error *err);
/* branch_rows.c */
bool report_fill_branches(struct report *report, struct error *err);
/* caller_rows.c */
bool report_fill_callers(struct report *report, struct error *err);
/* wait_rows.c */
void report_add_waits(struct report *report);
void report_add_idle(struct report *report);
/* What the percents of OS time are of. */
uint64_t report_os_whole(const struct analysis *analysis);
/* Who is named as the one that waits: the program's own function, if it is known, else the one that
   waits, or ANALYSIS_NONE. */
uint32_t report_waiter(const struct analysis *analysis, const struct analysis_os *os);
/* summary_rows.c */
bool report_fill_summary(struct report *report, struct error *err);
/* os_rows.c */
bool report_fill_os(struct report *report, struct error *err);
bool report_fill_locks(struct report *report, struct error *err);
bool report_fill_wakers(struct report *report, struct error *err);
void report_add_causes(struct report *report);
/* coverage_rows.c */
bool report_fill_coverage_modules(struct report *report, struct error *err);
bool report_fill_coverage_functions(struct report *report, struct error *err);
/* sample_rows.c */
bool report_fill_lines(struct report *report, struct error *err);
bool report_fill_instructions(struct report *report, struct error *err);
bool report_fill_methods(struct report *report, struct error *err);
bool report_fill_annotate(struct report *report, struct error *err);
/* cpu_rows.c */
bool report_add_cpu(struct report *report, struct error *err);

/* The limits of a recording: enum tare_limits, and the option of tare record, or "system". */
struct report_limit {
	uint32_t bit;
	const char *name;
};
extern const struct report_limit report_limits[];

/*
 * What a reader must know before he trusts the numbers: attention.c. Up to its first ": " or "; "
 * the sentence says what is wrong, behind that what it means and what to do.
 */
enum report_differs { DIFFER_CALLS = 1, DIFFER_SAMPLES = 2 };

struct report_attention {
	const char *kind;
	/* Whether there is reason for it; appends the sentence. */
	bool (*applies)(const struct report *report, struct str *text);
	bool is_quiet; /* no warning: the short header leaves it out */
	/* Numbers of these methods may differ for this reason from those of another recording. */
	unsigned differs; /* enum report_differs */
};
extern const struct report_attention report_attentions[];
extern const size_t report_attention_count;

#endif
