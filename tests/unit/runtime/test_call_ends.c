/*
 * How calls begin and end in the tree where it is not the usual way: a handler that jumps away over
 * a pending call, limits of depth and of nodes, and what folds.
 */
#include "tests/support/event_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TARGET = 0xb000 };

static void test_target_returns(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	call(&thread, 1, TARGET, SP_TOP - 16);
	after_call(&thread, 2, SP_TOP - 16);
	leave(&thread, 4, SP_TOP);
	assert_values(&thread, TARGET, (struct values){1, 2, 2, 2, 2});
	assert_int_equal(node_of(&thread, TARGET)->unwound, 0);
	assert_int_equal(node_of(&thread, MAIN)->unwound, 0);
	thread_end(&thread);
}

/* An exception comes out of a call whose target reports nothing, into the caller's own code. */
static void test_exception_out_of_a_target(void **state)
{
	const struct accumulate_event landing = {TARE_EVENT_RETURN, .sp = SP_TOP - 16,
						 .landing = true};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	call(&thread, 1, TARGET, SP_TOP - 16);
	enter(&thread, 2, A, SP_TOP - 64);
	event_apply(&thread, landing, 4);
	call(&thread, 8, TARGET, SP_TOP - 16);
	event_apply(&thread, landing, 16);
	call(&thread, 32, TARGET, SP_TOP - 16);
	after_call(&thread, 64, SP_TOP - 16);
	leave(&thread, 128, SP_TOP);
	assert_values(&thread, TARGET, (struct values){3, 86, 82, 86, 82});
	assert_int_equal(node_of(&thread, TARGET)->unwound, 2);
	assert_int_equal(node_of(&thread, A)->unwound, 1);
	assert_int_equal(node_of(&thread, MAIN)->unwound, 0);
	thread_end(&thread);
}

/* Before the function that is called reports itself, a handler runs, and jumps away. */
static void test_handler_in_a_pending_call(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	call(&thread, 1, A, SP_TOP - 16);
	enter(&thread, 2, B, SP_TOP - 64);
	enter(&thread, 4, A, SP_TOP - 16);
	leave(&thread, 8, SP_TOP - 16);
	leave(&thread, 16, SP_TOP);
	assert_values(&thread, A, (struct values){1, 14, 10, 14, 10});
	assert_values(&thread, B, (struct values){1, 4, 4, 4, 4});
	assert_int_equal(node_of(&thread, A)->unwound, 0);
	assert_int_equal(node_of(&thread, B)->unwound, 1);
	assert_int_equal(thread.file->unmatched, 0);
	thread_end(&thread);
}

/* Beyond the depth, a call that its site and the function itself report is one. */
static void test_calls_beyond_the_depth(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	thread.local.max_depth = 1;
	enter(&thread, 0, MAIN, SP_TOP);
	call(&thread, 1, A, SP_TOP - 16);
	enter(&thread, 2, A, SP_TOP - 16);
	leave(&thread, 4, SP_TOP - 16);
	after_call(&thread, 8, SP_TOP - 16);
	assert_int_equal(thread.file->beyond_depth, 1);
	enter(&thread, 1, B, SP_TOP - 16);
	leave(&thread, 1, SP_TOP - 16);
	enter(&thread, 1, B, SP_TOP - 16);
	leave(&thread, 1, SP_TOP - 16);
	assert_int_equal(thread.file->beyond_depth, 3);
	leave(&thread, 1, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 20, 20, 20, 20});
	assert_int_equal(thread.file->unmatched, 0);
	thread_end(&thread);
}

/* The ends of calls that found no node are used up by those; later ones are unmatched again. */
static void test_ends_of_calls_without_nodes(void **state)
{
	struct thread thread;

	(void)state;
	nodes_cap = nodes_room = 64;
	thread_begin(&thread);
	for (uint64_t depth = 0; depth < 100; depth++)
		enter(&thread, 1, A, SP_TOP - 16 * depth);
	for (uint64_t depth = 100; depth-- > 0;)
		leave(&thread, 1, SP_TOP - 16 * depth);
	assert_int_equal(thread.file->unmatched, 0);
	leave(&thread, 1, SP_TOP - 8000);
	assert_int_equal(thread.file->unmatched, 1);
	thread_end(&thread);
	nodes_cap = NODES_CAP;
	nodes_room = 2 * NODES_CAP;
}

