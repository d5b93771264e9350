/*
 * Reads a profile that anybody may have written. Refuses files that are no profile, of a newer
 * schema version, whose tables are not exactly those that schema.c says for their version (so that
 * no view, trigger or generated column of a hostile file can run), and rows that contradict the
 * rules of profile.h: ids that do not ascend, references to rows that do not exist, parents that do
 * not precede their children or belong to another thread. The file is opened as immutable: journals
 * beside it are ignored, and nothing is locked or written.
 */
#include "profile/private.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
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

/* ---- opening ---- */

static uint32_t big_endian_u32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool version_check(const char *path, uint32_t version, struct error *err)
{
	if (version >= 1 && version <= PROFILE_SCHEMA_VERSION)
		return true;
	if (!version)
		return error_set(err, ERROR_INPUT,
				 "the profile %s is damaged: it has no schema version", path);
	return error_set(err, ERROR_UNSUPPORTED,
			 "the profile %s has schema version %u, this tare reads versions 1 to %d; "
			 "read it with a newer tare",
			 path, version, PROFILE_SCHEMA_VERSION);
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
	const uint32_t version = big_endian_u32(header + HEADER_VERSION_AT);

	if (memcmp(header, HEADER_MAGIC, sizeof(HEADER_MAGIC)) != 0 ||
	    big_endian_u32(header + HEADER_APPLICATION_AT) != PROFILE_APPLICATION_ID)
		return error_set(err, ERROR_INPUT, "%s is not a profile of tare", path);
	return version_check(path, version, err) && size_check(path, header, size, err);
}

