/*
 * Events that samples are taken at, by the names that perf gives them. perf_event_open(2) describes
 * the attributes.
 */
#ifndef TARE_SAMPLER_EVENT_H
#define TARE_SAMPLER_EVENT_H

#include "base/base.h"

#include <linux/perf_event.h>

enum event_kind {
	EVENT_COUNTED,	 /* one of perf_event_open */
	EVENT_OFF_CPU,	 /* a thread waited: a sample per wait, its weight the ns until it ran again
			  */
	EVENT_PREEMPTED, /* the same where it could have gone on, but another thread ran */
};

struct event {
	char name[96]; /* as it was asked for, without a period */
	enum event_kind kind;
	uint32_t type;
	uint64_t config, config1, config2;
	uint64_t period;    /* one sample in so many events; 0: by frequency */
	uint64_t frequency; /* samples per second, where period is 0… */
	bool is_steady;	  /* …on processors that switch often, too: see perf_events_thin_timers */
	bool user_only;	  /* what happens in the kernel does not count (NAME:u) */
	bool kernel_only; /* only that counts (NAME:k) */
};

struct events vec_of(struct event);

/*
 * Reads NAME[:PERIOD][:u|:k], where NAME is that of a software, hardware or cache event, rHEX
 * (raw), PMU/TERM[=N],…/ as in /sys/bus/event_source/devices, SUBSYSTEM:NAME (a tracepoint),
 * "off-cpu" or "preempted". Without a period the event is sampled `frequency` times a second, a
 * tracepoint each time. An unknown name fails with the nearest ones, one that this user cannot read
 * with what would permit it.
 */
bool event_parse(const char *text, uint64_t frequency, struct event *event, struct error *err);

/* Appends the events of a list with commas; the names of tracepoints may be patterns (* ? [). */
bool events_parse(const char *list, uint64_t frequency, struct events *events, struct error *err);

/* What is sampled if nobody says: cycles where a processor counts them, and does not make switches
   of threads expensive, else cpu-clock. */
void event_default(uint64_t frequency, struct event *event);

/* It happens in the kernel: only those who may sample the kernel may sample it. */
bool event_is_in_kernel(const struct event *event);

/* A timer of the thread's CPU time interrupts it. */
bool event_is_by_timer(const struct event *event);

/* "ns" if the weight of samples is time, "" if it is a number of events. */
const char *event_unit(const struct event *event);

#endif
