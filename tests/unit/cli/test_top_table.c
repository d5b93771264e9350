/*
 * Rows of tare top: what an interval has is the total less what there was before; what earlier
 * recordings have is carried over. Snapshots are those below instead of a recorder's.
 */
#include "cli/top_read.h"
#include "record/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct known {
	const char *function, *module;
	uint64_t calls, cpu_ns, blocked_ns;
};

static const struct known *snapshot;
static size_t snapshot_rows;

bool record_dump(const struct session *session, const char *output, struct record_result *result,
		 struct error *err)
{
	(void)session;
	(void)output;
	(void)result;
	return snapshot || error_set(err, ERROR_NOT_FOUND, "the recording is gone");
}

void record_result_fini(struct record_result *result)
{
	(void)result;
}

bool top_read(const char *profile_path, struct top_table *table, struct error *err)
{
	(void)profile_path;
	(void)err;
	for (size_t i = 0; i < snapshot_rows; i++) {
		struct top_row row = {.function = snapshot[i].function,
				      .module = snapshot[i].module,
				      .calls = snapshot[i].calls,
				      .interval_calls = snapshot[i].calls};

		row.time_ns[TOP_CPU] = snapshot[i].cpu_ns;
		row.time_ns[TOP_BLOCKED] = snapshot[i].blocked_ns;
		memcpy(row.interval_ns, row.time_ns, sizeof(row.interval_ns));
		vec_push(&table->rows, row);
		top_table_note(table);
		table->cpu_ns += row.time_ns[TOP_CPU];
	}
	return true;
}

static void look(const struct known *rows, size_t count, const struct top_table *before,
		 struct top_table *table)
{
	static char directory[] = "/nonexistent";
	const struct session session = {.directory = directory, .fd = -1};
	struct error err;

	snapshot = rows;
	snapshot_rows = count;
	assert_true(top_table_read(&session, before, table, &err));
}

static const struct top_row *row_of(struct top_table *table, const char *function,
				    const char *module)
{
	vec_foreach (row, &table->rows)
		if (!strcmp(row->function, function) && !strcmp(row->module, module))
			return row;
	fail_msg("no row of %s", function);
	return NULL;
}

static void test_intervals(void **state)
{
	static const struct known first[] = {{"work", "p", 10, 1000, 50},
					     {"work", "lib", 1, 10, 0}},
				  second[] = {{"more", "p", 1, 5, 7},
					      {"work", "lib", 1, 10, 3},
					      {"work", "p", 14, 1600, 50}};
	struct top_table one, two;

	(void)state;
	look(first, COUNT(first), NULL, &one);
	assert_int_equal(row_of(&one, "work", "p")->interval_ns[TOP_CPU], 1000);
	assert_int_equal(one.interval_calls, 11);
	/* As shown: in another order. */
	top_table_sort(&one, TOP_BY_BLOCKED);
	look(second, COUNT(second), &one, &two);
	const struct top_row *row = row_of(&two, "work", "p");
	assert_int_equal(row->interval_ns[TOP_CPU], 600);
	assert_int_equal(row->interval_ns[TOP_BLOCKED], 0);
	assert_int_equal(row->interval_calls, 4);
	assert_int_equal(row->time_ns[TOP_CPU], 1600);
	assert_int_equal(row_of(&two, "work", "lib")->interval_ns[TOP_BLOCKED], 3);
	assert_int_equal(row_of(&two, "more", "p")->interval_ns[TOP_CPU], 5);
	assert_int_equal(two.interval_calls, 5);
	top_table_fini(&one);
	top_table_fini(&two);
}

/* Functions of one name and module are several rows, which share what they had before. */
static void test_twins(void **state)
{
	static const struct known first[] = {{"init", "p", 1, 100, 0}, {"init", "p", 2, 50, 0}},
				  second[] = {{"init", "p", 1, 100, 0}, {"init", "p", 4, 80, 0}};
	struct top_table one, two;
	uint64_t all = 0;

	(void)state;
	look(first, COUNT(first), NULL, &one);
	look(second, COUNT(second), &one, &two);
	vec_foreach (row, &two.rows)
		all += row->interval_ns[TOP_CPU];
	assert_int_equal(all, 30);
	assert_int_equal(two.interval_calls, 2);
	top_table_fini(&one);
	top_table_fini(&two);
}

/* A recording that is begun anew twice: totals go on, the interval is its own. */
static void test_carried_over(void **state)
{
	static const struct known first[] = {{"work", "p", 0, 1000, 0}, {"gone", "p", 0, 40, 0}},
				  second[] = {{"work", "p", 0, 200, 0}},
				  third[] = {{"work", "p", 0, 3, 0}, {"new", "p", 0, 1, 0}};
	struct top_table one, two, three;

	(void)state;
	look(first, COUNT(first), NULL, &one);
	top_table_sort(&one, TOP_BY_TOTAL);
	look(second, COUNT(second), NULL, &two);
	top_table_carry(&two, &one);
	top_table_sort(&two, TOP_BY_INTERVAL);
	look(third, COUNT(third), NULL, &three);
	top_table_carry(&three, &two);
	const struct top_row *row = row_of(&three, "work", "p");
	assert_int_equal(row->time_ns[TOP_CPU], 3);
	assert_int_equal(row->interval_ns[TOP_CPU], 3);
	assert_int_equal(row->earlier_cpu_ns, 1200);
	assert_int_equal(row_of(&three, "gone", "p")->earlier_cpu_ns, 40);
	assert_int_equal(row_of(&three, "gone", "p")->interval_ns[TOP_CPU], 0);
	assert_int_equal(row_of(&three, "new", "p")->earlier_cpu_ns, 0);
	assert_int_equal(three.cpu_ns, 4);
	assert_int_equal(three.earlier_cpu_ns, 1240);
	top_table_sort(&three, TOP_BY_TOTAL);
	assert_string_equal(three.rows.data[1].function, "gone");
	top_table_fini(&one);
	top_table_fini(&two);
	top_table_fini(&three);
}

static void test_gone(void **state)
{
	static char directory[] = "/nonexistent";
	const struct session session = {.directory = directory, .fd = -1};
	struct top_table table;
	struct error err;

	(void)state;
	snapshot = NULL;
	assert_false(top_table_read(&session, NULL, &table, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_twins),
		cmocka_unit_test(test_carried_over),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
