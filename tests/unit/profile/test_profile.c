/*
 * The profile file: what is written is read back, whatever values it has; an existing file is kept
 * or replaced, and nothing is left behind by failures. Files that are no profile, of another
 * version, or damaged in ways that SQLite accepts are refused with a sentence that says why.
 */
#include "profile/profile.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "test_profile.XXXXXX";
static char path[64], old_path[80];

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/p.tare", directory);
	snprintf(old_path, sizeof(old_path), "%s.old", path);
	return 0;
}

static int remove_directory(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(path);
	unlink(old_path);
	return 0;
}

/* Whether the directory is empty, that is, nothing temporary was left in it. */
static bool is_clean(void)
{
	const bool clean = rmdir(directory) == 0;

	if (clean)
		assert_int_equal(mkdir(directory, 0700), 0);
	return clean;
}

static void write_small(void)
{
	static const struct small_node nodes[] = {
		{.thread = 1}, {1, 1, 1, 2, 30, TARE_OS_SYSCALL, 10, 0}, {1, 2, 2, 1, 5, 0, 0, 0}};
	struct profile_writer *writer = small_profile_open(path);
	struct error err;

	small_thread(writer, small_process(writer, 5, "p"), 6, 35, 10);
	const int64_t module = small_module(writer, "/bin/p");
	small_function(writer, module, "f", 0xffffffffff600000);
	small_function(writer, module, "", 0x20);
	small_nodes(writer, nodes, 3);
	assert_true(profile_add_os(writer,
				   &(struct profile_os){.node = 2,
							.cause = TARE_OS_SYSCALL,
							.syscall_number = 1,
							.object = UINT64_MAX,
							.count = 1,
							.ticks = 10},
				   &err));
	assert_true(profile_add_coverage(
		writer, &(struct profile_coverage){1, "f", 0x10, 64, "instrumented", 1}, &err));
	assert_true(profile_add_mark(writer, &(struct profile_mark){1, -3, "m", 7}, &err));
	small_profile_commit(writer);
}

static void execute(const char *sql)
{
	sqlite3 *database;
	char *message = NULL;

	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
	if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	sqlite3_close(database);
}

struct seen {
	struct profile_node nodes[8];
	size_t node_count;
	struct profile_os os;
	size_t os_count, coverage_count, mark_count;
	uint64_t histogram_calls;
	int64_t mark;
};

static bool see_node(const struct profile_node *row, void *context)
{
	struct seen *seen = context;

	if (seen->node_count < 8)
		seen->nodes[seen->node_count] = *row;
	seen->node_count++;
	return true;
}

static bool see_os(const struct profile_os *row, void *context)
{
	struct seen *seen = context;

	seen->os = *row;
	seen->os_count++;
	return true;
}

static bool see_coverage(const struct profile_coverage *row, void *context)
{
	struct seen *seen = context;

	assert_string_equal(row->verdict, "instrumented");
	seen->coverage_count++;
	return true;
}

static bool see_mark(const struct profile_mark *row, void *context)
{
	struct seen *seen = context;

	seen->mark = row->mark;
	seen->mark_count++;
	return true;
}

static bool see_histogram(const struct profile_histogram *row, void *context)
{
	struct seen *seen = context;

	seen->histogram_calls += row->calls;
	return true;
}

/* Reads everything; the message of the first failure, or NULL. */
static const char *read_all(struct seen *seen, struct error *err)
{
	struct profile *profile = profile_open(path, err);

	*seen = (struct seen){0};
	if (!profile)
		return err->message;
	const bool ok = profile_each_os(profile, see_os, seen, err) &&
			profile_each_node(profile, see_node, seen, err) &&
			profile_each_coverage(profile, see_coverage, seen, err) &&
			profile_each_histogram(profile, see_histogram, seen, err) &&
			profile_each_mark(profile, see_mark, seen, err);
	profile_close(profile);
	return ok ? NULL : err->message;
}

