/* See bootstrap.h. Random numbers are those of splitmix64 (S. Vigna, public domain). */
#include "report/diff/bootstrap.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 2000, DRAWS_BELOW = DRAWS / 40 };

static int compare_numbers(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of numbers that may be moved. */
static double median_of(double *values, size_t count)
{
	if (!count)
		return NAN;
	qsort(values, count, sizeof(*values), compare_numbers);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double bootstrap_median(const struct bootstrap_side *side)
{
	double values[BOOTSTRAP_RUNS_MAX];

	assert(side->count <= BOOTSTRAP_RUNS_MAX);
	if (side->count)
		memcpy(values, side->values, side->count * sizeof(*values));
	return median_of(values, side->count);
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double draw_median(const struct bootstrap_side *side, uint64_t *state)
{
	double drawn[BOOTSTRAP_RUNS_MAX];

	for (size_t i = 0; i < side->count; i++)
		drawn[i] = side->values[(__uint128_t)next_random(state) * side->count >> 64];
	return median_of(drawn, side->count);
}

/* 95 % of the draws, which are moved. */
static void take_interval(double draws[DRAWS], double *low, double *high)
{
	qsort(draws, DRAWS, sizeof(*draws), compare_numbers);
	*low = draws[DRAWS_BELOW];
	*high = draws[DRAWS - 1 - DRAWS_BELOW];
}

bool bootstrap_difference(const struct bootstrap_side *base, const struct bootstrap_side *now,
			  uint64_t seed, double *low, double *high)
{
	double differences[DRAWS];
	uint64_t state = seed;

	assert(base->count <= BOOTSTRAP_RUNS_MAX && now->count <= BOOTSTRAP_RUNS_MAX);
	if (base->count < 2 || now->count < 2)
		return false;
	for (size_t i = 0; i < DRAWS; i++) {
		const double before = draw_median(base, &state);
		differences[i] = draw_median(now, &state) - before;
	}
	take_interval(differences, low, high);
	return true;
}

/* ---- pairs ---- */

static bool has_ratios(const struct bootstrap_side *base)
{
	for (size_t i = 0; i < base->count; i++)
		if (!(base->values[i] > 0))
			return false;
	return true;
}

/* What of each pair is drawn: see bootstrap.h. Returns the factor that its median is shown by. */
static double pairs_of(const struct bootstrap_side *base, const struct bootstrap_side *now,
		       double changes[BOOTSTRAP_RUNS_MAX])
{
	const bool ratios = has_ratios(base);

	assert(base->count == now->count && base->count <= BOOTSTRAP_RUNS_MAX);
	for (size_t i = 0; i < base->count; i++)
		changes[i] = (now->values[i] - base->values[i]) / (ratios ? base->values[i] : 1);
	return ratios ? bootstrap_median(base) : 1;
}

double bootstrap_paired_change(const struct bootstrap_side *base, const struct bootstrap_side *now)
{
	double changes[BOOTSTRAP_RUNS_MAX];
	const double factor = pairs_of(base, now, changes);

	return factor * median_of(changes, base->count);
}

bool bootstrap_paired(const struct bootstrap_side *base, const struct bootstrap_side *now,
		      uint64_t seed, double *low, double *high)
{
	double changes[BOOTSTRAP_RUNS_MAX], drawn[DRAWS];
	const double factor = pairs_of(base, now, changes);
	const struct bootstrap_side pairs = {changes, base->count};
	uint64_t state = seed;

	if (base->count < 2)
		return false;
	for (size_t i = 0; i < DRAWS; i++)
		drawn[i] = factor * draw_median(&pairs, &state);
	take_interval(drawn, low, high);
	return true;
}
