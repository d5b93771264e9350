/*
 * Many functions that become rare at once, as those of a compiler between two of its passes: only
 * so many are timed again as the time pays for. How one function fares is tried in test_adapt.c.
 */
#include "runtime/control/phases.h"

#include "runtime/base/state.h"
#include "runtime/control/arming.h"
#include "runtime/control/disarmed.h"
#include "runtime/files/counters.h"
#include "runtime/files/process.h"
#include "tests/support/heap_memory.h"
#include "tests/support/private_arming.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MANY = 600, PAIR_TICKS = 40 };
#define PAUSE_TICKS (1ULL << 28) /* between two looks */

static struct {
	struct tare_module module;
	uint8_t arm[MANY + 1];
	struct tare_counted counted[MANY];
} file;

struct state_session state_session;
static uint32_t calls;
static uint64_t now_ticks, taken_back;

bool counters_totals(const struct tare_module *module, const uint32_t *numbers, uint64_t count,
		     uint32_t *totals)
{
	(void)numbers;
	assert_ptr_equal(module, &file.module);
	for (uint64_t i = 0; i < count; i++)
		totals[i] = calls;
	return true;
}

void process_disarm_note(const struct tare_disarm_record *what)
{
	assert_int_equal(what->what, TARE_DISARM_TAKEN_BACK);
	taken_back++;
}

/* Each function is called some times, and that is looked at. Returns how many are timed again. */
static uint64_t look(uint32_t more_calls)
{
	const uint64_t before = taken_back;

	calls += more_calls;
	now_ticks += PAUSE_TICKS;
	assert_true(phases_look(now_ticks, PAIR_TICKS) == (taken_back > before));
	return taken_back - before;
}

static int armed(void)
{
	int count = 0;

	for (int i = 0; i < MANY; i++)
		count += file.arm[i] == TARE_ARMED;
	return count;
}

static void test_many_at_once(void **state)
{
	(void)state;
	file.module =
		(struct tare_module){.abi = TARE_MODULE_ABI,
				     .function_count = MANY,
				     .arm_offset = (char *)file.arm - (char *)&file.module,
				     .counter_count = MANY,
				     .counted_offset = (char *)file.counted - (char *)&file.module};
	assert_true(arming_add(&file.module));
	for (uint32_t i = 0; i < MANY; i++) {
		file.counted[i].target = (int32_t)(16 * (i + 1));
		/* What switches recording on or off has to be met, whatever it costs. */
		private_arming_trigger = (uint64_t)&file.module + 16 * (i + 1);
		assert_false(disarmed_start(&file.module, i));
		assert_false(disarmed_add(private_arming_trigger, (uint64_t)&file.arm[i], 1));
		private_arming_trigger = 0;
		assert_true(disarmed_start(&file.module, i));
	}
	phases_look(now_ticks = 1, PAIR_TICKS); /* only begins */
	for (int i = 0; i < PHASES_LOOKS; i++)
		assert_int_equal(look(10), 0);
	const uint64_t first = look(10), second = look(10);

	/* A pause pays for a few dozen, and what is paid is gone. */
	assert_in_range(first, 1, 80);
	assert_in_range(second, 1, 40);
	assert_int_equal(armed(), first + second);
	assert_int_equal(look(0), 0);
	for (int i = 0; armed() < MANY && i < MANY; i++)
		look(10);
	assert_int_equal(armed(), MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
