/*
 * The accumulation of events, fed with explicit times: the vectors (a), (b), (c) of
 * docs/explanation/data-values.md exactly, and what real control flow does to a stack of calls.
 */
#include "runtime/tree/context.h"
#include "tests/support/event_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

static void test_vector_a(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 50, FOO, SP_TOP - 16);
	enter(&thread, 200, BAR, SP_TOP - 32);
	leave(&thread, 250, SP_TOP - 32);
	leave(&thread, 0, SP_TOP - 16);
	leave(&thread, 0, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 500, 50, 500, 50});
	assert_values(&thread, FOO, (struct values){1, 450, 200, 450, 200});
	assert_values(&thread, BAR, (struct values){1, 250, 250, 250, 250});
	assert_adds_up(&thread);
	thread_end(&thread);
}

static void test_vector_b(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, FOO, SP_TOP);
	call(&thread, 10, BAR, SP_TOP - 32);
	after_call(&thread, 20, SP_TOP - 32);
	with_os(&thread,
		(struct accumulate_event){TARE_EVENT_CALL, .key = WRITE, .sp = SP_TOP - 32}, 30,
		TARE_OS_PREEMPTED);
	with_os(&thread, (struct accumulate_event){TARE_EVENT_RETURN, .sp = SP_TOP - 32}, 40,
		TARE_OS_SYSCALL);
	leave(&thread, 5, SP_TOP);
	assert_values(&thread, FOO, (struct values){1, 105, 45, 35, 15});
	assert_values(&thread, BAR, (struct values){1, 20, 20, 20, 20});
	assert_values(&thread, WRITE, (struct values){1, 40, 40, 0, 0});
	assert_int_equal(thread.file->os_ticks, 70);
	assert_int_equal(node_of(&thread, FOO)->application_inclusive_max, 35);
	assert_int_equal(node_of(&thread, FOO)->application_exclusive_max, 15);
	assert_int_equal(node_of(&thread, FOO)->elapsed_inclusive_max, 105);
	assert_int_equal(node_of(&thread, WRITE)->application_inclusive_min, 0);
	assert_adds_up(&thread);
	thread_end(&thread);
}

static void test_vector_c_recursion(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 16);
	enter(&thread, 2, B, SP_TOP - 32);
	enter(&thread, 4, A, SP_TOP - 48);
	enter(&thread, 8, C, SP_TOP - 64);
	leave(&thread, 16, SP_TOP - 64);
	leave(&thread, 0, SP_TOP - 48);
	leave(&thread, 0, SP_TOP - 32);
	leave(&thread, 0, SP_TOP - 16);
	leave(&thread, 0, SP_TOP);
	assert_values(&thread, A, (struct values){2, 30, 10, 30, 10});
	assert_values(&thread, B, (struct values){1, 28, 4, 28, 4});
	assert_values(&thread, C, (struct values){1, 16, 16, 16, 16});
	assert_values(&thread, MAIN, (struct values){1, 31, 1, 31, 1});
	thread_end(&thread);
}

static void test_repeated_calls(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	for (int i = 0; i < 1000; i++) {
		enter(&thread, 3, A, SP_TOP - 16);
		leave(&thread, 5, SP_TOP - 16);
		enter(&thread, 2, B, SP_TOP - 16);
		leave(&thread, 7, SP_TOP - 16);
	}
	leave(&thread, 0, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 17000, 5000, 17000, 5000});
	assert_values(&thread, A, (struct values){1000, 5000, 5000, 5000, 5000});
	assert_values(&thread, B, (struct values){1000, 7000, 7000, 7000, 7000});
	thread_end(&thread);
}

static void test_tail_call(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 16);
	leave(&thread, 2, SP_TOP - 16); /* before the jump */
	enter(&thread, 1, B, SP_TOP - 16);
	leave(&thread, 4, SP_TOP - 16);
	leave(&thread, 0, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 8, 2, 8, 2});
	assert_values(&thread, A, (struct values){1, 2, 2, 2, 2});
	assert_values(&thread, B, (struct values){1, 4, 4, 4, 4});
	assert_int_equal(node_of(&thread, B)->parent, node_of(&thread, A)->parent);
	thread_end(&thread);
}

