/* Loops on all processors: every element once, whatever the numbers of pieces and threads. */
#include "base/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT_MAX = 1000 };

struct tally {
	atomic_uint seen[COUNT_MAX];
	atomic_uint busy[PARALLEL_THREADS_MAX], overlaps;
	size_t piece, count;
	unsigned threads;
	atomic_uint wrong;
};

static void count_elements(void *tally_at, unsigned worker, size_t begin, size_t end)
{
	struct tally *tally = tally_at;

	if (worker >= tally->threads || begin % tally->piece || end > tally->count ||
	    end - begin > tally->piece || begin >= end)
		tally->wrong++;
	if (tally->busy[worker]++)
		tally->overlaps++;
	for (size_t i = begin; i < end; i++)
		tally->seen[i]++;
	tally->busy[worker]--;
}

static void check_loop(size_t count, size_t piece, unsigned threads)
{
	struct tally tally = {.piece = piece, .count = count, .threads = threads};

	parallel_run(&(struct parallel_loop){.run = count_elements,
					     .context = &tally,
					     .count = count,
					     .piece = piece,
					     .threads = threads});
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.overlaps, 0);
	for (size_t i = 0; i < COUNT_MAX; i++)
		assert_int_equal(tally.seen[i], i < count);
}

static void each_element_is_handled_once(void **state)
{
	static const size_t counts[] = {0, 1, 6, 7, 8, 999, COUNT_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		check_loop(counts[i], 7, 1);
		check_loop(counts[i], 7, 3);
		check_loop(counts[i], 1, PARALLEL_THREADS_MAX);
		check_loop(counts[i], COUNT_MAX, 4);
	}
}

static void the_number_of_threads_is_bounded(void **state)
{
	(void)state;
	assert_int_equal(parallel_threads(1), 1);
	assert_int_equal(parallel_threads(5), 5);
	assert_int_equal(parallel_threads(1000000), PARALLEL_THREADS_MAX);
	assert_in_range(parallel_threads(0), 1, PARALLEL_THREADS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_element_is_handled_once),
		cmocka_unit_test(the_number_of_threads_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
