/*
 * assemble/learning: which functions go that many processes have called a few times each.
 */
#include "abi/learned.h"
#include "abi/module.h"
#include "assemble/learning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { FUNCTIONS = 4, PAIR = 100, CALLS = 150 };

static struct learning learning;
static bool goes[FUNCTIONS];

static int begin(void **state)
{
	(void)state;
	learning = (struct learning){0};
	memset(goes, 0, sizeof(goes));
	return 0;
}

static int end(void **state)
{
	(void)state;
	learning_fini(&learning);
	return 0;
}

/* So many calls that took so long each, of a processor, on one path of some process. */
static void call(int64_t function, uint64_t calls, uint64_t each_ticks)
{
	learning_add_node(&learning, &(struct profile_node){.function = function,
							    .calls = calls,
							    .elapsed_ticks = calls * each_ticks});
}

static void work(uint64_t ticks, uint64_t own_ticks)
{
	learning_add_thread(&learning,
			    &(struct profile_thread){.now_ticks = ticks, .own_ticks = own_ticks},
			    PAIR);
}

static void choose(void)
{
	assert_true(learning.functions.len <= FUNCTIONS);
	learning_choose(&learning, goes);
}

static void test_all_together_are_judged(void **state)
{
	(void)state;
	call(1, CALLS, 10);
	call(1, CALLS, 10);
	call(2, 50, 10); /* seldom, on all of them */
	call(2, 50, 10);
	work(1000, 0);
	choose();
	assert_true(goes[0]);
	assert_false(goes[1]);
}

static void test_short_ones_go_first(void **state)
{
	(void)state;
	call(1, 2 * CALLS, 500);
	call(2, 2 * CALLS, 20);
	call(3, 2 * CALLS, 200);
	call(4, 2 * CALLS, PAIR * 128); /* its probes are nothing beside it */
	/* The probes of two of them are within a 64th. */
	work(2 * 2 * CALLS * PAIR * 64 + 64, 0);
	choose();
	assert_false(goes[0]);
	assert_true(goes[1]);
	assert_true(goes[2]);
	assert_false(goes[3]);
	memset(goes, 0, sizeof(goes));
	learning.worked_ticks = 0;
	choose();
	assert_true(goes[0]);
	assert_false(goes[3]);
}

static void test_within_the_budget_all_stay(void **state)
{
	(void)state;
	call(1, 2 * CALLS, 10);
	work(2 * CALLS * PAIR * 64, 0);
	choose();
	assert_false(goes[0]);
	/* What the runtime took besides is the calls', too. */
	work(0, 1000);
	choose();
	assert_true(goes[0]);
}

/* Samples in tare's own code tell what the probes of a call cost, up to a bound. */
static void test_samples_tell_the_cost(void **state)
{
	(void)state;
	call(1, 2 * CALLS, 10);
	work(2 * CALLS * PAIR * 64, 0);
	learning_add_samples(&learning, 1000, 0);
	choose();
	assert_false(goes[0]);
	/* A 64th of them, as the probes' short way takes anyway. */
	learning_add_samples(&learning, 5400, 100);
	choose();
	assert_false(goes[0]);
	learning_add_samples(&learning, 0, 10);
	choose();
	assert_true(goes[0]);
	/* No call is believed to cost more than 32 times that. */
	goes[0] = false;
	learning_add_samples(&learning, 10000, 10000);
	learning.worked_ticks *= 32;
	choose();
	assert_false(goes[0]);
	learning.worked_ticks -= 64;
	choose();
	assert_true(goes[0]);
}

/* Those of what goes already were among them. */
static void test_samples_are_of_all_calls(void **state)
{
	(void)state;
	call(1, 9 * CALLS, 10);
	call(2, 3 * CALLS, 20);
	learning.functions.data[0].gone = true;
	work(3 * CALLS * PAIR * 64, 0);
	learning_add_samples(&learning, 6400, 400);
	choose();
	assert_false(goes[1]);
	learning_add_samples(&learning, 0, 10);
	choose();
	assert_true(goes[1]);
}

/* What a process has judged costs the next recording nothing; what it took back is judged anew. */
static void test_what_is_counted_already_is_left_out(void **state)
{
	static const uint8_t source_id[DIGEST_BYTES] = {7};
	static const int64_t ids[] = {1, 2, 3, 0, 9};
	const struct resolve_counted counted = {
		.function_count = 5, .site_end = 8, .count = 8, .source_id = source_id};
	struct tare_disarm_record said[] = {
		{.module_id = 7, .number = 0, .what = TARE_DISARM_FUNCTION},
		{.module_id = 7, .number = 1, .what = TARE_DISARM_FUNCTION},
		{.module_id = 7, .number = 1, .what = TARE_DISARM_TAKEN_BACK},
		{.module_id = 8, .number = 2, .what = TARE_DISARM_FUNCTION},
		{.module_id = 7, .number = 4, .what = TARE_DISARM_FUNCTION},
	};
	const struct disarm_records records = {.data = said, .len = sizeof(said) / sizeof(said[0])};

	(void)state;
	call(1, 10 * CALLS, 10);
	call(2, 2 * CALLS, 20);
	call(3, 2 * CALLS, 200);
	learning_leave_out(&learning, ids, &counted, &records);
	work(4 * CALLS * PAIR * 64 + 64, 0);
	choose();
	assert_false(goes[0]);
	assert_false(goes[1]);
	assert_false(goes[2]);
	learning.worked_ticks -= 128;
	choose();
	assert_false(goes[0]);
	assert_true(goes[1]);
	assert_false(goes[2]);
}

