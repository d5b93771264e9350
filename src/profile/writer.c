/*
 * Writes a profile: one transaction without journal into a temporary file beside the final one,
 * which is fsynced and renamed at commit. Any failure makes the writer refuse everything that
 * follows, so that no incomplete profile can appear. Refuses rows that refer to rows which were
 * not added, nodes whose parent does not precede them, and counters of 2^63 and more.
 */
#include "profile/per_call.h"
#include "profile/schema.h"
#include "profile/temporary.h"
#include "profile/write_behind.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Rows wait until there are ROWS_HANDED of their table, and are then written by another thread,
 * ROWS_AT_ONCE by one statement: most of what SQLite does for a row of its own is for the
 * statement. Their ids follow each other, and are given by SQLite.
 */
enum { ROWS_AT_ONCE = 16, ROWS_HANDED = 1024, COPIES_HANDED_BYTES = 1 << 19 };

struct profile_writer {
	/* The other thread's while it writes. */
	sqlite3 *database;
	sqlite3_stmt *insert[PROFILE_TABLES];
	sqlite3_stmt *insert_many[PROFILE_TABLES]; /* NULL: not needed yet */
	sqlite3_stmt *set_source, *set_lines, *set_in_runtime, *set_process_name;
	struct write_behind behind;
	struct row_batch waiting[PROFILE_TABLES];
	struct byte_vec per_call;      /* of the node that is added */
	int64_t count[PROFILE_TABLES]; /* rows; of nodes: the largest id */
	char *path, *temporary;
	bool keep_old;
	_Atomic bool failed;
};

static bool waiting_write_all(struct profile_writer *writer, struct error *err);
static bool batch_write(void *context, struct row_batch *batch, struct error *err);