static void test_longjmp_unwinds(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	call(&thread, 0, WRITE, SP_TOP - 16); /* setjmp */
	after_call(&thread, 0, SP_TOP - 16);
	enter(&thread, 1, A, SP_TOP - 32);
	call(&thread, 2, B, SP_TOP - 64);
	enter(&thread, 4, C, SP_TOP - 96);
	after_call(&thread, 8, SP_TOP - 16); /* setjmp returns once more */
	assert_ptr_equal(top(&thread), node_of(&thread, MAIN));
	leave(&thread, 16, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 31, 17, 31, 17});
	assert_int_equal(node_of(&thread, A)->unwound, 1);
	assert_int_equal(node_of(&thread, B)->unwound, 1);
	assert_int_equal(node_of(&thread, B)->calls_by_call, 1);
	assert_int_equal(node_of(&thread, C)->unwound, 1);
	assert_int_equal(node_of(&thread, MAIN)->unwound, 0);
	assert_int_equal(thread.file->unmatched, 0);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* longjmp with probes: its LEAVE comes when the stack is that of the call of setjmp already. */
static void test_longjmp_leaves(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 32);
	enter(&thread, 2, B, SP_TOP - 64);
	leave(&thread, 4, SP_TOP - 16);
	assert_ptr_equal(top(&thread), node_of(&thread, MAIN));
	assert_int_equal(node_of(&thread, B)->unwound, 1);
	leave(&thread, 8, SP_TOP);
	assert_int_equal(thread.file->unmatched, 0);
	assert_adds_up(&thread);
	thread_end(&thread);
}

static void test_unmatched_leave(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	leave(&thread, 5, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 16);
	leave(&thread, 2, SP_TOP - 32);
	leave(&thread, 3, SP_TOP - 16);
	assert_int_equal(thread.file->unmatched, 2);
	assert_values(&thread, A, (struct values){1, 5, 5, 5, 5});
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* A pending call whose target has another address (a PLT stub) becomes the function's own frame. */
static void test_pending_becomes_function(void **state)
{
	struct thread thread;
	uint8_t arm = 1;
	struct accumulate_event plt = {TARE_EVENT_CALL, .key = WRITE, .sp = SP_TOP - 32,
				       .site = (uint64_t)&arm};

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	event_apply(&thread, plt, 1);
	enter(&thread, 2, FOO, SP_TOP - 32);
	assert_int_equal(arm, 0);
	leave(&thread, 4, SP_TOP - 32);
	after_call(&thread, 8, SP_TOP - 32);
	leave(&thread, 16, SP_TOP);
	assert_values(&thread, FOO, (struct values){1, 6, 6, 6, 6});
	assert_values(&thread, WRITE, (struct values){0, 0, 0, 0, 0});
	assert_values(&thread, MAIN, (struct values){1, 31, 25, 31, 25});
	assert_int_equal(node_of(&thread, FOO)->calls_by_call, 1);
	thread_end(&thread);
}

/* An indirect call stays armed; alternating callees each get their own frames. */
static void test_pending_indirect_alternates(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	for (int i = 0; i < 100; i++) {
		const uint64_t key = i % 3 == 0 ? A : i % 3 == 1 ? B : C;

		call(&thread, 1, key, SP_TOP - 32);
		if (key != C)
			enter(&thread, 0, key, SP_TOP - 32);
		if (key != C)
			leave(&thread, 3, SP_TOP - 32);
		after_call(&thread, key == C ? 3 : 0, SP_TOP - 32);
	}
	leave(&thread, 0, SP_TOP);
	assert_values(&thread, A, (struct values){34, 102, 102, 102, 102});
	assert_values(&thread, B, (struct values){33, 99, 99, 99, 99});
	assert_values(&thread, C, (struct values){33, 99, 99, 99, 99});
	assert_int_equal(node_of(&thread, C)->calls_by_call, 33);
	assert_int_equal(node_of(&thread, A)->calls_by_call, 34);
	thread_end(&thread);
}

/* OS time recorded for a target before its function reports itself stays with the target. */
static void test_pending_with_os_splits(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	call(&thread, 1, WRITE, SP_TOP - 32);
	with_os(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = A, .sp = SP_TOP - 64},
		10, TARE_OS_MINOR_FAULT); /* the loader's resolver calls back */
	leave(&thread, 5, SP_TOP - 64);
	enter(&thread, 2, FOO, SP_TOP - 32);
	leave(&thread, 7, SP_TOP - 32);
	leave(&thread, 0, SP_TOP);
	assert_values(&thread, WRITE, (struct values){0, 17, 12, 7, 2});
	assert_values(&thread, FOO, (struct values){1, 7, 7, 7, 7});
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* A signal between a call and its function's ENTER: one call, whose target was known. */
static void test_pending_with_os_is_its_function(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	call(&thread, 1, FOO, SP_TOP - 32);
	with_os(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = A, .sp = SP_TOP - 64},
		10, TARE_OS_INTERRUPT);
	leave(&thread, 5, SP_TOP - 64);
	enter(&thread, 2, FOO, SP_TOP - 32);
	leave(&thread, 7, SP_TOP - 32);
	leave(&thread, 0, SP_TOP);
	assert_values(&thread, FOO, (struct values){1, 24, 19, 14, 9});
	assert_int_equal(node_of(&thread, FOO)->elapsed_inclusive_max, 24);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* An OS event in the very interval that ENTER ends belongs to the function. */
static void test_pending_os_at_join(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	call(&thread, 1, WRITE, SP_TOP - 32);
	with_os(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = FOO, .sp = SP_TOP - 32},
		10, TARE_OS_MINOR_FAULT);
	leave(&thread, 7, SP_TOP - 32);
	assert_values(&thread, WRITE, (struct values){0, 0, 0, 0, 0});
	assert_values(&thread, FOO, (struct values){1, 17, 17, 7, 7});
	thread_end(&thread);
}

