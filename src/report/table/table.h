/*
 * table: what views fill and the rooms above write: columns, rows, tables. No format is chosen here
 * yet. Private to report.
 */
#ifndef TARE_REPORT_TABLE_H
#define TARE_REPORT_TABLE_H

#include "analysis/annotate.h"
#include "analysis/cpu_use.h"
#include "analysis/outline.h"
#include "analysis/trace.h"
#include "report/report.h"
#include "report/table/cell.h"

enum view_id {
	VIEW_SUMMARY,
	VIEW_FUNCTIONS,
	VIEW_CALLERS,
	VIEW_CALLTREE,
	VIEW_MODULES,
	VIEW_THREADS,
	VIEW_PROCESSES,
	VIEW_OS,
	VIEW_COVERAGE,
	VIEW_COVERAGE_FUNCTIONS, /* coverage with a row per function */
	VIEW_MARKS,
	VIEW_CALLTRACE,
	VIEW_LINES,
	VIEW_INSTRUCTIONS,
	VIEW_METHODS,
	VIEW_ANNOTATE,
	VIEW_COUNT
};

enum { COLUMNS_MAX = 96, TABLES_MAX = 4 };

/* Text: so much stands left of what a line of the header says. */
enum { REPORT_KEY_WIDTH = 13 };

struct report_mark {
	int64_t mark;
	const char *name;
	uint64_t ticks; /* since the session's begin */
};

/* CPU time of an interval, in ticks since the session's begin; end 0: it is not known when. */
struct report_cpu {
	uint64_t begin_ticks, end_ticks, cpu_ticks;
};

/* A function by both methods. */
struct report_comparison {
	uint64_t cpu_ticks, samples;
	double cpu_percent, samples_percent;
	double low, high; /* of the samples' share */
};

/* One row: what it is about. Columns without subject in a row are empty. */
struct report_row {
	const char *heading; /* text: printed above the row; NULL: nothing */
	const char *section; /* of the summary */
	const char *type;    /* "caller", "function", "callee" */
	const struct analysis_values *values;
	const struct analysis_process *process;
	const struct analysis_thread *thread;
	const struct analysis_module *module;
	const struct analysis_function *function, *root_function;
	const struct analysis_os *os;
	const struct analysis_module_coverage *module_coverage;
	const struct analysis_coverage *coverage;
	const struct report_mark *mark;
	const struct analysis_trace_event *event;
	const struct analysis_line *line;
	const struct analysis_instruction *instruction;
	const struct report_comparison *comparison;
	const struct annotation_row *annotation;
	const struct report_cpu *cpu;
	const struct diff_row *pair; /* of a comparison of profiles */
	enum tare_os_cause cause;    /* where has_cause */
	bool has_cause;
	bool total;    /* all of the operating system's time */
	bool outside;  /* the time outside of all functions */
	bool folded;   /* callers that are not known, of paths that have folded */
	bool hot;      /* on the hot path */
	uint32_t node; /* ANALYSIS_NONE: none */
	uint32_t last; /* the innermost frame of a row of several, which begins with node */
	uint32_t level;
	uint32_t indent; /* text: how many rows stand above it in a tree */
};

struct report_rows vec_of(struct report_row);

struct report_table {
	const char *name;  /* key in JSON */
	const char *title; /* heading in text */
	const struct column *columns[COLUMNS_MAX];
	size_t column_count;
	struct report_rows rows;
	uint64_t hidden;  /* rows left out by the limit */
	bool by_user;	  /* the user chose the columns */
	const char *drop; /* text: columns to leave out where there is no room, in this order */
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
	struct analysis_outline outline;
	bool is_outlined;
};

/* How a view looks as text: of calls, of samples, of samples that count by their weight. */
enum { LAYOUT_CALLS, LAYOUT_SAMPLES, LAYOUT_WEIGHTS, LAYOUTS };

struct view_layout {
	const char *columns;
	const char *drop, *sort;
};

/* What a profile must have for a view. */
enum view_needs { NEEDS_EITHER, NEEDS_NOTHING, NEEDS_CALLS, NEEDS_PLACES, NEEDS_BOTH };

struct view {
	const char *name, *summary; /* name NULL: a variant of the view before it */
	struct view_layout layouts[LAYOUTS];
	int64_t limit; /* text */
	bool (*fill)(struct report *report, struct error *err);
	bool streams; /* instead of `fill`: it has too many rows to keep, see calltrace.h */
	enum view_id id;
	enum view_needs needs;
	bool needs_function;
};

const struct view_layout *report_layout(const struct report *report);

extern const struct view report_views[];
extern const size_t report_view_count;

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

/* ---- columns ---- */