/* SQLite does not always say why it could not write; then the system call's own word is there. */
static int writer_errno(const struct profile_writer *writer)
{
	static const int reasons[] = {EFBIG, EDQUOT, EIO, ENOSPC, EROFS};
	const int last = errno, known = sqlite3_system_errno(writer->database);

	for (size_t i = 0; !known && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (last == reasons[i])
			return last;
	return known;
}

static bool writer_fail(struct profile_writer *writer, struct error *err)
{
	const int errno_value = writer_errno(writer);
	const int code = sqlite3_extended_errcode(writer->database) & 0xff;

	writer->failed = true;
	if (code == SQLITE_FULL)
		return error_set_errno(err, ENOSPC, "cannot write the profile %s", writer->path);
	if (code == SQLITE_IOERR && errno_value)
		return error_set_errno(err, errno_value, "cannot write the profile %s",
				       writer->path);
	return error_set(err, ERROR_SYSTEM, "cannot write the profile %s: %s", writer->path,
			 sqlite3_errmsg(writer->database));
}

static bool writer_execute(struct profile_writer *writer, const char *sql, struct error *err)
{
	if (sqlite3_exec(writer->database, sql, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	return writer_fail(writer, err);
}

static bool writer_prepare(struct profile_writer *writer, enum profile_table_id id,
			   struct error *err)
{
	const struct profile_table *table = &profile_tables[id];
	struct str sql = {0};

	if (!profile_version_has(PROFILE_SCHEMA_VERSION, table->until))
		return true;
	const uint64_t columns = profile_table_columns(table);

	profile_table_sql(table, columns, &sql);
	bool ok = writer_execute(writer, sql.data, err);
	str_clear(&sql);
	str_printf(&sql, "INSERT INTO %s VALUES (?", table->name);
	for (size_t i = 0; i < table->column_count; i++)
		if (profile_column_in(columns, i))
			str_append(&sql, ",?");
	str_append(&sql, ")");
	if (ok && sqlite3_prepare_v2(writer->database, sql.data, -1, &writer->insert[id], NULL))
		ok = writer_fail(writer, err);
	str_fini(&sql);
	return ok;
}

/* Of ROWS_AT_ONCE rows without ids. */
static bool many_prepare(struct profile_writer *writer, enum profile_table_id id, struct error *err)
{
	const struct profile_table *table = &profile_tables[id];
	const uint64_t columns = profile_table_columns(table);
	struct str sql = {0}, values = {0};

	str_printf(&sql, "INSERT INTO %s (", table->name);
	for (size_t i = 0; i < table->column_count; i++) {
		if (!profile_column_in(columns, i))
			continue;
		str_printf(&sql, "%s%s", values.len ? "," : "", table->columns[i].name);
		str_append(&values, values.len ? ",?" : "?");
	}
	str_append(&sql, ") VALUES ");
	for (size_t i = 0; i < ROWS_AT_ONCE; i++)
		str_printf(&sql, "%s(%s)", i ? "," : "", values.data);
	const bool ok = sqlite3_prepare_v2(writer->database, sql.data, -1, &writer->insert_many[id],
					   NULL) == SQLITE_OK;
	str_fini(&values);
	str_fini(&sql);
	return ok || writer_fail(writer, err);
}

/* The lists that only readers of the SQL need: names of the numbers used in other tables. */
static bool writer_create_names(struct profile_writer *writer, struct error *err)
{
#define CAUSE_NAME(number, ID, name, ...) [number] = #name
	static const char *const names[] = {TARE_OS_CAUSE_LIST(CAUSE_NAME)};
	struct str sql = {0};

	str_append(&sql, "CREATE TABLE os_cause (id INTEGER PRIMARY KEY, name TEXT) STRICT");
	for (size_t i = 0; i < TABLE_COUNT(names); i++)
		str_printf(&sql, "; INSERT INTO os_cause VALUES (%zu,'%s')", i, names[i]);
	const bool ok = writer_execute(writer, sql.data, err);
	str_fini(&sql);
	return ok;
}

static bool writer_create(struct profile_writer *writer, struct error *err)
{
	struct str sql = {0};

	str_printf(&sql,
		   "PRAGMA application_id=%d; PRAGMA user_version=%d; PRAGMA journal_mode=OFF;"
		   "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
		   "PRAGMA cache_size=-65536; BEGIN",
		   PROFILE_APPLICATION_ID, PROFILE_SCHEMA_VERSION);
	bool ok = writer_execute(writer, sql.data, err);
	str_fini(&sql);
	for (int i = 0; i < PROFILE_TABLES && ok; i++)
		ok = writer_prepare(writer, (enum profile_table_id)i, err);
	if (ok && (sqlite3_prepare_v2(writer->database,
				      "UPDATE function SET source=?2, line=?3 WHERE id=?1", -1,
				      &writer->set_source, NULL) ||
		   sqlite3_prepare_v2(writer->database, "UPDATE module SET lines=?2 WHERE id=?1",
				      -1, &writer->set_lines, NULL) ||
		   sqlite3_prepare_v2(writer->database,
				      "UPDATE thread SET samples_in_runtime=?2, "
				      "weight_in_runtime=?3 WHERE id=?1",
				      -1, &writer->set_in_runtime, NULL) ||
		   sqlite3_prepare_v2(writer->database, "UPDATE process SET name=?2 WHERE id=?1",
				      -1, &writer->set_process_name, NULL)))
		ok = writer_fail(writer, err);
	return ok && writer_create_names(writer, err);
}

struct profile_writer *profile_writer_open(const char *path, bool keep_old, struct error *err)
{
	struct profile_writer *writer = mem_zalloc(sizeof(*writer));

	writer->path = mem_strdup(path);
	writer->keep_old = keep_old;
	write_behind_init(&writer->behind, batch_write, writer);
	writer->temporary = temporary_create(path, err);
	if (!writer->temporary) {
		profile_writer_discard(writer);
		return NULL;
	}
	if (temporary_open(writer->temporary, &writer->database) != SQLITE_OK)
		writer_fail(writer, err);
	else if (writer_create(writer, err))
		return writer;
	profile_writer_discard(writer);
	return NULL;
}

const char *profile_writer_temporary(const struct profile_writer *writer)
{
	return writer->temporary;
}

static void writer_free(struct profile_writer *writer)
{
	for (int i = 0; i < PROFILE_TABLES; i++) {
		vec_fini(&writer->waiting[i].rows);
		vec_fini(&writer->waiting[i].copies);
	}
	vec_fini(&writer->per_call);
	free(writer->temporary);
	free(writer->path);
	free(writer);
}

/* Every statement must be finalized for the close to succeed. */
static bool writer_close(struct profile_writer *writer)
{
	for (int i = 0; i < PROFILE_TABLES; i++) {
		sqlite3_finalize(writer->insert[i]);
		sqlite3_finalize(writer->insert_many[i]);
		writer->insert[i] = writer->insert_many[i] = NULL;
	}
	sqlite3_finalize(writer->set_source);
	sqlite3_finalize(writer->set_lines);
	sqlite3_finalize(writer->set_in_runtime);
	sqlite3_finalize(writer->set_process_name);
	writer->set_source = writer->set_lines = writer->set_in_runtime = NULL;
	writer->set_process_name = NULL;
	const bool ok = sqlite3_close(writer->database) == SQLITE_OK;
	if (ok)
		writer->database = NULL;
	return ok;
}

void profile_writer_discard(struct profile_writer *writer)
{
	if (!writer)
		return;
	write_behind_fini(&writer->behind);
	writer_close(writer);
	if (writer->temporary)
		unlink(writer->temporary);
	writer_free(writer);
}

static bool writer_publish(struct profile_writer *writer, struct error *err)
{
	struct str old = {0};
	bool ok = temporary_make_durable(writer->temporary);

	if (!ok)
		return error_set_errno(err, errno, "cannot write the profile %s", writer->path);
	str_printf(&old, "%s.old", writer->path);
	if (writer->keep_old && rename(writer->path, old.data) < 0 && errno != ENOENT)
		ok = error_set_errno(err, errno, "cannot keep %s as %s", writer->path, old.data);
	str_fini(&old);
	return ok && temporary_rename(writer->temporary, writer->path, err);
}

bool profile_writer_commit(struct profile_writer *writer, struct error *err)
{
	bool ok = !writer->failed;

	if (!ok)
		error_set(err, ERROR_SYSTEM, "the profile %s could not be written completely",
			  writer->path);
	else if (!writer->count[PROFILE_SESSION])
		ok = error_set(err, ERROR_INPUT, "the profile %s has no session", writer->path);
	ok = ok && waiting_write_all(writer, err);
	write_behind_fini(&writer->behind);
	ok = ok && writer_execute(writer, "COMMIT", err);
	if (ok && !writer_close(writer))
		ok = writer_fail(writer, err);
	ok = ok && writer_publish(writer, err);
	if (ok)
		writer_free(writer);
	else
		profile_writer_discard(writer);
	return ok;
}

/* Whether a COLUMN_MIN, or the COLUMN_MAX behind it, has a value. */
static bool range_is_empty(const struct profile_column *column, const char *row)
{
	const size_t min_at =
		column->type == COLUMN_MIN ? column->offset : column->offset - sizeof(uint64_t);
	uint64_t range[2];

	memcpy(range, row + min_at, sizeof(range));
	return range[0] > range[1];
}

/* The value of a column that is stored as an integer. Sets *null where it has none. */
static int64_t column_integer(const struct profile_column *column, const char *row, bool *null)
{
	const void *at = row + column->offset;

	*null = false;
	switch (column->type) {
	case COLUMN_INT:
		return *(const int *)at;
	case COLUMN_UNSIGNED:
		return *(const uint32_t *)at;
	case COLUMN_BOOL:
		return *(const bool *)at;
	case COLUMN_REFERENCE:
		*null = *(const int64_t *)at == 0;
		break;
	case COLUMN_MIN:
	case COLUMN_MAX:
		*null = range_is_empty(column, row);
		break;
	case COLUMN_TEXT:
	case COLUMN_SIGNED:
	case COLUMN_COUNT:
	case COLUMN_BITS:
	case COLUMN_REAL:
	case COLUMN_BLOB:
		break;
	}
	return *(const int64_t *)at;
}

static bool column_check(struct profile_writer *writer, const struct profile_column *column,
			 int64_t value, struct error *err)
{
	switch (column->type) {
	case COLUMN_COUNT:
	case COLUMN_MIN:
	case COLUMN_MAX:
		if (value >= 0)
			return true;
		return error_set(err, ERROR_INPUT, "the value %llu of %s is too large",
				 (unsigned long long)value, column->name);
	case COLUMN_REFERENCE:
		if (value > 0 && value <= writer->count[column->references])
			return true;
		return error_set(err, ERROR_INPUT, "%s %lld was not added to the profile",
				 column->name, (long long)value);
	default:
		return true;
	}
}

static bool is_stored(const struct profile_column *column)
{
	return profile_version_has(PROFILE_SCHEMA_VERSION, column->until);
}

static bool row_check(struct profile_writer *writer, const struct profile_table *table,
		      const char *row, struct error *err)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct profile_column *column = &table->columns[i];
		bool null;

		if (!is_stored(column) || column->type == COLUMN_BLOB ||
		    column->type == COLUMN_TEXT || column->type == COLUMN_REAL)
			continue;
		const int64_t value = column_integer(column, row, &null);

		if (!null && !column_check(writer, column, value, err)) {
			writer->failed = true;
			return error_prefix(err, "cannot write the profile %s", writer->path);
		}
	}
	return true;
}

/* `index` is the statement's number of the value. */
static int column_bind(sqlite3_stmt *insert, int index, const struct profile_column *column,
		       const char *row)
{
	if (column->type == COLUMN_BLOB) {
		const struct profile_bytes *bytes = (const void *)(row + column->offset);
		return sqlite3_bind_blob64(insert, index, bytes->size ? bytes->start : "",
					   bytes->size, SQLITE_STATIC);
	}
	if (column->type == COLUMN_TEXT) {
		const char *text = *(const char *const *)(const void *)(row + column->offset);
		return sqlite3_bind_text(insert, index, text, -1, SQLITE_STATIC);
	}
	if (column->type == COLUMN_REAL) {
		const double *real = (const double *)(const void *)(row + column->offset);
		return sqlite3_bind_double(insert, index, *real);
	}
	bool null;
	const int64_t value = column_integer(column, row, &null);

	return null ? sqlite3_bind_null(insert, index) : sqlite3_bind_int64(insert, index, value);
}

/* The values of a row, behind `*index`, which moves on. */
static bool row_bind(sqlite3_stmt *insert, int *index, const struct profile_table *table,
		     const char *row)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (is_stored(&table->columns[i]) &&
		    column_bind(insert, ++*index, &table->columns[i], row) != SQLITE_OK)
			return false;
	return true;
}

