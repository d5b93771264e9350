/*
 * fleet: profiles of many runs, ranks and hosts as tables for ClickHouse and DuckDB, one file of
 * CSV per table and run. Tables, columns and hashes are described in docs/reference/fleet.md.
 *
 * Numbers that stand for something else (run, function, path) are hashes of 63 bits of what it is
 * and not of its place in the profile: so the same call path has the same one in each run, and
 * readers without unsigned numbers take them as they are.
 */
#ifndef TARE_REPORT_EXPORT_FLEET_H
#define TARE_REPORT_EXPORT_FLEET_H

#include "report/export.h"

enum fleet_type { FLEET_NUMBER, FLEET_SIGNED, FLEET_REAL, FLEET_TEXT, FLEET_DATE, FLEET_TYPES };

struct fleet_column {
	const char *name;
	enum fleet_type type;
};

struct fleet;
struct fleet_sheet;

struct fleet_table {
	const char *name;
	const char *key; /* columns by which a database keeps the rows in order */
	const struct fleet_column *columns;
	size_t column_count;
	void (*write)(const struct fleet *fleet, struct fleet_sheet *sheet);
};

/* `run`, whose row says that the others are there, is the last one. */
enum { FLEET_TABLES = 8 };
extern const struct fleet_table fleet_tables[FLEET_TABLES];

/* What all rows of a process begin with, as CSV: run, day, program, host, rank. */
struct fleet_origin {
	const char *cells;
	const char *build_id; /* of its program; "": not known */
	int64_t rank, ranks;  /* -1 and 0: not known */
};

struct fleet {
	const struct analysis *analysis;
	const struct analysis *calls, *samples; /* either may be NULL: there are none */
	struct arena arena;
	uint64_t run;
	char day[16]; /* UTC */
	const char *program, *build_id;
	struct fleet_origin origin;   /* of the run */
	struct fleet_origin *origins; /* by process */
	/* By function of `named`, which has those of calls and of samples. */
	const struct analysis *named;
	uint64_t *function_hash;
	uint32_t *group_of; /* the first function of that hash */
};

/* `samples`: the analysis of the samples beside that of calls; NULL: there is none. */
void fleet_open(struct fleet *fleet, const struct analysis *analysis,
		const struct analysis *samples);
void fleet_close(struct fleet *fleet);

/* fleet_hash.c: see there. */
uint64_t fleet_run_hash(const struct profile *profile);
uint64_t fleet_function_hash(const char *module, const char *symbol);
uint64_t fleet_path_hash(uint64_t parent, uint64_t function);
/* By node of `analysis`, whose functions are those of the fleet; the caller frees it. */
uint64_t *fleet_paths(const struct fleet *fleet, const struct analysis *analysis);

/* fleet_nodes.c, fleet_frames.c, fleet_functions.c, fleet_rows.c */
void fleet_write_nodes(const struct fleet *fleet, struct fleet_sheet *sheet);
void fleet_write_samples(const struct fleet *fleet, struct fleet_sheet *sheet);
void fleet_write_frames(const struct fleet *fleet, struct fleet_sheet *sheet);
void fleet_write_functions(const struct fleet *fleet, struct fleet_sheet *sheet);
void fleet_write_modules(const struct fleet *fleet, struct fleet_sheet *sheet);
void fleet_write_threads(const struct fleet *fleet, struct fleet_sheet *sheet);
void fleet_write_os(const struct fleet *fleet, struct fleet_sheet *sheet);
void fleet_write_run(const struct fleet *fleet, struct fleet_sheet *sheet);

bool fleet_write(const struct analysis *analysis, const struct export_options *options,
		 FILE *stream, struct error *err);

#endif
