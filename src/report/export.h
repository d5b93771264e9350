/*
 * export: profiles in the formats of other tools. What is written is described where each format
 * is, and in docs/reference/exports.md.
 */
#ifndef TARE_REPORT_EXPORT_H
#define TARE_REPORT_EXPORT_H

#include "analysis/analysis.h"

#include <stdio.h>

/* HTML: of which functions source and instructions are in the page. */
enum export_code {
	EXPORT_CODE_HOT, /* of those with the greatest values, up to a limit */
	EXPORT_CODE_NO,
	EXPORT_CODE_ALL, /* of all that have values */
};

struct export_options {
	const char *from, *to; /* range of time as analysis_time_parse has it; NULL: all */
	int64_t depth;	       /* calls deeper than that are left out; 0: none */
	const char *measure;   /* of call paths, where the format has one only; NULL: the first */
	bool waits;	       /* folded: CPU time and waits that were sampled, together */
	bool wakers;	       /* folded: waits, and behind them who ended them */
	const char *path;      /* of the profile, as the user gave it */
	/* HTML: what to compare with, NULL: nothing */
	const struct analysis *base;
	const char *base_path;
	enum export_code code;
	/* HTML: the same profile with the lines' values; clickhouse: with those of samples. NULL:
	   `analysis` has them, or none has. */
	const struct analysis *lines;
	struct analysis_globs source_paths; /* "FROM=TO": where sources are on this machine */
	const char *table;		    /* clickhouse: which; NULL: all, one after the other */
};

struct export_format {
	const char *name, *summary;
	bool is_binary;	    /* not for a terminal */
	bool of_events;	    /* made from the event log or from samples by their times */
	bool of_lines;	    /* needs analysis.node_lines */
	bool of_executions; /* needs analysis.executions */
	bool of_tables;	    /* a file each, see export_table_names */
	bool tells_command; /* the recording's command line is in it */
	bool (*write)(const struct analysis *analysis, const struct export_options *options,
		      FILE *stream, struct error *err);
};

/* Ends with a format without name. */
extern const struct export_format export_formats[];

/* Their names, ending with NULL. */
const char *const *export_format_names(void);

/* Those of a format that is of tables, ending with NULL; the last one's file makes them complete.
 */
const char *const *export_table_names(void);
/* What tells their files from those of other runs. */
uint64_t export_run_hash(const struct profile *profile);
/* The databases that there is a schema for, after "none"; and that, as SQL. */
extern const char *const export_schema_choices[];
void export_write_schema(int choice, FILE *stream);

/* NULL with err (ERROR_USAGE) for an unknown name. */
const struct export_format *export_format_find(const char *name, struct error *err);

#endif