static bool insert_run(struct profile_writer *writer, sqlite3_stmt *insert, struct error *err)
{
	if (sqlite3_step(insert) != SQLITE_DONE)
		return writer_fail(writer, err);
	sqlite3_reset(insert);
	return true;
}

static bool row_write(struct profile_writer *writer, enum profile_table_id id, int64_t row_id,
		      const char *row, struct error *err)
{
	sqlite3_stmt *insert = writer->insert[id];
	int index = 1;

	if (sqlite3_bind_int64(insert, 1, row_id) != SQLITE_OK ||
	    !row_bind(insert, &index, &profile_tables[id], row))
		return writer_fail(writer, err);
	return insert_run(writer, insert, err);
}

/*
 * What a row that waits points to is copied, as the caller's may go. Until the row is written,
 * where it stands among the copies, plus 1, takes the pointer's place.
 */
static void copies_make(const struct profile_table *table, char *row, struct byte_vec *copies)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct profile_column *column = &table->columns[i];
		void *at = row + column->offset;
		const uintptr_t place = copies->len + 1;

		if (column->type == COLUMN_TEXT && *(const char **)at) {
			const char *text = *(const char **)at;
			vec_append(copies, (const unsigned char *)text, strlen(text) + 1);
			*(uintptr_t *)at = place;
		} else if (column->type == COLUMN_BLOB) {
			struct profile_bytes *bytes = at;
			vec_append(copies, (const unsigned char *)bytes->start, bytes->size);
			bytes->start = (const void *)place;
		}
	}
}

