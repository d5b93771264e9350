/* Numbers are sorted as qsort would, few and many, near each other and far apart. */
#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 20000 };

static int compare(const void *a_pointer, const void *b_pointer)
{
	const uint64_t a = *(const uint64_t *)a_pointer, b = *(const uint64_t *)b_pointer;

	return (a > b) - (a < b);
}

/* xorshift: G. Marsaglia, Xorshift RNGs. */
static uint64_t next_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void check_sorting(size_t count, uint64_t mask, uint64_t base)
{
	static uint64_t sorted[MOST], expected[MOST];
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < count; i++)
		sorted[i] = expected[i] = base + (next_number(&state) & mask);
	qsort(expected, count, sizeof(*expected), compare);
	sort_u64(sorted, count);
	assert_memory_equal(sorted, expected, count * sizeof(*expected));
}

static void as_comparing_sorts(void **state)
{
	static const size_t counts[] = {1, 2, 3, 255, 256, 257, 1000, MOST};
	static const uint64_t masks[] = {0, 1, 0xff, 0xffff, 0xff00ff00, 0xffffffff, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (size_t j = 0; j < sizeof(masks) / sizeof(masks[0]); j++)
			check_sorting(counts[i], masks[j], masks[j] == UINT64_MAX ? 0 : 0x401000);
}

static void nothing(void **state)
{
	(void)state;
	sort_u64(NULL, 0);
}

static void the_last_value_alone_differs(void **state)
{
	uint64_t values[300];

	(void)state;
	for (size_t i = 0; i < 300; i++)
		values[i] = UINT64_MAX;
	values[299] = 0;
	sort_u64(values, 300);
	assert_int_equal(values[0], 0);
	for (size_t i = 1; i < 300; i++)
		assert_true(values[i] == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_comparing_sorts),
		cmocka_unit_test(nothing),
		cmocka_unit_test(the_last_value_alone_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
