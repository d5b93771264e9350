/* Both hash maps: every key allowed, growth, values kept, no accidental entries. */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void empty_map_has_nothing(void **state)
{
	struct map map;
	struct strmap names;

	(void)state;
	map_init(&map);
	strmap_init(&names);
	assert_null(map_get(&map, 0));
	assert_null(strmap_get(&names, ""));
	map_fini(&map);
	strmap_fini(&names);
}

static void any_key_is_allowed(void **state)
{
	const uint64_t keys[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, 0xffffffff};
	struct map map;

	(void)state;
	map_init(&map);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(*map_put(&map, keys[i], i * 10), i * 10);
	assert_int_equal(map.len, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(*map_get(&map, keys[i]), i * 10);
	assert_null(map_get(&map, 2));
	map_fini(&map);
}

static void put_keeps_an_existing_value(void **state)
{
	struct map map;

	(void)state;
	map_init(&map);
	*map_put(&map, 7, 1) += 41;
	assert_int_equal(*map_put(&map, 7, 1), 42);
	assert_int_equal(map.len, 1);
	map_fini(&map);
}

/* Keys that are addresses differ in high bits only, or by a stride: neither may degrade. */
static void growth_keeps_all(void **state)
{
	enum { COUNT = 50000 };
	const uint64_t strides[] = {1, 16, 4096, UINT64_C(1) << 40};

	(void)state;
	for (size_t s = 0; s < 4; s++) {
		struct map map;
		map_init(&map);
		for (uint64_t i = 0; i < COUNT; i++)
			map_put(&map, i * strides[s], i);
		assert_int_equal(map.len, COUNT);
		assert_true(map.cap >= 2 * COUNT && (map.cap & (map.cap - 1)) == 0);
		for (uint64_t i = 0; i < COUNT; i++)
			assert_int_equal(*map_get(&map, i * strides[s]), i);
		assert_null(map_get(&map, COUNT * strides[s]));
		map_fini(&map);
	}
}

static void reserved_room_is_kept(void **state)
{
	struct map map;

	(void)state;
	map_init(&map);
	map_put(&map, 7, 70);
	map_reserve(&map, 1000);
	const void *slots = map.slots;
	for (uint64_t i = 0; i < 1000; i++)
		map_put(&map, i, i);
	assert_ptr_equal(map.slots, slots);
	assert_int_equal(map.len, 1000);
	assert_int_equal(*map_get(&map, 7), 70);
	assert_int_equal(*map_get(&map, 999), 999);
	map_reserve(&map, 10);
	assert_ptr_equal(map.slots, slots);
	map_fini(&map);
}

static void strings_compare_by_content(void **state)
{
	char one[] = "name", same[] = "name";
	struct strmap names;

	(void)state;
	strmap_init(&names);
	strmap_put(&names, one, 1);
	assert_int_equal(*strmap_get(&names, same), 1);
	assert_int_equal(*strmap_put(&names, same, 9), 1);
	strmap_put(&names, "", 2);
	assert_int_equal(*strmap_get(&names, ""), 2);
	assert_null(strmap_get(&names, "nam"));
	assert_int_equal(names.len, 2);
	strmap_fini(&names);
}

static void many_strings(void **state)
{
	enum { COUNT = 20000 };
	static char text[COUNT][16];
	struct strmap names;

	(void)state;
	strmap_init(&names);
	for (int i = 0; i < COUNT; i++) {
		snprintf(text[i], sizeof(text[i]), "f%d", i);
		strmap_put(&names, text[i], (uint64_t)i);
	}
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(*strmap_get(&names, text[i]), i);
	assert_null(strmap_get(&names, "f20000"));
	strmap_fini(&names);
}

static void hashes_depend_on_every_byte(void **state)
{
	unsigned char bytes[32] = {0};
	const uint64_t zero = hash_bytes(bytes, sizeof(bytes));

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = 1;
		assert_true(hash_bytes(bytes, sizeof(bytes)) != zero);
		bytes[i] = 0;
	}
	assert_true(hash_bytes(bytes, 1) != hash_bytes(bytes, 2));
	assert_true(hash_u64(1) != hash_u64(2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_map_has_nothing),
		cmocka_unit_test(any_key_is_allowed),
		cmocka_unit_test(put_keeps_an_existing_value),
		cmocka_unit_test(growth_keeps_all),
		cmocka_unit_test(reserved_room_is_kept),
		cmocka_unit_test(strings_compare_by_content),
		cmocka_unit_test(many_strings),
		cmocka_unit_test(hashes_depend_on_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
