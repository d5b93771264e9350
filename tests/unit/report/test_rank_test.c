/* Rank tests and their correction against published and counted examples; medians and intervals. */
#include "report/diff/rank_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define SIDE(...)                                                                                  \
	{                                                                                          \
		(const double[]){__VA_ARGS__},                                                     \
			sizeof((const double[]){__VA_ARGS__}) / sizeof(double)                     \
	}

static void expect(const char *what, double is, double expected, double within)
{
	if (!(fabs(is - expected) <= within))
		fail_msg("%s is %.9g, expected %.9g", what, is, expected);
}

static void test_probabilities(void **state)
{
	const struct {
		const char *what;
		struct bootstrap_side base, now;
		double expected, within;
	} all[] = {
		/* M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods (1973), 69 f.: the
		   permeability of membranes. One-sided 0.1272061, as wilcox.test of R has it. */
		{"membranes", SIDE(1.15, 0.88, 0.90, 0.74, 1.21),
		 SIDE(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46), 2 * 0.1272061,
		 1e-6},
		/* 2 of the 20 ways to choose three of six */
		{"all above", SIDE(1, 2, 3), SIDE(4, 5, 6), 0.1, 1e-12},
		{"all below", SIDE(4, 5, 6), SIDE(1, 2, 3), 0.1, 1e-12},
		{"interleaved", SIDE(1, 3, 5), SIDE(2, 4, 6), 0.7, 1e-12},
		{"all equal", SIDE(7, 7, 7), SIDE(7, 7, 7), 1, 1e-12},
		/* ranks 1, 3.5 × 4, 6: of 20 ways, {3.5, 3.5, 6} and above are 6 */
		{"ties", SIDE(1, 2, 2), SIDE(2, 2, 3), 0.6, 1e-12},
		{"one each", SIDE(1), SIDE(2), 1, 1e-12},
		{"none", {NULL, 0}, SIDE(2), 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		expect(all[i].what, rank_test(&all[i].base, &all[i].now), all[i].expected,
		       all[i].within);
}

/* Beyond forty runs the normal approximation goes on where the exact distribution ends. */
static void test_many_runs(void **state)
{
	double base[25], now[25];

	(void)state;
	for (size_t i = 0; i < 25; i++) {
		base[i] = (double)((i * 37) % 50);
		now[i] = (double)((i * 37 + 11) % 50) + 6;
	}
	const struct bootstrap_side before = {base, 25}, after = {now, 25};
	/* The exact one is 0.1296396, of 50 over 25 choices with their ties. */
	expect("of 25 each", rank_test(&before, &after), 0.1300432721, 1e-9);
	const struct bootstrap_side same = {base, 25};
	expect("the same twice", rank_test(&same, &same), 1, 1e-12);
	for (size_t i = 0; i < 25; i++)
		now[i] = base[i] + 100;
	const struct bootstrap_side above = {now, 25};
	assert_true(rank_test(&same, &above) < 1e-8);
}

static void test_least(void **state)
{
	(void)state;
	expect("of 3 and 3", rank_test_least(3, 3), 0.1, 1e-12);
	expect("of 10 and 10", rank_test_least(10, 10), 2 / 184756.0, 1e-15);
	expect("of 1 and 1", rank_test_least(1, 1), 1, 0);
	expect("of 1 and 9", rank_test_least(1, 9), 0.2, 1e-12);
}

/* ---- pairs ---- */

/*
 * M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods (1973), 27 ff.: depression scale
 * factors. wilcox.test(x, y, paired = TRUE, alternative = "greater") of R has V = 40, p = 0.01953.
 * Ratios of exponentials have the order of differences.
 */
static void test_pairs(void **state)
{
	static const double x[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
	static const double y[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
	double base[9], now[9];
	const struct {
		const char *what;
		struct bootstrap_side base, now;
		double expected;
	} all[] = {
		{"depression", {base, 9}, {now, 9}, 2 * 10.0 / 512},
		{"the other way", {now, 9}, {base, 9}, 2 * 10.0 / 512},
		/* the ratio counts, not the difference: ranks + 1, + 2, - 3 of 8 choices of signs
		 */
		{"ratios", SIDE(100, 10, 2), SIDE(110, 12, 1), 1},
		{"all above", SIDE(1, 20, 300), SIDE(2, 30, 310), 0.25},
		{"from nothing", SIDE(0, 0, 0), SIDE(1, 2, 3), 0.25},
		/* two that differ, with one rank each; the sums are 0, 3, 3, 6 of doubled ranks */
		{"ties", SIDE(1, 1, 5), SIDE(2, 2, 5), 0.5},
		{"all equal", SIDE(7, 7, 0), SIDE(7, 7, 0), 1},
		{"one", SIDE(1), SIDE(2), 1},
		{"none", {NULL, 0}, {NULL, 0}, 1},
	};

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		base[i] = exp(y[i]);
		now[i] = exp(x[i]);
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		expect(all[i].what, rank_test_paired(&all[i].base, &all[i].now), all[i].expected,
		       1e-12);
	expect("the least of ten", rank_test_paired_least(10), 2 / 1024.0, 1e-15);
	expect("the least of one", rank_test_paired_least(1), 1, 0);
	expect("the least of none", rank_test_paired_least(0), 1, 0);
}

/*
 * Beyond forty pairs that differ the normal approximation goes on: of 41, whose exact probability
 * is 0.0069394. Both were counted apart from this code.
 */
static void test_many_pairs(void **state)
{
	double base[41], now[41];

	(void)state;
	for (size_t i = 0; i < 41; i++) {
		base[i] = 1;
		now[i] = exp(((double)((i * 29) % 41) - 14.3) / 20);
	}
	const struct bootstrap_side before = {base, 41}, after = {now, 41};
	const double approximate = rank_test_paired(&before, &after);
	const struct bootstrap_side fewer = {base + 1, 40}, later = {now + 1, 40};
	const double exact = rank_test_paired(&fewer, &later);
	expect("of 41", approximate, 0.00789649856, 1e-6);
	expect("of 40", exact, 0.00335754351, 1e-6);
}

static void test_paired_changes(void **state)
{
	const struct bootstrap_side base = SIDE(100, 200, 400), now = SIDE(110, 240, 420);
	const struct bootstrap_side absent = SIDE(0, 1, 2), some = SIDE(5, 1, 4);
	const struct bootstrap_side one = SIDE(100), none = {NULL, 0};
	double low, high;

	(void)state;
	/* + 10, + 20, + 5 %: of the median, 200 */
	expect("of ratios", bootstrap_paired_change(&base, &now), 20, 1e-9);
	expect("of differences", bootstrap_paired_change(&absent, &some), 2, 0);
	assert_true(isnan(bootstrap_paired_change(&none, &none)));
	assert_true(bootstrap_paired(&base, &now, 1, &low, &high));
	expect("the lower end", low, 10, 1e-9);
	expect("the upper end", high, 40, 1e-9);
	assert_false(bootstrap_paired(&one, &one, 1, &low, &high));
}

/* p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") of R. */
static void test_correction(void **state)
{
	double probabilities[] = {0.01, 0.04, 0.03, 0.005};
	static const double expected[] = {0.03, 0.06, 0.06, 0.02};
	double large[] = {0.6, 0.7};

	(void)state;
	rank_test_correct(probabilities, 4);
	for (size_t i = 0; i < 4; i++)
		expect("a corrected probability", probabilities[i], expected[i], 1e-12);
	rank_test_correct(large, 2);
	expect("what is more than certain", large[0], 1, 0);
	rank_test_correct(NULL, 0);
}

static void test_medians(void **state)
{
	const struct bootstrap_side odd = SIDE(3, 1, 200), even = SIDE(4, 1, 3, 100);
	const struct bootstrap_side none = {NULL, 0};

	(void)state;
	expect("of three", bootstrap_median(&odd), 3, 0);
	expect("of four", bootstrap_median(&even), 3.5, 0);
	assert_true(isnan(bootstrap_median(&none)));
}

/*
 * Of three runs each: 7/27 of the draws of a side have its least value as their median, so the
 * least difference has a probability of (7/27)², which is more than 2.5 %.
 */
static void test_intervals(void **state)
{
	const struct bootstrap_side base = SIDE(10, 12, 14), now = SIDE(30, 31, 32), one = SIDE(1);
	const struct bootstrap_side same = SIDE(5, 5, 5);
	double low, high, again_low, again_high;

	(void)state;
	assert_true(bootstrap_difference(&base, &now, 1, &low, &high));
	expect("the lower end", low, 30 - 14, 0);
	expect("the upper end", high, 32 - 10, 0);
	assert_true(bootstrap_difference(&base, &now, 1, &again_low, &again_high));
	assert_true(low == again_low && high == again_high);
	assert_true(bootstrap_difference(&same, &base, 7, &low, &high));
	expect("from a constant", low, 5, 0);
	assert_false(bootstrap_difference(&one, &now, 1, &low, &high));
	assert_false(bootstrap_difference(&now, &one, 1, &low, &high));
}

/*
 * How often the interval has the true difference, 0, in it: of 400 pairs of ten runs, uniform ones,
 * some 95 %. Percentile intervals of medians are a little too wide, so more is no fault.
 */
static void test_coverage(void **state)
{
	uint32_t random = 12345;
	int covered = 0;

	(void)state;
	for (int pair = 0; pair < 400; pair++) {
		double values[20], low, high;
		for (size_t i = 0; i < 20; i++) {
			random = random * 1664525 + 1013904223;
			values[i] = random >> 8;
		}
		const struct bootstrap_side base = {values, 10}, now = {values + 10, 10};
		assert_true(bootstrap_difference(&base, &now, (uint64_t)pair, &low, &high));
		covered += low <= 0 && high >= 0;
	}
	if (covered < 370)
		fail_msg("%d of 400", covered);
}

/* ---- what ten runs find ---- */

enum { PAIRS = 200, ALIKE = 1000, TESTED = 8, EACH = 10 };

typedef double rank_test_of(const struct bootstrap_side *base, const struct bootstrap_side *now);

/* Sum of twelve uniform numbers: nearly normal, with a standard deviation of 1 %. */
static double time_of_run(uint64_t *state, double mean)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		*state = *state * 6364136223846793005 + 1442695040888963407;
		sum += (double)(*state >> 11) / 9007199254740992.0;
	}
	return mean * (1 + 0.01 * sum);
}

/*
 * In how many pairs of sets a row is significant at 1 %; the first row is slower by so much. In
 * each round the machine has another pace, by so much, which both runs of it have.
 */
static int significant_sets(int sets, double slower, double drift, rank_test_of *test, int rows)
{
	uint64_t state = 1;
	int found = 0;

	for (int set = 0; set < sets; set++) {
		double probabilities[TESTED], base[EACH], now[EACH], paces[EACH];
		for (int i = 0; i < EACH; i++)
			paces[i] = 1 + drift * (100 * (time_of_run(&state, 1) - 1));
		for (int row = 0; row < rows; row++) {
			for (int i = 0; i < EACH; i++) {
				base[i] = paces[i] * time_of_run(&state, 100);
				now[i] = paces[i] *
					 time_of_run(&state, row ? 100 : 100 * (1 + slower));
			}
			const struct bootstrap_side sides[] = {{base, EACH}, {now, EACH}};
			probabilities[row] = test(&sides[0], &sides[1]);
		}
		rank_test_correct(probabilities, (size_t)rows);
		bool any = false;
		for (int row = 0; row < rows; row++)
			any |= probabilities[row] <= 0.01;
		found += any;
	}
	return found;
}

/* A test, and in how many of the pairs of sets it is to find 3 %. */
struct finding {
	const char *what;
	double drift;
	rank_test_of *test;
	int rows, least, most;
};

static void expect_found(const struct finding *expected)
{
	const int alarms =
		significant_sets(ALIKE, 0, expected->drift, expected->test, expected->rows);
	const int found =
		significant_sets(PAIRS, 0.03, expected->drift, expected->test, expected->rows);

	print_message("%s: %d false alarms of %d, %d found of %d\n", expected->what, alarms, ALIKE,
		      found, PAIRS);
	assert_true(alarms <= ALIKE / 100 + 6); /* two standard deviations of ten */
	assert_true(found >= expected->least && found <= expected->most);
}

/*
 * Ten runs of each side, whose times differ by 1 %, eight rows: 3 % are found in nine of ten pairs,
 * and of pairs without a difference at most one in a hundred has a row that is marked.
 */
static void test_ten_runs(void **state)
{
	const struct finding apart = {"apart", 0, rank_test, TESTED, PAIRS * 9 / 10, PAIRS};

	(void)state;
	expect_found(&apart);
}

/*
 * Where the machine's pace differs by 12 % from round to round, sides apart find nothing. Pairs do,
 * for what both runs have in common is no difference; of four rows, because the least that ten
 * pairs can say is 0.2 %, which eight rows make more than 1 %.
 */
static void test_ten_pairs(void **state)
{
	const struct finding apart = {"another pace", 0.12, rank_test, 4, 0, PAIRS / 20};
	const struct finding pairs = {"pairs", 0.12, rank_test_paired, 4, PAIRS * 3 / 4, PAIRS};

	(void)state;
	expect_found(&apart);
	expect_found(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_probabilities),  cmocka_unit_test(test_many_runs),
		cmocka_unit_test(test_least),	       cmocka_unit_test(test_correction),
		cmocka_unit_test(test_medians),	       cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_coverage),       cmocka_unit_test(test_ten_runs),
		cmocka_unit_test(test_pairs),	       cmocka_unit_test(test_many_pairs),
		cmocka_unit_test(test_paired_changes), cmocka_unit_test(test_ten_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
