/*
 * The builder of samples: vector (d) of docs/explanation/data-values.md, values and chunks that say
 * the same, chunks that go out as they fill, one row for equal locations and stacks, and no room.
 */
#include "assemble/sample_builder.h"
#include "base/byte_reader.h"
#include "tests/support/own_directory.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "test_sample_builder.XXXXXX";
static char path[64];
static struct profile_writer *writer;
static struct resolver resolver;
static struct sample_builder *builder;
static int64_t thread, event;

static int begin(void **state)
{
	struct error err;
	const struct profile_event row = {.name = "cpu-clock", .unit = "ns", .frequency = 997};

	(void)state;
	if (!own_directory_make(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/p.tare", directory);
	writer = small_profile_open(path);
	resolver_init(&resolver, NULL, writer);
	builder = sample_builder_new(&resolver, writer);
	thread = small_thread(writer, small_process(writer, 5, "p"), 6, 0, 0);
	event = profile_add_event(writer, &row, &err);
	return event ? 0 : -1;
}

static int end(void **state)
{
	struct error err;

	(void)state;
	sample_builder_free(builder);
	resolver_fini(&resolver);
	return directory_remove(directory, &err) ? 0 : -1;
}

/* A function of its own in the kernel, whose symbols the test chooses. */
static int64_t location(const char *name)
{
	static const char *const names[] = {"main", "foo", "bar"};
	struct error err = {0};

	if (!resolver.kernel_is_read)
		kernel_symbols_parse(&resolver.kernel, "ffffffff81000100 T main\n"
						       "ffffffff81000200 T foo\n"
						       "ffffffff81000300 T bar\n");
	resolver.kernel_is_read = true;
	struct resolve_module *kernel = resolver_module(&resolver, RESOLVE_KERNEL_PATH, &err);
	for (uint64_t i = 0; i < 3; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		const int64_t id =
			resolver_location(&resolver, kernel, 0xffffffff81000108 + 0x100 * i, &err);
		assert_true(id > 0);
		return id;
	}
	return 0;
}

/* Root first, as "main;foo". */
static int64_t stack(const char *text)
{
	struct error err = {0};
	char copy[64];
	int64_t id = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *name = strtok(copy, ";"); name; name = strtok(NULL, ";")) {
		id = sample_builder_stack(builder, id, location(name), &err);
		assert_true(id > 0);
	}
	return id;
}

static void add(int64_t stack_id, uint64_t ticks, uint64_t weight, bool truncated)
{
	struct error err = {0};
	const struct sample_builder_sample sample = {.thread = thread,
						     .event = event,
						     .stack = stack_id,
						     .ticks = ticks,
						     .weight = weight,
						     .truncated = truncated};

	if (!sample_builder_add(builder, &sample, &err))
		fail_msg("%s", err.message);
}

static struct profile *finish(void)
{
	struct error err = {0};
	const struct profile_sampling row = {.collector = "timer", .unwinding = "rules", .lost = 7};
	const struct profile_session session = {.ticks_per_second = 1e9};

	if (!sample_builder_write(builder, row, &err))
		fail_msg("%s", err.message);
	assert_true(profile_write_session(writer, &session, &err));
	if (!profile_writer_commit(writer, &err))
		fail_msg("%s", err.message);
	struct profile *profile = profile_open(path, &err);
	if (!profile)
		fail_msg("%s", err.message);
	return profile;
}

/* ---- reading back ---- */

struct counts {
	const struct profile *profile;
	uint64_t inclusive[3], exclusive[3]; /* main, foo, bar */
	uint64_t samples, weight;
};

static size_t function_of(const struct profile *profile, int64_t location_id)
{
	size_t count;
	const int64_t function = profile_locations(profile, &count)[location_id - 1].function;
	const char *name = profile_functions(profile, &count)[function - 1].name;

	return !strcmp(name, "main") ? 0 : !strcmp(name, "foo") ? 1 : 2;
}

static bool count_value(const struct profile_stack_value *row, void *context)
{
	struct counts *counts = context;
	bool seen[3] = {false};
	size_t count;
	const struct profile_stack *stacks = profile_stacks(counts->profile, &count);

	for (int64_t at = row->stack; at; at = stacks[at - 1].parent) {
		const size_t function = function_of(counts->profile, stacks[at - 1].location);
		if (at == row->stack)
			counts->exclusive[function] += row->samples;
		if (!seen[function])
			counts->inclusive[function] += row->samples;
		seen[function] = true;
	}
	counts->samples += row->samples;
	counts->weight += row->weight;
	return true;
}

static void test_vector(void **state)
{
	uint64_t ticks = 100;
	struct error err;

	(void)state;
	for (int i = 0; i < 3; i++)
		add(stack("main;foo;bar"), ticks++, 10, false);
	add(stack("main;foo"), ticks++, 10, false);
	add(stack("main;foo"), ticks++, 10, false);
	add(stack("main"), ticks++, 10, false);
	add(stack("main;foo;foo"), ticks++, 10, false);
	struct profile *profile = finish();
	struct counts counts = {.profile = profile};
	assert_true(profile_each_stack_value(profile, count_value, &counts, &err));
	const uint64_t inclusive[3] = {7, 6, 3}, exclusive[3] = {1, 3, 3};
	assert_memory_equal(counts.inclusive, inclusive, sizeof(inclusive));
	assert_memory_equal(counts.exclusive, exclusive, sizeof(exclusive));
	assert_int_equal(counts.samples, 7);
	assert_int_equal(counts.weight, 70);
	size_t count;
	const struct profile_sampling *sampling = profile_samplings(profile, &count);
	assert_int_equal(count, 1);
	assert_int_equal(sampling->samples, 7);
	assert_int_equal(sampling->lost, 7);
	profile_locations(profile, &count);
	assert_int_equal(count, 3);
	profile_stacks(profile, &count);
	assert_int_equal(count, 4);
	profile_close(profile);
}

/* ---- several at once ---- */

static bool sum_squares(const struct profile_stack_value *row, void *context)
{
	uint64_t *squares = context;

	*squares += row->squares;
	return true;
}

/* Three samples of one draw, and one that was taken alone: 9 and 1. */
static void test_samples_at_once(void **state)
{
	struct error err = {0};
	uint64_t squares = 0;
	struct sample_builder_sample sample = {.thread = thread,
					       .event = event,
					       .stack = stack("main;foo"),
					       .ticks = 100,
					       .weight = 10,
					       .at_once = 3};

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_true(sample_builder_add(builder, &sample, &err));
	add(stack("main;foo"), 101, 10, false);
	struct profile *profile = finish();
	assert_true(profile_each_stack_value(profile, sum_squares, &squares, &err));
	assert_int_equal(squares, 10);
	profile_close(profile);
}

/* ---- while no clock is read ---- */

static bool sum_unclocked(const struct profile_stack_value *row, void *context)
{
	struct profile_stack_value *sum = context;

	sum->unclocked_samples += row->unclocked_samples;
	sum->unclocked_weight += row->unclocked_weight;
	sum->unclocked_squares += row->unclocked_squares;
	return true;
}

static void assert_unclocked(uint64_t samples, uint64_t weight, uint64_t squares)
{
	struct profile *profile = finish();
	struct profile_stack_value sum = {0};
	struct error err;

	assert_true(profile_each_stack_value(profile, sum_unclocked, &sum, &err));
	profile_close(profile);
	assert_int_equal(sum.unclocked_samples, samples);
	assert_int_equal(sum.unclocked_weight, weight);
	assert_int_equal(sum.unclocked_squares, squares);
}

static void clock_is_read(uint64_t begin_ticks, uint64_t end_ticks, bool shared)
{
	const struct sample_known_thread row = {
		.id = thread, .begin_ticks = begin_ticks, .end_ticks = end_ticks, .shared = shared};

	sample_builder_clock(builder, &row);
}

/* Of three at 100 and one each at 101, 102 and 103, only that at 102 is in time. */
static void test_beside_the_clock(void **state)
{
	struct error err = {0};
	const struct sample_builder_sample sample = {.thread = thread,
						     .event = event,
						     .stack = stack("main;foo"),
						     .ticks = 100,
						     .weight = 10,
						     .at_once = 3};

	(void)state;
	clock_is_read(102, 103, false);
	for (int i = 0; i < 3; i++)
		assert_true(sample_builder_add(builder, &sample, &err));
	add(stack("main;foo"), 101, 20, false);
	add(stack("main;foo"), 102, 40, false);
	add(stack("main;foo"), 103, 80, false);
	assert_unclocked(5, 130, 11);
}

static void test_end_of_the_clock_unknown(void **state)
{
	(void)state;
	clock_is_read(102, 0, false);
	add(stack("main;foo"), 101, 20, false);
	add(stack("main;foo"), 102, 40, false);
	add(stack("main;foo"), UINT64_C(1) << 60, 80, false);
	assert_unclocked(1, 20, 1);
}

/* Of a row for several threads, the end is that of one of them. */
static void test_clocks_of_several(void **state)
{
	(void)state;
	clock_is_read(102, 103, true);
	add(stack("main;foo"), 101, 20, false);
	add(stack("main;foo"), 110, 40, false);
	assert_unclocked(1, 20, 1);
}

static void test_thread_without_a_clock(void **state)
{
	(void)state;
	add(stack("main"), 100, 10, false);
	add(stack("main;foo"), 101, 20, false);
	assert_unclocked(2, 30, 2);
}

/* ---- in tare's own code ---- */

/* What it does before the thread's clock is read, as when it begins, is no part of that clock. */
static void test_own_samples_beside_the_clock(void **state)
{
	struct sample_builder_sample own = {.thread = thread, .event = event, .weight = 10};
	size_t count;

	(void)state;
	clock_is_read(102, 104, false);
	for (own.ticks = 100; own.ticks < 106; own.ticks++)
		sample_builder_add_own(builder, &own, 1);
	struct profile *profile = finish();
	const struct profile_thread *threads = profile_threads(profile, &count);
	assert_int_equal(threads[0].samples_in_runtime, 2);
	assert_int_equal(threads[0].weight_in_runtime, 20);
	assert_int_equal(profile_samplings(profile, &count)->in_runtime, 6);
	profile_close(profile);
}

/* Two threads; of the first, samples of two events, of which the later one counts in the sum alone.
 */
static void test_own_samples_are_their_threads(void **state)
{
	struct error err;
	const struct profile_event row = {.name = "page-faults", .period = 1};
	const int64_t second = small_thread(writer, small_process(writer, 7, "q"), 8, 0, 0);
	const int64_t later = profile_add_event(writer, &row, &err);
	struct sample_builder_sample own = {.thread = thread, .event = later, .weight = 1000};

	(void)state;
	sample_builder_add_own(builder, &own, 1);
	own = (struct sample_builder_sample){.thread = thread, .event = event, .weight = 30};
	sample_builder_add_own(builder, &own, 3);
	own.weight = 40;
	sample_builder_add_own(builder, &own, 1);
	own = (struct sample_builder_sample){.thread = thread, .event = later, .weight = 1000};
	sample_builder_add_own(builder, &own, 1);
	own = (struct sample_builder_sample){.thread = second, .event = event, .weight = 5};
	sample_builder_add_own(builder, &own, 2);
	add(stack("main"), 100, 10, false);
	struct profile *profile = finish();
	size_t count;
	const struct profile_thread *threads = profile_threads(profile, &count);
	assert_int_equal(count, 2);
	assert_int_equal(threads[0].samples_in_runtime, 4);
	assert_int_equal(threads[0].weight_in_runtime, 70);
	assert_int_equal(threads[1].samples_in_runtime, 2);
	assert_int_equal(threads[1].weight_in_runtime, 5);
	const struct profile_sampling *sampling = profile_samplings(profile, &count);
	assert_int_equal(sampling->in_runtime, 8);
	assert_int_equal(sampling->samples, 1);
	profile_close(profile);
}

/* ---- chunks ---- */

struct chunk_list {
	struct profile *profile;
	struct vec_of(struct sample_builder_sample) samples;
	size_t chunks;
};

static int64_t read_zigzag(struct byte_reader *reader)
{
	const uint64_t value = read_uleb(reader);

	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static bool read_chunk(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	struct chunk_list *list = context;
	struct error err;
	void *data;
	size_t size;

	assert_true(profile_read_sample_chunk(list->profile, id, &data, &size, &err));
	struct byte_reader reader = byte_reader(data, size);
	struct sample_builder_sample sample = {.ticks = row->begin_ticks};
	for (uint64_t i = 0; i < row->samples; i++) {
		sample.ticks += read_uleb(&reader);
		sample.stack += read_zigzag(&reader);
		sample.weight += (uint64_t)read_zigzag(&reader);
		vec_push(&list->samples, sample);
	}
	assert_false(reader.failed);
	assert_int_equal(bytes_left(&reader), 0);
	assert_int_equal(sample.ticks, row->end_ticks);
	free(data);
	list->chunks++;
	return true;
}

static void test_chunks_have_every_sample(void **state)
{
	enum { SAMPLES = 20000 };
	const int64_t stacks[] = {stack("main;foo;bar"), stack("main"), 0};
	struct error err;

	(void)state;
	for (uint64_t i = 0; i < SAMPLES; i++)
		add(stacks[i % 3], 1000 + i * i, i % 2 ? 5 : UINT32_MAX, i % 3 == 2);
	struct chunk_list list = {.profile = finish()};
	assert_true(profile_each_sample_chunk(list.profile, read_chunk, &list, &err));
	assert_int_equal(list.samples.len, SAMPLES);
	assert_true(list.chunks > 2);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		const struct sample_builder_sample *sample = &list.samples.data[i];
		assert_int_equal(sample->ticks, 1000 + i * i);
		assert_int_equal(sample->stack, stacks[i % 3]);
		assert_int_equal(sample->weight, i % 2 ? 5 : UINT32_MAX);
	}
	size_t count;
	assert_int_equal(profile_samplings(list.profile, &count)->truncated, SAMPLES / 3);
	vec_fini(&list.samples);
	profile_close(list.profile);
}

static void test_time_does_not_go_back(void **state)
{
	struct error err;

	(void)state;
	add(stack("main"), 1000, 1, false);
	add(stack("main"), 900, 1, false);
	struct chunk_list list = {.profile = finish()};
	assert_true(profile_each_sample_chunk(list.profile, read_chunk, &list, &err));
	assert_int_equal(list.samples.len, 2);
	assert_int_equal(list.samples.data[1].ticks, 1000);
	vec_fini(&list.samples);
	profile_close(list.profile);
}

static void test_without_room_the_sample_counts(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(sample_builder_stack(builder, SAMPLE_STACK_NONE, location("foo"), &err),
			 SAMPLE_STACK_NONE);
	add(SAMPLE_STACK_NONE, 10, 1, false);
	assert_int_equal(sample_builder_counts(builder)->without_room, 1);
	struct profile *profile = finish();
	struct counts counts = {.profile = profile};
	assert_true(profile_each_stack_value(profile, count_value, &counts, &err));
	assert_int_equal(counts.samples, 1);
	size_t count;
	assert_int_equal(profile_samplings(profile, &count)->truncated, 1);
	profile_close(profile);
}

int main(void)
{
#define BUILDER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		BUILDER_TEST(test_vector),
		BUILDER_TEST(test_samples_at_once),
		BUILDER_TEST(test_beside_the_clock),
		BUILDER_TEST(test_end_of_the_clock_unknown),
		BUILDER_TEST(test_clocks_of_several),
		BUILDER_TEST(test_own_samples_beside_the_clock),
		BUILDER_TEST(test_thread_without_a_clock),
		BUILDER_TEST(test_own_samples_are_their_threads),
		BUILDER_TEST(test_chunks_have_every_sample),
		BUILDER_TEST(test_time_does_not_go_back),
		BUILDER_TEST(test_without_room_the_sample_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
