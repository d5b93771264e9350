/*
 * bootstrap: what a median of few runs is worth. Private to report.
 *
 * The interval is the percentile interval of B. Efron, R. Tibshirani, An Introduction to the
 * Bootstrap (1993), chapter 13, of the difference of two medians: each side is drawn anew from its
 * own runs, with replacement. Medians and not means: one run that was disturbed moves a mean of ten
 * as far as it likes, and a median not at all. Runs in pairs are drawn as pairs.
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

/*
 * By how much `now` is more than `base`, for runs in pairs, the i-th of one with the i-th of the
 * other: the median of `base`, times the median of the pairs' ratios, less 1. Where a run of `base`
 * is 0 there is no ratio: the median of the pairs' differences. Of no pair: NAN.
 */
double bootstrap_paired_change(const struct bootstrap_side *base, const struct bootstrap_side *now);

/* The interval of that, by drawing pairs; as bootstrap_difference otherwise. */
bool bootstrap_paired(const struct bootstrap_side *base, const struct bootstrap_side *now,
		      uint64_t seed, double *low, double *high);

#endif