static void copies_use(const struct profile_table *table, char *row, const struct byte_vec *copies)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct profile_column *column = &table->columns[i];
		void *at = row + column->offset;

		if (column->type == COLUMN_TEXT && *(uintptr_t *)at) {
			*(const void **)at = copies->data + *(uintptr_t *)at - 1;
		} else if (column->type == COLUMN_BLOB) {
			struct profile_bytes *bytes = at;
			bytes->start = copies->data + (uintptr_t)bytes->start - 1;
		}
	}
}

static char *row_at(const struct row_batch *batch, size_t index)
{
	return (char *)batch->rows.data + index * profile_tables[batch->table].row_bytes;
}

/* ROWS_AT_ONCE, from `first` on. */
static bool rows_write_together(struct profile_writer *writer, const struct row_batch *batch,
				size_t first, struct error *err)
{
	const struct profile_table *table = &profile_tables[batch->table];
	int index = 0;

	if (!writer->insert_many[batch->table] && !many_prepare(writer, batch->table, err))
		return false;
	sqlite3_stmt *insert = writer->insert_many[batch->table];

	for (size_t i = first; i < first + ROWS_AT_ONCE; i++)
		if (!row_bind(insert, &index, table, row_at(batch, i)))
			return writer_fail(writer, err);
	return insert_run(writer, insert, err);
}

