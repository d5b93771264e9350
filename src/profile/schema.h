/*
 * The tables of a profile file, described once: writer, reader and the SQL schema follow from
 * this description. Private to the profile module.
 */
#ifndef TARE_PROFILE_SCHEMA_H
#define TARE_PROFILE_SCHEMA_H

#include "profile/profile.h"

enum profile_table_id {
	PROFILE_SESSION,
	PROFILE_PROCESS,
	PROFILE_THREAD,
	PROFILE_MODULE,
	PROFILE_FUNCTION,
	PROFILE_SAMPLING,
	PROFILE_EVENT,
	PROFILE_SOURCE,
	PROFILE_LOCATION,
	PROFILE_LOCATION_LINE,
	PROFILE_STACK,
	PROFILE_UNFOLLOWED,
	PROFILE_LAST_IN_MEMORY = PROFILE_UNFOLLOWED, /* the reader keeps all up to here in memory */
	PROFILE_NODE,
	PROFILE_OS,
	PROFILE_COVERAGE,
	PROFILE_MARK,
	PROFILE_DISARM,
	PROFILE_HISTOGRAM,
	PROFILE_TRACE,
	PROFILE_TRACE_CHUNK,
	PROFILE_STACK_VALUE,
	PROFILE_SAMPLE_CHUNK,
	PROFILE_CPU_USE,
	PROFILE_COUNTED,
	PROFILE_BLOCK,
	PROFILE_EXECUTION,
	PROFILE_LINE_EXECUTION,
	PROFILE_HOLDER,
	PROFILE_WAIT,
	PROFILE_WAKE,
	PROFILE_WAKER,
	PROFILE_WOKEN,
	PROFILE_TABLES
};

/* How a member of a row struct is stored. */
enum profile_column_type {
	COLUMN_TEXT,	  /* const char *, NULL allowed */
	COLUMN_SIGNED,	  /* int64_t */
	COLUMN_COUNT,	  /* uint64_t below 2^63 */
	COLUMN_BITS,	  /* uint64_t of any value, stored as the signed number of the same bits */
	COLUMN_INT,	  /* int */
	COLUMN_UNSIGNED,  /* uint32_t */
	COLUMN_BOOL,	  /* bool, 0 or 1 */
	COLUMN_REAL,	  /* double */
	COLUMN_REFERENCE, /* int64_t id of a row of `references`, NULL for 0 */
	COLUMN_MIN,	  /* uint64_t; the next column is its COLUMN_MAX; both NULL if min > max */
	COLUMN_MAX,
	COLUMN_BLOB, /* struct profile_bytes, the table's last column; read by profile_read_… only
		      */
};

struct profile_column {
	const char *name;
	size_t offset; /* in the row's struct */
	enum profile_column_type type;
	enum profile_table_id references;
	uint32_t since, until; /* see below */
};

/*
 * `since` is the schema version in the course of which a table or a column came: files of later
 * versions have it; those of this one or an earlier one may lack it, and then it reads as empty,
 * 0 or NULL. 0: it was always there. Files of versions after `until` do not have it; 0: they do.
 */
struct profile_table {
	const char *name;
	uint32_t since, until;
	const struct profile_column *columns; /* behind the `id` that every table has */
	size_t column_count, row_bytes;
	/* Takes what the COLUMN_BLOB holds into the row while it is read; NULL: nothing does. */
	bool (*unpack)(void *row, const void *bytes, size_t size);
};

extern const struct profile_table profile_tables[];

/* A set of a table's columns: bit i stands for columns[i]. */
#define PROFILE_COLUMNS_MAX 64

static inline bool profile_column_in(uint64_t columns, size_t index)
{
	return columns >> index & 1;
}

/* Whether files of this version may have what has this `until`. */
static inline bool profile_version_has(uint32_t version, uint32_t until)
{
	return !until || version <= until;
}

/* Those that the version of today has. */
uint64_t profile_table_columns(const struct profile_table *table);
/* The CREATE TABLE statement of a table with these columns, exactly as a file holds it. */
void profile_table_sql(const struct profile_table *table, uint64_t columns, struct str *out);

#endif
