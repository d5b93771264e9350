/* Parts of logs and of samples whose data do not come back from the spill as they were put. */
#include "merge/private.h"
#include "profile/sample_record.h"
#include "profile/trace_record.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SAMPLES = 3, END_TICKS = 1000 };

static char path[64];
static struct merge merge;
static struct profile_writer *writer;

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "test_times.%ld.tare", (long)getpid());
	merge = (struct merge){.spill = {.beside = path, .fd = -1}};
	vec_push(&merge.stacks, (struct merged_stack){0});
	writer = small_profile_open(path);
	return 0;
}

static int end(void **state)
{
	(void)state;
	profile_writer_discard(writer);
	spill_fini(&merge.spill);
	vec_fini(&merge.stacks);
	vec_fini(&merge.sample_parts);
	vec_fini(&merge.trace_parts);
	return 0;
}

static void write_fails(void)
{
	uint32_t rank[1] = {0};
	const struct ranking ranking = {.rank = rank, .order = rank};
	struct error err = {0};
	const struct output output = {.merge = &merge,
				      .writer = writer,
				      .threads = ranking,
				      .events = ranking,
				      .stacks = ranking,
				      .err = &err};

	assert_false(write_times(&output));
	assert_non_null(strstr(err.message, "is not what is read"));
	assert_non_null(strstr(err.message, path));
}

static void put_samples(uint64_t stack, size_t lost_bytes)
{
	struct merged_part part = {.sample = {.samples = SAMPLES, .end_ticks = END_TICKS}};
	struct sample_record before = {0};
	struct byte_vec data = {0};
	struct error err = {0};

	for (uint64_t i = 0; i < SAMPLES; i++) {
		const struct sample_record sample = {
			.ticks = i, .stack = i + 1 < SAMPLES ? 0 : stack, .weight = 1};
		sample_record_write(&data, &before, &sample);
		before = sample;
	}
	part.size = data.len - lost_bytes;
	assert_true(spill_put(&merge.spill, data.data, part.size, &part.offset, &err));
	vec_push(&merge.sample_parts, part);
	vec_fini(&data);
}

static void test_samples_cut_off(void **state)
{
	(void)state;
	put_samples(0, 1);
	write_fails();
}

static void test_sample_of_no_stack(void **state)
{
	(void)state;
	put_samples(7, 0);
	write_fails();
}

static void test_log_cut_off(void **state)
{
	struct merged_part part = {.trace = {.end_ticks = END_TICKS}};
	const struct trace_record record = {.kind = TARE_TRACE_STACK, .ticks = 5};
	struct byte_vec data = {0};
	struct error err = {0};

	(void)state;
	trace_record_write(&data, &record);
	part.size = data.len - 1;
	assert_true(spill_put(&merge.spill, data.data, part.size, &part.offset, &err));
	vec_push(&merge.trace_parts, part);
	vec_fini(&data);
	write_fails();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_samples_cut_off, begin, end),
		cmocka_unit_test_setup_teardown(test_sample_of_no_stack, begin, end),
		cmocka_unit_test_setup_teardown(test_log_cut_off, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
