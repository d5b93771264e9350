/* Gates: what they read, and on which side of their limits rows fail. */
#include "report/diff/diff_gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct diff_gate parse(const char *text)
{
	struct diff_gate gate;
	struct error err = {0};

	if (!diff_gate_parse(text, report_view_of(VIEW_FUNCTIONS), &gate, &err))
		fail_msg("%s", err.message);
	return gate;
}

static void test_units_of_times(void **state)
{
	static const struct {
		const char *text;
		double ns;
	} all[] = {{"elapsed_exclusive>7ns", 7},   {"elapsed_exclusive>7us", 7e3},
		   {"elapsed_exclusive>7µs", 7e3}, {"elapsed_exclusive>7ms", 7e6},
		   {"elapsed_exclusive>7s", 7e9},  {"elapsed_exclusive<-0.5us", -500}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct diff_gate gate = parse(all[i].text);
		if (gate.limit != all[i].ns)
			fail_msg("%s is a limit of %g ns", all[i].text, gate.limit);
	}
}

/* What has to be more than the limit may reach it. */
static void test_limits(void **state)
{
	static const struct {
		const char *gate;
		double base, now;
		bool fails;
	} all[] = {
		{"calls>100", 500, 100, false},
		{"calls>100", 0, 101, true},
		{"calls<100", 500, 100, false},
		{"calls<100", 0, 99, true},
		{"calls>+10", 100, 110, false},
		{"calls>+10", 100, 111, true},
		{"calls<-10", 100, 90, false},
		{"calls<-10", 100, 89, true},
		/* in percent of what was there before */
		{"calls>+50%", 100, 150, false},
		{"calls>+50%", 100, 151, true},
		{"calls>+90%", 10, 100, true},
		{"calls<-50%", 100, 50, false},
		{"calls<-50%", 100, 49, true},
		{"calls<-90%", 100, 50, false},
		/* new, which is more than any percentage */
		{"calls>+1000%", NAN, 1, true},
		{"calls>+1000%", NAN, 0, false},
		{"calls<-50%", NAN, 1, false},
		{"calls>+10", NAN, 11, true},
		/* vanished */
		{"calls>+10", 100, NAN, true},
		{"calls<-10", 100, NAN, true},
		{"calls>+10", 0, NAN, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct diff_gate gate = parse(all[i].gate);
		if (diff_gate_fails(&gate, all[i].base, all[i].now) != all[i].fails)
			fail_msg("%s from %g to %g", all[i].gate, all[i].base, all[i].now);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_of_times),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
