/*
 * Samples in the profile file: stacks, locations and their lines, values and the samples in the
 * order of time are read back as they were written; rows that contradict each other are refused.
 */
#include "profile/profile.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "test_profile_samples.XXXXXX";
static char path[64];

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/p.tare", directory);
	return 0;
}

static int remove_directory(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

/* One thread, an event, f inlined into main at one of two locations, two stacks. */
static void write_samples(void)
{
	struct error err;
	struct profile_writer *writer = small_profile_open(path);
	const int64_t thread = small_thread(writer, small_process(writer, 5, "p"), 6, 0, 0);
	const int64_t function =
		small_function(writer, small_module(writer, "/bin/p"), "main", 0x10);
	const struct profile_sampling sampling = {.collector = "timer",
						  .reason = "perf is forbidden",
						  .unwinding = "rules",
						  .samples = 3,
						  .truncated = 1,
						  .lost = 2};
	const struct profile_event event = {.name = "cpu-clock", .unit = "ns", .frequency = 997};

	assert_int_equal(profile_add_sampling(writer, &sampling, &err), 1);
	assert_int_equal(profile_add_event(writer, &event, &err), 1);
	assert_int_equal(
		profile_add_source(writer, &(struct profile_source){.path = "/src/p.c"}, &err), 1);
	for (int64_t i = 1; i <= 2; i++) {
		const struct profile_location location = {.function = function,
							  .link_addr = 0x10 + (uint64_t)i};
		const struct profile_stack stack = {.parent = i - 1, .location = i};
		assert_int_equal(profile_add_location(writer, &location, &err), i);
		assert_int_equal(profile_add_stack(writer, &stack, &err), i);
	}
	const struct profile_location_line lines[] = {
		{.location = 1, .depth = 0, .function = "f", .source = 1, .line = 3, .column = 7},
		{.location = 1, .depth = 1, .function = "main", .source = 1, .line = 9},
		{.location = 2, .depth = 0, .function = "main"},
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_true(profile_add_location_line(writer, &lines[i], &err));
	const struct profile_stack_value value = {.thread = thread,
						  .event = 1,
						  .stack = 2,
						  .samples = 3,
						  .weight = 3000000,
						  .truncated = 1};
	const struct profile_sample_chunk chunk = {.thread = thread,
						   .event = 1,
						   .begin_ticks = 100,
						   .end_ticks = 130,
						   .samples = 1,
						   .data = {.start = "\x1e\x04\x02", .size = 3}};
	assert_true(profile_add_stack_value(writer, &value, &err));
	assert_true(profile_add_sample_chunk(writer, &chunk, &err));
	for (int64_t i = 1; i <= 2; i++)
		assert_int_equal(profile_add_wake(writer,
						  &(struct profile_wake){.thread = thread,
									 .stack = i,
									 .before = i - 1},
						  &err),
				 i);
	const struct profile_waker waker = {.thread = thread,
					    .event = 1,
					    .stack = 1,
					    .wake = 2,
					    .waits = 4,
					    .weight = 900,
					    .longest = 800};
	assert_true(profile_add_waker(writer, &waker, &err));
	const struct profile_woken woken = {.thread = thread,
					    .stack = 1,
					    .wake = 2,
					    .begin_ticks = 500,
					    .woken_ticks = 600,
					    .end_ticks = 601};
	assert_true(profile_add_woken(writer, &woken, &err));
	small_profile_commit(writer);
}

struct seen {
	struct profile_wake wake;
	struct profile_waker waker;
	struct profile_woken woken;
	size_t wakes, wakers, wokens;
	struct profile_stack_value value;
	struct profile_sample_chunk chunk;
	size_t values, chunks;
};

static bool take_value(const struct profile_stack_value *row, void *context)
{
	struct seen *seen = context;

	seen->value = *row;
	seen->values++;
	return true;
}

static bool take_chunk(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	struct seen *seen = context;

	assert_int_equal(id, 1);
	seen->chunk = *row;
	seen->chunks++;
	return true;
}

static bool take_wake(int64_t id, const struct profile_wake *row, void *context)
{
	struct seen *seen = context;

	assert_int_equal(id, ++seen->wakes);
	seen->wake = *row;
	return true;
}

static bool take_waker(const struct profile_waker *row, void *context)
{
	struct seen *seen = context;

	seen->waker = *row;
	seen->wakers++;
	return true;
}

static bool take_woken(const struct profile_woken *row, void *context)
{
	struct seen *seen = context;

	seen->woken = *row;
	seen->wokens++;
	return true;
}

static void test_round_trip(void **state)
{
	struct error err;
	struct seen seen = {0};
	size_t count;
	void *data;

	(void)state;
	write_samples();
	struct profile *profile = profile_open(path, &err);
	assert_non_null(profile);
	const struct profile_sampling *sampling = profile_samplings(profile, &count);
	assert_int_equal(count, 1);
	assert_string_equal(sampling->reason, "perf is forbidden");
	assert_int_equal(sampling->truncated, 1);
	assert_int_equal(sampling->lost, 2);
	assert_string_equal(profile_events(profile, &count)->unit, "ns");
	assert_string_equal(profile_sources(profile, &count)->path, "/src/p.c");
	assert_int_equal(profile_locations(profile, &count)[1].link_addr, 0x12);
	assert_int_equal(profile_stacks(profile, &count)[1].parent, 1);
	const struct profile_location_line *lines = profile_location_lines(profile, &count);
	assert_int_equal(count, 3);
	assert_string_equal(lines[0].function, "f");
	assert_int_equal(lines[0].column, 7);
	assert_int_equal(lines[2].source, 0);
	assert_true(profile_each_stack_value(profile, take_value, &seen, &err));
	assert_true(profile_each_sample_chunk(profile, take_chunk, &seen, &err));
	assert_true(profile_each_wake(profile, take_wake, &seen, &err));
	assert_true(profile_each_waker(profile, take_waker, &seen, &err));
	assert_true(profile_each_woken(profile, take_woken, &seen, &err));
	assert_int_equal(seen.wokens, 1);
	assert_int_equal(seen.woken.wake, 2);
	assert_int_equal(seen.woken.begin_ticks, 500);
	assert_int_equal(seen.woken.woken_ticks, 600);
	assert_int_equal(seen.woken.end_ticks, 601);
	assert_int_equal(seen.wakes, 2);
	assert_int_equal(seen.wake.before, 1);
	assert_int_equal(seen.wake.stack, 2);
	assert_int_equal(seen.wakers, 1);
	assert_int_equal(seen.waker.wake, 2);
	assert_int_equal(seen.waker.longest, 800);
	assert_int_equal(seen.values, 1);
	assert_int_equal(seen.value.weight, 3000000);
	assert_int_equal(seen.value.squares, 3);
	assert_int_equal(seen.chunks, 1);
	assert_int_equal(seen.chunk.end_ticks, 130);
	assert_true(profile_read_sample_chunk(profile, 1, &data, &count, &err));
	assert_int_equal(count, 3);
	assert_memory_equal(data, "\x1e\x04\x02", 3);
	free(data);
	profile_close(profile);
}

static bool read_all(struct error *err)
{
	struct seen seen = {0};
	struct profile *profile = profile_open(path, err);
	const bool ok = profile && profile_each_stack_value(profile, take_value, &seen, err) &&
			profile_each_sample_chunk(profile, take_chunk, &seen, err) &&
			profile_each_wake(profile, take_wake, &seen, err) &&
			profile_each_waker(profile, take_waker, &seen, err) &&
			profile_each_woken(profile, take_woken, &seen, err);

	profile_close(profile);
	return ok;
}

static void test_refuses_contradictions(void **state)
{
	static const struct {
		const char *sql, *message;
	} cases[] = {
		{"UPDATE stack SET parent = 2 WHERE id = 2", "parent of row 2"},
		{"UPDATE stack SET parent = 2 WHERE id = 1", "parent of row 1"},
		{"UPDATE stack SET location = 9 WHERE id = 2", "location of row 2"},
		{"UPDATE stack SET location = NULL WHERE id = 2", "has no location"},
		{"UPDATE location SET function = NULL WHERE id = 1", "has no function"},
		{"UPDATE location_line SET depth = 1 WHERE id = 1", "out of order"},
		{"UPDATE location_line SET depth = 3 WHERE id = 2", "out of order"},
		{"UPDATE location_line SET location = 2 WHERE id = 1", "out of order"},
		{"UPDATE location_line SET source = 2 WHERE id = 1", "source of row 1"},
		{"UPDATE stack_value SET stack = 3", "stack of row 1"},
		{"UPDATE stack_value SET event = NULL", "no thread or event"},
		{"UPDATE stack_value SET truncated = 4", "more samples that are cut off"},
		{"UPDATE stack_value SET unclocked_samples = 4", "taken without a clock"},
		{"UPDATE stack_value SET unclocked_weight = weight + 1", "taken without a clock"},
		{"UPDATE stack_value SET unclocked_squares = 4", "taken without a clock"},
		{"UPDATE wake SET before = 2 WHERE id = 2", "by what comes later"},
		{"UPDATE wake SET id = 3 WHERE id = 2", "row 2 of table wake is missing"},
		{"UPDATE wake SET stack = 3 WHERE id = 2", "stack of row 2"},
		{"UPDATE waker SET thread = NULL", "of no thread or event"},
		{"UPDATE waker SET stack = 3", "stack of row 1"},
		{"UPDATE woken SET thread = NULL", "of no thread"},
		{"UPDATE woken SET stack = 3", "stack of row 1"},
		{"UPDATE woken SET end_ticks = 499", "ends before it begins"},
		{"UPDATE sample_chunk SET thread = NULL", "misplaced"},
		{"UPDATE sample_chunk SET begin_ticks = 4611686018427387904", "misplaced"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};
		sqlite3 *database;

		unlink(path);
		write_samples();
		assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
		assert_int_equal(sqlite3_exec(database, cases[i].sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(database);
		assert_false(read_all(&err));
		if (!strstr(err.message, cases[i].message))
			fail_msg("%s: %s", cases[i].sql, err.message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_refuses_contradictions),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
