/*
 * rank_test: whether the runs of two sides differ by more than chance, row by row. Private to
 * report.
 *
 * H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947), exact where there are few
 * runs: it asks how many of the ways to deal the same values to two sides are at least as uneven.
 * That needs no assumption on how times are spread, which is seldom normal, and is right for three
 * runs as for twenty, where a bootstrap of so few finds differences too often.
 *
 * Runs in pairs, one of each side recorded after the other: F. Wilcoxon, Biometrics Bulletin 1
 * (1945), signed ranks, exact in the same way: how many of the ways to choose a sign for each
 * difference are at least as uneven. What changes slowly, as the pace of a machine, both runs of a
 * pair have, and so it does not count.
 *
 * Of many rows some are uneven by chance. S. Holm, Scandinavian Journal of Statistics 6 (1979),
 * bounds the probability that any of them is called significant wrongly: a gate that fails for one
 * row has failed, so that is what counts, and not the share of wrong ones among all.
 */
#ifndef TARE_REPORT_DIFF_RANK_TEST_H
#define TARE_REPORT_DIFF_RANK_TEST_H

#include "report/diff/bootstrap.h"

/* The probability of a difference at least as large, in either direction, if there is none. */
double rank_test(const struct bootstrap_side *base, const struct bootstrap_side *now);

/* The least that rank_test can give for so many runs. */
double rank_test_least(size_t base, size_t now);

/*
 * The same of pairs: the i-th of `base` with the i-th of `now`, of which there are as many. Pairs
 * are ranked by the ratio of their values, none of which is below 0; those that are equal are left
 * out, as Wilcoxon does.
 */
double rank_test_paired(const struct bootstrap_side *base, const struct bootstrap_side *now);

/* The least that rank_test_paired can give for so many pairs. */
double rank_test_paired_least(size_t pairs);

/* Makes each probability the least level at which Holm's method would reject it. */
void rank_test_correct(double *probabilities, size_t count);

#endif
