/*
 * Reads a profile that anybody may have written. Refuses files that are no profile, of another
 * schema version, whose tables are not exactly those of schema.c (so that no view, trigger or
 * generated column of a hostile file can run), and rows that contradict the rules of profile.h:
 * ids that do not ascend, references to rows that do not exist, parents that do not precede their
 * children or belong to another thread. The file is opened as immutable: journals beside it are
 * ignored, and nothing is locked or written.
 */
#include "profile/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_MAGIC "SQLite format 3"

enum {
	HEADER_BYTES = 100,
	HEADER_PAGE_SIZE_AT = 16, /* two bytes */
	HEADER_PAGES_AT = 28,
	HEADER_VERSION_AT = 60,
	HEADER_APPLICATION_AT = 68
};

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
	struct arena arena;
	struct rows tables[PROFILE_FUNCTION + 1]; /* those that are kept in memory */
	struct vec_of(struct node_key) nodes;	  /* ascending; filled by profile_each_node */
	bool nodes_known;
};

/*
 * One pass over a table. The values of a row reach tare as the arguments of an SQL function, which
 * costs less than asking for each column of the result.
 */
struct scan {
	struct profile *profile;
	const struct profile_table *table;
	enum profile_table_id table_id;
	sqlite3_stmt *select;
	struct arena texts; /* of the current row, where rows are not kept */
	struct error *err;
	int64_t id;
	void *row;
	bool failed;
};

__attribute__((format(printf, 3, 4))) static bool
profile_damaged(const struct profile *profile, struct error *err, const char *format, ...)
{
	char detail[256];
	va_list args;

	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	return error_set(err, ERROR_INPUT, "the profile %s is damaged: %s", profile->path, detail);
}

static bool database_fail(const struct profile *profile, struct error *err)
{
	const int code = sqlite3_errcode(profile->database) & 0xff;

	if (code == SQLITE_IOERR)
		return error_set_errno(err, sqlite3_system_errno(profile->database),
				       "cannot read the profile %s", profile->path);
	return profile_damaged(profile, err, "%s", sqlite3_errmsg(profile->database));
}

/* ---- opening ---- */

static uint32_t big_endian_u32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool version_check(const char *path, uint32_t version, struct error *err)
{
	if (version == PROFILE_SCHEMA_VERSION)
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "the profile %s has schema version %u, this tare reads version %d; %s",
			 path, version, PROFILE_SCHEMA_VERSION,
			 version > PROFILE_SCHEMA_VERSION
				 ? "read it with a newer tare"
				 : "record it again or read it with an older tare");
}

/* SQLite itself would notice missing pages only where it needs them. */
static bool size_check(const char *path, const unsigned char *header, uint64_t size,
		       struct error *err)
{
	const uint32_t raw =
		(uint32_t)header[HEADER_PAGE_SIZE_AT] << 8 | header[HEADER_PAGE_SIZE_AT + 1];
	const uint64_t page_bytes = raw == 1 ? 65536 : raw;

	if (size >= page_bytes * big_endian_u32(header + HEADER_PAGES_AT))
		return true;
	return error_set(err, ERROR_INPUT, "the profile %s is damaged: its end is missing", path);
}

static bool header_check(const char *path, const unsigned char *header, uint64_t size,
			 struct error *err)
{
	if (memcmp(header, HEADER_MAGIC, sizeof(HEADER_MAGIC)) != 0 ||
	    big_endian_u32(header + HEADER_APPLICATION_AT) != PROFILE_APPLICATION_ID)
		return error_set(err, ERROR_INPUT, "%s is not a profile of tare", path);
	return version_check(path, big_endian_u32(header + HEADER_VERSION_AT), err) &&
	       size_check(path, header, size, err);
}

static bool file_check(const char *path, struct error *err)
{
	unsigned char header[HEADER_BYTES];
	struct stat info;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return error_set_errno(err, errno, "cannot open the profile %s", path);
	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
		close(fd);
		return error_set(err, ERROR_INPUT, "%s is not a regular file", path);
	}
	const ssize_t got = pread(fd, header, sizeof(header), 0);
	const int saved = errno;
	close(fd);
	if (got < 0)
		return error_set_errno(err, saved, "cannot read the profile %s", path);
	if (got < HEADER_BYTES)
		return error_set(err, ERROR_INPUT, "%s is not a profile of tare", path);
	return header_check(path, header, (uint64_t)info.st_size, err);
}