static void test_extremes(void **state)
{
	struct thread thread;
	const uint64_t times[] = {30, 10, 50, 20};

	(void)state;
	thread_begin(&thread);
	for (int i = 0; i < 4; i++) {
		enter(&thread, 1, A, SP_TOP);
		enter(&thread, times[i], B, SP_TOP - 16);
		leave(&thread, 2 * times[i], SP_TOP - 16);
		leave(&thread, 0, SP_TOP);
	}
	enter(&thread, 1, A, SP_TOP);
	with_os(&thread, (struct accumulate_event){TARE_EVENT_LEAVE, .sp = SP_TOP}, 400,
		TARE_OS_INTERRUPT);
	const struct tare_node *node = node_of(&thread, A);

	assert_int_equal(node->elapsed_inclusive_min, 30);
	assert_int_equal(node->elapsed_inclusive_max, 400);
	assert_int_equal(node->elapsed_exclusive_min, 10);
	assert_int_equal(node->elapsed_exclusive_max, 400);
	assert_int_equal(node->application_inclusive_min, 0);
	assert_int_equal(node->application_inclusive_max, 150);
	assert_int_equal(node->application_exclusive_min, 0);
	assert_int_equal(node->application_exclusive_max, 50);
	thread_end(&thread);
}

static void test_cost_above_a_call(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	thread.cost = 20;
	enter(&thread, 5, MAIN, SP_TOP);
	enter(&thread, 120, A, SP_TOP - 16);
	leave(&thread, 15, SP_TOP - 16); /* 5 less than the probe's cost */
	leave(&thread, 120, SP_TOP);
	assert_values(&thread, A, (struct values){1, -5, -5, -5, -5});
	assert_values(&thread, MAIN, (struct values){1, 195, 200, 195, 200});
	assert_int_equal(node_of(&thread, A)->elapsed_inclusive_min, -5);
	assert_int_equal(node_of(&thread, A)->buckets[TARE_CALL_BUCKETS - 1], 1);
	assert_int_equal(thread.file->negative, 0);
	thread.ticks -= 1000; /* the clock steps back */
	enter(&thread, 0, A, SP_TOP);
	assert_int_equal(thread.file->negative, 1);
	assert_adds_up(&thread);
	thread_end(&thread);
}

