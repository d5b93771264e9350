/*
 * Calibration of the TSC. Refuses to compute a rate from points that contradict each other. A
 * bracket is as narrow as nobody interrupted it: of BRACKETS the narrowest is kept.
 */
#include "session/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

enum { BRACKETS = 64 };

uint64_t clock_ticks(void)
{
	unsigned processor;

	return __rdtscp(&processor);
}

struct clock_point clock_take_point(void)
{
	struct clock_point best = {.width_ticks = UINT64_MAX};

	for (int i = 0; i < BRACKETS; i++) {
		struct timespec now;
		const uint64_t before = clock_ticks();
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		const uint64_t after = clock_ticks();
		if (after - before >= best.width_ticks)
			continue;
		best.width_ticks = after - before;
		best.ticks = before + best.width_ticks / 2;
		best.raw_ns = (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
	}
	return best;
}

static double rate_between(const struct clock_point *a, const struct clock_point *b)
{
	return (double)(b->ticks - a->ticks) * 1e9 / (double)(b->raw_ns - a->raw_ns);
}

/* The point nearest to the middle of the span, if it leaves two halves worth comparing. */
static const struct clock_point *middle_point(const struct clock_points *points)
{
	const struct clock_point *first = &points->data[0], *last = &vec_last(points), *best = NULL;
	const uint64_t middle = first->raw_ns + (last->raw_ns - first->raw_ns) / 2;
	uint64_t nearest = (last->raw_ns - first->raw_ns) / 4;

	for (size_t i = 1; i + 1 < points->len; i++) {
		const struct clock_point *point = &points->data[i];
		const uint64_t distance =
			point->raw_ns > middle ? point->raw_ns - middle : middle - point->raw_ns;
		if (distance <= nearest) {
			nearest = distance;
			best = point;
		}
	}
	return best;
}

bool clock_rate_compute(const struct clock_points *points, struct clock_rate *rate,
			struct error *err)
{
	*rate = (struct clock_rate){0};
	if (points->len < 2)
		return error_set(err, ERROR_INPUT,
				 "the clock was not calibrated: it has %zu points instead of two",
				 points->len);
	for (size_t i = 1; i < points->len; i++) {
		if (points->data[i].ticks <= points->data[i - 1].ticks ||
		    points->data[i].raw_ns < points->data[i - 1].raw_ns)
			return error_set(err, ERROR_INPUT,
					 "the time-stamp counter or the clock went backwards");
	}
	const struct clock_point *first = &points->data[0], *last = &vec_last(points);
	const uint64_t span_ns = last->raw_ns - first->raw_ns;
	if (span_ns < CLOCK_SPAN_NS_MIN)
		return error_set(err, ERROR_INPUT,
				 "the clock was calibrated over %ju ns, which is too short",
				 (uintmax_t)span_ns);
	rate->ticks_per_second = rate_between(first, last);
	rate->uncertainty_ppm = (double)(first->width_ticks + last->width_ticks) * 0.5e6 /
				(double)(last->ticks - first->ticks);
	const struct clock_point *middle = middle_point(points);
	if (middle)
		rate->drift_ppm = fabs(rate_between(first, middle) - rate_between(middle, last)) *
				  1e6 / rate->ticks_per_second;
	return true;
}

uint64_t clock_ticks_at(const struct clock_points *points, const struct clock_rate *rate,
			uint64_t raw_ns)
{
	const struct clock_point *first = &points->data[0];
	const double distance_ns = raw_ns >= first->raw_ns ? (double)(raw_ns - first->raw_ns)
							   : -(double)(first->raw_ns - raw_ns);
	const double ticks = distance_ns * rate->ticks_per_second / 1e9;

	if (ticks >= 0x1p61)
		return 1ULL << 61;
	if (ticks >= 0)
		return first->ticks + (uint64_t)ticks;
	return -ticks < (double)first->ticks ? first->ticks - (uint64_t)-ticks : 0;
}

static bool has_flag(const char *flags, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = flags; (at = strstr(at, name)); at += length) {
		if (at[-1] == ' ' && (at[length] == ' ' || at[length] == '\n' || !at[length]))
			return true;
	}
	return false;
}

bool clock_is_invariant(const char **why)
{
	char *line = NULL;
	size_t size = 0;
	FILE *file = fopen("/proc/cpuinfo", "re");

	*why = "/proc/cpuinfo does not tell the processor's flags";
	while (file && getline(&line, &size, file) > 0) {
		if (!str_starts_with(line, "flags"))
			continue;
		*why = !has_flag(line, "constant_tsc")
			       ? "the time-stamp counter's rate changes with the processor's "
				 "frequency (no constant_tsc)"
		       : !has_flag(line, "nonstop_tsc")
			       ? "the time-stamp counter stops in sleep states (no nonstop_tsc)"
			       : NULL;
		break;
	}
	free(line);
	if (file)
		fclose(file);
	return !*why;
}
