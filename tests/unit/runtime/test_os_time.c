/*
 * Time of the operating system in the tree of calls: it is part of the elapsed time, never more
 * than there is of it, and told apart by cause and system call.
 */
#include "runtime/tree/context.h"
#include "tests/support/event_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* An interval that ends with an event which changes nothing. */
static void interval(struct thread *thread, uint64_t after, bool os)
{
	struct accumulate_event event = {TARE_EVENT_RETURN, .sp = SP_TOP - 4096};

	if (os)
		with_os(thread, event, after, TARE_OS_SYSCALL);
	else
		event_apply(thread, event, after);
}

/* The clock goes back by 15 ticks: the probes are said to have cost more than was spent. */
static void clock_back(struct thread *thread)
{
	thread->cost = 20;
	interval(thread, 0, false);
	thread->cost = 0;
	interval(thread, 5, false);
}

/* Between two OS events the clock does not go back: the interval of the second is whole. */
static void test_clock_keeps_above_os(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 5, MAIN, SP_TOP);
	interval(&thread, 100, true);
	clock_back(&thread);
	interval(&thread, 30, true);
	assert_int_equal(thread.file->os_ticks, 100 + 30);
	assert_int_equal(thread.file->flagged, 2);
	leave(&thread, 10, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 140, 140, 10, 10});
	assert_int_equal(node_of(&thread, MAIN)->clamped_ticks, 15);
	assert_int_equal(thread.file->negative, 0);
	thread_end(&thread);
}

/* What the clock lacks when a call begins is the caller's: the call is no longer than its interval.
 */
static void test_clock_keeps_above_os_as_a_call_begins(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 5, MAIN, SP_TOP);
	interval(&thread, 100, true);
	thread.cost = 20;
	interval(&thread, 0, false);
	thread.cost = 0;
	enter(&thread, 5, FOO, SP_TOP - 16);
	with_os(&thread, (struct accumulate_event){TARE_EVENT_LEAVE, .sp = SP_TOP - 16}, 30,
		TARE_OS_MINOR_FAULT);
	leave(&thread, 10, SP_TOP);
	assert_values(&thread, FOO, (struct values){1, 30, 30, 0, 0});
	assert_values(&thread, MAIN, (struct values){1, 140, 110, 10, 10});
	assert_int_equal(node_of(&thread, FOO)->clamped_ticks, 0);
	assert_int_equal(node_of(&thread, MAIN)->clamped_ticks, 15);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* An interval whose probe is said to have cost more than it took, and an OS event in it. */
static void test_no_os_time_below_nothing(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 5, MAIN, SP_TOP);
	thread.cost = 50;
	interval(&thread, 100, true);
	thread.cost = 0;
	interval(&thread, 20, true);
	assert_int_equal(thread.file->os_ticks, 100);
	assert_int_equal(thread.file->now_ticks, 105);
	interval(&thread, 7, true);
	assert_int_equal(thread.file->os_ticks, 107);
	leave(&thread, 10, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 117, 117, 10, 10});
	thread_end(&thread);
}

static void test_callees_time_is_not_exclusive(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 5, MAIN, SP_TOP);
	enter(&thread, 0, A, SP_TOP - 16);
	leave(&thread, 50, SP_TOP - 16);
	interval(&thread, 10, false);
	clock_back(&thread);
	interval(&thread, 30, true);
	assert_int_equal(thread.file->os_ticks, 10 - 15 + 30);
	leave(&thread, 0, SP_TOP);
	assert_int_equal(node_of(&thread, MAIN)->application_exclusive_max, 0);
	thread_end(&thread);
}

static void test_not_negative(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 100, MAIN, SP_TOP);
	thread.cost = 20;
	interval(&thread, 10, false);
	interval(&thread, 5, true);
	assert_int_equal(thread.file->flagged, 1);
	assert_int_equal(thread.file->os_ticks, 0);
	assert_int_equal(node_os(&thread, node_of(&thread, MAIN)->index), 0);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* Callers' inclusive application time lacks that of all callees, however deep. */
