/* How many nodes a thread may have, and what memory and storage are left. */
#include "runtime/base/budget.h"
#include "runtime/base/kernel.h"

#include "runtime/base/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_nodes(void **state)
{
	(void)state;
	state_session.settings = (struct tare_settings){0};
	assert_int_equal(budget_nodes(), 128 << 10);
	state_session.settings.adaptive_percent = 500;
	assert_int_equal(budget_nodes(), 32 << 10);
	state_session.settings.max_nodes = 64;
	assert_int_equal(budget_nodes(), 64);
	state_session.settings.adaptive_percent = 0;
	assert_int_equal(budget_nodes(), 64);
}

static void test_storage(void **state)
{
	(void)state;
	state_session.settings =
		(struct tare_settings){.max_memory_bytes = 3000, .max_disk_bytes = 1000};
	assert_int_equal(budget_take_file(600), 0);
	assert_int_equal(budget_take_file(600), TARE_LIMIT_DISK);
	budget_give_file(600, false);
	assert_int_equal(budget_take_file(1000), 0);
	budget_give_file(1000, true);
	assert_int_equal(budget_take_file(1), TARE_LIMIT_DISK);
	assert_int_equal(budget_take_memory(3000), 0);
	assert_int_equal(budget_take_memory(1), TARE_LIMIT_MEMORY);
	budget_give_memory(3000);
	assert_int_equal(budget_take_memory(1), 0);
}

static void test_what_was_measured_holds_for_a_while(void **state)
{
	struct tare_usage *usage = budget_shared();
	uint64_t means = 0;

	(void)state;
	assert_false(budget_measured_means(&means));
	usage->measured_means = 5;
	usage->measured_ticks = kernel_ticks();
	assert_true(budget_measured_means(&means));
	assert_int_equal(means, 5);
	usage->sequence = 1; /* another process writes it */
	assert_false(budget_measured_means(&means));
	usage->sequence = 2;
	assert_true(budget_measured_means(&means));
	usage->measured_ticks -= 1ULL << 32;
	assert_false(budget_measured_means(&means));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_storage),
		cmocka_unit_test(test_what_was_measured_holds_for_a_while),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