static void test_round_trip(void **state)
{
	struct seen seen;
	struct error err;
	size_t count;

	(void)state;
	write_small();
	assert_null(read_all(&seen, &err));
	assert_int_equal(seen.node_count, 3);
	assert_int_equal(seen.nodes[1].elapsed_ticks, 30);
	assert_int_equal(seen.nodes[1].os_ticks[TARE_OS_SYSCALL], 10);
	assert_int_equal(seen.nodes[1].elapsed_exclusive_min, 15);
	/* A range without calls is stored as NULL and comes back empty. */
	assert_true(seen.nodes[1].elapsed_inclusive_min > seen.nodes[1].elapsed_inclusive_max);
	assert_int_equal(seen.os.object, UINT64_MAX);
	assert_int_equal(seen.os_count, 1);
	assert_int_equal(seen.coverage_count, 1);
	assert_int_equal(seen.histogram_calls, 3);
	assert_int_equal(seen.mark, -3);
	struct profile *profile = profile_open(path, &err);
	const struct profile_function *functions = profile_functions(profile, &count);
	assert_int_equal(count, 2);
	assert_true(functions[0].link_addr == 0xffffffffff600000);
	assert_string_equal(profile_session(profile)->command_line, "./work --fast 'two words'");
	assert_null(profile_session(profile)->incomplete_reason);
	profile_close(profile);
}

enum { MANY = 5000, GAP_BEHIND = 4001, GAP = 7 };

static int64_t many_id(int64_t number)
{
	return number <= GAP_BEHIND ? number : number + GAP;
}

static bool see_many_nodes(const struct profile_node *row, void *context)
{
	int64_t *const number = context;

	++*number;
	assert_int_equal(row->id, many_id(*number));
	assert_int_equal(row->thread, 1);
	assert_int_equal(row->parent, *number == 1 ? 0 : many_id(*number - 1));
	assert_int_equal(row->elapsed_ticks, *number * 3);
	assert_int_equal(row->elapsed_exclusive_min, *number);
	assert_int_equal(row->elapsed_exclusive_max, *number * 2);
	return true;
}

static bool see_many_os(const struct profile_os *row, void *context)
{
	int64_t *const number = context;
	char text[32];

	++*number;
	snprintf(text, sizeof(text), "/file%jd", (intmax_t)*number);
	assert_int_equal(row->node, many_id(*number));
	assert_int_equal(row->count, *number);
	if (*number % 3)
		assert_string_equal(row->path, text);
	else
		assert_null(row->path);
	return true;
}

/* What rows point to is the caller's, who uses the memory again at once; ids may leave some out. */
static void test_many_rows(void **state)
{
	struct profile_writer *writer = small_profile_open(path);
	struct error err;
	char text[32];
	int64_t nodes = 0, os = 0;

	(void)state;
	small_thread(writer, small_process(writer, 5, "p"), 6, 0, 0);
	small_function(writer, small_module(writer, "/bin/p"), "f", 0x10);
	for (int64_t i = 1; i <= MANY; i++) {
		const struct profile_node node = {.id = many_id(i),
						  .thread = 1,
						  .parent = i == 1 ? 0 : many_id(i - 1),
						  .function = i > 1,
						  .elapsed_ticks = (uint64_t)i * 3,
						  .elapsed_exclusive_min = (uint64_t)i,
						  .elapsed_exclusive_max = (uint64_t)i * 2};
		const struct profile_os row = {
			.node = node.id, .count = (uint64_t)i, .path = i % 3 ? text : NULL};

		snprintf(text, sizeof(text), "/file%jd", (intmax_t)i);
		assert_true(profile_add_node(writer, &node, &err));
		assert_true(profile_add_os(writer, &row, &err));
		memset(text, 'x', sizeof(text));
	}
	small_profile_commit(writer);
	struct profile *profile = profile_open(path, &err);

	assert_true(profile_each_node(profile, see_many_nodes, &nodes, &err));
	assert_true(profile_each_os(profile, see_many_os, &os, &err));
	assert_int_equal(nodes, MANY);
	assert_int_equal(os, MANY);
	profile_close(profile);
}

static unsigned mode_of(const char *file)
{
	struct stat info;

	assert_int_equal(stat(file, &info), 0);
	return info.st_mode & 07777;
}

/* The command line is in it, whatever the umask would give others. */
static void test_file_is_private(void **state)
{
	const mode_t before = umask(0);

	(void)state;
	write_small();
	assert_int_equal(mode_of(path), 0600);
	umask(0777);
	write_small();
	umask(before);
	assert_int_equal(mode_of(path), 0600);
}