static bool batch_write(void *context, struct row_batch *batch, struct error *err)
{
	struct profile_writer *writer = context;
	size_t at = 0;

	for (size_t i = 0; i < batch->count; i++)
		copies_use(&profile_tables[batch->table], row_at(batch, i), &batch->copies);
	for (; at + ROWS_AT_ONCE <= batch->count; at += ROWS_AT_ONCE)
		if (!rows_write_together(writer, batch, at, err))
			return false;
	for (; at < batch->count; at++)
		if (!row_write(writer, batch->table, batch->first_id + (int64_t)at,
			       row_at(batch, at), err))
			return false;
	return true;
}

static bool waiting_hand(struct profile_writer *writer, enum profile_table_id id, struct error *err)
{
	if (write_behind_hand(&writer->behind, &writer->waiting[id], err))
		return true;
	writer->failed = true;
	return false;
}

/* Until the next row waits, the database is this thread's. */
static bool waiting_write_all(struct profile_writer *writer, struct error *err)
{
	for (int i = 0; i < PROFILE_TABLES; i++)
		if (writer->waiting[i].count &&
		    !waiting_hand(writer, (enum profile_table_id)i, err))
			return false;
	if (write_behind_wait(&writer->behind, err))
		return true;
	writer->failed = true;
	return false;
}

static bool waiting_add(struct profile_writer *writer, enum profile_table_id id, const char *row,
			struct error *err)
{
	const struct profile_table *table = &profile_tables[id];
	struct row_batch *waiting = &writer->waiting[id];

	if (!waiting->count) {
		waiting->table = id;
		waiting->first_id = writer->count[id] + 1;
	}
	vec_append(&waiting->rows, (const unsigned char *)row, table->row_bytes);
	copies_make(table, row_at(waiting, waiting->count), &waiting->copies);
	writer->count[id]++;
	waiting->count++;
	return (waiting->count < ROWS_HANDED && waiting->copies.len < COPIES_HANDED_BYTES) ||
	       waiting_hand(writer, id, err);
}

static bool writer_insert(struct profile_writer *writer, enum profile_table_id id, int64_t row_id,
			  const void *row, struct error *err)
{
	if (writer->failed)
		return error_set(err, ERROR_SYSTEM, "the profile %s could not be written earlier",
				 writer->path);
	if (!row_check(writer, &profile_tables[id], row, err))
		return false;
	if (row_id == writer->count[id] + 1)
		return waiting_add(writer, id, row, err);
	if (!waiting_write_all(writer, err) || !row_write(writer, id, row_id, row, err))
		return false;
	if (row_id > writer->count[id])
		writer->count[id] = row_id;
	return true;
}

static int64_t writer_append(struct profile_writer *writer, enum profile_table_id table,
			     const void *row, struct error *err)
{
	const int64_t id = writer->count[table] + 1;

	return writer_insert(writer, table, id, row, err) ? id : 0;
}

bool profile_write_session(struct profile_writer *writer, const struct profile_session *row,
			   struct error *err)
{
	return writer_insert(writer, PROFILE_SESSION, 1, row, err);
}

int64_t profile_add_process(struct profile_writer *writer, const struct profile_process *row,
			    struct error *err)
{
	return writer_append(writer, PROFILE_PROCESS, row, err);
}

int64_t profile_add_thread(struct profile_writer *writer, const struct profile_thread *row,
			   struct error *err)
{
	return writer_append(writer, PROFILE_THREAD, row, err);
}