static void test_callers_know(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 10, FOO, SP_TOP - 16);
	enter(&thread, 10, BAR, SP_TOP - 32);
	with_os(&thread, (struct accumulate_event){TARE_EVENT_LEAVE, .sp = SP_TOP - 32}, 100,
		TARE_OS_BLOCKED);
	leave(&thread, 5, SP_TOP - 16);
	leave(&thread, 5, SP_TOP);
	assert_int_equal(node_of(&thread, FOO)->application_inclusive_max, 15);
	assert_int_equal(node_of(&thread, MAIN)->application_inclusive_max, 30);
	assert_int_equal(node_of(&thread, MAIN)->elapsed_inclusive_max, 130);
	thread_end(&thread);
}

static void test_causes_apart(void **state)
{
	const struct accumulate_event event = {TARE_EVENT_RETURN, .sp = SP_TOP - 4096};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	with_os(&thread, event, 10, TARE_OS_BLOCKED);
	with_os(&thread, event, 20, TARE_OS_SYSCALL);
	with_os(&thread, event, 40, TARE_OS_BLOCKED);
	assert_int_equal(thread.file->os_count, 4);
	const struct tare_os_record *records = chunks_element(thread.file, TARE_CHUNK_OS, 0);
	assert_int_equal(records[0].cause, TARE_OS_BLOCKED);
	assert_int_equal(records[0].ticks, 50);
	assert_int_equal(records[0].count, 2);
	assert_int_equal(records[1].cause, TARE_OS_SWITCH);
	assert_int_equal(records[1].ticks, 0);
	assert_int_equal(records[1].count, 2);
	assert_int_equal(records[2].cause, TARE_RECORD_WAITS);
	assert_int_equal(records[2].ticks, 0);
	assert_int_equal(records[2].count, 50);
	assert_int_equal(records[3].ticks, 20);
	thread_end(&thread);
}

/* Time of the function's node by one cause. */
static uint64_t os_of(const struct thread *thread, uint64_t key, enum tare_os_cause cause)
{
	const uint32_t node = node_of(thread, key)->index;
	uint64_t ticks = 0;

	for (uint32_t i = 0; i < thread->file->os_count; i++) {
		const struct tare_os_record *record =
			chunks_element(thread->file, TARE_CHUNK_OS, i);
		if (record->node == node && record->cause == (uint16_t)cause)
			ticks += record->ticks;
	}
	return ticks;
}

static uint64_t cpu_of(const struct thread *thread, uint64_t key)
{
	return node_elapsed(thread, node_of(thread, key)->index) -
	       os_of(thread, key, TARE_OS_BLOCKED) - os_of(thread, key, TARE_OS_PREEMPTED);
}

/* The vector (b'): 12 of 30 ticks blocked, and 15 of the 40 of write. */
static void test_waits(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, FOO, SP_TOP);
	call(&thread, 10, BAR, SP_TOP - 32);
	after_call(&thread, 20, SP_TOP - 32);
	with_os(&thread,
		(struct accumulate_event){TARE_EVENT_CALL, .key = WRITE, .sp = SP_TOP - 32,
					  .blocked_ticks = 12},
		30, TARE_OS_SWITCH);
	with_os(&thread,
		(struct accumulate_event){TARE_EVENT_RETURN, .sp = SP_TOP - 32,
					  .blocked_ticks = 15},
		40, TARE_OS_SYSCALL);
	leave(&thread, 5, SP_TOP);
	assert_values(&thread, FOO, (struct values){1, 105, 45, 35, 15});
	assert_values(&thread, WRITE, (struct values){1, 40, 40, 0, 0});
	assert_int_equal(cpu_of(&thread, FOO), 33);
	assert_int_equal(cpu_of(&thread, BAR), 20);
	assert_int_equal(cpu_of(&thread, WRITE), 25);
	assert_int_equal(os_of(&thread, FOO, TARE_OS_BLOCKED), 12);
	assert_int_equal(os_of(&thread, FOO, TARE_OS_SWITCH), 18);
	assert_int_equal(os_of(&thread, WRITE, TARE_OS_SYSCALL), 25);
	assert_int_equal(thread.file->blocked_ticks, 27);
	assert_int_equal(thread.file->preempted_ticks, 0);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* Waits are not longer than their interval: what was blocked counts first, then what was ready. */
