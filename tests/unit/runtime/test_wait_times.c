/* When a thread waited: bounded, in order, and to the tick. */
#include "runtime/base/chunks.h"
#include "tests/support/event_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* `ran` ticks, then an interval of `blocked` and `preempted` and `on_cpu`. */
struct step {
	uint64_t ran, blocked, preempted, on_cpu;
};

static void wait_in(struct thread *thread, struct step step)
{
	struct accumulate_event event = {
		.kind = TARE_EVENT_RETURN, .sp = SP_TOP - 4096, .ticks = thread->ticks += step.ran};

	accumulate_event(thread->file, &event);
	event.ticks = thread->ticks += step.blocked + step.preempted + step.on_cpu;
	event.os = true;
	event.os_cause = TARE_OS_SYSCALL;
	event.syscall_number = 202;
	event.blocked_ticks = step.blocked;
	event.preempted_ticks = step.preempted;
	accumulate_event(thread->file, &event);
}

static const struct tare_wait *wait_at(const struct thread *thread, uint32_t number)
{
	return chunks_element(thread->file, TARE_CHUNK_WAITS, number);
}

/* One behind the other, with the sums of the thread. */
static void assert_timeline(const struct thread *thread)
{
	uint64_t end = 0, blocked = 0, preempted = 0, count = 0;

	for (uint32_t i = 0; i < thread->file->wait_count; i++) {
		const struct tare_wait *wait = wait_at(thread, i);

		assert_true(wait->begin >= end);
		assert_true(wait->end >= wait->begin);
		assert_true(wait->end >= wait->begin + wait->blocked_ticks + wait->preempted_ticks);
		end = wait->end;
		blocked += wait->blocked_ticks;
		preempted += wait->preempted_ticks;
		count += wait->count;
	}
	assert_true(end <= thread->file->now_ticks);
	assert_int_equal(blocked, thread->file->blocked_ticks);
	assert_int_equal(preempted, thread->file->preempted_ticks);
	assert_true(count >= thread->file->wait_count);
}

/* A first interval that was shorter than its probe sets the clock back before the thread's begin.
 */
static void test_waits_before_the_begin(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	struct accumulate_event event = {
		.kind = TARE_EVENT_ENTER, .key = MAIN, .sp = SP_TOP, .cost_ticks = 60};

	event.ticks = thread.ticks += 10;
	accumulate_event(thread.file, &event);
	wait_in(&thread, (struct step){1, 0, 300, 0});
	assert_int_equal(thread.file->wait_count, 1);
	assert_timeline(&thread);
	thread_end(&thread);
}

static void test_each_by_itself(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	wait_in(&thread, (struct step){100, 1000, 0, 10});
	wait_in(&thread, (struct step){200, 0, 300, 0});
	wait_in(&thread, (struct step){50, 40, 60, 5});
	assert_int_equal(thread.file->wait_count, 3);
	const struct tare_wait *first = wait_at(&thread, 0), *second = wait_at(&thread, 1);

	assert_int_equal(first->end - first->begin, 1010);
	assert_int_equal(first->blocked_ticks, 1000);
	assert_int_equal(first->count, 1);
	assert_int_equal(second->begin - first->end, 200);
	assert_int_equal(second->preempted_ticks, 300);
	assert_int_equal(first->begin + first->lost_ticks, 1100);
	const struct tare_os_record *blocked =
		chunks_element(thread.file, TARE_CHUNK_OS, first->os - 1);
	const struct tare_os_record *preempted =
		chunks_element(thread.file, TARE_CHUNK_OS, wait_at(&thread, 2)->os - 1);

	assert_int_equal(blocked->cause, TARE_OS_BLOCKED);
	assert_int_equal(blocked->longest_ticks, 1000);
	assert_int_equal(preempted->cause, TARE_OS_PREEMPTED);
	assert_int_equal(preempted->longest_ticks, 300);
	assert_timeline(&thread);
	thread_end(&thread);
}

/* However many there are, the memory is the same, and so are the sums. */
static void test_bounded(void **state)
{
	struct thread thread;
	uint64_t joined = 0;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	for (uint64_t i = 0; i < 20000; i++) {
		wait_in(&thread, (struct step){i * 7919 % 5000, i * 104729 % 3000 + 1,
					       i % 3 ? 0 : i % 700, i % 11});
		assert_true(thread.file->wait_count <= WAITS_MAX);
		assert_true(thread.file->wait_count > 0);
	}
	assert_timeline(&thread);
	assert_true(thread.file->wait_count >= WAITS_MAX / 4);
	for (uint32_t i = 0; i < thread.file->wait_count; i++) {
		const struct tare_wait *wait = wait_at(&thread, i);

		joined += wait->count;
		/* what was joined lies in one slot: the resolution is the same at the begin and the
		 * end */
		if (wait->count > 1)
			assert_int_equal(wait->begin >> thread.file->wait_shift,
					 wait->end >> thread.file->wait_shift);
	}
	assert_int_equal(joined, 20000);
	thread_end(&thread);
}

/* A wait that is much longer than a slot is seen to the tick, whatever is around it. */
static void test_long_wait_stays(void **state)
{
	struct thread thread;
	uint32_t found = 0;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	for (int i = 0; i < 5000; i++)
		wait_in(&thread, i == 2500 ? (struct step){10, 123456789, 0, 1}
					   : (struct step){1000, 10, 0, 1});
	for (uint32_t i = 0; i < thread.file->wait_count; i++)
		found += wait_at(&thread, i)->blocked_ticks == 123456789;
	assert_int_equal(found, 1);
	assert_timeline(&thread);
	thread_end(&thread);
}

/* Without any room nothing is kept, and nothing breaks. */
static void test_no_room(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	thread.file->wait_limit = 0;
	enter(&thread, 0, MAIN, SP_TOP);
	wait_in(&thread, (struct step){1, 1000, 0, 1});
	assert_int_equal(thread.file->wait_count, 0);
	assert_int_equal(thread.file->blocked_ticks, 1000);
	waits_cap = 4;
	thread.file->wait_limit = 1;
	for (int i = 0; i < 100; i++)
		wait_in(&thread, (struct step){1, 1000, 0, 1});
	waits_cap = WAITS_MAX;
	assert_true(thread.file->wait_count <= 4);
	thread_end(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_before_the_begin),
		cmocka_unit_test(test_each_by_itself),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_long_wait_stays),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
