/*
 * How often threads switch, or a processor: beyond some rate a sample at each switch, or a timer
 * that is set at each (timer_thin.h), costs the program, and the recorder, more than it tells.
 */
#ifndef TARE_SAMPLER_SWITCH_RATE_H
#define TARE_SAMPLER_SWITCH_RATE_H

#include "base/base.h"

/* A second: there are many from there on, until they are as few as that again. */
struct switch_limits {
	uint64_t many, few;
};

/* Not each switch has a sample. */
#define SWITCH_RATE_LIMITS ((struct switch_limits){.many = 20000, .few = 10000})

struct switch_rate {
	uint64_t begin, count; /* of the span that is being looked at */
	bool many;
};

/* A thread was switched out. */
static inline void switch_rate_note(struct switch_rate *rate)
{
	rate->count++;
}

/* It is `time` (ns) now. Returns whether there are many, judged by the last span of time. */
bool switch_rate_look(struct switch_rate *rate, const struct switch_limits *limits, uint64_t time);

#endif
