/*
 * Collection off and on, and depth: which calls of a thread go on, are cut, or are not kept apart.
 */
#include "tests/support/event_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

/* ---- collection off and on, and depth ---- */

static uint64_t fallen_slot; /* the frame that has another return address now; 0: none */

static bool stands(uint64_t slot_addr, uint64_t return_addr)
{
	(void)return_addr;
	return slot_addr != fallen_slot;
}

/* The first event after collection was off, the clock having stood still. */
static void resume(struct thread *thread, struct accumulate_event event)
{
	event.ticks = thread->ticks;
	accumulate_resume(thread->file, &event, stands);
	event_apply(thread, event, 0);
}

static void test_resume_keeps_what_stands(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	fallen_slot = 0;
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 32);
	resume(&thread, (struct accumulate_event){TARE_EVENT_LEAVE, .sp = SP_TOP - 32});
	leave(&thread, 2, SP_TOP);
	assert_int_equal(thread.file->cut, 0);
	assert_int_equal(thread.file->begun_while_off, 0);
	assert_int_equal(thread.file->unmatched, 0);
	assert_values(&thread, A, (struct values){1, 0, 0, 0, 0});
	assert_values(&thread, MAIN, (struct values){1, 3, 3, 3, 3});
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* What has ended unseen keeps its time and counts as a call, but neither as unwound nor in ranges.
 */
static void test_resume_cuts_what_has_ended(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	fallen_slot = 0;
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 32);
	call(&thread, 2, B, SP_TOP - 64);
	enter(&thread, 4, C, SP_TOP - 96);
	/* the stack is above them now */
	resume(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = D, .sp = SP_TOP - 32});
	assert_int_equal(thread.file->cut, 3);
	assert_ptr_equal(caller(top(&thread)), node_of(&thread, MAIN));
	leave(&thread, 8, SP_TOP - 32);
	leave(&thread, 16, SP_TOP);
	assert_values(&thread, A, (struct values){1, 6, 2, 6, 2});
	assert_values(&thread, B, (struct values){1, 4, 4, 4, 4});
	assert_values(&thread, C, (struct values){1, 0, 0, 0, 0});
	assert_int_equal(node_of(&thread, A)->unwound, 0);
	assert_true(node_of(&thread, A)->elapsed_inclusive_min >
		    node_of(&thread, A)->elapsed_inclusive_max);
	assert_int_equal(thread.file->unmatched, 0);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* Another call at the same place of the stack is not the same call, nor is what it has called. */
static void test_resume_cuts_what_has_fallen(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	fallen_slot = SP_TOP - 32;
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 32);
	enter(&thread, 2, B, SP_TOP - 64);
	resume(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = D, .sp = SP_TOP - 96});
	assert_int_equal(thread.file->cut, 2);
	assert_ptr_equal(caller(top(&thread)), node_of(&thread, MAIN));
	leave(&thread, 4, SP_TOP - 96);
	/* of calls that began meanwhile; below them an end without begin is an error */
	leave(&thread, 8, SP_TOP - 64);
	leave(&thread, 16, SP_TOP - 32);
	leave(&thread, 32, SP_TOP - 48);
	assert_int_equal(thread.file->begun_while_off, 2);
	assert_int_equal(thread.file->unmatched, 1);
	leave(&thread, 64, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 127, 121, 127, 121});
	assert_adds_up(&thread);
	thread_end(&thread);
}

static void test_depth(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	thread.local.max_depth = 2;
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 32);
	enter(&thread, 2, B, SP_TOP - 64);
	enter(&thread, 4, C, SP_TOP - 96);
	leave(&thread, 8, SP_TOP - 96);
	call(&thread, 16, D,
	     SP_TOP - 96); /* a call of a function that reports itself counts once */
	enter(&thread, 32, D, SP_TOP - 96);
	leave(&thread, 64, SP_TOP - 96);
	after_call(&thread, 128, SP_TOP - 96);
	leave(&thread, 256, SP_TOP - 64);
	leave(&thread, 512, SP_TOP - 32);
	enter(&thread, 1024, B, SP_TOP - 32);
	leave(&thread, 2048, SP_TOP - 32);
	leave(&thread, 4096, SP_TOP);
	assert_int_equal(thread.file->beyond_depth, 3);
	assert_int_equal(thread.file->unmatched, 0);
	assert_int_equal(thread.file->too_deep, 0);
	assert_values(&thread, A, (struct values){1, 1022, 1022, 1022, 1022});
	assert_values(&thread, B, (struct values){1, 2048, 2048, 2048, 2048});
	assert_adds_up(&thread);
	thread_end(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resume_keeps_what_stands),
		cmocka_unit_test(test_resume_cuts_what_has_ended),
		cmocka_unit_test(test_resume_cuts_what_has_fallen),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
