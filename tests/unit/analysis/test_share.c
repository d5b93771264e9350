/* Shares add up to the whole, and none is off by more than what rounding takes. */
#include "analysis/share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { COUNT = 1000 };

/* Below 2^bits, in no order. */
static uint64_t number(uint64_t i, int bits)
{
	return (i + 1) * 0x9e3779b97f4a7c15ULL >> (64 - bits);
}

static void assert_shares(uint64_t whole, const wide *weights, int count)
{
	struct share share = {.whole = whole};
	wide sum = 0;

	for (int i = 0; i < count; i++)
		share.weight += weights[i];
	const wide all = share.weight;
	for (int i = 0; i < count; i++) {
		const uint64_t part = share_next(&share, weights[i]);
		const wide exact = (wide)whole * weights[i] / all;
		assert_true(part >= exact && part <= exact + 1);
		sum += part;
	}
	assert_true(sum == whole);
}

static void test_shares_are_exact(void **state)
{
	wide weights[COUNT];

	(void)state;
	for (int i = 0; i < COUNT; i++)
		weights[i] = number((uint64_t)i, 40);
	assert_shares(0, weights, COUNT);
	assert_shares(7, weights, COUNT);
	assert_shares(UINT64_MAX / 3, weights, COUNT);
	assert_shares(UINT64_MAX, weights, COUNT);
}

/* A double has 53 bits. */
static void test_beyond_the_bits_of_a_double(void **state)
{
	struct share share = {.whole = (1ULL << 60) + 5, .weight = (1ULL << 60) + 5};

	(void)state;
	assert_int_equal(share_next(&share, 3), 3);
	assert_int_equal(share_next(&share, 1ULL << 60), 1ULL << 60);
	assert_int_equal(share_next(&share, 2), 2);
}

/* Of a thousand shares of a whole of 7, seven are 1. */
static void test_what_rounding_leaves_is_not_lost(void **state)
{
	struct share share = {.whole = 7, .weight = COUNT};
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		const uint64_t part = share_next(&share, 1);
		assert_in_range(part, 0, 1);
		sum += part;
	}
	assert_int_equal(sum, 7);
}

static void test_no_weights_at_all(void **state)
{
	struct share share = {.whole = 9};

	(void)state;
	assert_int_equal(share_next(&share, 0), 9);
	assert_int_equal(share_next(&share, 0), 0);
	assert_int_equal(share_in_proportion(0, 0, 9), 0);
}

/* A damaged file's numbers: more than the product of two may be. */
static void test_huge_numbers_add_up(void **state)
{
	struct share share = {.whole = UINT64_MAX};
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < COUNT; i++)
		share.weight += UINT64_MAX;
	for (int i = 0; i < COUNT; i++)
		sum += share_next(&share, UINT64_MAX);
	assert_int_equal(sum, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_are_exact),
		cmocka_unit_test(test_beyond_the_bits_of_a_double),
		cmocka_unit_test(test_what_rounding_leaves_is_not_lost),
		cmocka_unit_test(test_no_weights_at_all),
		cmocka_unit_test(test_huge_numbers_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
