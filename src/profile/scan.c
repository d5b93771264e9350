/*
 * One pass over a table: each row becomes the table's struct, checked as far as its columns say.
 */
#include "profile/ahead.h"
#include "profile/leaf_pages.h"
#include "profile/private.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A row has a length, an id, and at least a byte per column in its header. */
enum { AHEAD_ROWS_MIN = 20000, ROW_BYTES_MIN = 3 };

bool profile_damaged(const struct profile *profile, struct error *err, const char *format, ...)
{
	char detail[256];
	va_list args;

	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	return error_set(err, ERROR_INPUT, "the profile %s is damaged: %s", profile->path, detail);
}

bool profile_database_fail(const struct profile *profile, struct error *err)
{
	const int code = sqlite3_errcode(profile->database) & 0xff;

	if (code == SQLITE_IOERR)
		return error_set_errno(err, sqlite3_system_errno(profile->database),
				       "cannot read the profile %s", profile->path);
	return profile_damaged(profile, err, "%s", sqlite3_errmsg(profile->database));
}

static int64_t rows_known(const struct profile *profile, enum profile_table_id table)
{
	return table <= PROFILE_LAST_IN_MEMORY ? (int64_t)profile->tables[table].count : INT64_MAX;
}

static inline bool scan_integer(const struct scan *scan, const struct profile_column *column,
				int64_t value, bool is_null)
{
	char *at = (char *)scan->row + column->offset;
	bool ok = true;

	switch (column->type) {
	case COLUMN_MIN:
		ok = value >= 0;
		if (!value && is_null)
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
	const bool kept = scan->table_id <= PROFILE_LAST_IN_MEMORY;
	const char *text = (const char *)sqlite3_value_text(source);
	const char **at = (const char **)(void *)((char *)scan->row + column->offset);

	*at = text ? arena_strdup(kept ? &scan->profile->arena : &scan->texts, text) : NULL;
}

/* The bytes stay until the next row, or as long as the batch. */
static const void *blob_keep(struct scan *scan, const void *bytes, size_t size)
{
	if (scan->blobs)
		return memcpy(arena_alloc(scan->blobs, size), bytes, size);
	scan->blob.len = 0;
	vec_append(&scan->blob, (const unsigned char *)bytes, size);
	return scan->blob.data;
}

/* The last column of its table. */
static bool scan_blob(struct scan *scan, const struct profile_column *column, const void *bytes,
		      size_t size)
{
	return scan->table->unpack(scan->row, size ? blob_keep(scan, bytes, size) : NULL, size) ||
	       profile_damaged(scan->profile, scan->err, "%s of row %lld of table %s has no sense",
			       column->name, (long long)scan->id, scan->table->name);
}

static bool scan_id(struct scan *scan, int64_t id)
{
	/* Pages that a hostile file uses twice would yield rows without end. */
	if (id <= scan->id)
		return profile_damaged(scan->profile, scan->err,
				       "row %lld of table %s follows row %lld", (long long)id,
				       scan->table->name, (long long)scan->id);
	scan->id = id;
	return true;
}

static bool scan_row(struct scan *scan, sqlite3_value **values)
{
	if (!scan_id(scan, sqlite3_value_int64(values[0])))
		return false;
	if (scan->texts.blocks) {
		arena_fini(&scan->texts);
		arena_init(&scan->texts);
	}
	for (size_t i = 0; i < scan->table->column_count; i++) {
		const struct profile_column *column = &scan->table->columns[i];
		if (column->type == COLUMN_BLOB && !scan->reads_blob)
			return true;
		sqlite3_value *source = values[i + 1];
		if (column->type == COLUMN_BLOB) {
			const void *bytes = sqlite3_value_blob(source);
			const int size = sqlite3_value_bytes(source);
			return scan_blob(scan, column, bytes, size > 0 ? (size_t)size : 0);
		}
		if (column->type == COLUMN_TEXT) {
			scan_text(scan, column, source);
		} else if (column->type == COLUMN_REAL) {
			const double real = sqlite3_value_double(source);
			memcpy((char *)scan->row + column->offset, &real, sizeof(real));
		} else if (!scan_integer(scan, column, sqlite3_value_int64(source),
					 sqlite3_value_type(source) == SQLITE_NULL)) {
			return false;
		}
	}
	return true;
}

/* What the file lacks reads as NULL. */
static bool scan_lacking(const struct scan *scan)
{
	for (size_t i = 0; i < scan->lacking_count; i++)
		if (!scan_integer(scan, scan->lacking[i], 0, true))
			return false;
	return true;
}

/* The values in the order of the columns that the file has. */
static bool scan_leaf_row(struct scan *scan, struct leaf_row *row)
{
	struct leaf_value blob;
	int64_t number = 0;
	bool is_null = false;

	if (!scan_id(scan, row->id) || !scan_lacking(scan))
		return false;
	for (size_t i = 0; i < scan->present_count; i++) {
		const struct profile_column *column = scan->present[i];
		if (column->type == COLUMN_BLOB)
			return leaf_row_take(row, &blob) && (blob.bytes || blob.is_null) &&
			       scan_blob(scan, column, blob.bytes, blob.size);
		if (!leaf_row_take_number(row, &number, &is_null) ||
		    !scan_integer(scan, column, number, is_null))
			return false;
	}
	return true;
}

static void scan_take_row(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct scan *scan = sqlite3_user_data(context);

	(void)count;
	scan->failed = !scan_row(scan, values);
}

static bool scan_by_database(struct scan *scan, struct error *err)
{
	struct profile *profile = scan->profile;
	const uint64_t columns = profile->columns[scan->table_id];
	struct str sql = {0};

	str_append(&sql, "SELECT tare_row(id");
	for (size_t i = 0; i < scan->table->column_count; i++)
		if (scan->table->columns[i].type != COLUMN_BLOB || scan->table->unpack)
			str_printf(&sql, ",%s",
				   profile_column_in(columns, i) ? scan->table->columns[i].name
								 : "NULL");
	str_printf(&sql, ") FROM %s NOT INDEXED ORDER BY id", scan->table->name);
	int code = sqlite3_create_function(profile->database, "tare_row", -1, SQLITE_UTF8, scan,
					   scan_take_row, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(profile->database, sql.data, -1, &scan->select, NULL);
	str_fini(&sql);
	return code == SQLITE_OK || profile_database_fail(profile, err);
}

/*
 * Numbers only: text would have to be kept, and who meets a BLOB asks for it while reading, unless
 * it is taken along.
 */
static bool has_numbers_only(const struct profile_table *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].type == COLUMN_TEXT ||
		    table->columns[i].type == COLUMN_REAL ||
		    (table->columns[i].type == COLUMN_BLOB && !table->unpack))
			return false;
	return true;
}

