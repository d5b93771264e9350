#include "sampler/clock_gaps.h"

#include <stdlib.h>
#include <time.h>

#define NS_PER_SECOND 1000000000ULL
#define GAP_NS	      1000 /* shorter ones are readings */
#define LONG_NS	      300000
#define LENGTHS_MIN   16

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

uint64_t clock_gaps_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void gap_add(struct clock_gaps *gaps, uint64_t begin, uint64_t end)
{
	if (end - begin < LONG_NS)
		gaps->short_ns += end - begin;
	if (gaps->count < CLOCK_GAPS_MAX)
		gaps->gaps[gaps->count++] = (struct clock_gap){.begin_ns = begin, .end_ns = end};
}

void clock_gaps_find(struct clock_gaps *gaps, uint64_t span_ns)
{
	const uint64_t cpu_before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const uint64_t begin = clock_gaps_now_ns();
	uint64_t last = begin, now;

	do {
		now = clock_gaps_now_ns();
		if (now - last > GAP_NS)
			gap_add(gaps, last, now);
		else
			gaps->outside_ns += now - last;
		last = now;
	} while (now - begin < span_ns);
	gaps->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
}

static int compare_lengths(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t clock_gaps_quartile(uint64_t *lengths_ns, size_t count)
{
	if (count < LENGTHS_MIN)
		return 0;
	qsort(lengths_ns, count, sizeof(*lengths_ns), compare_lengths);
	return lengths_ns[count / 4];
}

/* What part of the gaps the thread was charged for: between them it was on the processor. */
static double charged(const struct clock_gaps *gaps)
{
	const double in_gaps = (double)gaps->cpu_ns - (double)gaps->outside_ns;
	const double part = in_gaps / ((double)gaps->short_ns + 1);

	return part < 0 ? 0 : part > 1 ? 1 : part;
}

uint64_t clock_gaps_cost(const struct clock_gaps *gaps, const uint64_t *moments_ns, size_t count)
{
	struct vec_of(uint64_t) lengths = {0};
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		while (at < gaps->count && gaps->gaps[at].end_ns < moments_ns[i])
			at++;
		if (at < gaps->count && gaps->gaps[at].begin_ns <= moments_ns[i])
			vec_push(&lengths, gaps->gaps[at].end_ns - gaps->gaps[at].begin_ns);
	}
	const uint64_t cost = clock_gaps_quartile(lengths.data, lengths.len);

	vec_fini(&lengths);
	return (uint64_t)((double)cost * charged(gaps));
}