static void test_folding_at_the_cap(void **state)
{
	struct thread thread;

	(void)state;
	nodes_cap = 128;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	for (int path = 0; path < 200; path++) {
		enter(&thread, 1, 0x10000 + 16 * (path % 40), SP_TOP - 16);
		enter(&thread, 2, 0x20000 + 16 * path, SP_TOP - 32);
		enter(&thread, 0, A, SP_TOP - 48);
		leave(&thread, 4, SP_TOP - 48);
		leave(&thread, 0, SP_TOP - 32);
		leave(&thread, 0, SP_TOP - 16);
	}
	leave(&thread, 0, SP_TOP);
	assert_int_equal(thread.file->node_count, 128);
	assert_int_equal(thread.file->limits, TARE_LIMIT_NODES);
	assert_values(&thread, A, (struct values){200, 800, 800, 800, 800});
	assert_values(&thread, MAIN, (struct values){1, 1400, 200, 1400, 200});
	uint64_t calls = 0;
	for (uint32_t at = 1; at < thread.file->node_count; at++)
		calls += context_calls(&nodes(&thread)[at]);
	assert_int_equal(calls, 601);
	/* more functions than nodes: the last resort takes some */
	assert_int_equal(nodes(&thread)[1].key, TARE_NODE_OTHER);
	assert_true(context_calls(&nodes(&thread)[1]) > 0);
	assert_int_equal(nodes(&thread)[1].folded_elapsed, 0);
	assert_true(thread.file->folded >= 400 - 128);
	assert_adds_up(&thread);
	thread_end(&thread);
	nodes_cap = NODES_CAP;
}

/* The same events of a program that goes everywhere, recursion included. */
static void wander(struct thread *thread, uint64_t events)
{
	uint64_t random = 1, depth = 0;

	enter(thread, 0, MAIN, SP_TOP);
	for (uint64_t i = 0; i < events; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		const uint64_t turn = random >> 33, after = turn >> 8 & 15;
		const uint64_t key = A + 16 * (turn >> 12 & 3), sp = SP_TOP - 16 * depth;

		if (depth < 5 && (turn & 7) < 4) {
			depth++;
			enter(thread, after, key, sp - 16);
		} else if ((turn & 7) == 7) {
			with_os(thread,
				(struct accumulate_event){TARE_EVENT_CALL, .key = key,
							  .sp = sp - 16},
				after, (enum tare_os_cause)(turn >> 16 & 3));
			after_call(thread, after, sp - 16);
		} else if (depth) {
			leave(thread, after, sp);
			depth--;
		}
	}
	for (; depth; depth--)
		leave(thread, 1, SP_TOP - 16 * depth);
	leave(thread, 1, SP_TOP);
}

/* Only call paths are lost: every value of every function is what it is without a limit. */
static void test_folding_loses_only_paths(void **state)
{
	struct thread whole, folded;

	(void)state;
	os_cap = OS_MAX;
	thread_begin(&whole);
	wander(&whole, 40000);
	nodes_cap = 40;
	thread_begin(&folded);
	wander(&folded, 40000);
	assert_int_equal(whole.file->folded, 0);
	assert_in_range(folded.file->node_count, 40, 48);
	assert_true(whole.file->node_count > 600);
	assert_true(folded.file->folded > 10000);
	assert_true(folded.file->folded_contexts >= whole.file->node_count - 40);
	assert_int_equal(folded.file->now_ticks, whole.file->now_ticks);
	assert_int_equal(folded.file->os_ticks, whole.file->os_ticks);
	assert_values(&folded, MAIN, values_of(&whole, MAIN));
	for (uint64_t key = A; key < A + 64; key += 16)
		assert_values(&folded, key, values_of(&whole, key));
	assert_int_equal(folded.file->os_lost, 0);
	assert_true(folded.file->os_count < 400);
	assert_adds_up(&folded);
	thread_end(&whole);
	thread_end(&folded);
	nodes_cap = NODES_CAP;
	os_cap = OS_CAP;
}

/* Calls in progress have nodes beyond the limit, which then serve others. */
static void test_depth_beyond_the_cap(void **state)
{
	struct thread thread;

	(void)state;
	nodes_cap = 64;
	thread_begin(&thread);
	for (int round = 0; round < 3; round++) {
		for (uint64_t depth = 0; depth < 500; depth++)
			enter(&thread, 1, 0x10000 + 16 * ((depth + round) % 7),
			      SP_TOP - 16 * depth);
		for (uint64_t depth = 500; depth-- > 0;)
			leave(&thread, 1, SP_TOP - 16 * depth);
	}
	assert_int_equal(thread.file->too_deep, 0);
	assert_in_range(thread.file->node_count, 502, 550);
	uint64_t calls = 0;
	for (uint64_t key = 0; key < 7; key++)
		calls += values_of(&thread, 0x10000 + 16 * key).calls;
	assert_int_equal(calls, 1500);
	assert_adds_up(&thread);
	thread_end(&thread);
	nodes_cap = NODES_CAP;
}