static void test_waits_within_interval(void **state)
{
	const struct accumulate_event event = {TARE_EVENT_RETURN, .sp = SP_TOP - 4096,
					       .blocked_ticks = 30, .preempted_ticks = 50};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	with_os(&thread, event, 100, TARE_OS_SWITCH);
	with_os(&thread, event, 60, TARE_OS_SWITCH);
	with_os(&thread, event, 10, TARE_OS_SWITCH);
	assert_int_equal(os_of(&thread, MAIN, TARE_OS_BLOCKED), 30 + 30 + 10);
	assert_int_equal(os_of(&thread, MAIN, TARE_OS_PREEMPTED), 50 + 30);
	assert_int_equal(os_of(&thread, MAIN, TARE_OS_SWITCH), 20);
	assert_int_equal(cpu_of(&thread, MAIN), 20);
	assert_int_equal(thread.file->os_ticks, 170);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* What a node has waited is known without its records, of which there is one for each object. */
static void test_waits_of_many_objects(void **state)
{
	struct accumulate_event event = {TARE_EVENT_RETURN, .sp = SP_TOP - 4096,
					 .blocked_ticks = 30, .preempted_ticks = 50};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	assert_int_equal(context_waits(thread.file, node_of(&thread, MAIN)).blocked_ticks, 0);
	for (event.syscall_object = 1; event.syscall_object <= 5; event.syscall_object++)
		with_os(&thread, event, 100, TARE_OS_SYSCALL);
	const struct context_waits waits = context_waits(thread.file, node_of(&thread, MAIN));
	assert_int_equal(waits.blocked_ticks, 150);
	assert_int_equal(waits.preempted_ticks, 250);
	thread_end(&thread);
}

/* A preempted interval's record names no system call: nothing of it was waiting for one. */
static void test_waits_name_their_call(void **state)
{
	const struct accumulate_event event = {TARE_EVENT_RETURN, .sp = SP_TOP - 4096,
					       .blocked_ticks = 30, .preempted_ticks = 50};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	with_os(&thread, event, 100, TARE_OS_SYSCALL);
	const struct tare_os_record *records = chunks_element(thread.file, TARE_CHUNK_OS, 0);
	assert_int_equal(thread.file->os_count, 3 + 2);
	assert_int_equal(records[0].syscall_number, 1);
	assert_int_equal(records[1].syscall_number, 0xffff);
	assert_int_equal(records[2].syscall_number, 1);
	thread_end(&thread);
}

/* When the records are used up, what finds none is counted, and nothing is written behind them. */
static void test_no_more_records(void **state)
{
	struct thread thread;
	uint64_t counted = 0;

	(void)state;
	thread_begin(&thread);
	for (uint64_t i = 0; i < 20; i++) {
		enter(&thread, 1, A + 16 * i, SP_TOP);
		with_os(&thread, (struct accumulate_event){TARE_EVENT_LEAVE, .sp = SP_TOP}, 10,
			TARE_OS_SYSCALL);
	}
	assert_true(thread.file->os_count <= OS_CAP);
	const struct tare_os_record *records = chunks_element(thread.file, TARE_CHUNK_OS, 0);
	for (uint64_t i = 0; i < thread.file->os_count; i++)
		counted += records[i].count;
	assert_int_equal(records[OS_CAP].count, 0);
	assert_int_equal(counted + thread.file->os_lost, 20);
	assert_int_equal(thread.file->os_ticks, 200);
	thread_end(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_keeps_above_os),
		cmocka_unit_test(test_clock_keeps_above_os_as_a_call_begins),
		cmocka_unit_test(test_no_os_time_below_nothing),
		cmocka_unit_test(test_callees_time_is_not_exclusive),
		cmocka_unit_test(test_not_negative),
		cmocka_unit_test(test_callers_know),
		cmocka_unit_test(test_causes_apart),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_waits_within_interval),
		cmocka_unit_test(test_waits_of_many_objects),
		cmocka_unit_test(test_waits_name_their_call),
		cmocka_unit_test(test_no_more_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