static void test_old_file_keeps_its_mode(void **state)
{
	struct error err;

	(void)state;
	write_small();
	assert_int_equal(chmod(path, 0644), 0);
	struct profile_writer *writer = profile_writer_open(path, true, &err);
	small_profile_commit(writer);
	assert_int_equal(mode_of(old_path), 0644);
	assert_int_equal(mode_of(path), 0600);
	unlink(old_path);
}

static void test_old_file_is_kept(void **state)
{
	struct error err;

	(void)state;
	write_small();
	struct profile_writer *writer = profile_writer_open(path, true, &err);
	small_profile_commit(writer);
	assert_int_equal(access(old_path, F_OK), 0);
	unlink(old_path);
	write_small();
	assert_int_not_equal(access(old_path, F_OK), 0);
}

static void test_discard_leaves_nothing(void **state)
{
	struct error err;

	(void)state;
	profile_writer_discard(profile_writer_open(path, false, &err));
	assert_true(is_clean());
	profile_writer_discard(NULL);
}

static void test_unwritable_directory(void **state)
{
	struct error err;

	(void)state;
	assert_null(profile_writer_open("/nonexistent/p.tare", false, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
}

/* A limit on the size of files stands for a full disk. */
static void test_no_room_leaves_nothing(void **state)
{
	const struct rlimit small = {.rlim_cur = 20000, .rlim_max = RLIM_INFINITY};
	struct rlimit before;
	struct error err = {0};
	bool ok = true;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	struct profile_writer *writer = profile_writer_open(path, false, &err);
	if (writer) {
		const struct profile_session session = small_profile_session();
		ok = profile_write_session(writer, &session, &err);
		ok = profile_writer_commit(writer, &err) && ok;
	}
	setrlimit(RLIMIT_FSIZE, &before);
	assert_false(writer && ok);
	assert_non_null(strstr(err.message, "cannot write the profile"));
	assert_true(is_clean());
}

static void test_writer_refuses_bad_rows(void **state)
{
	const struct profile_node bad[] = {
		{.id = 0, .thread = 1},
		{.id = 2, .thread = 1, .parent = 2, .function = 1},
		{.id = 2, .thread = 1, .parent = 3, .function = 1},
		{.id = 2, .thread = 1, .parent = 1},
		{.id = 2, .thread = 1, .function = 1},
		{.id = 2, .thread = 9, .parent = 1, .function = 1},
		{.id = 2, .thread = 1, .parent = 1, .function = 9},
		{.id = 2, .thread = 1, .parent = 1, .function = 1, .elapsed_ticks = UINT64_MAX},
		{.id = 1, .thread = 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct profile_writer *writer = small_profile_open(path);
		struct error err = {0};
		small_thread(writer, small_process(writer, 5, "p"), 6, 0, 0);
		small_function(writer, small_module(writer, "/bin/p"), "f", 0x10);
		assert_true(profile_add_node(writer, &(struct profile_node){.id = 1, .thread = 1},
					     &err));
		assert_false(profile_add_node(writer, &bad[i], &err));
		/* Nothing can be written after a failure, so that nothing incomplete appears. */
		assert_false(profile_add_mark(writer, &(struct profile_mark){.thread = 1}, &err));
		assert_false(profile_writer_commit(writer, &err));
		assert_true(is_clean());
	}
}

static void test_refuses_other_files(void **state)
{
	struct seen seen;
	struct error err;

	(void)state;
	assert_non_null(strstr(read_all(&seen, &err), "cannot open"));
	FILE *file = fopen(path, "w");
	fputs("no profile at all", file);
	fclose(file);
	assert_non_null(strstr(read_all(&seen, &err), "is not a profile"));
	unlink(path);
	execute("CREATE TABLE t (a)");
	assert_non_null(strstr(read_all(&seen, &err), "is not a profile"));
	assert_null(profile_open(directory, &err));
	assert_non_null(strstr(err.message, "not a regular file"));
}

static void test_refuses_other_versions(void **state)
{
	struct seen seen;
	struct error err;

	(void)state;
	write_small();
	execute("PRAGMA user_version = 15");
	assert_non_null(strstr(read_all(&seen, &err), "newer tare"));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	execute("PRAGMA user_version = 0");
	assert_non_null(strstr(read_all(&seen, &err), "no schema version"));
}

/* Up to version 4, what stands in node.per_call today had columns and a table. */
#define NUMBER(name) "\n\t" name " INTEGER NOT NULL,"
#define RANGE(name)  "\n\t" name "_min INTEGER,\n\t" name "_max INTEGER,"
#define NODE_AND_HISTOGRAM_4                                                                       \
	"CREATE TABLE today AS SELECT * FROM node; DROP TABLE node; CREATE TABLE node ("           \
	"\n\tid INTEGER PRIMARY KEY,\n\tthread INTEGER REFERENCES thread(id),"                     \
	"\n\tparent INTEGER REFERENCES node(id),\n\tfunction INTEGER REFERENCES "                  \
	"function(id)," NUMBER("calls") NUMBER("unwound") NUMBER("calls_by_call") NUMBER(          \
		"elapsed_ticks") NUMBER("os_blocked_ticks") NUMBER("os_preempted_ticks")           \
		NUMBER("os_major_fault_ticks") NUMBER("os_minor_fault_ticks") NUMBER(              \
			"os_syscall_ticks") NUMBER("os_interrupt_ticks") NUMBER("overhead_ticks")  \
			RANGE("elapsed_inclusive") RANGE("elapsed_exclusive") RANGE(               \
				"application_inclusive") RANGE("application_exclusive")            \
				NUMBER("folded") NUMBER("folded_elapsed_ticks") NUMBER(            \
					"folded_os_ticks") "\n\tlocation INTEGER REFERENCES "      \
							   "location(id)\n) STRICT;"               \
							   "INSERT INTO node SELECT id, thread, "  \
							   "parent, function, calls, unwound, "    \
							   "calls_by_call,"                        \
							   "elapsed_ticks, os_blocked_ticks, "     \
							   "os_preempted_ticks, "                  \
							   "os_major_fault_ticks,"                 \
							   "os_minor_fault_ticks, "                \
							   "os_syscall_ticks, "                    \
							   "os_interrupt_ticks, overhead_ticks, "  \
							   "NULL, NULL,"                           \
							   "15, 30, NULL, NULL, 10, 20, folded, "  \
							   "folded_elapsed_ticks, "                \
							   "folded_os_ticks, NULL "                \
							   "FROM today; DROP TABLE today;"         \
							   "CREATE TABLE histogram (\n\tid "       \
							   "INTEGER PRIMARY KEY,\n\tnode INTEGER " \
							   "REFERENCES node(id),"                  \
							   "\n\tbucket INTEGER NOT "               \
							   "NULL,\n\tcalls INTEGER NOT NULL\n) "   \
							   "STRICT;"                               \
							   "INSERT INTO histogram VALUES (1, 2, "  \
							   "4, 1), (2, 2, 5, 1), (3, 3, 4, 1);"

/* A file of an earlier version, made of one of today by taking away what came since. */
static void test_reads_older_versions(void **state)
{
	static const char *const younger[] = {
		"PRAGMA user_version = 13; ALTER TABLE thread DROP COLUMN switches_ticks",
		"PRAGMA user_version = 12; ALTER TABLE sampling DROP COLUMN interrupt_ns",
		"PRAGMA user_version = 11; ALTER TABLE counted DROP COLUMN learned",
		"PRAGMA user_version = 10; DROP TABLE woken",
		"PRAGMA user_version = 9; ALTER TABLE stack_value DROP COLUMN unclocked_samples;"
		"ALTER TABLE stack_value DROP COLUMN unclocked_weight;"
		"ALTER TABLE stack_value DROP COLUMN unclocked_squares",
		"PRAGMA user_version = 8; ALTER TABLE process DROP COLUMN host;"
		"ALTER TABLE process DROP COLUMN launcher; ALTER TABLE process DROP COLUMN rank;"
		"ALTER TABLE process DROP COLUMN ranks",
		"PRAGMA user_version = 7; DROP TABLE holder; DROP TABLE wait;"
		"DROP TABLE wake; DROP TABLE waker;"
		"ALTER TABLE os DROP COLUMN longest_ticks",
		"PRAGMA user_version = 6; ALTER TABLE process DROP COLUMN begin_counters_ticks;"
		"ALTER TABLE process DROP COLUMN begin_gates_ticks;"
		"ALTER TABLE counted DROP COLUMN cost_ticks",
		"PRAGMA user_version = 5; ALTER TABLE stack_value DROP COLUMN squares",
		"PRAGMA user_version = 4;" NODE_AND_HISTOGRAM_4
		"ALTER TABLE thread DROP COLUMN blocked_ticks;"
		"ALTER TABLE thread DROP COLUMN preempted_ticks;"
		"ALTER TABLE thread DROP COLUMN samples_in_runtime;"
		"ALTER TABLE thread DROP COLUMN weight_in_runtime",
		"PRAGMA user_version = 3; DROP TABLE cpu_use; ALTER TABLE os DROP COLUMN path",
		"PRAGMA user_version = 2; DROP TABLE sample_chunk; DROP TABLE stack_value;"
		"DROP TABLE stack; DROP TABLE location_line; DROP TABLE location;"
		"DROP TABLE source; DROP TABLE event; DROP TABLE sampling;"
		"ALTER TABLE module DROP COLUMN lines",
		"PRAGMA user_version = 1; DROP TABLE trace; DROP TABLE trace_chunk;"
		"ALTER TABLE process DROP COLUMN limits; ALTER TABLE thread DROP COLUMN limits;"
		"ALTER TABLE node DROP COLUMN folded_elapsed_ticks;"
		"ALTER TABLE node DROP COLUMN folded_os_ticks",
		"DROP TABLE histogram; DROP TABLE disarm;"
		"ALTER TABLE thread DROP COLUMN stack_switches"};
	struct seen seen;
	struct error err;
	size_t count;

	(void)state;
	write_small();
	for (size_t i = 0; i < sizeof(younger) / sizeof(younger[0]); i++) {
		execute(younger[i]);
		/* DROP COLUMN takes the line break behind the last one along. */
		execute("UPDATE sqlite_schema SET sql = "
			"replace(replace(sql, 'NULL) STRICT', 'NULL' || char(10) || ') STRICT'), "
			"'TEXT) STRICT', 'TEXT' || char(10) || ') STRICT')");
		assert_null(read_all(&seen, &err));
		assert_int_equal(seen.node_count, 3);
		assert_int_equal(seen.nodes[1].elapsed_ticks, 30);
		assert_int_equal(seen.nodes[1].folded_elapsed_ticks, 0);
		assert_int_equal(seen.os_count, 1);
		assert_null(seen.os.path);
		assert_int_equal(seen.nodes[1].elapsed_exclusive_max, 30);
		assert_int_equal(seen.histogram_calls, i < 13 ? 3 : 0);
	}
	struct profile *profile = profile_open(path, &err);
	assert_int_equal(profile_version(profile), 1);
	profile_stacks(profile, &count);
	assert_int_equal(count, 0);
	assert_null(profile_modules(profile, &count)->lines);
	profile_close(profile);
}

/* What a version always had may not be missing in it. */
static void test_refuses_incomplete_versions(void **state)
{
	static const struct {
		const char *sql, *message;
	} cases[] = {
		{NODE_AND_HISTOGRAM_4 "PRAGMA user_version = 3; DROP TABLE trace",
		 "no table trace"},
		{NODE_AND_HISTOGRAM_4 "PRAGMA user_version = 1;"
				      "ALTER TABLE node DROP COLUMN unwound",
		 "table node"},
		{"ALTER TABLE module DROP COLUMN lines", "table module"},
		{"PRAGMA user_version = 1; ALTER TABLE process ADD COLUMN limit_s", "process"},
		{"DROP TABLE disarm; CREATE VIEW disarm AS SELECT 1 AS id", "table disarm"},
	};
	struct seen seen;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_small();
		execute(cases[i].sql);
		const char *message = read_all(&seen, &err);
		if (!message || !strstr(message, cases[i].message))
			fail_msg("%s: %s", cases[i].sql, message ? message : "was accepted");
		unlink(path);
	}
}

static void test_refuses_contradictions(void **state)
{
	static const struct {
		const char *sql, *message;
	} cases[] = {
		{"DELETE FROM session", "0 sessions"},
		{"UPDATE session SET ticks_per_second = 0", "ticks per second"},
		{"UPDATE session SET ticks_per_second = 9e999", "ticks per second"},
		{"UPDATE thread SET process = 2", "process of row 1"},
		{"UPDATE thread SET process = NULL", "has no process"},
		{"UPDATE thread SET now_ticks = -1", "now_ticks"},
		{"UPDATE process SET os_means = 4294967296", "os_means"},
		{"DELETE FROM function WHERE id = 1", "row 1 of table function is missing"},
		{"UPDATE function SET module = -1", "module of row 1"},
		{"UPDATE node SET parent = 3 WHERE id = 2", "does not precede"},
		{"DELETE FROM node WHERE id = 1", "does not precede"},
		{"UPDATE node SET function = 3 WHERE id = 2", "function of row 2"},
		{"UPDATE node SET function = NULL WHERE id = 2", "neither a root"},
		{"UPDATE node SET thread = NULL WHERE id = 1", "has no thread"},
		{"CREATE TEMP TABLE other AS SELECT * FROM thread; UPDATE other SET id = 2; "
		 "INSERT INTO thread SELECT * FROM other; UPDATE node SET thread = 2 WHERE id = 3",
		 "different threads"},
		{"UPDATE os SET cause = 99", "cause 99"},
		{"UPDATE os SET node = 4", "of node 4"},
		/* 64 steps to a bucket; a number without end; none; calls beyond 2^63; one step
		   beyond the last bucket; a greatest value beyond 2^63; one without end */
		{"UPDATE node SET per_call = x'00f131' WHERE id = 2", "the calls of node 2"},
		{"UPDATE node SET per_call = x'000ff0' WHERE id = 2", "the calls of node 2"},
		{"UPDATE node SET per_call = x'00f1' WHERE id = 2", "the calls of node 2"},
		{"UPDATE node SET per_call = x'000ff1ffffffffffffff7f' WHERE id = 2",
		 "the calls of node 2"},
		{"UPDATE node SET per_call = x'00f13001' WHERE id = 2", "the calls of node 2"},
		{"UPDATE node SET per_call = x'0101FFFFFFFFFFFFFFFF7F' WHERE id = 2",
		 "per_call of row 2"},
		{"UPDATE node SET per_call = x'01FF' WHERE id = 2", "per_call of row 2"},
		{NODE_AND_HISTOGRAM_4 "PRAGMA user_version = 4;"
				      "ALTER TABLE thread DROP COLUMN blocked_ticks;"
				      "ALTER TABLE thread DROP COLUMN preempted_ticks;"
				      "UPDATE sqlite_schema SET sql = replace(sql, 'NULL) STRICT',"
				      "'NULL' || char(10) || ') STRICT');"
				      "UPDATE histogram SET bucket = 64",
		 "bucket 64"},
		{"UPDATE coverage SET module = NULL", "has no module"},
		{"DROP TABLE mark", "no table mark"},
		{"ALTER TABLE node ADD COLUMN more INTEGER", "other columns"},
		{"DROP TABLE mark; CREATE VIEW mark AS SELECT * FROM os", "other columns"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen seen;
		struct error err = {0};
		unlink(path);
		write_small();
		execute(cases[i].sql);
		const char *message = read_all(&seen, &err);
		if (!message || !strstr(message, cases[i].message))
			fail_msg("%s: %s", cases[i].sql, message ? message : "was accepted");
	}
}

/* Also where only pages are missing that reading does not need. */
static void test_truncated_file(void **state)
{
	struct stat info;

	(void)state;
	write_small();
	assert_int_equal(stat(path, &info), 0);
	for (off_t size = info.st_size - 1; size > 0; size -= 1021) {
		struct seen seen;
		struct error err = {0};
		assert_int_equal(truncate(path, size), 0);
		assert_non_null(read_all(&seen, &err));
	}
}

#define TEST(name) cmocka_unit_test_teardown(name, remove_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_round_trip),
		TEST(test_many_rows),
		TEST(test_file_is_private),
		TEST(test_old_file_keeps_its_mode),
		TEST(test_old_file_is_kept),
		TEST(test_discard_leaves_nothing),
		TEST(test_unwritable_directory),
		TEST(test_no_room_leaves_nothing),
		TEST(test_writer_refuses_bad_rows),
		TEST(test_refuses_other_files),
		TEST(test_reads_older_versions),
		TEST(test_refuses_incomplete_versions),
		TEST(test_refuses_other_versions),
		TEST(test_refuses_contradictions),
		TEST(test_truncated_file),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
