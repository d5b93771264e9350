/* Waits by who ended them, whatever that one had waited for before. */
#include "analysis/private.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { WAITER = 1, CALLER, A, B, C };

static struct analysis_wake wake_of(uint32_t function, const struct analysis_wake *before)
{
	return (struct analysis_wake){
		.kind = WAKE_BY_THREAD, .thread = function, .function = function, .before = before};
}

static void add(struct analysis *analysis, const struct analysis_wake *wake, uint64_t count,
		uint64_t ticks)
{
	const struct analysis_os os = {.function = WAITER,
				       .caller = CALLER,
				       .count = count,
				       .ticks = ticks,
				       .longest_ticks = ticks / count,
				       .wake = wake};

	vec_push(&analysis->wakers, ((struct analysis_sampled_wait){.os = os}));
}

static void opened(struct analysis *analysis)
{
	*analysis = (struct analysis){0};
	arena_init(&analysis->arena);
}

static void closed(struct analysis *analysis)
{
	vec_fini(&analysis->wakers);
	vec_fini(&analysis->direct_wakers);
	arena_fini(&analysis->arena);
}

static const struct analysis_os *row(const struct analysis *analysis, size_t i)
{
	return &analysis->direct_wakers.data[i].os;
}

/* A in three chains has more than B in one, which has more than any of the three. */
static void test_chains_of_one_waker_are_one_row(void **state)
{
	struct analysis analysis;
	const struct analysis_wake c = wake_of(C, NULL), b = wake_of(B, NULL), bc = wake_of(B, &c);
	const struct analysis_wake a = wake_of(A, NULL), ab = wake_of(A, &b), abc = wake_of(A, &bc);

	(void)state;
	opened(&analysis);
	add(&analysis, &b, 1, 50);
	add(&analysis, &abc, 4, 40);
	add(&analysis, &ab, 3, 36);
	add(&analysis, &a, 2, 30);
	analysis_find_direct_wakers(&analysis);
	assert_int_equal(analysis.direct_wakers.len, 2);
	assert_int_equal(row(&analysis, 0)->ticks, 106);
	assert_int_equal(row(&analysis, 0)->count, 9);
	assert_int_equal(row(&analysis, 0)->longest_ticks, 15);
	assert_int_equal(row(&analysis, 1)->ticks, 50);
	/* B was before A in 76 of 106; C before that in 40. */
	const struct analysis_wake *chain = row(&analysis, 0)->wake;
	assert_int_equal(chain->function, A);
	assert_non_null(chain->before);
	assert_int_equal(chain->before->function, B);
	assert_null(chain->before->before);
	assert_null(row(&analysis, 1)->wake->before);
	closed(&analysis);
}

static void test_half_is_not_most(void **state)
{
	struct analysis analysis;
	const struct analysis_wake b = wake_of(B, NULL), c = wake_of(C, NULL);
	const struct analysis_wake ab = wake_of(A, &b), ac = wake_of(A, &c);

	(void)state;
	opened(&analysis);
	add(&analysis, &ab, 1, 20);
	add(&analysis, &ac, 1, 20);
	analysis_find_direct_wakers(&analysis);
	assert_int_equal(analysis.direct_wakers.len, 1);
	assert_null(row(&analysis, 0)->wake->before);
	closed(&analysis);
}

/* Another function of the same thread, another caller, and nobody are other rows. */
static void test_what_differs_stays_apart(void **state)
{
	struct analysis analysis;
	const struct analysis_wake a = wake_of(A, NULL), b = {WAKE_BY_THREAD, A, B, NULL, 0};
	const struct analysis_wake nobody = {WAKE_NOT_KNOWN, ANALYSIS_NONE, ANALYSIS_NONE, NULL, 0};

	(void)state;
	opened(&analysis);
	add(&analysis, &a, 1, 4);
	add(&analysis, &b, 1, 3);
	add(&analysis, &nobody, 1, 2);
	add(&analysis, &a, 1, 1);
	analysis.wakers.data[3].os.caller = C;
	analysis_find_direct_wakers(&analysis);
	assert_int_equal(analysis.direct_wakers.len, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(row(&analysis, i)->ticks, 4 - i);
	closed(&analysis);
}

/* Threads of one name each, of processes `as`, `as` and `ld`; the last two are of one process. */
static void add_threads(struct analysis *analysis)
{
	static const struct profile_process rows[] = {
		{.name = "as"}, {.name = "as"}, {.name = "ld"}};
	static const struct profile_thread thread = {.name = "worker"};
	static const uint32_t process_of[] = {0, 1, 2, 2};

	for (size_t i = 0; i < 3; i++)
		vec_push(&analysis->processes, (struct analysis_process){.row = &rows[i]});
	for (size_t i = 0; i < 4; i++)
		vec_push(&analysis->threads,
			 ((struct analysis_thread){.row = &thread, .process = process_of[i]}));
}

/* Of processes of one name, threads are one waker; of one process they are several. */
static void test_processes_of_one_name_are_one_waker(void **state)
{
	struct analysis analysis;
	const struct analysis_wake before[] = {{WAKE_BY_THREAD, 0, B, NULL, 0},
					       {WAKE_BY_THREAD, 1, B, NULL, 0}};
	const struct analysis_wake wakes[] = {{WAKE_BY_THREAD, 0, A, &before[1], 0},
					      {WAKE_BY_THREAD, 1, A, &before[0], 0},
					      {WAKE_BY_THREAD, 2, A, NULL, 0},
					      {WAKE_BY_THREAD, 3, A, NULL, 0}};

	(void)state;
	opened(&analysis);
	add_threads(&analysis);
	for (size_t i = 0; i < 4; i++)
		add(&analysis, &wakes[i], 1, 100 - i);
	add(&analysis, &wakes[0], 1, 50);
	analysis_find_direct_wakers(&analysis);
	assert_int_equal(analysis.direct_wakers.len, 3);
	const struct analysis_os *both = row(&analysis, 0);
	assert_int_equal(both->ticks, 249);
	assert_int_equal(both->wake->threads, 2);
	assert_int_equal(both->wake->thread, 0);
	assert_non_null(both->wake->before);
	assert_int_equal(both->wake->before->threads, 2);
	for (size_t i = 1; i < 3; i++) {
		assert_int_equal(row(&analysis, i)->wake->threads, 0);
		assert_int_equal(row(&analysis, i)->wake->thread, i + 1);
	}
	vec_fini(&analysis.processes);
	vec_fini(&analysis.threads);
	closed(&analysis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains_of_one_waker_are_one_row),
		cmocka_unit_test(test_half_is_not_most),
		cmocka_unit_test(test_what_differs_stays_apart),
		cmocka_unit_test(test_processes_of_one_name_are_one_waker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
