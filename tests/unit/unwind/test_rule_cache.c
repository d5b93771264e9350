/* What was found at an address is known there alone, for the kind of frame that was asked for. */
#include "unwind/rule_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct unwind_rule rules[2];

static struct unwind_found found_at(const struct rule_cache *cache, uint64_t addr, bool exact)
{
	const struct rule_cached *known = rule_cache_get(cache, addr, exact);

	return known ? known->found : (struct unwind_found){0};
}

static void put(struct rule_cache *cache, uint64_t addr, bool exact, const struct unwind_rule *rule)
{
	rule_cache_put(cache, addr, exact, true, (struct unwind_found){.rule = rule});
}

static void nothing_is_known_at_first(void **state)
{
	struct rule_cache cache;

	(void)state;
	rule_cache_init(&cache);
	assert_null(rule_cache_get(&cache, 0, false));
	assert_null(rule_cache_get(&cache, 0x1000, true));
	put(&cache, 0x1000, true, &rules[0]);
	assert_null(rule_cache_get(&cache, 0, false));
	assert_true(cache.bits < 10); /* a build has thousands of processes of few samples */
	rule_cache_fini(&cache);
}

static void a_call_and_an_interrupt_at_an_address_differ(void **state)
{
	struct rule_cache cache;

	(void)state;
	rule_cache_init(&cache);
	put(&cache, 0x1000, true, &rules[0]);
	assert_ptr_equal(found_at(&cache, 0x1000, true).rule, &rules[0]);
	assert_null(rule_cache_get(&cache, 0x1000, false));
	put(&cache, 0x1000, false, &rules[1]);
	assert_ptr_equal(found_at(&cache, 0x1000, false).rule, &rules[1]);
	rule_cache_fini(&cache);
}

static void what_is_dropped_is_not_known(void **state)
{
	struct rule_cache cache;

	(void)state;
	rule_cache_init(&cache);
	put(&cache, 0x1000, true, &rules[0]);
	rule_cache_drop(&cache);
	assert_null(rule_cache_get(&cache, 0x1000, true));
	put(&cache, 0x1000, true, &rules[1]);
	assert_ptr_equal(found_at(&cache, 0x1000, true).rule, &rules[1]);
	rule_cache_fini(&cache);
}

/* Addresses share places: what is known is right, and of many most are. */
static void many(void **state)
{
	enum { MANY = 8000 };
	struct rule_cache cache;
	size_t known = 0;

	(void)state;
	rule_cache_init(&cache);
	for (int round = 0; round < 3; round++)
		for (uint64_t i = 0; i < MANY; i++)
			if (!rule_cache_get(&cache, 0x400000 + 7 * i, false))
				put(&cache, 0x400000 + 7 * i, false, &rules[i % 2]);
	for (uint64_t i = 0; i < MANY; i++) {
		const struct rule_cached *place = rule_cache_get(&cache, 0x400000 + 7 * i, false);
		if (!place)
			continue;
		known++;
		assert_ptr_equal(place->found.rule, &rules[i % 2]);
	}
	assert_true(known > MANY / 2);
	rule_cache_fini(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_at_first),
		cmocka_unit_test(a_call_and_an_interrupt_at_an_address_differ),
		cmocka_unit_test(what_is_dropped_is_not_known),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
