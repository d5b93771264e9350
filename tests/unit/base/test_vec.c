/* Growing arrays: pushing, appending, sorting, reuse after release. */
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct pair {
	int key, value;
};

struct pair_vec vec_of(struct pair);
struct int_vec vec_of(int);

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *left = a, *right = b;

	return (left->key > right->key) - (left->key < right->key);
}

static void pushing_keeps_order(void **state)
{
	struct int_vec numbers = {0};
	int expected = 0;

	(void)state;
	for (int i = 0; i < 100000; i++)
		vec_push(&numbers, i);
	assert_int_equal(numbers.len, 100000);
	assert_int_equal(vec_last(&numbers), 99999);
	vec_foreach (number, &numbers)
		assert_int_equal(*number, expected++);
	assert_int_equal(expected, 100000);
	vec_fini(&numbers);
	assert_null(numbers.data);
	vec_push(&numbers, 5);
	assert_int_equal(numbers.data[0], 5);
	vec_fini(&numbers);
}

static void foreach_of_an_empty_one(void **state)
{
	struct int_vec numbers = {0};

	(void)state;
	vec_foreach (number, &numbers)
		fail();
	vec_sort(&numbers, compare_pairs);
	vec_fini(&numbers);
}

static void appending_blocks(void **state)
{
	struct byte_vec bytes = {0};
	const unsigned char block[3] = {1, 2, 3};

	(void)state;
	vec_append(&bytes, block, 0);
	assert_int_equal(bytes.len, 0);
	for (int i = 0; i < 1000; i++)
		vec_append(&bytes, block, sizeof(block));
	assert_int_equal(bytes.len, 3000);
	for (size_t i = 0; i < bytes.len; i++)
		assert_int_equal(bytes.data[i], i % 3 + 1);
	vec_fini(&bytes);
}

static void reserving_leaves_the_length(void **state)
{
	struct int_vec numbers = {0};

	(void)state;
	vec_reserve(&numbers, 1000);
	assert_int_equal(numbers.len, 0);
	assert_true(numbers.cap >= 1000);
	const int *data = numbers.data;
	for (int i = 0; i < 1000; i++)
		vec_push(&numbers, i);
	assert_ptr_equal(data, numbers.data);
	vec_fini(&numbers);
}

static void sorting(void **state)
{
	struct pair_vec pairs = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		vec_push(&pairs, ((struct pair){(i * 7919) % 1000, i}));
	vec_sort(&pairs, compare_pairs);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(pairs.data[i].key, i);
		assert_int_equal((pairs.data[i].value * 7919) % 1000, i);
	}
	vec_fini(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushing_keeps_order),
		cmocka_unit_test(foreach_of_an_empty_one),
		cmocka_unit_test(appending_blocks),
		cmocka_unit_test(reserving_leaves_the_length),
		cmocka_unit_test(sorting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
