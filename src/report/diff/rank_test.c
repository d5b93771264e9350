/*
 * See rank_test.h. Values that are equal have the mean of their ranks, and the exact distribution
 * is that of these, so that ties need no approximation: ways[k][s] is how many choices of k of the
 * ranks that were passed add up to s. Ranks are doubled, to be whole.
 */
#include "report/diff/rank_test.h"

#include "base/arena.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* More runs than that have the normal approximation. */
enum { EXACT_MAX = 40 };

struct ranked {
	double value;
	bool is_now;	/* of pairs: is the second one greater? */
	size_t doubled; /* twice the rank */
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Returns the sum of t³ - t over groups of t equal values. */
static double rank(struct ranked *all, size_t count)
{
	double ties = 0;

	qsort(all, count, sizeof(*all), compare_ranked);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && all[end].value == all[first].value; end++)
			;
		const double equal = (double)(end - first);
		ties += equal * equal * equal - equal;
		for (size_t i = first; i < end; i++)
			all[i].doubled = first + end + 1;
	}
	return ties;
}

static struct ranked *rank_sides(const struct bootstrap_side *base,
				 const struct bootstrap_side *now, double *ties)
{
	const size_t count = base->count + now->count;
	struct ranked *all = mem_zalloc(count * sizeof(*all));

	for (size_t i = 0; i < base->count; i++)
		all[i].value = base->values[i];
	for (size_t i = 0; i < now->count; i++)
		all[base->count + i] = (struct ranked){.value = now->values[i], .is_now = true};
	*ties = rank(all, count);
	return all;
}

/* The ranks of the second side, or of pairs whose second one is greater; doubled. */
static size_t sum_of_now(const struct ranked *all, size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += all[i].is_now ? all[i].doubled : 0;
	return sum;
}

/* How much of what can be, ways[s] times the sum s, is as far from the middle as `sum`. */
static double two_sided(const double *ways, size_t sums, size_t sum)
{
	double below = 0, above = 0, total = 0;

	for (size_t s = 0; s < sums; s++) {
		total += ways[s];
		below += s <= sum ? ways[s] : 0;
		above += s >= sum ? ways[s] : 0;
	}
	return fmin(2 * fmin(below, above) / total, 1);
}

/* The same by the normal distribution, with half a step, as sums come in steps. */
static double two_sided_normal(double sum, double mean, double variance)
{
	const double distance = fmax(fabs(sum - mean) - 0.5, 0);

	return variance > 0 ? erfc(distance / sqrt(2 * variance)) : 1;
}

static double exact(const struct ranked *all, size_t count, size_t taken, size_t sum)
{
	const size_t sums = count * (count + 1) + 1;
	double *ways = mem_zalloc((taken + 1) * sums * sizeof(*ways));

	ways[0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t k = i < taken ? i + 1 : taken; k > 0; k--)
			for (size_t s = sums - 1; s >= all[i].doubled; s--)
				ways[k * sums + s] += ways[(k - 1) * sums + s - all[i].doubled];
	const double probability = two_sided(ways + taken * sums, sums, sum);
	free(ways);
	return probability;
}

/* With the correction for ties. */
static double approximate(double sum, double n, double m, double ties)
{
	const double variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)));

	return two_sided_normal(sum, m * (n + m + 1) / 2, variance);
}

double rank_test(const struct bootstrap_side *base, const struct bootstrap_side *now)
{
	const size_t count = base->count + now->count;
	double ties;

	if (!base->count || !now->count)
		return 1;
	struct ranked *all = rank_sides(base, now, &ties);
	const size_t sum = sum_of_now(all, count);
	const double probability = count <= EXACT_MAX
					   ? exact(all, count, now->count, sum)
					   : approximate((double)sum / 2, (double)base->count,
							 (double)now->count, ties);
	free(all);
	return probability;
}

double rank_test_least(size_t base, size_t now)
{
	double ways = 1;

	for (size_t i = 1; i <= now; i++)
		ways = ways * (double)(base + i) / (double)i;
	return fmin(2 / ways, 1);
}

/* ---- pairs ---- */

/* The pairs that differ; their values say by what ratio. Returns how many. */
static size_t pairs_of(const struct bootstrap_side *base, const struct bootstrap_side *now,
		       struct ranked *all)
{
	size_t count = 0;

	assert(base->count == now->count);
	for (size_t i = 0; i < base->count; i++) {
		const double before = base->values[i], after = now->values[i];
		if (before != after)
			all[count++] =
				(struct ranked){.value = fabs(after - before) / (after + before),
						.is_now = after > before};
	}
	return count;
}

/* ways[s]: so many choices of signs whose ranks add up to s. */
static double exact_paired(const struct ranked *all, size_t count, size_t sum)
{
	const size_t sums = count * (count + 1) + 1;
	double *ways = mem_zalloc(sums * sizeof(*ways));

	ways[0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t s = sums - 1; s >= all[i].doubled; s--)
			ways[s] += ways[s - all[i].doubled];
	const double probability = two_sided(ways, sums, sum);
	free(ways);
	return probability;
}

static double approximate_paired(double sum, double n, double ties)
{
	const double variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;

	return two_sided_normal(sum, n * (n + 1) / 4, variance);
}

double rank_test_paired(const struct bootstrap_side *base, const struct bootstrap_side *now)
{
	struct ranked *all = mem_zalloc((base->count + 1) * sizeof(*all));
	const size_t count = pairs_of(base, now, all);
	const double ties = rank(all, count);
	const size_t sum = sum_of_now(all, count);
	const double probability =
		count <= EXACT_MAX ? exact_paired(all, count, sum)
				   : approximate_paired((double)sum / 2, (double)count, ties);
	free(all);
	return probability;
}

double rank_test_paired_least(size_t pairs)
{
	return fmin(exp2(1 - (double)pairs), 1);
}

/* ---- many rows ---- */

struct place {
	double *probability;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (*x->probability > *y->probability) - (*x->probability < *y->probability);
}

void rank_test_correct(double *probabilities, size_t count)
{
	struct place *order = mem_zalloc((count + 1) * sizeof(*order));
	double least = 0;

	for (size_t i = 0; i < count; i++)
		order[i].probability = &probabilities[i];
	qsort(order, count, sizeof(*order), compare_places);
	for (size_t i = 0; i < count; i++) {
		least = fmax(least, fmin(*order[i].probability * (double)(count - i), 1));
		*order[i].probability = least;
	}
	free(order);
}
