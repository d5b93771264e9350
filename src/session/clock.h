/*
 * The time-stamp counter against CLOCK_MONOTONIC_RAW: points are taken by the narrowest of many
 * brackets (TSC, clock, TSC); two points give the rate, a third between them the drift.
 */
#ifndef TARE_SESSION_CLOCK_H
#define TARE_SESSION_CLOCK_H

#include "base/base.h"

#include <stdint.h>

struct clock_point {
	uint64_t ticks;	      /* TSC in the middle of the bracket */
	uint64_t raw_ns;      /* CLOCK_MONOTONIC_RAW there */
	uint64_t width_ticks; /* of the bracket: twice the uncertainty of `ticks` */
};

struct clock_points vec_of(struct clock_point);

struct clock_rate {
	double ticks_per_second;
	double drift_ppm;	/* disagreement of the two halves; 0 with less than 3 points */
	double uncertainty_ppm; /* from the brackets' widths */
};

/* The shortest time between two points from which a rate is computed. */
#define CLOCK_SPAN_NS_MIN 1000000ULL

uint64_t clock_ticks(void);
struct clock_point clock_take_point(void);

/*
 * The rate over all points. Refuses fewer than two, points that go backwards, and a span below
 * CLOCK_SPAN_NS_MIN.
 */
bool clock_rate_compute(const struct clock_points *points, struct clock_rate *rate,
			struct error *err);

/* The ticks at a time of CLOCK_MONOTONIC_RAW, by the first point and the rate; 0 before there were
   any. Far from all points it is a guess of no meaning, below 2^62. */
uint64_t clock_ticks_at(const struct clock_points *points, const struct clock_rate *rate,
			uint64_t raw_ns);

/* True where the processor's TSC is constant and does not stop; else `why` says what is missing. */
bool clock_is_invariant(const char **why);

#endif
