/*
 * Which contexts are recursive, and how many nodes are looked at to tell: so many for each call,
 * however deep it is, and whichever functions' addresses happen to fall together.
 */
#include "tests/support/event_thread.h"

#include "runtime/tree/recursion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define STEPS_PER_CALL 40
#define DEEP	       3500
#define KEYS	       0x100000

static uint64_t sp_at(uint64_t depth)
{
	return SP_TOP - 16 * depth;
}

/* What the long way says: a walk through all callers. */
static bool has_such_caller(const struct thread *thread, const struct tare_node *node)
{
	for (const struct tare_node *at = caller(node); at != nodes(thread); at = caller(at))
		if (at->key == node->key)
			return true;
	return false;
}

static uint64_t bits_of(struct thread *thread, uint64_t key)
{
	enter(thread, 0, key, SP_TOP);
	const uint64_t bits = top(thread)->around;

	leave(thread, 0, SP_TOP);
	return bits;
}

/* Another function that has the same bit in `around`. */
static uint64_t key_like(uint64_t key)
{
	struct thread thread;
	uint64_t other = key + 16;

	thread_begin(&thread);
	const uint64_t bits = bits_of(&thread, key);

	while (bits_of(&thread, other) != bits)
		other += 16;
	thread_end(&thread);
	return other;
}

static void assert_steps_are_few(const struct thread *thread, uint64_t calls)
{
	assert_in_range(thread->local.chain_steps, 0, calls * STEPS_PER_CALL);
}

/* One function, DEEP times within itself, calls another one at every depth. */
static void test_one_function_with_a_leaf(void **state)
{
	const uint64_t leaf = key_like(A);
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, MAIN, sp_at(0));
	for (uint64_t depth = 1; depth <= DEEP; depth++) {
		enter(&thread, 1, A, sp_at(depth));
		assert_int_equal(recursion_is(top(&thread)), depth > 1);
		assert_int_equal(top(&thread)->depth, depth + 1);
		enter(&thread, 1, leaf, sp_at(depth + 1));
		assert_false(recursion_is(top(&thread)));
		leave(&thread, 1, sp_at(depth + 1));
	}
	assert_in_range(thread.local.chain_steps, 1, 5 * DEEP);
	/* below all of them, too */
	const uint64_t before = thread.local.chain_steps;

	enter(&thread, 1, B, sp_at(DEEP + 1));
	enter(&thread, 1, leaf, sp_at(DEEP + 2));
	assert_false(recursion_is(top(&thread)));
	assert_in_range(thread.local.chain_steps - before, 1, 8);
	thread_end(&thread);
}

/* Functions that call each other in turn, each with a leaf of its own. */
static void deep_in_turn(uint64_t functions)
{
	struct thread thread;

	thread_begin(&thread);
	for (uint64_t depth = 0; depth < DEEP; depth++) {
		const uint64_t key = KEYS + 32 * (depth % functions);

		enter(&thread, 1, key, sp_at(depth));
		assert_int_equal(recursion_is(top(&thread)), depth >= functions);
		enter(&thread, 1, key + 16, sp_at(depth + 1));
		assert_false(recursion_is(top(&thread)));
		leave(&thread, 1, sp_at(depth + 1));
	}
	assert_steps_are_few(&thread, 2 * DEEP);
	thread_end(&thread);
}

static void test_functions_in_turn(void **state)
{
	(void)state;
	deep_in_turn(2);
	deep_in_turn(40);
	deep_in_turn(500);
	deep_in_turn(DEEP);
}

/*
 * Up and down a path of many functions that is there already: what the table is brought after, the
 * program has gone.
 */
static void test_up_and_down(void **state)
{
	const uint64_t floor = 100, deep = 1000;
	struct thread thread;
	uint64_t calls = 0, bottom = 0;

	(void)state;
	thread_begin(&thread);
	for (uint64_t round = 0; round < 20; round++) {
		for (uint64_t depth = bottom; depth < deep; depth++, calls++)
			enter(&thread, 1, KEYS + 16 * depth, sp_at(depth));
		enter(&thread, 1, KEYS + 16 * (deep + round), sp_at(deep));
		assert_false(recursion_is(top(&thread)));
		enter(&thread, 1, KEYS + 16 * round * 7, sp_at(deep + 1));
		assert_true(recursion_is(top(&thread)));
		leave(&thread, 1, sp_at(deep + 1));
		for (uint64_t depth = deep + 1; depth-- > floor;)
			leave(&thread, 1, sp_at(depth));
		bottom = floor;
	}
	assert_steps_are_few(&thread, calls);
	thread_end(&thread);
}