/* Another thread takes the file over: what is between the two is neither's. */
static void test_file_goes_on(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 10, MAIN, SP_TOP);
	leave(&thread, 20, SP_TOP);
	thread.ticks += 5000;
	accumulate_continue(thread.file, thread.ticks);
	assert_int_equal(thread.file->idle_ticks, 5000);
	enter(&thread, 40, A, SP_TOP);
	leave(&thread, 80, SP_TOP);
	assert_int_equal(thread.file->idle_ticks, 5000);
	assert_int_equal(thread.file->now_ticks, 10 + 20 + 40 + 80);
	assert_values(&thread, A, (struct values){1, 80, 80, 80, 80});
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* ---- folding ---- */

static struct tare_node *folded_of(const struct thread *thread, uint64_t key)
{
	for (uint32_t at = 1; at < thread->file->node_count; at++)
		if (nodes(thread)[at].key == key && nodes(thread)[at].index & TARE_NODE_FOLDED)
			return &nodes(thread)[at];
	return NULL;
}

/* A pending call remembers the function that it turned out to be, but not when that has folded. */
static void test_folded_function_of_a_call(void **state)
{
	struct thread thread;

	(void)state;
	nodes_cap = 16;
	thread_begin(&thread);
	call(&thread, 1, TARGET, SP_TOP);
	enter(&thread, 1, A, SP_TOP);
	leave(&thread, 1, SP_TOP);
	after_call(&thread, 1, SP_TOP);
	for (uint64_t i = 0; i < 1000 && !folded_of(&thread, A); i++) {
		enter(&thread, 1, 0x100000 + 16 * i, SP_TOP);
		leave(&thread, 100000, SP_TOP);
		call(&thread, 1, TARGET, SP_TOP);
		after_call(&thread, 10000000, SP_TOP);
	}
	assert_non_null(folded_of(&thread, A));
	call(&thread, 1, TARGET, SP_TOP);
	enter(&thread, 1, A, SP_TOP);
	assert_int_equal(top(&thread)->key, A);
	assert_false(top(&thread)->index & TARE_NODE_FOLDED);
	leave(&thread, 1, SP_TOP);
	assert_adds_up(&thread);
	thread_end(&thread);
	nodes_cap = NODES_CAP;
}

/* What gives way is the path with the least time since it was last there, not the youngest. */
static void test_least_worth_folds(void **state)
{
	struct thread thread;

	(void)state;
	nodes_cap = 16;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 0, A, SP_TOP - 16);
	leave(&thread, 100000, SP_TOP - 16);
	for (uint64_t i = 0; i < 200; i++) {
		enter(&thread, 1000, B, SP_TOP - 16);
		leave(&thread, 1, SP_TOP - 16);
		enter(&thread, 0, 0x100000 + 16 * i, SP_TOP - 16);
		leave(&thread, 1, SP_TOP - 16);
	}
	assert_non_null(folded_of(&thread, A));
	assert_null(folded_of(&thread, B));
	assert_adds_up(&thread);
	thread_end(&thread);
	nodes_cap = NODES_CAP;
}

/* Calls of every length, and the shortest of them, stay with their function when paths fold. */
static void test_long_calls_fold(void **state)
{
	const uint64_t length = 1ULL << 40, count = 40;
	struct thread thread;
	int64_t least = INT64_MAX;

	(void)state;
	nodes_cap = 16;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	for (uint64_t i = 0; i < count; i++) {
		enter(&thread, 0, 0x100000 + 16 * i, SP_TOP - 16);
		enter(&thread, 0, A, SP_TOP - 32);
		leave(&thread, length + count - i, SP_TOP - 32);
		leave(&thread, 0, SP_TOP - 16);
	}
	leave(&thread, 0, SP_TOP);
	assert_non_null(folded_of(&thread, A));
	assert_int_equal(values_of(&thread, A).calls, count);
	for (uint32_t at = 1; at < thread.file->node_count; at++) {
		const struct tare_node *node = &nodes(&thread)[at];

		if (node->key == A && node->elapsed_inclusive_min < least)
			least = node->elapsed_inclusive_min;
	}
	assert_int_equal(least, length + 1);
	assert_int_equal(folded_of(&thread, A)->elapsed_inclusive_max, length + count);
	assert_in_range(folded_of(&thread, A)->elapsed_inclusive_min, length + 1,
			length + count - 16);
	assert_adds_up(&thread);
	thread_end(&thread);
	nodes_cap = NODES_CAP;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target_returns),
		cmocka_unit_test(test_exception_out_of_a_target),
		cmocka_unit_test(test_handler_in_a_pending_call),
		cmocka_unit_test(test_calls_beyond_the_depth),
		cmocka_unit_test(test_ends_of_calls_without_nodes),
		cmocka_unit_test(test_file_goes_on),
		cmocka_unit_test(test_folded_function_of_a_call),
		cmocka_unit_test(test_least_worth_folds),
		cmocka_unit_test(test_long_calls_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
