/* Spans of threads in the page: whatever their number, their sums and lengths stay what they are.
 */
#include "report/html/html_states.h"

#include "analysis/thread_states.h"
#include "profile/wait_record.h"
#include "tests/support/analysed.h"
#include "tests/support/html_columns.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { WAITS = 300, THREADS = 3, STATES = 2 + WAITINGS, BEGIN = 1000, LONG = 20000 };

/* Thread 1 waits for a lock and a socket by turns, thread 2 never, of thread 3 it is not known. */
static void add_waits(struct profile_writer *writer)
{
	struct wait_record before = {.lost_ticks = BEGIN};
	struct byte_vec data = {0};
	struct error err;

	for (uint64_t i = 0; i < WAITS; i++) {
		const uint64_t begin = before.end + 30 + i % 7;
		const struct wait_record wait = {.begin = begin,
						 .end = begin + 20,
						 .lost_ticks = before.lost_ticks + i % 3,
						 .blocked_ticks = i % 5 ? 20 : 0,
						 .preempted_ticks = i % 5 ? 0 : 15,
						 .count = 1,
						 .os = 1 + i % 2};
		wait_record_write(&data, &before, &wait);
		before = wait;
	}
	const struct profile_wait row = {.thread = 1,
					 .waits = WAITS,
					 .blocked_ticks = 20 * WAITS * 4 / 5,
					 .preempted_ticks = 15 * WAITS / 5,
					 .data = {data.data, data.len}};
	assert_true(profile_add_wait(writer, &row, &err));
	vec_fini(&data);
}

static void add_thread(struct profile_writer *writer, int64_t process, uint64_t blocked,
		       uint64_t preempted)
{
	const struct profile_thread thread = {.process = process,
					      .tid = 6,
					      .name = "p",
					      .begin_ticks = BEGIN,
					      .end_ticks = BEGIN + LONG,
					      .now_ticks = LONG - 500,
					      .os_ticks = blocked + preempted,
					      .blocked_ticks = blocked,
					      .preempted_ticks = preempted};
	struct error err;

	assert_int_not_equal(profile_add_thread(writer, &thread, &err), 0);
}

static void write_profile(void)
{
	static const char *const names[] = {"/bin/p", "pthread_mutex_lock", "recv"};
	const uint64_t blocked = 20 * WAITS * 4 / 5, preempted = 15 * WAITS / 5;
	const struct small_node nodes[] = {
		{.thread = 1},
		{1, 1, 1, 1, LONG - 5500, TARE_OS_PREEMPTED, preempted, blocked - 2400},
		{1, 1, 2, 1, 5000, 0, 0, 2400},
		{.thread = 2, .elapsed = LONG - 500},
		{.thread = 3, .elapsed = LONG - 500, .blocked = 100}};
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 5, "p");
	struct error err;

	add_thread(writer, process, blocked, preempted);
	add_thread(writer, process, 0, 0);
	add_thread(writer, process, 100, 0);
	const int64_t module = small_module(writer, names[0]);
	small_function(writer, module, names[1], 0x10);
	small_function(writer, module, names[2], 0x20);
	small_nodes(writer, nodes, 5);
	for (int i = 0; i < 2; i++) {
		const struct profile_os os = {.node = 2 + i,
					      .cause = TARE_OS_BLOCKED,
					      .syscall_number = i ? 45 : 202,
					      .object = 7,
					      .count = 1,
					      .ticks = 2400};
		assert_int_not_equal(profile_add_os(writer, &os, &err), 0);
	}
	const struct profile_holder holder = {.os = 1, .thread = 2, .node = 4};
	assert_true(profile_add_holder(writer, &holder, &err));
	add_waits(writer);
	small_profile_commit(writer);
	analysed_open(NULL);
}

/* ---- reading ---- */

struct columns {
	struct html_pack pack;
	uint64_t numbers[8][4 * WAITS + 64];
	size_t counts[8];
};

static int64_t as_signed(uint64_t number)
{
	return number & 1 ? -(int64_t)(number / 2) - 1 : (int64_t)(number / 2);
}

enum { SPANS, SIGNS, TICKS, COUNTS, OS, FUNCTION, HOLDER, HOLDER_THREAD };

static void pack_within(struct columns *columns, uint64_t most)
{
	static const char *const names[] = {"states.spans", "states.signs",	 "states.ticks",
					    "states.waits", "states.os",	 "wait.function",
					    "wait.holder",  "wait.holder_thread"};
	struct error err;

	html_pack_init(&columns->pack);
	assert_true(html_pack_states_within(&columns->pack, analysis, most, &err));
	for (int i = 0; i < 8; i++)
		columns->counts[i] = html_column_read(&columns->pack, names[i], columns->numbers[i],
						      4 * WAITS + 64);
}