struct column;
typedef void report_getter(const struct report *report, const struct report_row *row,
			   const struct column *column, struct str *scratch, struct cell *cell);

struct column {
	const char *name;	   /* CSV and JSON; of times without "_ns" or "_ticks" */
	const char *group, *title; /* text */
	enum cell_type type;
	unsigned views; /* bits 1 << enum view_id */
	int param;	/* for `get` */
	bool each;	/* a time per call: every cell in a unit of its own */
	bool text_only;
	bool data_only;		   /* CSV and JSON: text shows it in another form */
	bool is_code;		   /* its text is cut at the end, not in the middle */
	bool is_tree;		   /* its names are indented by the row's level */
	bool of_calls, of_samples; /* only where there are such values; neither: always */
	bool on_request;	   /* only where it is named, or all are asked for */
	/* Text in the cell is valid until the next call with the same scratch. */
	report_getter *get;
};

extern const struct column report_columns[];
extern const size_t report_column_count;

/* By its name in CSV, which may lack the unit. Fails with the nearest name. */
const struct column *column_find(enum view_id view, const char *name, size_t length,
				 struct error *err);
/* Name with unit as in CSV and JSON. */
void column_append_name(const struct column *column, enum report_unit unit, struct str *out);

/* Whether the profile and the method shown have values for it. */
bool column_applies(const struct report *report, const struct column *column);

/* ---- rows ---- */

struct report_row report_row_empty(void);
/* With the function's module and values. */
struct report_row report_row_of_function(const struct report *report, uint32_t function);
/* The OS time that a row of it is about, in ticks. False: the row is of none. */
bool report_row_os_ticks(const struct report *report, const struct report_row *row,
			 uint64_t *ticks);

/* A table of the view with the columns in effect. */
struct report_table *report_add_table(struct report *report, const char *name, const char *title,
				      const char *text_columns);
/*
 * Drops rows that do not pass the filters, and those below min_percent, from `first` on, sorts the
 * rest by `sort` (NULL: options, else the view's) and cuts it to the limit.
 */
void report_finish_rows(struct report *report, struct report_table *table, size_t first,
			const char *sort);
/* Sorts rows[0..count) as above. */
void report_sort(struct report *report, struct report_row *rows, size_t count, const char *sort);
/* The row's inclusive share of the session, by the method shown, in percent; 0: it has none. */
double report_row_share(const struct report *report, const struct report_row *row);
/* Rows that text or the user limits a table to; INT64_MAX for no limit. */
int64_t report_limit(const struct report *report);
bool report_is_selected(const struct report *report, uint32_t function);
/* The function's name; as text with what tells it apart from others. */
void report_append_function(const struct report *report, const struct analysis_function *function,
			    struct str *out);
/* Whether it passes all filters. */
bool report_passes(const struct report *report, const struct report_row *row);

/* samples.c */
enum comparison_column {
	COMPARED_CPU,
	COMPARED_CPU_PERCENT,
	COMPARED_SAMPLES,
	COMPARED_SAMPLES_PERCENT,
	COMPARED_LOW,
	COMPARED_HIGH,
	COMPARED_DIFFERENCE,
	COMPARED_OUTSIDE,
};
report_getter report_get_samples, report_get_samples_percent, report_get_samples_low,
	report_get_samples_high, report_get_samples_margin, report_get_place, report_get_comparison,
	report_get_code, report_get_instruction;
bool report_fill_lines(struct report *report, struct error *err);
bool report_fill_instructions(struct report *report, struct error *err);
bool report_fill_methods(struct report *report, struct error *err);
bool report_fill_annotate(struct report *report, struct error *err);

/* shares.c */
report_getter report_get_time_bar, report_get_samples_bar, report_get_os_bar,
	report_get_coverage_bar, report_get_lifetime, report_get_cause_words;

/* cpu.c */
enum cpu_column { CPU_BEGIN, CPU_END, CPU_USED };
report_getter report_get_cpu;
bool report_add_cpu(struct report *report, struct error *err);

/* events.c */
enum event_column {
	EVENT_TIME,
	EVENT_KIND,
	EVENT_DEPTH,
	EVENT_DURATION,
	EVENT_CAUSE,
	EVENT_SYSCALL,
	EVENT_MARK,
	EVENT_LOST
};
report_getter report_get_event;

/* The limits of a recording: enum tare_limits, and the option of tare record, or "system". */
struct report_limit {
	uint32_t bit;
	const char *name;
};
extern const struct report_limit report_limits[];

/* What a reader must know before he trusts the numbers: attention.c. */
struct report_attention {
	const char *kind;
	/* Whether there is reason for it; appends the sentence. */
	bool (*applies)(const struct report *report, struct str *text);
};
extern const struct report_attention report_attentions[];
extern const size_t report_attention_count;

#endif
