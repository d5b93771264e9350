/*
 * What the exports of call paths share: the measures that a profile has, and its call paths one
 * after the other, each with its exclusive values. Private to report.
 */
#ifndef TARE_REPORT_EXPORT_PATHS_H
#define TARE_REPORT_EXPORT_PATHS_H

#include "report/export.h"

enum { PATH_MEASURES_MAX = ANALYSIS_VALUES + 1 };

struct path_measure_info {
	const char *name; /* "elapsed" */
	const char *unit; /* as pprof names them: "nanoseconds", "count" */
	bool is_calls;
	enum analysis_value value; /* else */
};

struct paths {
	const struct analysis *analysis;
	struct arena arena;
	const char **names;	    /* of functions, valid UTF-8, without control characters */
	const char *outside;	    /* the name of what is outside of all functions */
	const char **process_names; /* "name (pid)" where several processes are shown */
	const char **thread_names;  /* "name (tid)" */
	struct path_measure_info
		measures[PATH_MEASURES_MAX]; /* first those that are inclusive too… */
	size_t measure_count, cost_count;    /* …which are so many */
	size_t first_measure;		     /* the one that was asked for */
	uint64_t
		sum[PATH_MEASURES_MAX]; /* of what was ticks: nanoseconds are differences of sums */
	uint32_t *order;		/* nodes by thread */
	size_t next;
};

/* One call path: a node, or a thread's root for its time outside of all functions. */
struct path {
	uint32_t node;
	/* by index of paths.measures; nanoseconds are rounded so that their sum over all paths is
	   the total's */
	uint64_t values[PATH_MEASURES_MAX];
};

/* Fails where `measure` (NULL: the first one) is none that the profile has. */
bool paths_open(struct paths *paths, const struct analysis *analysis, const char *measure,
		struct error *err);
void paths_close(struct paths *paths);
void paths_rewind(struct paths *paths);

/* The next path with a value that is not zero, those of a thread together; false: none is left. */
bool paths_next(struct paths *paths, struct path *path);
/* The same, but false behind the last path of the thread, too. */
bool paths_next_of(struct paths *paths, uint32_t thread, struct path *path);

/* The inclusive value of a node, to be added up; and what a sum is in the measure's unit. */
uint64_t paths_inclusive(const struct paths *paths, size_t measure, uint32_t node);
uint64_t paths_in_unit(const struct paths *paths, size_t measure, uint64_t sum);

/*
 * The nodes of a path from the outermost call on, into `chain`; without the thread's root unless
 * the path is that.
 */
struct path_chain vec_of(uint32_t);
void paths_chain(const struct paths *paths, uint32_t node, struct path_chain *chain);

/* `text` made valid UTF-8 without control characters; lives as long as the paths. */
const char *paths_text(struct paths *paths, const char *name);

/* The name of a node's function, or `outside`. */
const char *paths_name(const struct paths *paths, uint32_t node);

/* folded.c: with ":" for ";", which separates. */
void folded_write_name(FILE *stream, const char *name);
/* folded_wakers.c */
bool folded_write_waits(const struct analysis *analysis, FILE *stream, struct error *err);
bool folded_write_wakers(const struct analysis *analysis, FILE *stream, struct error *err);
bool paths_write_folded(const struct analysis *analysis, const struct export_options *options,
			FILE *stream, struct error *err);
bool paths_write_pprof(const struct analysis *analysis, const struct export_options *options,
		       FILE *stream, struct error *err);
bool paths_write_speedscope(const struct analysis *analysis, const struct export_options *options,
			    FILE *stream, struct error *err);
bool paths_write_callgrind(const struct analysis *analysis, const struct export_options *options,
			   FILE *stream, struct error *err);
bool paths_write_firefox(const struct analysis *analysis, const struct export_options *options,
			 FILE *stream, struct error *err);

#endif