int64_t profile_add_module(struct profile_writer *writer, const struct profile_module *row,
			   struct error *err)
{
	return writer_append(writer, PROFILE_MODULE, row, err);
}

int64_t profile_add_function(struct profile_writer *writer, const struct profile_function *row,
			     struct error *err)
{
	return writer_append(writer, PROFILE_FUNCTION, row, err);
}

/* Before a statement is bound that changes rows: they have to be there. */
static bool writer_claim(struct profile_writer *writer, struct error *err)
{
	if (writer->failed)
		return error_set(err, ERROR_SYSTEM, "the profile %s could not be written earlier",
				 writer->path);
	return waiting_write_all(writer, err);
}

/* With what else the statement says bound. */
static bool writer_update(struct profile_writer *writer, sqlite3_stmt *update, int64_t id,
			  struct error *err)
{
	if (sqlite3_bind_int64(update, 1, id) != SQLITE_OK || sqlite3_step(update) != SQLITE_DONE)
		return writer_fail(writer, err);
	sqlite3_reset(update);
	return true;
}

bool profile_set_function_source(struct profile_writer *writer, int64_t function,
				 const char *source, int64_t line, struct error *err)
{
	if (!writer_claim(writer, err))
		return false;
	sqlite3_bind_text(writer->set_source, 2, source, -1, SQLITE_STATIC);
	sqlite3_bind_int64(writer->set_source, 3, line);
	return writer_update(writer, writer->set_source, function, err);
}

bool profile_set_module_lines(struct profile_writer *writer, int64_t module, const char *lines,
			      struct error *err)
{
	if (!writer_claim(writer, err))
		return false;
	sqlite3_bind_text(writer->set_lines, 2, lines, -1, SQLITE_STATIC);
	return writer_update(writer, writer->set_lines, module, err);
}

bool profile_set_process_name(struct profile_writer *writer, int64_t process, const char *name,
			      struct error *err)
{
	if (!writer_claim(writer, err))
		return false;
	sqlite3_bind_text(writer->set_process_name, 2, name, -1, SQLITE_STATIC);
	return writer_update(writer, writer->set_process_name, process, err);
}

bool profile_set_thread_in_runtime(struct profile_writer *writer, int64_t thread, uint64_t samples,
				   uint64_t weight, struct error *err)
{
	if (!writer_claim(writer, err))
		return false;
	sqlite3_bind_int64(writer->set_in_runtime, 2, (int64_t)samples);
	sqlite3_bind_int64(writer->set_in_runtime, 3, (int64_t)weight);
	return writer_update(writer, writer->set_in_runtime, thread, err);
}

bool profile_add_node(struct profile_writer *writer, const struct profile_node *row,
		      struct error *err)
{
	if (row->id > 0 && row->parent >= 0 && row->parent < row->id &&
	    (row->parent == 0) == (row->function == 0)) {
		struct profile_node packed = *row;

		per_call_put(&writer->per_call, row);
		packed.per_call =
			(struct profile_bytes){writer->per_call.data, writer->per_call.len};
		return writer_insert(writer, PROFILE_NODE, row->id, &packed, err);
	}
	writer->failed = true;
	return error_set(err, ERROR_INPUT,
			 "cannot write the profile %s: node %lld of function %lld cannot be a "
			 "child of node %lld",
			 writer->path, (long long)row->id, (long long)row->function,
			 (long long)row->parent);
}

int64_t profile_add_os(struct profile_writer *writer, const struct profile_os *row,
		       struct error *err)
{
	return writer_append(writer, PROFILE_OS, row, err);
}

bool profile_add_holder(struct profile_writer *writer, const struct profile_holder *row,
			struct error *err)
{
	return writer_append(writer, PROFILE_HOLDER, row, err) != 0;
}

bool profile_add_wait(struct profile_writer *writer, const struct profile_wait *row,
		      struct error *err)
{
	return writer_append(writer, PROFILE_WAIT, row, err) != 0;
}

int64_t profile_add_wake(struct profile_writer *writer, const struct profile_wake *row,
			 struct error *err)
{
	return writer_append(writer, PROFILE_WAKE, row, err);
}

