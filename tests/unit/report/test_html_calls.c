/* Calls over time in the page: how many there is room for, and which are left out. */
#include "report/html/html_calls.h"

#include "profile/trace_record.h"
#include "tests/support/analysed.h"
#include "tests/support/html_columns.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { CALLS = 20 };

static void put(struct byte_vec *data, enum tare_trace_kind kind, uint64_t delta, uint32_t value)
{
	trace_record_write(data,
			   &(struct trace_record){.kind = kind, .delta = delta, .value = value});
}

/* A call of `outer`, and in it `CALLS` calls of `inner`: the i-th takes 2^i ticks, and 3 before. */
static void write_profile(bool with_log)
{
	const struct small_node nodes[] = {
		{.thread = 1}, {1, 1, 1, 1, 5000, 0, 0, 0}, {1, 2, 2, CALLS, 5000, 0, 0, 0}};
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 5, "p");
	struct byte_vec data = {0};
	struct error err;

	small_thread(writer, process, 5, 10000, 0);
	const int64_t module = small_module(writer, "/bin/p");
	small_function(writer, module, "outer", 0x10);
	small_function(writer, module, "inner", 0x20);
	small_nodes(writer, nodes, 3);
	put(&data, TARE_TRACE_ENTER, 50, 1);
	for (int i = 0; i < CALLS; i++) {
		put(&data, TARE_TRACE_ENTER, 3, 1);
		put(&data, TARE_TRACE_LEAVE, 1ULL << i, 0);
	}
	put(&data, TARE_TRACE_LEAVE, 7, 0);
	const uint64_t begin = small_profile_session().begin_ticks;
	const struct profile_trace log = {.thread = 1, .events = 2 * CALLS + 2};
	const struct profile_trace_chunk chunk = {.thread = 1,
						  .begin_ticks = begin,
						  .end_ticks = begin + (1 << CALLS) + 200,
						  .events = 2 * CALLS + 2,
						  .data = {data.data, data.len}};
	if (with_log)
		assert_true(profile_add_trace(writer, &log, &err) &&
			    profile_add_trace_chunk(writer, &chunk, &err));
	vec_fini(&data);
	small_profile_commit(writer);
	analysed_open(NULL);
}

struct calls {
	uint64_t rows[4], counts[4], begin[CALLS + 1], ticks[CALLS + 1], functions[CALLS + 1];
	size_t count;
	uint64_t left_out, shortest;
};

static uint64_t number_of(const struct html_pack *pack, const char *key)
{
	const char *at = strstr(pack->json.data, key);
	uint64_t number = 0;

	assert_non_null(at);
	sscanf(strchr(at, ':') + 1, "%ju", &number);
	return number;
}

static struct calls pack_within(size_t most)
{
	struct html_pack pack = {0};
	struct calls calls = {0};
	struct error err;

	html_pack_init(&pack);
	assert_true(html_pack_calls_within(&pack, analysis, most, &err));
	if (pack.index.data && strstr(pack.index.data, "calls.rows")) {
		html_column_read(&pack, "calls.rows", calls.rows, 4);
		html_column_read(&pack, "calls.count", calls.counts, 4);
		html_column_read(&pack, "calls.begin", calls.begin, CALLS + 1);
		html_column_read(&pack, "calls.ticks", calls.ticks, CALLS + 1);
		calls.count = html_column_read(&pack, "calls.function", calls.functions, CALLS + 1);
		calls.left_out = number_of(&pack, "calls_left_out");
		calls.shortest = number_of(&pack, "calls_shortest_ticks");
	}
	html_pack_fini(&pack);
	return calls;
}

static void test_all(void **state)
{
	(void)state;
	write_profile(true);
	const struct calls calls = pack_within(100);

	assert_int_equal(calls.count, CALLS + 1);
	assert_int_equal(calls.rows[0], 2);
	assert_int_equal(calls.counts[0], 1);
	assert_int_equal(calls.counts[1], CALLS);
	assert_int_equal(calls.begin[0], 2 * 50); /* signed, from the begin on */
	assert_int_equal(calls.ticks[0], 3 * CALLS + (1 << CALLS) - 1 + 7);
	assert_int_equal(calls.functions[0], 0 + 1);
	assert_int_equal(calls.begin[1], 2 * 53);
	for (int i = 0; i < CALLS; i++) {
		assert_int_equal(calls.begin[1 + i], i ? 2 * 3 : 2 * 53);
		assert_int_equal(calls.ticks[1 + i], 1 << i);
		assert_int_equal(calls.functions[1 + i], 1 + 1);
	}
	assert_int_equal(calls.left_out, 0);
	assert_int_equal(calls.shortest, 0);
}

/* The longest are kept, and the others counted. */
static void test_no_room(void **state)
{
	(void)state;
	write_profile(true);
	for (size_t most = 1; most <= CALLS; most++) {
		const struct calls calls = pack_within(most);

		assert_int_equal(calls.count, most);
		assert_int_equal(calls.left_out, CALLS + 1 - most);
		assert_true(calls.shortest > 1ULL << (CALLS - most));
		assert_true(calls.shortest <= 1ULL << (CALLS + 1 - most));
		assert_int_equal(calls.counts[0], 1);
		for (size_t i = 1; i < calls.count; i++)
			assert_int_equal(calls.ticks[i], 1ULL << (CALLS - most + i));
	}
	assert_int_equal(pack_within(0).count, 0);
}

static void test_without_log(void **state)
{
	(void)state;
	write_profile(false);
	assert_int_equal(pack_within(100).count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_no_room, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_without_log, analysed_begin, analysed_end)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
