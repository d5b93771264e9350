/*
 * Call sites through pointers: which are met so often in vain that they are disarmed.
 */
#include "runtime/control/sites.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Sites that only a few times in four say nothing stay; nor does one drive the others out. */
static void test_sites(void **state)
{
	enum { SITES = 100000 };
	const uint64_t site = 0x123456;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_false(sites_meet(site + 8, false));
	for (int i = 0; i < 5; i++)
		assert_false(sites_meet(site + 8, true));
	assert_true(sites_meet(site + 8, true)); /* six in eight */
	for (int i = 0; i < SITES_DULL_MIN - 1; i++)
		assert_false(sites_meet(site, true));
	for (uint64_t other = 1; other <= SITES; other++)
		assert_false(sites_meet(site + 16 * other, false));
	assert_true(sites_meet(site, true));
	/* What was dull is met anew, and so is another module's site at the same place. */
	for (int i = 0; i < SITES_DULL_MIN - 1; i++)
		assert_false(sites_meet(site, true));
	sites_forget(site + 1, site + 16);
	sites_forget(site - 16, site);
	assert_true(sites_meet(site, true));
	for (int i = 0; i < SITES_DULL_MIN - 1; i++)
		assert_false(sites_meet(site, true));
	sites_forget(site, site + 1);
	assert_false(sites_meet(site, true));
	/* One that takes another one's place begins anew. */
	for (uint64_t other = 1; other <= SITES; other++)
		for (int i = 0; i < SITES_DULL_MIN - 1; i++)
			assert_false(sites_meet(site + 16 * other, true));
}

/* Calls of long ago do not keep a site on. */
static void test_site_of_late(void **state)
{
	const uint64_t site = 0x654321;
	int dull = 0;

	(void)state;
	for (int i = 0; i < 10000; i++)
		assert_false(sites_meet(site, false));
	while (!sites_meet(site, true))
		assert_in_range(++dull, 1, 2 * SITES_MEMORY);
	assert_in_range(dull, SITES_DULL_MIN, 2 * SITES_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sites),
		cmocka_unit_test(test_site_of_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