static void test_many_children(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	for (int round = 0; round < 3; round++)
		for (int child = 0; child < 2000; child++) {
			enter(&thread, 1, 0x10000 + 16 * child, SP_TOP);
			leave(&thread, 2, SP_TOP);
		}
	assert_int_equal(thread.file->node_count, 2002);
	for (int child = 0; child < 2000; child++)
		assert_int_equal(context_calls(&nodes(&thread)[2 + child]), 3);
	thread_end(&thread);
}

static void test_too_deep(void **state)
{
	struct thread thread;

	(void)state;
	nodes_cap = nodes_room = 64;
	thread_begin(&thread);
	for (uint64_t depth = 0; depth < 100; depth++)
		enter(&thread, 1, A, SP_TOP - 16 * depth);
	assert_adds_up(&thread);
	for (uint64_t depth = 100; depth-- > 0;)
		leave(&thread, 1, SP_TOP - 16 * depth);
	assert_int_equal(thread.file->too_deep, 100 - (64 - 2));
	assert_int_equal(thread.file->unmatched, 0);
	assert_int_equal(values_of(&thread, A).calls, 100 - thread.file->too_deep);
	assert_ptr_equal(top(&thread), nodes(&thread));
	assert_adds_up(&thread);
	thread_end(&thread);
	nodes_cap = NODES_CAP;
	nodes_room = 2 * NODES_CAP;
}

static void test_calls_by_size(void **state)
{
	static const uint64_t ticks[] = {0, 1, 2, 3, 4, 8, 15, 1ULL << 40};
	static const uint32_t buckets[] = {0, 1, 2, 2, 3, 4, 4, 41};
	struct thread thread;
	uint32_t expected[TARE_CALL_BUCKETS] = {0};

	(void)state;
	thread_begin(&thread);
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		enter(&thread, 1, A, SP_TOP);
		leave(&thread, ticks[i], SP_TOP);
		expected[buckets[i]]++;
	}
	assert_memory_equal(node_of(&thread, A)->buckets, expected, sizeof(expected));
	/* one of them is full */
	node_of(&thread, A)->buckets[4] = TARE_BUCKET_FULL - 1;
	enter(&thread, 1, A, SP_TOP);
	leave(&thread, 9, SP_TOP);
	const struct tare_os_record *record =
		(struct tare_os_record *)((char *)thread.file + OS_OFFSET);

	assert_int_equal(node_of(&thread, A)->buckets[4], 0);
	assert_int_equal(thread.file->os_count, 1);
	assert_int_equal(record->cause, TARE_RECORD_CALLS);
	assert_int_equal(record->syscall_number, 4);
	assert_int_equal(record->count, TARE_BUCKET_FULL);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* An interval that is shorter than its probe's cost is made good by the call's others. */
static void test_short_interval_within_a_call(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	thread.cost = 20;
	enter(&thread, 5, MAIN, SP_TOP);
	enter(&thread, 13, A, SP_TOP - 16); /* 7 less than the probe's cost */
	leave(&thread, 120, SP_TOP - 16);
	leave(&thread, 60, SP_TOP);
	assert_values(&thread, A, (struct values){1, 100, 100, 100, 100});
	assert_values(&thread, MAIN, (struct values){1, 133, 33, 133, 33});
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* The reader raises the sum to its OS time, see abi/session_files.h. */
static void test_short_interval_after_os(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	thread.cost = 20;
	enter(&thread, 5, MAIN, SP_TOP);
	with_os(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = A, .sp = SP_TOP - 16},
		220, TARE_OS_BLOCKED);
	leave(&thread, 50, SP_TOP - 16);
	leave(&thread, 15, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 225, 195, 25, -5});
	assert_int_equal(node_of(&thread, MAIN)->application_exclusive_min, -5);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* A probe left between taking the call off and telling its caller, as repair finds it. */
