/*
 * A look at a running recording: a snapshot's profile, which lives only while it is analysed. So
 * names, sums and checks are those of the reports.
 */
#include "cli/top_table.h"

#include "cli/top_read.h"
#include "record/record.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void row_key(const struct top_row *row, struct str *key)
{
	str_clear(key);
	str_append(key, row->module);
	str_append_bytes(key, "\n", 1);
	str_append(key, row->function);
}

struct top_row *top_table_find(struct top_table *table, const struct top_row *like)
{
	struct str key = {0};

	row_key(like, &key);
	const uint64_t *place = strmap_get(&table->places, key.data);
	str_fini(&key);
	return place ? &table->rows.data[*place] : NULL;
}

struct top_row *top_table_note(struct top_table *table)
{
	struct top_row *row = &table->rows.data[table->rows.len - 1];
	struct str key = {0};

	row_key(row, &key);
	strmap_put(&table->places, arena_strdup(&table->arena, key.data), table->rows.len - 1);
	str_fini(&key);
	return row;
}

static void init(struct top_table *table)
{
	*table = (struct top_table){.raw_ns = now_ns()};
	arena_init(&table->arena);
	strmap_init(&table->places);
}

/* ---- what there was before ---- */

static uint64_t less(uint64_t *value, uint64_t by)
{
	const uint64_t taken = *value < by ? *value : by;

	*value -= taken;
	return taken;
}

/* The rows of `table` by name, those of one name and module added up. */
static void sum_up(struct top_table *sums, const struct top_table *table)
{
	init(sums);
	vec_foreach (row, &table->rows) {
		struct top_row *there = top_table_find(sums, row);

		if (!there) {
			vec_push(&sums->rows, *row);
			top_table_note(sums);
			continue;
		}
		there->calls += row->calls;
		for (size_t i = 0; i < TOP_TIMES; i++)
			there->time_ns[i] += row->time_ns[i];
	}
}

/* Functions of the same name and module share what they had before. */
static void take_off(struct top_table *table, const struct top_table *before)
{
	struct top_table left = {0};

	sum_up(&left, before);
	vec_foreach (row, &table->rows) {
		struct top_row *was = top_table_find(&left, row);

		if (!was)
			continue;
		was->calls -= less(&row->interval_calls, was->calls);
		for (size_t i = 0; i < TOP_TIMES; i++)
			was->time_ns[i] -= less(&row->interval_ns[i], was->time_ns[i]);
	}
	top_table_fini(&left);
}

void top_table_carry(struct top_table *table, const struct top_table *earlier)
{
	vec_foreach (was, &earlier->rows) {
		struct top_row *row = top_table_find(table, was);

		if (!row) {
			vec_push(&table->rows,
				 ((struct top_row){
					 .function = arena_strdup(&table->arena, was->function),
					 .module = arena_strdup(&table->arena, was->module)}));
			row = top_table_note(table);
		}
		row->earlier_cpu_ns += was->time_ns[TOP_CPU] + was->earlier_cpu_ns;
	}
	table->earlier_cpu_ns = earlier->cpu_ns + earlier->earlier_cpu_ns;
}

bool top_table_read(const struct session *session, const struct top_table *before,
		    struct top_table *table, struct error *err)
{
	struct record_result result = {0};
	struct str path = {0};

	init(table);
	str_printf(&path, "%s/top.%d", session->directory, (int)getpid());
	bool ok = record_dump(session, path.data, &result, err);
	if (ok)
		ok = top_read(path.data, table, err);
	unlink(path.data);
	record_result_fini(&result);
	str_fini(&path);
	if (ok && before) {
		take_off(table, before);
		table->interval_seconds = (double)(table->raw_ns - before->raw_ns) * 1e-9;
	}
	vec_foreach (row, &table->rows)
		table->interval_calls += row->interval_calls;
	if (!ok)
		top_table_fini(table);
	return ok;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0; /* descending */
}

static int by_name(const struct top_row *a, const struct top_row *b)
{
	const int names = strcmp(a->function, b->function);

	return names ? names : strcmp(a->module, b->module);
}

static int by_total(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const int values = compare(x->time_ns[TOP_CPU] + x->earlier_cpu_ns,
				   y->time_ns[TOP_CPU] + y->earlier_cpu_ns);

	return values ? values : by_name(x, y);
}

static int by_interval(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const int values = compare(x->interval_ns[TOP_CPU], y->interval_ns[TOP_CPU]);

	return values ? values : by_total(x, y);
}

static int by_calls(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const int values = compare(x->interval_calls, y->interval_calls);

	return values ? values : by_total(x, y);
}

static int by_elapsed(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const int values = compare(x->elapsed_ns, y->elapsed_ns);

	return values ? values : by_name(x, y);
}

static int by_blocked(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const int values = compare(x->interval_ns[TOP_BLOCKED], y->interval_ns[TOP_BLOCKED]);

	return values ? values : by_interval(x, y);
}

void top_table_sort(struct top_table *table, enum top_sort by)
{
	static int (*const orders[])(const void *a, const void *b) = {
		[TOP_BY_INTERVAL] = by_interval, [TOP_BY_TOTAL] = by_total,
		[TOP_BY_CALLS] = by_calls,	 [TOP_BY_ELAPSED] = by_elapsed,
		[TOP_BY_BLOCKED] = by_blocked,
	};
	table_covers(orders, TOP_SORTS);

	vec_sort(&table->rows, orders[by]);
}

void top_table_fini(struct top_table *table)
{
	vec_fini(&table->rows);
	strmap_fini(&table->places);
	arena_fini(&table->arena);
}
