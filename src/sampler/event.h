/*
 * Events that samples are taken at, by the names that perf gives them. perf_event_open(2) describes
 * the attributes.
 */
#ifndef TARE_SAMPLER_EVENT_H
#define TARE_SAMPLER_EVENT_H

#include "base/base.h"

#include <linux/perf_event.h>

struct event {
	char name[96]; /* as it was asked for, without a period */
	uint32_t type;
	uint64_t config;
	uint64_t period;    /* one sample in so many events; 0: by frequency */
	uint64_t frequency; /* samples per second, where period is 0 */
};

/*
 * Reads NAME, NAME:PERIOD, rHEX (raw) or SUBSYSTEM:NAME[:PERIOD] (a tracepoint). Without a period
 * the event is sampled `frequency` times a second. An unknown name fails with the nearest ones.
 */
bool event_parse(const char *text, uint64_t frequency, struct event *event, struct error *err);

/* Whether one unit of the event is a nanosecond: samples then stand for time. */
bool event_is_time(const struct event *event);

#endif
