/*
 * Rows straight from the pages of a file are those that SQLite reads there: with numbers of all
 * sizes, in pages of any size, after rows were deleted. What goes on in other pages is left to
 * SQLite, and a reader of the table does not notice.
 */
#include "profile/leaf_pages.h"

#include "profile/private.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NODES = 3000 };

static char directory[] = "test_leaf_pages.XXXXXX";
static char path[64];

static int make_directory(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/p.tare", mkdtemp(directory));
	return 0;
}

static int remove_directory(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

/* Numbers around all powers of two, whose sizes in the file differ. */
static int64_t number_of(int64_t i)
{
	return (int64_t)((UINT64_C(1) << i % 62) - 1 + (uint64_t)(i % 3));
}

/* So many that a row of all buckets needs more than half a kilobyte. */
static uint64_t length_of(int64_t bucket)
{
	return UINT64_C(1) << 59 | (uint64_t)bucket;
}

static struct profile_node node_of(int64_t i, const uint64_t *lengths)
{
	return (struct profile_node){.id = i,
				     .thread = 1,
				     .parent = i == 1 ? 0 : 1 + (i - 1) / 3,
				     .function = i > 1,
				     .calls = (uint64_t)number_of(i),
				     .elapsed_ticks = (uint64_t)number_of(i + 1),
				     .folded_elapsed_ticks = -number_of(i),
				     .folded_os_ticks = i % 2 ? -1 : 1,
				     .elapsed_exclusive_min = 1,
				     .elapsed_exclusive_max = (uint64_t)number_of(i),
				     .lengths = lengths};
}

static void write_profile(void)
{
	struct profile_writer *writer = small_profile_open(path);
	struct error err;

	small_thread(writer, small_process(writer, 5, "p"), 6, 0, 0);
	small_function(writer, small_module(writer, "/bin/p"), "f", 0x10);
	for (int64_t i = 1; i <= NODES; i++) {
		uint64_t lengths[TARE_CALL_BUCKETS] = {0};
		for (int64_t bucket = 0; bucket < i % TARE_CALL_BUCKETS; bucket++)
			lengths[bucket] = length_of(bucket);
		const struct profile_node node = node_of(i, lengths);
		assert_true(profile_add_node(writer, &node, &err));
	}
	small_profile_commit(writer);
}

static void execute(const char *sql)
{
	sqlite3 *database;
	char *message = NULL;

	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	sqlite3_close(database);
}

static void compare_row(struct leaf_row *row, sqlite3_stmt *select)
{
	struct leaf_value value;
	int column = 1;

	assert_int_equal(row->id, sqlite3_column_int64(select, 0));
	for (; leaf_row_take(row, &value); column++) {
		const int type = sqlite3_column_type(select, column);
		assert_int_equal(value.is_null, type == SQLITE_NULL);
		assert_int_equal(value.bytes != NULL, type == SQLITE_BLOB);
		if (type == SQLITE_INTEGER)
			assert_int_equal(value.number, sqlite3_column_int64(select, column));
		if (type != SQLITE_BLOB)
			continue;
		assert_int_equal(value.size, sqlite3_column_bytes(select, column));
		assert_memory_equal(value.bytes, sqlite3_column_blob(select, column), value.size);
	}
	assert_int_equal(column, sqlite3_column_count(select));
}

/* How many rows are as SQLite has them, up to the end or to one that is left to SQLite. */
static int64_t compare_rows(int expected_end)
{
	struct error err;
	struct leaf_row row;
	sqlite3_stmt *select = NULL;
	int64_t count = 0;
	int more;
	struct profile *profile = profile_open(path, &err);

	assert_non_null(profile);
	assert_int_equal(sqlite3_prepare_v2(profile->database, "SELECT * FROM node ORDER BY id", -1,
					    &select, NULL),
			 SQLITE_OK);
	struct leaf_pages *pages = leaf_pages_open(profile, PROFILE_NODE);
	assert_non_null(pages);
	while ((more = leaf_pages_next(pages, &row)) > 0) {
		assert_int_equal(sqlite3_step(select), SQLITE_ROW);
		compare_row(&row, select);
		count++;
	}
	assert_int_equal(more, expected_end);
	assert_int_equal(sqlite3_step(select), more ? SQLITE_ROW : SQLITE_DONE);
	sqlite3_finalize(select);
	leaf_pages_close(pages);
	profile_close(profile);
	return count;
}

static bool check_node(const struct profile_node *row, void *context)
{
	int64_t *const count = context;
	const struct profile_node expected = node_of(++*count, NULL);

	assert_int_equal(row->id, expected.id);
	assert_int_equal(row->parent, expected.parent);
	assert_int_equal(row->calls, expected.calls);
	assert_int_equal(row->elapsed_ticks, expected.elapsed_ticks);
	assert_int_equal(row->folded_elapsed_ticks, expected.folded_elapsed_ticks);
	assert_int_equal(row->elapsed_exclusive_max, expected.elapsed_exclusive_max);
	return true;
}

/* Each length of a node's calls, from its row. */
static bool check_lengths(const struct profile_node *row, void *context)
{
	const int64_t buckets = row->id % TARE_CALL_BUCKETS;
	struct profile_lengths lengths;
	struct error err;

	assert_true(profile_node_lengths(context, row, &lengths, &err));
	for (int64_t bucket = 0; bucket < TARE_CALL_BUCKETS; bucket++) {
		const uint64_t calls = bucket < buckets ? length_of(bucket) : 0;
		const bool inside = bucket >= lengths.first && bucket < lengths.end;
		assert_int_equal(inside ? lengths.calls[bucket] : 0, calls);
	}
	return true;
}

static void read_nodes(void)
{
	struct error err;
	struct profile *profile = profile_open(path, &err);
	int64_t count = 0;

	assert_non_null(profile);
	assert_true(profile_each_node(profile, check_node, &count, &err));
	assert_int_equal(count, NODES);
	assert_true(profile_nodes_have_lengths(profile));
	assert_true(profile_each_node(profile, check_lengths, profile, &err));
	profile_close(profile);
}

static void test_rows_are_those_of_sqlite(void **state)
{
	(void)state;
	write_profile();
	assert_int_equal(compare_rows(0), NODES);
	read_nodes();
	execute("PRAGMA page_size=65536; VACUUM");
	assert_int_equal(compare_rows(0), NODES);
	read_nodes();
}

static void test_rows_that_were_deleted(void **state)
{
	(void)state;
	write_profile();
	execute("DELETE FROM node WHERE id % 7 = 0 OR id BETWEEN 1000 AND 2000; "
		"UPDATE node SET calls = 1, per_call = x'' WHERE id % 5 = 0");
	assert_true(compare_rows(0) > NODES / 2);
}

/* The first row with many lengths does not fit into a small page. */
static void test_row_in_several_pages_is_left_to_sqlite(void **state)
{
	(void)state;
	write_profile();
	execute("PRAGMA page_size=512; VACUUM");
	assert_true(compare_rows(-1) < TARE_CALL_BUCKETS);
	read_nodes();
}

static void test_no_rows(void **state)
{
	(void)state;
	write_profile();
	execute("DELETE FROM node");
	assert_int_equal(compare_rows(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_those_of_sqlite),
		cmocka_unit_test(test_rows_that_were_deleted),
		cmocka_unit_test(test_row_in_several_pages_is_left_to_sqlite),
		cmocka_unit_test(test_no_rows),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