/* As a URI, every byte that could have a meaning there is escaped. */
static void path_to_uri(const char *path, struct str *uri)
{
	str_append(uri, path[0] == '/' ? "file:" : "file:./");
	for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
		if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
		    (*at >= '0' && *at <= '9') || strchr("/._-", *at))
			str_printf(uri, "%c", *at);
		else
			str_printf(uri, "%%%02x", *at);
	}
	str_append(uri, "?immutable=1");
}

static bool database_open(struct profile *profile, struct error *err)
{
	struct str uri = {0};

	path_to_uri(profile->path, &uri);
	const int code =
		sqlite3_open_v2(uri.data, &profile->database,
				SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	str_fini(&uri);
	if (code != SQLITE_OK)
		return database_fail(profile, err);
	sqlite3_db_config(profile->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(profile->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(profile->database, SQLITE_LIMIT_LENGTH, 64 << 20);
	if (sqlite3_exec(
		    profile->database,
		    "PRAGMA cell_size_check=ON; PRAGMA cache_size=-16384; PRAGMA query_only=ON",
		    NULL, NULL, NULL) != SQLITE_OK)
		return database_fail(profile, err);
	return true;
}

/* A table must have been created by exactly the statement that the writer uses. */
static bool table_check(struct profile *profile, const struct profile_table *table,
			struct error *err)
{
	sqlite3_stmt *select = NULL;
	struct str sql = {0};
	bool ok = true;

	if (sqlite3_prepare_v2(profile->database,
			       "SELECT type, sql FROM sqlite_schema WHERE name = ?", -1, &select,
			       NULL) != SQLITE_OK)
		return database_fail(profile, err);
	sqlite3_bind_text(select, 1, table->name, -1, SQLITE_STATIC);
	profile_table_sql(table, &sql);
	const int code = sqlite3_step(select);
	if (code == SQLITE_ROW) {
		const char *type = (const char *)sqlite3_column_text(select, 0);
		const char *text = (const char *)sqlite3_column_text(select, 1);
		if (!type || strcmp(type, "table") != 0 || !text || strcmp(text, sql.data) != 0)
			ok = profile_damaged(profile, err, "its table %s has other columns",
					     table->name);
	} else if (code == SQLITE_DONE) {
		ok = profile_damaged(profile, err, "it has no table %s", table->name);
	} else {
		ok = database_fail(profile, err);
	}
	sqlite3_finalize(select);
	str_fini(&sql);
	return ok;
}

/* ---- rows ---- */

static int64_t rows_known(const struct profile *profile, enum profile_table_id table)
{
	return table <= PROFILE_FUNCTION ? (int64_t)profile->tables[table].count : INT64_MAX;
}

static bool scan_integer(const struct scan *scan, const struct profile_column *column,
			 sqlite3_value *source)
{
	char *at = (char *)scan->row + column->offset;
	int64_t value = sqlite3_value_int64(source);
	bool ok = true;

	switch (column->type) {
	case COLUMN_MIN:
		ok = value >= 0;
		if (!value && sqlite3_value_type(source) == SQLITE_NULL)
			value = -1;
		break;
	case COLUMN_COUNT:
	case COLUMN_MAX:
		ok = value >= 0;
		break;
	case COLUMN_REFERENCE:
		ok = value >= 0 && value <= rows_known(scan->profile, column->references);
		break;
	case COLUMN_INT:
		ok = value >= INT_MIN && value <= INT_MAX;
		*(int *)(void *)at = (int)value;
		break;
	case COLUMN_UNSIGNED:
		ok = value >= 0 && value <= UINT32_MAX;
		*(uint32_t *)(void *)at = (uint32_t)value;
		break;
	case COLUMN_BOOL:
		*(bool *)(void *)at = value != 0;
		break;
	default:
		break;
	}
	if (!ok)
		return profile_damaged(scan->profile, scan->err,
				       "%s of row %lld of table %s is %lld", column->name,
				       (long long)scan->id, scan->table->name, (long long)value);
	if (column->type != COLUMN_INT && column->type != COLUMN_UNSIGNED &&
	    column->type != COLUMN_BOOL)
		memcpy(at, &value, sizeof(value));
	return true;
}

/* Text of tables in memory lives as long as the profile, else until the next row. */
static void scan_text(struct scan *scan, const struct profile_column *column, sqlite3_value *source)
{
	const bool kept = scan->table_id <= PROFILE_FUNCTION;
	const char *text = (const char *)sqlite3_value_text(source);
	const char **at = (const char **)(void *)((char *)scan->row + column->offset);

	*at = text ? arena_strdup(kept ? &scan->profile->arena : &scan->texts, text) : NULL;
}

static bool scan_row(struct scan *scan, sqlite3_value **values)
{
	const int64_t id = sqlite3_value_int64(values[0]);

	/* Pages that a hostile file uses twice would yield rows without end. */
	if (id <= scan->id)
		return profile_damaged(scan->profile, scan->err,
				       "row %lld of table %s follows row %lld", (long long)id,
				       scan->table->name, (long long)scan->id);
	scan->id = id;
	if (scan->texts.blocks) {
		arena_fini(&scan->texts);
		arena_init(&scan->texts);
	}
	for (size_t i = 0; i < scan->table->column_count; i++) {
		const struct profile_column *column = &scan->table->columns[i];
		if (column->type == COLUMN_BLOB)
			break;
		sqlite3_value *source = values[i + 1];
		if (column->type == COLUMN_TEXT) {
			scan_text(scan, column, source);
		} else if (column->type == COLUMN_REAL) {
			const double real = sqlite3_value_double(source);
			memcpy((char *)scan->row + column->offset, &real, sizeof(real));
		} else if (!scan_integer(scan, column, source)) {
			return false;
		}
	}
	return true;
}

static void scan_take_row(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct scan *scan = sqlite3_user_data(context);

	(void)count;
	scan->failed = !scan_row(scan, values);
}

static bool scan_open(struct scan *scan, struct profile *profile, enum profile_table_id table,
		      void *row, struct error *err)
{
	struct str sql = {0};

	*scan = (struct scan){.profile = profile,
			      .table = &profile_tables[table],
			      .table_id = table,
			      .err = err,
			      .row = row};
	arena_init(&scan->texts);
	str_append(&sql, "SELECT tare_row(id");
	for (size_t i = 0; i < scan->table->column_count; i++)
		if (scan->table->columns[i].type != COLUMN_BLOB)
			str_printf(&sql, ",%s", scan->table->columns[i].name);
	str_printf(&sql, ") FROM %s NOT INDEXED ORDER BY id", scan->table->name);
	int code = sqlite3_create_function(profile->database, "tare_row", -1, SQLITE_UTF8, scan,
					   scan_take_row, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(profile->database, sql.data, -1, &scan->select, NULL);
	str_fini(&sql);
	return code == SQLITE_OK || database_fail(profile, err);
}

/* 1: a row was read, 0: there are no more, -1: err is set. */
static int scan_next(struct scan *scan, struct error *err)
{
	const int code = sqlite3_step(scan->select);

	if (code == SQLITE_DONE)
		return 0;
	if (code != SQLITE_ROW) {
		database_fail(scan->profile, err);
		return -1;
	}
	return scan->failed ? -1 : 1;
}

static void scan_close(struct scan *scan)
{
	sqlite3_finalize(scan->select);
	arena_fini(&scan->texts);
}

static bool table_load(struct profile *profile, enum profile_table_id id, struct error *err)
{
	const size_t row_bytes = profile_tables[id].row_bytes;
	struct rows *rows = &profile->tables[id];
	void *row = mem_zalloc(row_bytes);
	size_t cap = 0, count = 0;
	struct scan scan;
	bool ok = scan_open(&scan, profile, id, row, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (scan.id != (int64_t)count + 1) {
			ok = profile_damaged(profile, err, "row %zu of table %s is missing",
					     count + 1, scan.table->name);
			break;
		}
		if (count == cap)
			vec_grow((void **)&rows->bytes, &cap, count + 1, row_bytes);
		memcpy(rows->bytes + count * row_bytes, row, row_bytes);
		count++;
	}
	rows->count = count;
	scan_close(&scan);
	free(row);
	return ok && more == 0;
}

static bool session_check(const struct profile *profile, struct error *err)
{
	const struct profile_session *session = profile_session(profile);

	if (profile->tables[PROFILE_SESSION].count != 1)
		return profile_damaged(profile, err, "it has %zu sessions, not one",
				       profile->tables[PROFILE_SESSION].count);
	if (!isfinite(session->ticks_per_second) || session->ticks_per_second < 1)
		return profile_damaged(profile, err, "its clock has %g ticks per second",
				       session->ticks_per_second);
	return true;
}

/* Rows that must belong to another one. */
static bool owners_check(const struct profile *profile, struct error *err)
{
	size_t count;
	const struct profile_thread *threads = profile_threads(profile, &count);

	for (size_t i = 0; i < count; i++)
		if (!threads[i].process)
			return profile_damaged(profile, err, "thread %zu has no process", i + 1);
	const struct profile_function *functions = profile_functions(profile, &count);
	for (size_t i = 0; i < count; i++)
		if (!functions[i].module)
			return profile_damaged(profile, err, "function %zu has no module", i + 1);
	return true;
}

struct profile *profile_open(const char *path, struct error *err)
{
	if (!file_check(path, err))
		return NULL;
	struct profile *profile = mem_zalloc(sizeof(*profile));
	profile->path = mem_strdup(path);
	arena_init(&profile->arena);
	bool ok = database_open(profile, err);
	for (int i = 0; i < PROFILE_TABLES && ok; i++)
		ok = table_check(profile, &profile_tables[i], err);
	for (int i = 0; i <= PROFILE_FUNCTION && ok; i++)
		ok = table_load(profile, (enum profile_table_id)i, err);
	if (ok && session_check(profile, err) && owners_check(profile, err))
		return profile;
	profile_close(profile);
	return NULL;
}

void profile_close(struct profile *profile)
{
	if (!profile)
		return;
	sqlite3_close(profile->database);
	for (int i = 0; i <= PROFILE_FUNCTION; i++)
		free(profile->tables[i].bytes);
	vec_fini(&profile->nodes);
	arena_fini(&profile->arena);
	free(profile->path);
	free(profile);
}

static const void *table_rows(const struct profile *profile, enum profile_table_id id,
			      size_t *count)
{
	*count = profile->tables[id].count;
	return profile->tables[id].bytes;
}

const struct profile_session *profile_session(const struct profile *profile)
{
	return (const void *)profile->tables[PROFILE_SESSION].bytes;
}

const struct profile_process *profile_processes(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_PROCESS, count);
}

const struct profile_thread *profile_threads(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_THREAD, count);
}

const struct profile_module *profile_modules(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_MODULE, count);
}

const struct profile_function *profile_functions(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_FUNCTION, count);
}

