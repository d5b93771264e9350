/* Waits joined with who ended them, in the page: the paths of both, and all of the time. */
#include "report/html/html_wakers.h"

#include "tests/support/analysed.h"
#include "tests/support/html_columns.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MAIN, TAKE, PUT, READ, FUNCTIONS };
enum { WOKEN_BY = FUNCTIONS, UNSEEN, INTERRUPT, FIRST_THREAD, SECOND_THREAD };
enum { OFF_CPU = 1, ROOM = 512 };
/* Waits of the first thread that the second one ended, an interrupt did, and nobody was seen to. */
enum { ENDED = 7000, INTERRUPTED = 900, REST = 300, OTHERS = 50 };

static int64_t in_take, in_put;

static struct profile_writer *begin(void)
{
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 5, "p");
	const int64_t own = small_module(writer, "/bin/p");
	const struct profile_sampling sampling = {.collector = "perf", .unwinding = "rules"};
	struct error err;

	small_thread(writer, process, 5, 0, 0);
	small_thread(writer, process, 6, 0, 0);
	const int64_t main_id = small_function(writer, own, "main", 0x10);
	const int64_t take_id = small_function(writer, own, "take", 0x20);
	const int64_t put_id = small_function(writer, own, "put", 0x30);
	const int64_t read_id = small_function(writer, own, "read", 0x40);
	assert_true(profile_add_sampling(writer, &sampling, &err));
	small_event(writer, "off-cpu", "ns");
	const int64_t in_main = small_stack(writer, 0, main_id, 0x11);
	in_take = small_stack(writer, small_stack(writer, in_main, take_id, 0x21), read_id, 0x41);
	in_put = small_stack(writer, in_main, put_id, 0x31);
	return writer;
}

static void add_waker(struct profile_writer *writer, struct profile_waker row)
{
	struct error err;

	row.event = OFF_CPU;
	assert_true(profile_add_waker(writer, &row, &err));
}

static void write_profile(void)
{
	static const struct profile_wake wakes[] = {{2, 0, 0}, {0, 0, 0}};
	struct profile_writer *writer = begin();
	struct error err;

	const struct profile_stack_value values[] = {
		SMALL_VALUE(1, OFF_CPU, in_take, 10, ENDED + INTERRUPTED + REST, 0),
		SMALL_VALUE(2, OFF_CPU, in_take, 2, OTHERS, 0),
	};
	for (size_t i = 0; i < 2; i++)
		small_samples(writer, &values[i]);
	for (size_t i = 0; i < 2; i++) {
		struct profile_wake wake = wakes[i];
		wake.stack = wake.thread ? in_put : 0;
		wake.before = i ? 0 : wake.before;
		assert_true(profile_add_wake(writer, &wake, &err));
	}
	assert_true(profile_add_wake(writer, &(struct profile_wake){2, in_put, 2}, &err));
	add_waker(writer, (struct profile_waker){1, 0, in_take, 3, .waits = 5, .weight = ENDED,
						 .longest = 4000});
	add_waker(writer, (struct profile_waker){1, 0, in_take, 2, .waits = 3,
						 .weight = INTERRUPTED, .longest = 600});
	/* There was no room to say who it was. */
	add_waker(writer, (struct profile_waker){1, 0, in_take, 0, .waits = 1, .weight = 200,
						 .longest = 200});
	small_profile_commit_as(writer, "sample");
	analysed_open(NULL);
}

struct columns {
	uint64_t nodes, sums, left_out;
	uint64_t parent[ROOM], subject[ROOM], row[ROOM], node[ROOM], waits[ROOM], ticks[ROOM],
		longest[ROOM];
	uint64_t steps[ROOM], kind[ROOM], function[ROOM], thread[ROOM];
};

static struct columns pack_within(size_t most)
{
	struct html_pack pack = {0};
	struct columns columns = {0};
	struct error err;

