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

static struct diff_value within(double value, double error)
{
	return (struct diff_value){
		.is_there = true,
		.value = value,
		.bounds = {.low = value - error, .high = value + error, .is_known = true}};
}

/* NAN: the row is missing. */
static struct diff_value exact(double value)
{
	return isnan(value) ? (struct diff_value){.bounds.is_known = true} : within(value, 0);
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
		const struct diff_value base = exact(all[i].base), now = exact(all[i].now);
		if (diff_gate_judge(&gate, &base, &now) !=
		    (all[i].fails ? DIFF_FAILS : DIFF_PASSES))
			fail_msg("%s from %g to %g", all[i].gate, all[i].base, all[i].now);
	}
}

/* Each of 100 ± 10 and of another value ± 10. */
static void test_errors(void **state)
{
	static const struct {
		const char *gate;
		double now;
		enum diff_verdict verdict;
	} all[] = {
		{"cpu_exclusive>+10%", 109, DIFF_PASSES},
		{"cpu_exclusive>+10%", 111, DIFF_WITHIN_ERRORS},
		/* 110 and 10 % more are 121 */
		{"cpu_exclusive>+10%", 131, DIFF_WITHIN_ERRORS},
		{"cpu_exclusive>+10%", 132, DIFF_FAILS},
		{"cpu_exclusive>+10ns", 130, DIFF_WITHIN_ERRORS},
		{"cpu_exclusive>+10ns", 131, DIFF_FAILS},
		{"cpu_exclusive<-10%", 91, DIFF_PASSES},
		{"cpu_exclusive<-10%", 71, DIFF_WITHIN_ERRORS},
		{"cpu_exclusive<-10%", 70, DIFF_FAILS},
		{"cpu_exclusive<-10ns", 69, DIFF_FAILS},
		/* the base does not matter */
		{"cpu_exclusive>120ns", 130, DIFF_WITHIN_ERRORS},
		{"cpu_exclusive>120ns", 131, DIFF_FAILS},
		{"cpu_exclusive<80ns", 70, DIFF_WITHIN_ERRORS},
		{"cpu_exclusive<80ns", 69, DIFF_FAILS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct diff_gate gate = parse(all[i].gate);
		const struct diff_value base = within(100, 10), now = within(all[i].now, 10);
		if (diff_gate_judge(&gate, &base, &now) != all[i].verdict)
			fail_msg("%s at %g", all[i].gate, all[i].now);
	}
}

/* What may have been there unseen has not vanished, and is not new, for sure. */
static void test_unseen(void **state)
{
	const struct diff_gate gate = parse("cpu_exclusive>+10%");
	const struct diff_value unseen = {.bounds = {.high = 20, .is_known = true}};
	const struct diff_value little = within(25, 10), much = within(40, 10);

	(void)state;
	assert_int_equal(diff_gate_judge(&gate, &little, &unseen), DIFF_WITHIN_ERRORS);
	assert_int_equal(diff_gate_judge(&gate, &much, &unseen), DIFF_FAILS);
	assert_int_equal(diff_gate_judge(&gate, &unseen, &little), DIFF_WITHIN_ERRORS);
	assert_int_equal(diff_gate_judge(&gate, &unseen, &much), DIFF_FAILS);
	assert_int_equal(diff_gate_judge(&gate, &unseen, &unseen), DIFF_PASSES);
}

static void test_bounds_are_not_compared(void **state)
{
	const struct diff_gate gate = parse("calls>+10%");
	const struct diff_value known = exact(10), more = exact(1000);
	struct diff_value bound = more, least = known;

	(void)state;
	bound.bounds.is_known = least.bounds.is_known = false;
	assert_int_equal(diff_gate_judge(&gate, &known, &more), DIFF_FAILS);
	assert_int_equal(diff_gate_judge(&gate, &known, &bound), DIFF_NOT_COMPARED);
	assert_int_equal(diff_gate_judge(&gate, &least, &more), DIFF_NOT_COMPARED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_of_times),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_bounds_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