static void test_waits_are_timed(void **state)
{
	(void)state;
	for (int64_t process = 1; process <= 2; process++) {
		struct profile_node node = {
			.function = 1, .calls = CALLS, .elapsed_ticks = CALLS * 100};
		node.os_ticks[TARE_OS_BLOCKED] = CALLS * 20;
		learning_add_node(&learning, &node);
		node = (struct profile_node){
			.function = 2, .calls = CALLS, .elapsed_ticks = CALLS * 100};
		node.os_ticks[TARE_OS_PREEMPTED] = CALLS * 90;
		learning_add_node(&learning, &node);
	}
	work(1000, 0);
	choose();
	assert_false(goes[0]);
	assert_true(goes[1]);
	assert_int_equal(learning.functions.data[1].ticks, 2 * CALLS * 10);
}

static void call_node(int64_t id, int64_t parent, int64_t function, uint64_t blocked_ticks)
{
	struct profile_node node = {.id = id,
				    .parent = parent,
				    .function = function,
				    .calls = function ? 2 * CALLS : 0,
				    .elapsed_ticks = 2 * CALLS * 10 + blocked_ticks};

	node.os_ticks[TARE_OS_BLOCKED] = blocked_ticks;
	learning_add_node(&learning, &node);
}

/* What its callees wait for is a reason, too, on the paths of each thread, however deep. */
static void test_what_leads_to_waits_is_timed(void **state)
{
	const uint64_t worth_ticks = (uint64_t)2 * CALLS * PAIR * TARE_JUDGED_LEADS;

	(void)state;
	/* The probes of three functions are too much, of each of them little. */
	work((uint64_t)2 * CALLS * PAIR * TARE_JUDGED_LEADS_SHARE, 1 << 20);
	call_node(10, 0, 0, 0);
	call_node(11, 10, 1, 0);
	call_node(12, 11, 2, 0);
	call_node(13, 12, 4, worth_ticks);
	call_node(14, 10, 3, 0);
	work(0, 0);
	call_node(15, 0, 0, 0);
	call_node(16, 15, 3, 0);
	call_node(17, 16, 4, worth_ticks / 100);
	call_node(18, 15, 1, 0);
	call_node(19, 18, 1, 10 * worth_ticks); /* which is its own */
	call_node(20, 16, 1, 0);
	call_node(21, 20, 3, 0);
	call_node(22, 21, 4, worth_ticks / 100); /* is that of 3 once more, though it recurs */
	learning_end_nodes(&learning);
	choose();
	assert_int_equal(learning.functions.data[0].below_ticks, worth_ticks + worth_ticks / 100);
	assert_int_equal(learning.functions.data[1].below_ticks, worth_ticks);
	assert_int_equal(learning.functions.data[2].below_ticks, 2 * (worth_ticks / 100));
	assert_false(goes[1]);
	assert_true(goes[2]);
	learning.worked_ticks /= 2;
	choose();
	assert_true(goes[1]);
}

/* Numbers of the module's functions; what was timed again stays timed. */
static void test_records_of_a_module(void **state)
{
	static const uint8_t source_id[DIGEST_BYTES] = {7};
	static const int64_t ids[] = {2, 0, 1, 3, 9};
	const struct resolve_counted counted = {
		.function_count = 5, .site_end = 8, .count = 8, .source_id = source_id};
	struct learning_choice choice = {.goes = (bool[]){true, true, true}, .count = 3};
	const struct tare_disarm_record before[] = {
		{.module_id = 7, .number = 0, .what = TARE_DISARM_TAKEN_BACK},
		{.module_id = 7, .number = 2, .what = TARE_DISARM_TAKEN_BACK},
		{.module_id = 7, .number = 2, .what = TARE_DISARM_FUNCTION},
		{.module_id = 8, .number = 3, .what = TARE_DISARM_TAKEN_BACK},
		{.module_id = 7, .number = 6, .what = TARE_DISARM_TAKEN_BACK},
	};
	struct disarm_records records = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		vec_push(&records, before[i]);
	learning_take_module(ids, &counted, &choice, &records);
	assert_int_equal(records.len, 7);
	assert_int_equal(records.data[5].number, 2);
	assert_int_equal(records.data[6].number, 3);
	assert_int_equal(records.data[6].module_id, 7);
	assert_int_equal(records.data[6].count, 8);
	assert_int_equal(records.data[6].what, TARE_DISARM_FUNCTION);
	vec_fini(&records);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_all_together_are_judged),
		TEST(test_short_ones_go_first),
		TEST(test_within_the_budget_all_stay),
		TEST(test_samples_tell_the_cost),
		TEST(test_samples_are_of_all_calls),
		TEST(test_waits_are_timed),
		TEST(test_what_leads_to_waits_is_timed),
		TEST(test_records_of_a_module),
		TEST(test_what_is_counted_already_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