	html_pack_init(&pack);
	assert_true(html_pack_wakers_within(&pack, analysis, most, &err));
	const char *said =
		pack.json.data ? strstr(pack.json.data, "\"wakers_left_out_ns\":") : NULL;
	if (said) {
		sscanf(strchr(said, ':') + 1, "%ju", &columns.left_out);
		columns.nodes = html_column_read(&pack, "woken.parent", columns.parent, ROOM);
		html_column_read(&pack, "woken.subject", columns.subject, ROOM);
		columns.sums = html_column_read(&pack, "woken.row", columns.row, ROOM);
		html_column_read(&pack, "woken.node", columns.node, ROOM);
		html_column_read(&pack, "woken.waits", columns.waits, ROOM);
		html_column_read(&pack, "woken.ticks", columns.ticks, ROOM);
		html_column_read(&pack, "woken.longest", columns.longest, ROOM);
		html_column_read(&pack, "woken.steps", columns.steps, ROOM);
		html_column_read(&pack, "woken.step_kind", columns.kind, ROOM);
		html_column_read(&pack, "woken.step_function", columns.function, ROOM);
		html_column_read(&pack, "woken.step_thread", columns.thread, ROOM);
	}
	html_pack_fini(&pack);
	return columns;
}

/* Of the waits of a thread with these subjects, the last one -1: their place among the sums. */
static size_t find(const struct columns *columns, uint64_t thread, const int *subjects)
{
	for (size_t i = 0; i < columns->sums; i++) {
		size_t length = 0, at = columns->node[i];

		while (subjects[length] >= 0)
			length++;
		while (length && columns->parent[at] &&
		       columns->subject[at] == (uint64_t)subjects[length - 1]) {
			at -= columns->parent[at];
			length--;
		}
		if (!length && !columns->parent[at] && columns->subject[at] == thread)
			return i;
	}
	fail_msg("no such waits of thread %d", (int)thread);
	return 0;
}

static const struct analysis_os *row_of(const struct columns *columns, size_t sum)
{
	assert_true(columns->row[sum] < analysis->wakers.len);
	return &analysis->wakers.data[columns->row[sum]].os;
}

static void test_joined(void **state)
{
	(void)state;
	write_profile();
	const struct columns columns = pack_within(100);
	const size_t ended = find(
		&columns, 0, (int[]){MAIN, TAKE, READ, WOKEN_BY, PUT, MAIN, SECOND_THREAD, -1});
	const size_t interrupted =
		find(&columns, 0, (int[]){MAIN, TAKE, READ, WOKEN_BY, INTERRUPT, -1});
	const size_t rest = find(&columns, 0, (int[]){MAIN, TAKE, READ, WOKEN_BY, UNSEEN, -1});
	const size_t others = find(&columns, 1, (int[]){MAIN, TAKE, READ, WOKEN_BY, UNSEEN, -1});

	assert_int_equal(columns.left_out, 0);
	assert_int_equal(columns.sums, 4);
	assert_int_equal(columns.ticks[ended], ENDED);
	assert_int_equal(columns.waits[ended], 5);
	assert_int_equal(columns.longest[ended], 4000);
	assert_int_equal(row_of(&columns, ended)->ticks, ENDED);
	assert_int_equal(columns.ticks[interrupted], INTERRUPTED);
	assert_int_equal(row_of(&columns, interrupted)->wake->kind, WAKE_BY_INTERRUPT);
	/* What had no room to be told is among those of which nobody saw the end. */
	assert_int_equal(columns.ticks[rest], REST);
	assert_int_equal(columns.waits[rest], 2);
	assert_int_equal(columns.longest[rest], 200);
	assert_int_equal(row_of(&columns, rest)->wake->kind, WAKE_NOT_KNOWN);
	assert_int_equal(columns.row[others], columns.row[rest]);
	assert_int_equal(row_of(&columns, rest)->ticks, REST + OTHERS);
}

