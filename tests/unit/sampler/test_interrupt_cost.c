/* What one sample's interrupt takes, in this thread. */
#include "sampler/interrupt_cost.h"
#include "sampler/perf_events.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

/* An interrupt takes some time, and no processor so long. */
static void test_this_machine(void **state)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .exclude_kernel = 1};
	const int fd = perf_event_open(&attr, 0, -1);
	uint64_t cost = 0;

	(void)state;
	if (fd < 0) {
		print_message("skipped: this user may open no events\n");
		assert_int_equal(interrupt_cost_ns(false), 0);
		skip();
	}
	close(fd);
	for (int i = 0; i < 20 && !cost; i++)
		cost = interrupt_cost_ns(false);
	assert_in_range(cost, 200, 300000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