/* Least and largest values are in the BLOB where there is one, and come from there. */
static void scan_sort_columns(struct scan *scan)
{
	for (size_t i = 0; i < scan->table->column_count; i++) {
		const struct profile_column *column = &scan->table->columns[i];
		const bool unpacked = scan->reads_blob &&
				      (column->type == COLUMN_MIN || column->type == COLUMN_MAX);
		if (profile_column_in(scan->profile->columns[scan->table_id], i))
			scan->present[scan->present_count++] = column;
		else if (!unpacked && column->type != COLUMN_BLOB)
			scan->lacking[scan->lacking_count++] = column;
	}
}

bool scan_open_here(struct scan *scan, struct profile *profile, enum profile_table_id table,
		    void *row, struct error *err)
{
	const struct profile_table *description = &profile_tables[table];

	*scan = (struct scan){.profile = profile,
			      .table = description,
			      .table_id = table,
			      .err = err,
			      .row = row};
	arena_init(&scan->texts);
	if (!profile->columns[table])
		return true;
	scan->reads_blob = description->unpack && profile_column_in(profile->columns[table],
								    description->column_count - 1);
	scan_sort_columns(scan);
	if (table > PROFILE_LAST_IN_MEMORY && has_numbers_only(description))
		scan->leaves = leaf_pages_open(profile, table);
	return scan->leaves || scan_by_database(scan, err);
}

static int64_t number_of(struct profile *profile, const char *sql)
{
	sqlite3_stmt *select = NULL;
	int64_t number = 0;

	if (sqlite3_prepare_v2(profile->database, sql, -1, &select, NULL) == SQLITE_OK &&
	    sqlite3_step(select) == SQLITE_ROW)
		number = sqlite3_column_int64(select, 0);
	sqlite3_finalize(select);
	return number;
}

size_t scan_rows_at_most(struct profile *profile, enum profile_table_id table)
{
	struct str sql = {0};

	if (!profile->columns[table])
		return 0;
	str_printf(&sql, "SELECT max(id) FROM %s", profile_tables[table].name);
	const int64_t last = number_of(profile, sql.data);
	str_fini(&sql);
	const int64_t bytes =
		number_of(profile, "PRAGMA page_count") * number_of(profile, "PRAGMA page_size");
	const int64_t fit = bytes / (int64_t)(ROW_BYTES_MIN + profile_tables[table].column_count);
	return last < 0 || fit < 0 ? 0 : (size_t)(last < fit ? last : fit);
}

/* Tables in memory may refer to rows of their own that have been taken already. */
static bool is_worth_ahead(struct profile *profile, enum profile_table_id table)
{
	return table > PROFILE_LAST_IN_MEMORY && has_numbers_only(&profile_tables[table]) &&
	       scan_rows_at_most(profile, table) >= AHEAD_ROWS_MIN;
}

bool scan_open(struct scan *scan, struct profile *profile, enum profile_table_id table, void *row,
	       struct error *err)
{
	if (!is_worth_ahead(profile, table))
		return scan_open_here(scan, profile, table, row, err);
	*scan = (struct scan){.table = &profile_tables[table], .row = row};
	scan->ahead = ahead_open(profile, table, err);
	return scan->ahead != NULL;
}

/*
 * As scan_next. What the pages do not say clearly SQLite does, or it says what is wrong: it reads
 * all rows, as in a damaged table to go on behind a certain one could leave out others.
 */
static int next_of_leaves(struct scan *scan, struct error *err)
{
	const int64_t before = scan->id;
	struct leaf_row row;
	int more = leaf_pages_next(scan->leaves, &row);

	if (more == 0 || (more > 0 && scan_leaf_row(scan, &row)))
		return more;
	leaf_pages_close(scan->leaves);
	scan->leaves = NULL;
	scan->id = 0;
	if (!scan_by_database(scan, err))
		return -1;
	do
		more = scan_next(scan, err);
	while (more > 0 && scan->id <= before);
	return more;
}

int scan_next(struct scan *scan, struct error *err)
{
	if (scan->ahead)
		return ahead_next(scan->ahead, scan->row, &scan->id, err);
	if (scan->leaves)
		return next_of_leaves(scan, err);
	if (!scan->select)
		return 0; /* a table that the file lacks */
	const int code = sqlite3_step(scan->select);

	if (code == SQLITE_DONE)
		return 0;
	if (code != SQLITE_ROW) {
		profile_database_fail(scan->profile, err);
		return -1;
	}
	return scan->failed ? -1 : 1;
}

void scan_close(struct scan *scan)
{
	if (scan->ahead)
		ahead_close(scan->ahead);
	sqlite3_finalize(scan->select);
	leaf_pages_close(scan->leaves);
	arena_fini(&scan->texts);
	vec_fini(&scan->blob);
}
