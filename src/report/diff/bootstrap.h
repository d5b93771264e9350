/*
 * bootstrap: what a median of few runs is worth. Private to report.
 *
 * The interval is the percentile interval of B. Efron, R. Tibshirani, An Introduction to the
 * Bootstrap (1993), chapter 13, of the difference of two medians: each side is drawn anew from its
 * own runs, with replacement. Medians and not means: one run that was disturbed moves a mean of ten
 * as far as it likes, and a median not at all.
 */
#ifndef TARE_REPORT_DIFF_BOOTSTRAP_H
#define TARE_REPORT_DIFF_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BOOTSTRAP_RUNS_MAX = 1000 };

/* The values of one side's runs. */
struct bootstrap_side {
	const double *values;
	size_t count;
};

/* NAN of none; of an even number the middle of the two in the middle. */
double bootstrap_median(const struct bootstrap_side *side);

/*
 * The 95 % interval of the median of `now` less that of `base`; of at most BOOTSTRAP_RUNS_MAX runs
 * each. The same values and seed give the same interval. False where a side has one run or none:
 * that says nothing of how runs differ.
 */
bool bootstrap_difference(const struct bootstrap_side *base, const struct bootstrap_side *now,
			  uint64_t seed, double *low, double *high);

#endif