bool profile_add_waker(struct profile_writer *writer, const struct profile_waker *row,
		       struct error *err)
{
	return writer_append(writer, PROFILE_WAKER, row, err) != 0;
}

bool profile_add_woken(struct profile_writer *writer, const struct profile_woken *row,
		       struct error *err)
{
	return writer_append(writer, PROFILE_WOKEN, row, err) != 0;
}

bool profile_add_coverage(struct profile_writer *writer, const struct profile_coverage *row,
			  struct error *err)
{
	return writer_append(writer, PROFILE_COVERAGE, row, err) != 0;
}

bool profile_add_counted(struct profile_writer *writer, const struct profile_counted *row,
			 struct error *err)
{
	return writer_append(writer, PROFILE_COUNTED, row, err) != 0;
}

int64_t profile_add_block(struct profile_writer *writer, const struct profile_block *row,
			  struct error *err)
{
	return writer_append(writer, PROFILE_BLOCK, row, err);
}

bool profile_add_execution(struct profile_writer *writer, const struct profile_execution *row,
			   struct error *err)
{
	return writer_append(writer, PROFILE_EXECUTION, row, err) != 0;
}

bool profile_add_line_execution(struct profile_writer *writer,
				const struct profile_line_execution *row, struct error *err)
{
	return writer_append(writer, PROFILE_LINE_EXECUTION, row, err) != 0;
}

bool profile_add_disarm(struct profile_writer *writer, const struct profile_disarm *row,
			struct error *err)
{
	return writer_append(writer, PROFILE_DISARM, row, err) != 0;
}

bool profile_add_mark(struct profile_writer *writer, const struct profile_mark *row,
		      struct error *err)
{
	return writer_append(writer, PROFILE_MARK, row, err) != 0;
}

bool profile_add_trace(struct profile_writer *writer, const struct profile_trace *row,
		       struct error *err)
{
	return writer_append(writer, PROFILE_TRACE, row, err) != 0;
}

bool profile_add_trace_chunk(struct profile_writer *writer, const struct profile_trace_chunk *row,
			     struct error *err)
{
	return writer_append(writer, PROFILE_TRACE_CHUNK, row, err) != 0;
}

int64_t profile_add_sampling(struct profile_writer *writer, const struct profile_sampling *row,
			     struct error *err)
{
	return writer_append(writer, PROFILE_SAMPLING, row, err);
}

bool profile_add_unfollowed(struct profile_writer *writer, const struct profile_unfollowed *row,
			    struct error *err)
{
	return writer_append(writer, PROFILE_UNFOLLOWED, row, err) != 0;
}

int64_t profile_add_event(struct profile_writer *writer, const struct profile_event *row,
			  struct error *err)
{
	return writer_append(writer, PROFILE_EVENT, row, err);
}

int64_t profile_add_source(struct profile_writer *writer, const struct profile_source *row,
			   struct error *err)
{
	return writer_append(writer, PROFILE_SOURCE, row, err);
}

int64_t profile_add_location(struct profile_writer *writer, const struct profile_location *row,
			     struct error *err)
{
	return writer_append(writer, PROFILE_LOCATION, row, err);
}

bool profile_add_location_line(struct profile_writer *writer,
			       const struct profile_location_line *row, struct error *err)
{
	return writer_append(writer, PROFILE_LOCATION_LINE, row, err) != 0;
}

int64_t profile_add_stack(struct profile_writer *writer, const struct profile_stack *row,
			  struct error *err)
{
	return writer_append(writer, PROFILE_STACK, row, err);
}

bool profile_add_stack_value(struct profile_writer *writer, const struct profile_stack_value *row,
			     struct error *err)
{
	struct profile_stack_value written = *row;

	if (written.squares < written.samples)
		written.squares = written.samples;
	return writer_append(writer, PROFILE_STACK_VALUE, &written, err) != 0;
}

bool profile_add_sample_chunk(struct profile_writer *writer, const struct profile_sample_chunk *row,
			      struct error *err)
{
	return writer_append(writer, PROFILE_SAMPLE_CHUNK, row, err) != 0;
}

bool profile_add_cpu_use(struct profile_writer *writer, const struct profile_cpu_use *row,
			 struct error *err)
{
	return writer_append(writer, PROFILE_CPU_USE, row, err) != 0;
}
