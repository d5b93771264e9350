/* What a thread did over time, from the records of its waits: to the tick, whatever the parts. */
#include "analysis/thread_states.h"
#include "profile/wait_record.h"
#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN 1000

/* On the thread's clock; 50 ticks are lost before the second, 100 in all. */
static const struct wait_record records[] = {
	{.begin = 100, .end = 400, .lost_ticks = BEGIN, .blocked_ticks = 300, .count = 1, .os = 1},
	{.begin = 600,
	 .end = 1000,
	 .lost_ticks = BEGIN + 50,
	 .blocked_ticks = 100,
	 .preempted_ticks = 50,
	 .count = 3,
	 .os = 2},
};

static void write_waits(uint64_t blocked_ticks)
{
	static const char *const names[] = {"/bin/p", "pthread_mutex_lock", "read"};
	static const struct small_node nodes[] = {{.thread = 1},
						  {1, 1, 1, 1, 950, 0, 0, 300},
						  {1, 1, 2, 1, 150, TARE_OS_PREEMPTED, 50, 100}};
	const struct profile_os os[] = {
		{.node = 2,
		 .cause = TARE_OS_BLOCKED,
		 .syscall_number = 202,
		 .count = 1,
		 .ticks = 300},
		{.node = 3,
		 .cause = TARE_OS_BLOCKED,
		 .syscall_number = 0,
		 .count = 1,
		 .ticks = 100},
	};
	struct profile_writer *writer = small_profile_open(path);
	struct wait_record before = {.lost_ticks = BEGIN};
	struct profile_wait row = {
		.thread = 1, .waits = 2, .blocked_ticks = 400, .preempted_ticks = 50};
	struct byte_vec data = {0};
	struct error err;

	struct profile_thread thread = {.process = small_process(writer, 5, "p"),
					.tid = 6,
					.name = "p",
					.begin_ticks = BEGIN,
					.end_ticks = BEGIN + 1200,
					.now_ticks = 1100,
					.os_ticks = 450,
					.blocked_ticks = blocked_ticks,
					.preempted_ticks = 50};
	assert_int_not_equal(profile_add_thread(writer, &thread, &err), 0);
	const int64_t module = small_module(writer, names[0]);
	small_function(writer, module, names[1], 0x10);
	small_function(writer, module, names[2], 0x20);
	small_nodes(writer, nodes, 3);
	for (int i = 0; i < 2; i++) {
		assert_int_not_equal(profile_add_os(writer, &os[i], &err), 0);
		wait_record_write(&data, &before, &records[i]);
		before = records[i];
	}
	row.data = (struct profile_bytes){data.data, data.len};
	assert_true(profile_add_wait(writer, &row, &err));
	vec_fini(&data);
	small_profile_commit(writer);
	analysed_open(NULL);
}

static uint64_t blocked(const struct thread_state_slice *slice)
{
	uint64_t ticks = 0;

	for (int i = 0; i < WAITINGS; i++)
		ticks += slice->blocked[i];
	return ticks;
}

static struct thread_state_slice sum_of(uint64_t begin, uint64_t end, uint32_t count)
{
	const struct thread_state_range range = {begin, end, count};
	struct thread_state_slice slices[64] = {0}, sum = {0};
	struct error err;
	bool known;

	assert_true(count <= 64);
	assert_true(thread_states_fill(analysis, 0, &range, slices, &known, &err));
	assert_true(known);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t length =
			thread_state_part_begin(&range, i + 1) - thread_state_part_begin(&range, i);

		assert_true(slices[i].cpu + slices[i].preempted + blocked(&slices[i]) <=
			    length + 2);
		sum.cpu += slices[i].cpu;
		sum.preempted += slices[i].preempted;
		for (int k = 0; k < WAITINGS; k++)
			sum.blocked[k] += slices[i].blocked[k];
	}
	return sum;
}

static void test_sums_are_exact(void **state)
{
	(void)state;
	write_waits(400);
	const uint64_t cpu = analysis->threads.data[0].values.amount[CPU_INCLUSIVE];

	for (uint32_t count = 1; count <= 64; count++) {
		const struct thread_state_slice sum = sum_of(0, 5000, count);

		assert_int_equal(sum.cpu, cpu);
		assert_int_equal(sum.preempted, 50);
		assert_int_equal(sum.blocked[WAITING_LOCK], 300);
		assert_int_equal(sum.blocked[WAITING_IO], 100);
	}
}

static void test_adjacent_ranges(void **state)
{
	(void)state;
	write_waits(400);
	const struct thread_state_slice whole = sum_of(0, 5000, 1);

	for (uint64_t middle = 1; middle < 2400; middle += 7) {
		const struct thread_state_slice first = sum_of(0, middle, 1);
		const struct thread_state_slice second = sum_of(middle, 5000, 1);

		assert_int_equal(first.cpu + second.cpu, whole.cpu);
		assert_int_equal(first.preempted + second.preempted, whole.preempted);
		assert_int_equal(blocked(&first) + blocked(&second), blocked(&whole));
	}
}

/* Where it was: ran up to 1100, blocked up to 1400, and then as the records say. */
static void test_places(void **state)
{
	(void)state;
	write_waits(400);
	assert_int_equal(sum_of(BEGIN, 1100, 4).cpu, 100);
	assert_int_equal(sum_of(1100, 1400, 3).blocked[WAITING_LOCK], 300);
	assert_int_equal(sum_of(1200, 1300, 1).blocked[WAITING_LOCK], 100);
	assert_int_equal(blocked(&(struct thread_state_slice){0}), 0);
	const struct thread_state_slice last = sum_of(1650, 2050, 1);

	assert_in_range(last.blocked[WAITING_IO], 90, 100);
	assert_in_range(last.preempted, 44, 50);
	assert_int_equal(sum_of(3000, 4000, 5).cpu, 0);
}

static void clip_add(const struct thread_state_span *span, void *context)
{
	const struct thread_state_range ranges[] = {{0, 1250, 1}, {1250, 1777, 1}, {1777, 9000, 1}};
	struct thread_state_slice *sum = context;

	for (int i = 0; i < 3; i++) {
		struct thread_state_span part = *span;

		if (!thread_state_clip(&part, &ranges[i]))
			continue;
		assert_true(part.begin >= ranges[i].begin && part.end <= ranges[i].end);
		sum->cpu += part.states.cpu;
		sum->preempted += part.states.preempted;
		sum->blocked[WAITING_LOCK] += part.states.blocked[WAITING_LOCK];
		sum->blocked[WAITING_IO] += part.states.blocked[WAITING_IO];
		if (part.waits && part.states.blocked[WAITING_LOCK])
			assert_int_equal(part.os->ticks, 300);
	}
}

/* What is cut out of spans adds up; what they waited for has its row. */
static void test_clip(void **state)
{
	struct thread_state_slice sum = {0};
	struct error err;
	bool known;

	(void)state;
	write_waits(400);
	assert_true(thread_states_each(analysis, 0, clip_add, &sum, &known, &err) && known);
	assert_int_equal(sum.cpu, analysis->threads.data[0].values.amount[CPU_INCLUSIVE]);
	assert_int_equal(sum.preempted, 50);
	assert_int_equal(sum.blocked[WAITING_LOCK], 300);
	assert_int_equal(sum.blocked[WAITING_IO], 100);
}

/* A thread that was killed has waited for more than its list says. */
static void test_rest(void **state)
{
	(void)state;
	write_waits(420);
	assert_int_equal(sum_of(0, 5000, 9).blocked[WAITING_OTHER], 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sums_are_exact, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_adjacent_ranges, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_places, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_clip, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_rest, analysed_begin, analysed_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