/* ---- streams ---- */

/* Where node `id` is in profile->nodes[0..len), or NULL. Dense ids are found at once. */
static const struct node_key *node_find(const struct profile *profile, int64_t id)
{
	const struct node_key *nodes = profile->nodes.data;
	size_t low = 0, high = profile->nodes.len;

	if (id > 0 && (uint64_t)id <= high && nodes[id - 1].id == id)
		return &nodes[id - 1];
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (nodes[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < profile->nodes.len && nodes[low].id == id ? &nodes[low] : NULL;
}

static bool node_check(struct profile *profile, const struct profile_node *node, struct error *err)
{
	if (node->id < 1 || !node->thread)
		return profile_damaged(profile, err, "node %lld has no thread",
				       (long long)node->id);
	if (!node->parent != !node->function)
		return profile_damaged(profile, err, "node %lld is neither a root nor a function",
				       (long long)node->id);
	if (node->parent) {
		const struct node_key *parent = node_find(profile, node->parent);
		if (!parent)
			return profile_damaged(profile, err,
					       "the parent %lld of node %lld does not precede it",
					       (long long)node->parent, (long long)node->id);
		if (parent->thread != node->thread)
			return profile_damaged(profile, err,
					       "node %lld and its parent are of different threads",
					       (long long)node->id);
	}
	vec_push(&profile->nodes, ((struct node_key){.id = node->id, .thread = node->thread}));
	return true;
}

bool profile_each_node(struct profile *profile,
		       bool (*each)(const struct profile_node *row, void *context), void *context,
		       struct error *err)
{
	struct profile_node node = {0};
	struct scan scan;
	bool ok = scan_open(&scan, profile, PROFILE_NODE, &node, err);
	int more = 0;

	profile->nodes.len = 0;
	profile->nodes_known = false;
	while (ok && (more = scan_next(&scan, err)) > 0) {
		node.id = scan.id;
		ok = node_check(profile, &node, err);
		if (ok && !each(&node, context))
			break;
	}
	scan_close(&scan);
	profile->nodes_known = ok && more == 0;
	return ok && more >= 0;
}

static bool node_ignore(const struct profile_node *row, void *context)
{
	(void)row;
	(void)context;
	return true;
}

bool profile_each_os(struct profile *profile,
		     bool (*each)(const struct profile_os *row, void *context), void *context,
		     struct error *err)
{
	struct profile_os os = {0};
	struct scan scan;
	uint32_t cause;
	bool ok = profile->nodes_known || profile_each_node(profile, node_ignore, NULL, err);
	int more = 0;

	ok = ok && scan_open(&scan, profile, PROFILE_OS, &os, err);
	if (!ok)
		return false;
	while (ok && (more = scan_next(&scan, err)) > 0) {
		memcpy(&cause, &os.cause, sizeof(cause));
		if (cause >= TARE_OS_CAUSES || !node_find(profile, os.node))
			ok = profile_damaged(profile, err,
					     "OS record %lld has cause %u of node %lld",
					     (long long)scan.id, cause, (long long)os.node);
		else if (!each(&os, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_histogram(struct profile *profile,
			    bool (*each)(const struct profile_histogram *row, void *context),
			    void *context, struct error *err)
{
	struct profile_histogram histogram = {0};
	struct scan scan;
	bool ok = profile->nodes_known || profile_each_node(profile, node_ignore, NULL, err);
	int more = 0;

	ok = ok && scan_open(&scan, profile, PROFILE_HISTOGRAM, &histogram, err);
	if (!ok)
		return false;
	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (histogram.bucket >= TARE_CALL_BUCKETS || !node_find(profile, histogram.node))
			ok = profile_damaged(
				profile, err, "histogram record %lld has bucket %u of node %lld",
				(long long)scan.id, histogram.bucket, (long long)histogram.node);
		else if (!each(&histogram, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_coverage(struct profile *profile,
			   bool (*each)(const struct profile_coverage *row, void *context),
			   void *context, struct error *err)
{
	struct profile_coverage coverage = {0};
	struct scan scan;
	bool ok = scan_open(&scan, profile, PROFILE_COVERAGE, &coverage, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!coverage.module || coverage.count < 0)
			ok = profile_damaged(profile, err, "coverage record %lld has no module",
					     (long long)scan.id);
		else if (!each(&coverage, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_disarm(struct profile *profile,
			 bool (*each)(const struct profile_disarm *row, void *context),
			 void *context, struct error *err)
{
	struct profile_disarm disarm = {0};
	struct scan scan;
	bool ok = scan_open(&scan, profile, PROFILE_DISARM, &disarm, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!disarm.process || !disarm.function)
			ok = profile_damaged(profile, err,
					     "disarm record %lld has no process or function",
					     (long long)scan.id);
		else if (!each(&disarm, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_mark(struct profile *profile,
		       bool (*each)(const struct profile_mark *row, void *context), void *context,
		       struct error *err)
{
	struct profile_mark mark = {0};
	struct scan scan;
	bool ok = scan_open(&scan, profile, PROFILE_MARK, &mark, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!each(&mark, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_trace(struct profile *profile,
			bool (*each)(const struct profile_trace *row, void *context), void *context,
			struct error *err)
{
	struct profile_trace trace = {0};
	struct scan scan;
	bool ok = scan_open(&scan, profile, PROFILE_TRACE, &trace, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!trace.thread)
			ok = profile_damaged(profile, err, "event log %lld has no thread",
					     (long long)scan.id);
		else if (!each(&trace, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_trace_chunk(struct profile *profile,
			      bool (*each)(int64_t id, const struct profile_trace_chunk *row,
					   void *context),
			      void *context, struct error *err)
{
	struct profile_trace_chunk chunk = {0};
	struct scan scan;
	bool ok = scan_open(&scan, profile, PROFILE_TRACE_CHUNK, &chunk, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!chunk.thread || chunk.begin_ticks >> 62 || chunk.end_ticks >> 62)
			ok = profile_damaged(profile, err, "part %lld of an event log is misplaced",
					     (long long)scan.id);
		else if (!each(scan.id, &chunk, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_read_trace_chunk(struct profile *profile, int64_t id, void **data, size_t *size,
			      struct error *err)
{
	sqlite3_stmt *select = NULL;
	bool ok = sqlite3_prepare_v2(profile->database, "SELECT data FROM trace_chunk WHERE id = ?",
				     -1, &select, NULL) == SQLITE_OK &&
		  sqlite3_bind_int64(select, 1, id) == SQLITE_OK &&
		  sqlite3_step(select) == SQLITE_ROW;

	if (ok) {
		const void *bytes = sqlite3_column_blob(select, 0);
		*size = (size_t)sqlite3_column_bytes(select, 0);
		*data = mem_alloc(*size + 1);
		if (*size)
			memcpy(*data, bytes, *size);
	} else {
		profile_damaged(profile, err, "part %lld of an event log cannot be read",
				(long long)id);
	}
	sqlite3_finalize(select);
	return ok;
}