static void test_repair(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 10, A, SP_TOP - 16);
	enter(&thread, 20, B, SP_TOP - 32);
	leave(&thread, 40, SP_TOP - 32);
	struct tare_node *ended = top(&thread);

	thread.file->now_ticks += 5;
	ended->elapsed_ticks += 25;
	thread.file->top = ended->parent;
	thread.ticks += 5;
	accumulate_repair(thread.file);
	assert_adds_up(&thread);
	leave(&thread, 80, SP_TOP);
	assert_values(&thread, A, (struct values){0, 65, 25, 65, 25});
	assert_int_equal(node_of(&thread, MAIN)->elapsed_ticks, 90);
	assert_adds_up(&thread);
	thread_end(&thread);
}

static void test_os_records_fold(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	for (uint64_t fd = 0; fd < 20; fd++) {
		struct accumulate_event event = {TARE_EVENT_ENTER,
						 .key = A,
						 .sp = SP_TOP,
						 .os = true,
						 .os_cause = TARE_OS_SYSCALL,
						 .syscall_number = 1,
						 .syscall_object = fd};

		event_apply(&thread, event, 10);
		leave(&thread, 1, SP_TOP);
	}
	assert_true(thread.file->os_count < 8);
	assert_int_equal(thread.file->os_ticks, 200);
	assert_int_equal(thread.file->os_lost, 0);
	assert_values(&thread, A, (struct values){20, 20, 20, 20, 20});
	assert_int_equal(node_os(&thread, 0), 200);
	thread_end(&thread);
}

static void enter_from(struct thread *thread, uint64_t key, uint64_t sp, uint64_t call_site)
{
	event_apply(thread,
		    (struct accumulate_event){TARE_EVENT_ENTER, .key = key, .sp = sp,
					      .call_site = call_site},
		    1);
}

static struct tare_node *node_at(const struct thread *thread, uint64_t key, uint64_t call_site)
{
	for (uint32_t at = 1; at < thread->file->node_count; at++)
		if (nodes(thread)[at].key == key && nodes(thread)[at].call_site == call_site)
			return &nodes(thread)[at];
	fail_msg("no node has the key %#lx and call site %#lx", (unsigned long)key,
		 (unsigned long)call_site);
	return NULL;
}

