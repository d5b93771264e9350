/*
 * rank_test: whether the runs of two sides differ by more than chance, row by row. Private to
 * report.
 *
 * H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947), exact where there are few
 * runs: it asks how many of the ways to deal the same values to two sides are at least as uneven.
 * That needs no assumption on how times are spread, which is seldom normal, and is right for three
 * runs as for twenty, where a bootstrap of so few finds differences too often.
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

/* Makes each probability the least level at which Holm's method would reject it. */
void rank_test_correct(double *probabilities, size_t count);

#endif