/* Functions of a module whose place another one has taken get an ordinal: loaded.c. */
static void test_functions_get_ordinals(void **state)
{
	const uint64_t deep = 100, kept = 50;
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	for (uint64_t depth = 0; depth < deep; depth++)
		enter(&thread, 1, KEYS + 16 * depth, sp_at(depth));
	assert_in_range(thread.local.path.used, kept, deep);
	for (struct tare_node *node = top(&thread); node != nodes(&thread); node = caller(node))
		node->key |= 1ULL << TARE_KEY_ORDINAL_SHIFT;
	for (uint64_t depth = deep; depth-- > kept;)
		leave(&thread, 1, sp_at(depth));
	for (uint64_t i = 0; i < deep; i++) {
		enter(&thread, 1, KEYS + 16 * (i % 64), sp_at(kept + i));
		assert_int_equal(recursion_is(top(&thread)), i >= 64);
	}
	/* the table has the functions of this path, and no others */
	assert_in_range(thread.local.path.used, kept, kept + 64);
	thread_end(&thread);
}

/* A program that goes everywhere, also by longjmp; what is said of each call is right. */
static void wander(struct thread *thread, uint64_t functions, uint64_t depth_max)
{
	uint64_t random = 1, depth = 0;

	for (uint64_t i = 0; i < 60000; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		const uint64_t turn = random >> 33;

		if (depth < depth_max && turn % 16 < 9) {
			enter(thread, 1, KEYS + 16 * (turn / 16 % functions), sp_at(++depth));
			assert_int_equal(recursion_is(top(thread)),
					 has_such_caller(thread, top(thread)));
			assert_int_equal(top(thread)->depth, depth);
		} else if (depth && turn % 1024 == 1023) {
			depth -= turn / 1024 % depth; /* its caller reports itself next */
		} else if (depth) {
			leave(thread, 1, sp_at(depth--));
		}
		if (i % 10007 == 0)
			accumulate_repair(thread->file);
	}
	assert_adds_up(thread);
}

static void test_any_path(void **state)
{
	struct thread thread;

	(void)state;
	for (uint64_t functions = 3; functions < 2000; functions *= 5) {
		nodes_cap = functions < 100 ? 200 : 1500; /* so that contexts fold */
		thread_begin(&thread);
		wander(&thread, functions, functions < 100 ? 60 : 600);
		assert_true(thread.file->folded_contexts > 1000);
		thread_end(&thread);
	}
	nodes_cap = NODES_CAP;
}

static void test_without_memory(void **state)
{
	struct thread thread;

	(void)state;
	nodes_cap = 1500;
	thread_begin(&thread);
	accumulate_reserve(thread.file, NODES_CAP);
	heap_piece_bytes = 4096;
	wander(&thread, 1875, 600);
	assert_true(thread.local.path_given_up);
	heap_piece_bytes = SIZE_MAX;
	thread_end(&thread);
	nodes_cap = NODES_CAP;
}

/* While all nodes are in progress, there is none to fold: the search for one is given up soon. */
static void test_nothing_to_fold(void **state)
{
	struct thread thread;

	(void)state;
	nodes_cap = 500;
	thread_begin(&thread);
	for (uint64_t depth = 0; depth < DEEP; depth++) {
		const uint32_t before = thread.local.hand;

		enter(&thread, 1, A, sp_at(depth));
		const uint64_t count = thread.file->node_count;

		if (depth > nodes_cap + 10)
			assert_in_range((thread.local.hand + count - before) % count, 1, 16);
	}
	for (uint64_t depth = DEEP; depth-- > 0;)
		leave(&thread, 1, sp_at(depth));
	for (uint64_t i = 0; i < DEEP; i++) { /* the many nodes serve others then */
		enter(&thread, 1, KEYS + 16 * i, SP_TOP);
		leave(&thread, 1, SP_TOP);
	}
	assert_in_range(thread.file->node_count, DEEP, DEEP + 200);
	thread_end(&thread);
	nodes_cap = NODES_CAP;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_function_with_a_leaf),
		cmocka_unit_test(test_functions_in_turn),
		cmocka_unit_test(test_up_and_down),
		cmocka_unit_test(test_functions_get_ordinals),
		cmocka_unit_test(test_any_path),
		cmocka_unit_test(test_without_memory),
		cmocka_unit_test(test_nothing_to_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
