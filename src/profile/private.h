/* What the files of the reader share: an open profile, and one pass over a table. */
#ifndef TARE_PROFILE_PRIVATE_H
#define TARE_PROFILE_PRIVATE_H

#include "profile/schema.h"

#include <sqlite3.h>

struct node_key {
	int64_t id, thread;
};

struct rows {
	unsigned char *bytes;
	size_t count;
};

struct profile {
	sqlite3 *database;
	char *path;
	uint32_t version;		  /* of its schema */
	uint64_t columns[PROFILE_TABLES]; /* those that the file has; of a table that it lacks: 0 */
	struct arena arena;
	struct rows tables[PROFILE_LAST_IN_MEMORY + 1];
	struct vec_of(struct node_key) nodes; /* ascending; filled by profile_each_node */
	bool nodes_known;
};

/*
 * One pass over a table: of its pages, or of the database. There the values of a row reach tare as
 * the arguments of an SQL function, which costs less than asking for each column of the result.
 */
struct scan {
	struct profile *profile;
	const struct profile_table *table;
	enum profile_table_id table_id;
	sqlite3_stmt *select;
	struct leaf_pages *leaves; /* what is read instead of the result; NULL: nothing */
	const struct profile_column *present[PROFILE_COLUMNS_MAX]; /* that the file has */
	const struct profile_column *lacking[PROFILE_COLUMNS_MAX]; /* that it has not */
	size_t present_count, lacking_count;
	struct arena texts;  /* of the current row, where rows are not kept */
	bool reads_blob;     /* the row has that of its BLOB */
	struct arena *blobs; /* where its bytes are kept; NULL: in `blob`, until the next row */
	struct byte_vec blob;
	struct error *err;
	int64_t id;
	void *row;
	bool failed;
	struct ahead *ahead; /* reads for this one; NULL: it reads by itself */
};

__attribute__((format(printf, 3, 4))) bool
profile_damaged(const struct profile *profile, struct error *err, const char *format, ...);
/* What SQLite says of the last call. */
bool profile_database_fail(const struct profile *profile, struct error *err);

/* Where node `id` is in profile->nodes, or NULL; once they are known. */
const struct node_key *profile_node_find(const struct profile *profile, int64_t id);
/* Reads all nodes unless that was done before. */
bool profile_nodes_know(struct profile *profile, struct error *err);

/* Rows go to `row`, a struct of the table. To be closed whatever this returns. */
bool scan_open(struct scan *scan, struct profile *profile, enum profile_table_id table, void *row,
	       struct error *err);
/* The same without another thread. */
bool scan_open_here(struct scan *scan, struct profile *profile, enum profile_table_id table,
		    void *row, struct error *err);
/* No fewer than the table has, as its last id and the size of the file tell. */
size_t scan_rows_at_most(struct profile *profile, enum profile_table_id table);
/* 1: a row was read, 0: there are no more, -1: err is set. */
int scan_next(struct scan *scan, struct error *err);
void scan_close(struct scan *scan);

#endif
