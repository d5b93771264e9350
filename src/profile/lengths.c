/*
 * The lengths of the calls of nodes: in rows of their own up to version 4, since then in those of
 * the nodes. Refuses buckets that are none, and nodes that are none.
 */
#include "profile/per_call.h"
#include "profile/private.h"

typedef bool (*each_length)(const struct profile_histogram *row, void *context);

static bool lengths_of_table(struct profile *profile, each_length each, void *context,
			     struct error *err)
{
	struct profile_histogram row = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_HISTOGRAM, &row, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (row.bucket >= TARE_CALL_BUCKETS || !profile_node_find(profile, row.node))
			ok = profile_damaged(profile, err,
					     "histogram record %lld has bucket %u of node %lld",
					     (long long)scan.id, row.bucket, (long long)row.node);
		else if (!each(&row, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

/* Of the node that `select` stands at. 1: go on, 0: `each` wants no more, -1: err is set. */
static int lengths_of_node(struct profile *profile, sqlite3_stmt *select, each_length each,
			   void *context, struct error *err)
{
	struct profile_histogram row = {.node = sqlite3_column_int64(select, 0),
					.bucket = PER_CALL_FIRST};
	const void *bytes = sqlite3_column_blob(select, 1);
	struct byte_reader reader =
		per_call_lengths(bytes, (size_t)sqlite3_column_bytes(select, 1));
	int more;

	while ((more = per_call_next(&reader, &row)) > 0)
		if (!each(&row, context))
			return 0;
	if (more == 0 && profile_node_find(profile, row.node))
		return 1;
	profile_damaged(profile, err, "the calls of node %lld make no sense", (long long)row.node);
	return -1;
}

bool profile_node_lengths(const struct profile *profile, const struct profile_node *row,
			  struct profile_lengths *lengths, struct error *err)
{
	struct profile_histogram length = {.bucket = PER_CALL_FIRST};
	struct byte_reader reader = byte_reader(row->per_call.start, row->per_call.size);
	int more;

	lengths->first = lengths->end = 0;
	while ((more = per_call_next(&reader, &length)) > 0) {
		if (!lengths->end)
			lengths->first = lengths->end = length.bucket;
		while (lengths->end < length.bucket)
			lengths->calls[lengths->end++] = 0;
		lengths->calls[lengths->end++] = length.calls;
	}
	return more == 0 || profile_damaged(profile, err, "the calls of node %lld make no sense",
					    (long long)row->id);
}

static bool lengths_of_nodes(struct profile *profile, each_length each, void *context,
			     struct error *err)
{
	sqlite3_stmt *select = NULL;
	int code = SQLITE_DONE, more = 1;

	if (sqlite3_prepare_v2(profile->database,
			       "SELECT id, per_call FROM node NOT INDEXED ORDER BY id", -1, &select,
			       NULL) != SQLITE_OK)
		return profile_database_fail(profile, err);
	while (more > 0 && (code = sqlite3_step(select)) == SQLITE_ROW)
		more = lengths_of_node(profile, select, each, context, err);
	const bool ok = more >= 0 && (code == SQLITE_DONE || code == SQLITE_ROW ||
				      profile_database_fail(profile, err));
	sqlite3_finalize(select);
	return ok;
}

/* A file of this version may be older than the column. */
bool profile_nodes_have_lengths(const struct profile *profile)
{
	const struct profile_table *node = &profile_tables[PROFILE_NODE];

	return profile_column_in(profile->columns[PROFILE_NODE], node->column_count - 1);
}

bool profile_each_histogram(struct profile *profile, each_length each, void *context,
			    struct error *err)
{
	if (!profile_nodes_know(profile, err))
		return false;
	return profile_nodes_have_lengths(profile) ? lengths_of_nodes(profile, each, context, err)
						   : lengths_of_table(profile, each, context, err);
}