struct sums {
	uint64_t states[STATES], waits;
	int64_t length;
};

static struct sums sums_of(const struct columns *columns)
{
	struct sums sums = {0};
	size_t at = 0;

	for (size_t span = 0; span < columns->counts[SIGNS]; span++) {
		for (int state = 0; state < STATES; state++) {
			if (!(columns->numbers[SIGNS][span] >> state & 1))
				continue;
			sums.states[state] += columns->numbers[TICKS][at];
			sums.length += (int64_t)columns->numbers[TICKS][at++];
		}
		sums.length += as_signed(columns->numbers[TICKS][at++]);
	}
	for (size_t i = 0; i < columns->counts[COUNTS]; i++)
		sums.waits += columns->numbers[COUNTS][i];
	assert_int_equal(at, columns->counts[TICKS]);
	assert_int_equal(columns->counts[OS], columns->counts[COUNTS]);
	return sums;
}

static void test_all_spans(void **state)
{
	static struct columns columns;
	(void)state;

	write_profile();
	pack_within(&columns, 1000);
	/* a run before each wait, and one at the end; thread 2 ran; the sign of those that waited
	 */
	assert_int_equal(columns.counts[SPANS], THREADS);
	assert_int_equal(columns.numbers[SPANS][0], 2 * WAITS + 1 + 1);
	assert_int_equal(columns.numbers[SPANS][1], 1 + 1);
	assert_int_equal(columns.numbers[SPANS][2], 0);
	assert_int_equal(columns.counts[COUNTS], WAITS);
	assert_int_equal(columns.numbers[SIGNS][0], 1);
	assert_int_equal(columns.numbers[SIGNS][1], 64 | 2);
	assert_int_equal(columns.numbers[SIGNS][3], 64 | 1 << (2 + WAITING_IO));
	assert_int_equal(columns.numbers[SIGNS][5], 64 | 1 << (2 + WAITING_LOCK));
	assert_non_null(strstr(columns.pack.json.data, "\"states_joined_ticks\":0"));
	html_pack_fini(&columns.pack);
}

static void test_what_was_waited_for(void **state)
{
	static struct columns columns;
	(void)state;

	write_profile();
	pack_within(&columns, 1000);
	assert_int_equal(columns.counts[FUNCTION], 2);
	assert_int_equal(columns.numbers[FUNCTION][0], 0 + 1);
	assert_int_equal(columns.numbers[FUNCTION][1], 1 + 1);
	assert_int_equal(columns.numbers[HOLDER_THREAD][0], 1 + 1);
	assert_int_equal(columns.numbers[HOLDER_THREAD][1], 0);
	int64_t number = 0;
	for (size_t i = 0; i < columns.counts[OS]; i++) {
		number += as_signed(columns.numbers[OS][i]);
		assert_int_equal(number, 1 + i % 2);
	}
	html_pack_fini(&columns.pack);
	/* All of a thread: what it waited for longest, first the socket. */
	pack_within(&columns, 2);
	assert_int_equal(columns.counts[COUNTS], 1);
	assert_int_equal(columns.counts[FUNCTION], 1);
	assert_int_equal(columns.numbers[FUNCTION][0], 1 + 1);
	html_pack_fini(&columns.pack);
}

/* Whatever the limit, it is kept, and sums are those of all spans. */
static void test_joined(void **state)
{
	static struct columns columns;
	(void)state;

	write_profile();
	pack_within(&columns, 1000);
	const struct sums all = sums_of(&columns);
	assert_int_equal(all.states[0],
			 analysis->threads.data[0].values.amount[CPU_INCLUSIVE] +
				 analysis->threads.data[1].values.amount[CPU_INCLUSIVE]);
	assert_int_equal(all.states[1], 15 * WAITS / 5);
	assert_int_equal(all.length, 2 * LONG);
	assert_int_equal(all.waits, WAITS);
	html_pack_fini(&columns.pack);
	for (uint64_t most = 2; most <= 602; most += 25) {
		pack_within(&columns, most);
		const struct sums sums = sums_of(&columns);
		assert_true(columns.counts[SIGNS] <= most);
		assert_true(most < 100 || columns.counts[SIGNS] > most / 3);
		assert_memory_equal(&sums, &all, sizeof(all));
		html_pack_fini(&columns.pack);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_spans, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_what_was_waited_for, analysed_begin,
						analysed_end),
		cmocka_unit_test_setup_teardown(test_joined, analysed_begin, analysed_end)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
