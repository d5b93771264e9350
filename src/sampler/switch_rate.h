/*
 * How often threads switch, or a processor: beyond some rate a sample at each switch costs the
 * program, and the recorder, more than it tells, and a timer saves more than it costs
 * (timer_cover.h).
 */
#ifndef TARE_SAMPLER_SWITCH_RATE_H
#define TARE_SAMPLER_SWITCH_RATE_H

#include "base/base.h"

enum {
	SWITCH_RATE_MANY = 20000, /* a second: not each has a sample, and a processor a timer, from
				     there on… */
	SWITCH_RATE_FEW = 10000	  /* …until they are as few as that again */
};

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
bool switch_rate_look(struct switch_rate *rate, uint64_t time);

#endif
