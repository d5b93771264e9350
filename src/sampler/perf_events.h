/* The descriptors of perf_event_open for a set of events, and a ring per processor. */
#ifndef TARE_SAMPLER_PERF_EVENTS_H
#define TARE_SAMPLER_PERF_EVENTS_H

#include "sampler/event.h"
#include "sampler/perf_record.h"
#include "sampler/perf_ring.h"

struct perf_events {
	struct vec_of(int) descriptors;
	struct vec_of(struct perf_ring) rings;
	struct vec_of(int) ring_descriptors; /* to wait on */
	struct vec_of(uint64_t) ids;	     /* the kernel's, of each descriptor… */
	struct vec_of(size_t) event_of_ids;  /* …and the event's index */
	struct perf_layout layout;
	bool kernel; /* kernel frames are permitted */
};

struct perf_events_options {
	const struct event *events;
	size_t event_count;
	size_t stack_bytes;
	bool kernel;
	bool on_exec; /* begins when the task executes a program */
};

/*
 * Opens the events for `task`, on every processor, inherited by what it starts; more tasks can be
 * added. Errors say what the kernel refused and what would permit it.
 */
bool perf_events_open(struct perf_events *set, const struct perf_events_options *options,
		      uint32_t task, struct error *err);
void perf_events_enable(const struct perf_events *set, bool enabled);
void perf_events_close(struct perf_events *set);

/* The index of the event with a kernel's id. */
size_t perf_events_index(const struct perf_events *set, uint64_t id);

#endif