static void test_chains(void **state)
{
	(void)state;
	write_profile();
	const struct columns columns = pack_within(100);
	size_t at = 0;

	for (size_t row = 0; row < analysis->wakers.len; row++) {
		const struct analysis_wake *wake = analysis->wakers.data[row].os.wake;

		assert_int_equal(columns.steps[row], wake->kind == WAKE_BY_THREAD ? 2 : 1);
		assert_int_equal(columns.kind[at], wake->kind);
		if (wake->kind == WAKE_BY_THREAD) {
			assert_int_equal(columns.function[at], PUT + 1);
			assert_int_equal(columns.thread[at], 2);
			assert_int_equal(columns.kind[at + 1], WAKE_BY_INTERRUPT);
			assert_int_equal(columns.function[at + 1], 0);
			assert_int_equal(columns.thread[at + 1], 0);
		}
		at += columns.steps[row];
	}
}

static void test_no_room(void **state)
{
	(void)state;
	write_profile();
	const uint64_t nodes = pack_within(100).nodes;

	for (size_t most = 0; most < nodes + 2; most++) {
		const struct columns columns = pack_within(most);
		uint64_t sum = columns.left_out;

		for (size_t i = 0; i < columns.sums; i++)
			sum += columns.ticks[i];
		assert_int_equal(sum, ENDED + INTERRUPTED + REST + OTHERS);
		assert_true(columns.nodes <= most + 2 && columns.sums <= most);
		assert_int_equal(columns.left_out == 0, columns.sums == 4);
		/* The longest come first. */
		assert_true(!columns.sums || columns.ticks[0] == ENDED || most < 8);
	}
	assert_int_equal(pack_within(nodes).left_out, 0);
}

static void test_only_chosen_threads(void **state)
{
	(void)state;
	write_profile();
	const char *glob[] = {"5"};
	analysed_open(&(struct analysis_options){.threads = {glob, 1}});
	const struct columns columns = pack_within(100);

	assert_int_equal(columns.sums, 3);
	assert_int_equal(
		row_of(&columns, find(&columns, 0, (int[]){MAIN, TAKE, READ, WOKEN_BY, UNSEEN, -1}))
			->ticks,
		REST);
}

/* As many as a damaged profile has rows. */
static void test_endless_chain(void **state)
{
	struct profile_writer *writer = begin();
	struct error err;

	(void)state;
	const struct profile_stack_value value = SMALL_VALUE(1, OFF_CPU, in_take, 1, 100, 0);
	small_samples(writer, &value);
	for (int64_t i = 0; i < 1000; i++)
		assert_true(profile_add_wake(writer, &(struct profile_wake){2, in_put, i}, &err));
	add_waker(writer, (struct profile_waker){1, 0, in_take, 1000, .waits = 1, .weight = 100,
						 .longest = 100});
	small_profile_commit_as(writer, "sample");
	analysed_open(NULL);
	const struct columns columns = pack_within(100);

	assert_int_equal(columns.sums, 1);
	assert_true(columns.steps[0] > 8 && columns.steps[0] <= 64);
}

static void test_none(void **state)
{
	struct profile_writer *writer = begin();

	(void)state;
	const struct profile_stack_value value = SMALL_VALUE(1, OFF_CPU, in_take, 1, 100, 0);
	small_samples(writer, &value);
	small_profile_commit_as(writer, "sample");
	analysed_open(NULL);
	assert_false(html_has_wakers(analysis, &(struct export_options){0}));
	write_profile();
	assert_true(html_has_wakers(analysis, &(struct export_options){0}));
	assert_false(html_has_wakers(analysis, &(struct export_options){.from = "1"}));
	assert_false(html_has_wakers(analysis, &(struct export_options){.to = "1"}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_joined, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_chains, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_no_room, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_only_chosen_threads, analysed_begin,
						analysed_end),
		cmocka_unit_test_setup_teardown(test_endless_chain, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_none, analysed_begin, analysed_end)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