static void test_call_sites_have_nodes(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	thread.local.call_sites = true;
	enter_from(&thread, MAIN, SP_TOP, 0);
	for (int i = 0; i < 6; i++) {
		enter_from(&thread, A, SP_TOP - 16, i % 3 ? 0x71 : 0x72);
		leave(&thread, 10, SP_TOP - 16);
	}
	/* A call of known place whose function turns out to be another one, and reports its own. */
	event_apply(&thread,
		    (struct accumulate_event){TARE_EVENT_CALL, .key = B, .sp = SP_TOP - 16,
					      .call_site = 0x73},
		    1);
	enter_from(&thread, A, SP_TOP - 16, 0x71);
	leave(&thread, 100, SP_TOP - 16);
	leave(&thread, 0, SP_TOP);
	assert_int_equal(context_calls(node_at(&thread, A, 0x71)), 5);
	assert_int_equal(context_calls(node_at(&thread, A, 0x72)), 2);
	assert_int_equal(context_calls(node_at(&thread, B, 0x73)), 0);
	assert_int_equal(node_at(&thread, A, 0x72)->elapsed_ticks, 20);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* What has folded is its function's, wherever it was called from. */
static void test_call_sites_fold(void **state)
{
	const uint64_t cap = nodes_cap;
	struct thread thread;
	uint64_t calls = 0;

	(void)state;
	nodes_cap = 16;
	thread_begin(&thread);
	thread.local.call_sites = true;
	enter_from(&thread, MAIN, SP_TOP, 0);
	for (uint64_t i = 0; i < 200; i++) {
		enter_from(&thread, A, SP_TOP - 16, 0x1000 + i % 50);
		leave(&thread, 10, SP_TOP - 16);
	}
	leave(&thread, 0, SP_TOP);
	for (uint32_t at = 1; at < thread.file->node_count; at++) {
		const struct tare_node *node = &nodes(&thread)[at];
		if (node->parent && node->key == A)
			calls += context_calls(node);
		if (node->parent && node->index & TARE_NODE_FOLDED)
			assert_int_equal(node->call_site, 0);
	}
	assert_int_equal(calls, 200);
	assert_true(thread.file->folded > 0);
	thread_end(&thread);
	nodes_cap = cap;
}

static void test_inherited_frames(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	accumulate_inherit(thread.file, &(struct accumulate_callee){.key = MAIN},
			   SP_TOP - TARE_CALL_BELOW);
	accumulate_inherit(thread.file, &(struct accumulate_callee){.key = WRITE},
			   SP_TOP - 32 - TARE_CALL_BELOW - TARE_CALL_PENDING);
	after_call(&thread, 5, SP_TOP - 32); /* fork returns in the child */
	enter(&thread, 7, A, SP_TOP - 32);
	leave(&thread, 11, SP_TOP - 32);
	leave(&thread, 13, SP_TOP);
	assert_values(&thread, MAIN, (struct values){0, 36, 20, 36, 20});
	assert_values(&thread, WRITE, (struct values){0, 5, 5, 5, 5});
	assert_values(&thread, A, (struct values){1, 11, 11, 11, 11});
	assert_int_equal(thread.file->inherited_frames, 2);
	assert_int_equal(thread.file->unmatched, 0);
	thread_end(&thread);
}

static bool is_open(const struct thread *thread, const struct tare_node *wanted)
{
	for (const struct tare_node *node = top(thread); node != nodes(thread); node = caller(node))
		if (node == wanted)
			return true;
	return false;
}

/* Any sequence of events, however senseless, keeps the sums and the bounds. */
static void test_random_events(void **state)
{
	struct thread thread;
	uint64_t random = 88172645463325252ULL;

	(void)state;
	thread_begin(&thread);
	thread.cost = 3;
	for (int i = 0; i < 200000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		struct accumulate_event event = {
			.kind = random >> 8 & 3,
			.sp = SP_TOP - 16 * (random >> 16 & 31),
			.key = 0x1000 + (random >> 24 & 7),
			.os = (random >> 32 & 15) == 0,
			.os_cause = TARE_OS_MAJOR_FAULT + (random >> 40 & 3),
			.blocked_ticks = random >> 42 & 15,
			.preempted_ticks = random >> 46 & 15,
		};
		event_apply(&thread, event, random >> 48 & 63);
		if (i % 64)
			continue;
		assert_adds_up(&thread);
		for (uint32_t at = 1; at < thread.file->node_count; at++)
			assert_true(is_open(&thread, &nodes(&thread)[at]) ||
				    (!nodes(&thread)[at].os_inclusive &&
				     !nodes(&thread)[at].os_exclusive));
	}
	assert_adds_up(&thread);
	thread_end(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vector_a),
		cmocka_unit_test(test_vector_b),
		cmocka_unit_test(test_vector_c_recursion),
		cmocka_unit_test(test_repeated_calls),
		cmocka_unit_test(test_tail_call),
		cmocka_unit_test(test_longjmp_unwinds),
		cmocka_unit_test(test_longjmp_leaves),
		cmocka_unit_test(test_unmatched_leave),
		cmocka_unit_test(test_pending_becomes_function),
		cmocka_unit_test(test_pending_indirect_alternates),
		cmocka_unit_test(test_pending_with_os_splits),
		cmocka_unit_test(test_pending_with_os_is_its_function),
		cmocka_unit_test(test_pending_os_at_join),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_cost_above_a_call),
		cmocka_unit_test(test_folding_at_the_cap),
		cmocka_unit_test(test_folding_loses_only_paths),
		cmocka_unit_test(test_depth_beyond_the_cap),
		cmocka_unit_test(test_many_children),
		cmocka_unit_test(test_too_deep),
		cmocka_unit_test(test_calls_by_size),
		cmocka_unit_test(test_calls_by_size),
		cmocka_unit_test(test_short_interval_within_a_call),
		cmocka_unit_test(test_short_interval_after_os),
		cmocka_unit_test(test_repair),
		cmocka_unit_test(test_os_records_fold),
		cmocka_unit_test(test_inherited_frames),
		cmocka_unit_test(test_call_sites_have_nodes),
		cmocka_unit_test(test_call_sites_fold),
		cmocka_unit_test(test_random_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