static bool file_check(const char *path, uint32_t *version, struct error *err)
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
	*version = big_endian_u32(header + HEADER_VERSION_AT);
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
		return profile_database_fail(profile, err);
	sqlite3_db_config(profile->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(profile->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(profile->database, SQLITE_LIMIT_LENGTH, 64 << 20);
	if (sqlite3_exec(
		    profile->database,
		    "PRAGMA cell_size_check=ON; PRAGMA cache_size=-16384; PRAGMA query_only=ON",
		    NULL, NULL, NULL) != SQLITE_OK)
		return profile_database_fail(profile, err);
	return true;
}

/* Whether a file of the version may lack what came in the course of version `since`. */
static bool may_lack(const struct profile *profile, uint32_t since)
{
	return profile->version <= since;
}

/* A table must have been created by exactly the statement that a writer used for its columns. */
static bool table_is_known(struct profile *profile, enum profile_table_id id, const char *text)
{
	const struct profile_table *table = &profile_tables[id];
	uint64_t columns = 0;
	struct str sql = {0};

	for (size_t i = 0; i < table->column_count; i++) {
		if (!profile_version_has(profile->version, table->columns[i].until))
			continue;
		str_clear(&sql);
		str_printf(&sql, "\n\t%s ", table->columns[i].name);
		if (!may_lack(profile, table->columns[i].since) || strstr(text, sql.data))
			columns |= (uint64_t)1 << i;
	}
	str_clear(&sql);
	profile_table_sql(table, columns, &sql);
	const bool same = strcmp(text, sql.data) == 0;
	str_fini(&sql);
	profile->columns[id] = columns;
	return same;
}

static bool table_check(struct profile *profile, enum profile_table_id id, struct error *err)
{
	const struct profile_table *table = &profile_tables[id];
	sqlite3_stmt *select = NULL;
	bool ok = true;

	if (!profile_version_has(profile->version, table->until))
		return true;
	if (sqlite3_prepare_v2(profile->database,
			       "SELECT type, sql FROM sqlite_schema WHERE name = ?", -1, &select,
			       NULL) != SQLITE_OK)
		return profile_database_fail(profile, err);
	sqlite3_bind_text(select, 1, table->name, -1, SQLITE_STATIC);
	const int code = sqlite3_step(select);
	if (code == SQLITE_ROW) {
		const char *type = (const char *)sqlite3_column_text(select, 0);
		const char *text = (const char *)sqlite3_column_text(select, 1);
		if (!type || strcmp(type, "table") != 0 || !text ||
		    !table_is_known(profile, id, text))
			ok = profile_damaged(profile, err, "its table %s has other columns",
					     table->name);
	} else if (code != SQLITE_DONE) {
		ok = profile_database_fail(profile, err);
	} else if (!may_lack(profile, table->since)) {
		ok = profile_damaged(profile, err, "it has no table %s", table->name);
	}
	sqlite3_finalize(select);
	return ok;
}

static bool table_load(struct profile *profile, enum profile_table_id id, struct error *err)
{
	const size_t row_bytes = profile_tables[id].row_bytes;
	struct rows *rows = &profile->tables[id];
	void *row = mem_zalloc(row_bytes);
	size_t cap = 0, count = 0;
	struct scan scan = {0};
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
		rows->count = ++count; /* a row may refer to those before it */
	}
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

/* Those of a location follow each other, from the innermost on. */
static bool lines_check(const struct profile *profile, struct error *err)
{
	size_t count;
	const struct profile_location_line *lines = profile_location_lines(profile, &count);

	for (size_t i = 0; i < count; i++) {
		const bool first = i == 0 || lines[i].location != lines[i - 1].location;
		if (!lines[i].location || (i && lines[i].location < lines[i - 1].location) ||
		    lines[i].depth != (first ? 0 : lines[i - 1].depth + 1))
			return profile_damaged(profile, err,
					       "line %zu of location %lld is out of order", i + 1,
					       (long long)lines[i].location);
	}
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
	const struct profile_location *locations = profile_locations(profile, &count);
	for (size_t i = 0; i < count; i++)
		if (!locations[i].function)
			return profile_damaged(profile, err, "location %zu has no function", i + 1);
	const struct profile_stack *stacks = profile_stacks(profile, &count);
	for (size_t i = 0; i < count; i++)
		if (!stacks[i].location)
			return profile_damaged(profile, err, "stack %zu has no location", i + 1);
	return lines_check(profile, err);
}

struct profile *profile_open(const char *path, struct error *err)
{
	uint32_t version = 0;

	if (!file_check(path, &version, err))
		return NULL;
	struct profile *profile = mem_zalloc(sizeof(*profile));
	profile->version = version;
	profile->path = mem_strdup(path);
	arena_init(&profile->arena);
	bool ok = database_open(profile, err);
	for (int i = 0; i < PROFILE_TABLES && ok; i++)
		ok = table_check(profile, (enum profile_table_id)i, err);
	for (int i = 0; i <= PROFILE_LAST_IN_MEMORY && ok; i++)
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
	for (int i = 0; i <= PROFILE_LAST_IN_MEMORY; i++)
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

uint32_t profile_version(const struct profile *profile)
{
	return profile->version;
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

const struct profile_sampling *profile_samplings(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_SAMPLING, count);
}

const struct profile_unfollowed *profile_unfollowed(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_UNFOLLOWED, count);
}

const struct profile_event *profile_events(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_EVENT, count);
}

const struct profile_source *profile_sources(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_SOURCE, count);
}

const struct profile_location *profile_locations(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_LOCATION, count);
}

const struct profile_location_line *profile_location_lines(const struct profile *profile,
							   size_t *count)
{
	return table_rows(profile, PROFILE_LOCATION_LINE, count);
}

const struct profile_stack *profile_stacks(const struct profile *profile, size_t *count)
{
	return table_rows(profile, PROFILE_STACK, count);
}

bool profile_has_call_sites(const struct profile *profile)
{
	sqlite3_stmt *select = NULL;

	/* a file of an older version has no such column */
	const bool any = profile->tables[PROFILE_LOCATION].count &&
			 sqlite3_prepare_v2(profile->database,
					    "SELECT 1 FROM node WHERE location IS NOT NULL LIMIT 1",
					    -1, &select, NULL) == SQLITE_OK &&
			 sqlite3_step(select) == SQLITE_ROW;
	sqlite3_finalize(select);
	return any;
}
