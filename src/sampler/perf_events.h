/*
 * The descriptors of perf_event_open for a set of events, and a ring per processor.
 *
 *   processor 0:  dummy ── ring ◀── event 0 of task A, event 1 of task A, event 0 of task B, …
 *   processor 1:  dummy ── ring ◀── …
 *
 * A ring belongs to a dummy event of this process, which counts nothing: so it stays, and can be
 * waited on, whatever tasks end.
 */
#ifndef TARE_SAMPLER_PERF_EVENTS_H
#define TARE_SAMPLER_PERF_EVENTS_H

#include "sampler/event.h"
#include "sampler/perf_record.h"
#include "sampler/perf_ring.h"
#include "sampler/wakings.h"

#include <sys/resource.h>

struct perf_events_options {
	const struct event *events;
	size_t event_count;
	size_t stack_bytes;
	bool kernel;
	bool wakers; /* of waits, where permitted */
	bool by_frame_pointer;
	bool on_exec; /* begins when the task executes a program */
};

/*
 * Descriptors of two sets of events, of which one goes on: all that was asked for, or a few instead
 * (perf_events_thin, perf_events_thin_timers).
 */
struct perf_turn {
	struct vec_of(int) descriptors[2];
	bool thinned; /* which of these goes on */
	bool again;   /* this changed by the last call */
};

/* The ring of a processor. */
struct perf_processor {
	int number;
	int descriptor; /* of the dummy */
	struct perf_ring ring;
	struct perf_turn timers; /* as often as was asked for, and PERF_EVENTS_TIMER_FEW times */
};

struct perf_events {
	struct perf_events_options options;
	struct vec_of(struct perf_processor) processors;
	struct vec_of(int) descriptors;	  /* of all events but dummies of rings, timers and… */
	struct perf_turn switches;	  /* …those of switches and wakings: all, and one of
					       PERF_EVENTS_ONE_OF */
	struct map by_id;		  /* the kernel's id → index of the event */
	struct perf_layout layout;	  /* of samples by frequency, and of all other records… */
	struct perf_layout fixed_layout;  /* …of samples by period */
	struct perf_layout waking_layout; /* …of wakings by threads, and… */
	struct perf_layout interrupt_layout; /* …by interrupts */
	bool interrupts;		     /* wakings by these are seen, whoever runs then */
	struct wakings wakings;
	bool waits;		  /* switches are told, with samples */
	bool kernel;		  /* kernel frames are permitted */
	uint64_t frequency_limit; /* the kernel's, where more was asked for; else 0 */
	size_t opened;		  /* descriptors of events of tasks, so far */
	bool timers_stay;	  /* not all of them can have one that comes seldom */
	bool limit_raised;
	struct rlimit limit; /* of descriptors, before it was raised */
};

enum { PERF_EVERYTHING = -1 };

/* perf_event_open(2) of a task, or PERF_EVERYTHING, on a processor; the descriptor, or -1 with
 * errno. */
int perf_event_open(struct perf_event_attr *attr, int64_t task, int processor);

/* Whether switches have to be told for any of them. */
bool perf_events_have_waits(const struct event *events, size_t count);

/* Rings for all processors. Errors say what the kernel refused and what would permit it. */
bool perf_events_begin(struct perf_events *set, const struct perf_events_options *options,
		       struct error *err);
/*
 * Opens the events for `task` (PERF_EVERYTHING: all tasks) on every processor, inherited by what it
 * starts; more tasks can be added.
 */
bool perf_events_add(struct perf_events *set, int64_t task, struct error *err);
void perf_events_enable(const struct perf_events *set, bool enabled);
/*
 * From now on only one of PERF_EVENTS_ONE_OF switches of each thread and processor has a sample, or
 * each one again; all are told by SWITCH records. Wakings are told by samples alone. This and
 * perf_events_thin_timers are called now and then, changed or not, as the next call mends what
 * threads that began meanwhile have missed.
 */
void perf_events_thin(struct perf_events *set, bool thinned);

/*
 * Are some of the events by a timer, of tasks, and more often than PERF_EVENTS_TIMER_FEW times a
 * second? From now on those of a processor are that few, or as many as was asked for again.
 */
bool perf_events_have_timers(const struct perf_events *set);
void perf_events_thin_timers(struct perf_events *set, size_t index, bool thinned);

void perf_events_close(struct perf_events *set);

/* How the record at `bytes`, of `size` at least that of its header, is laid out. */
const struct perf_layout *perf_events_layout(const struct perf_events *set, const void *bytes,
					     size_t size);

/* More than there are events. */
enum { PERF_EVENTS_WAITS = 0xffff, PERF_EVENTS_WAKINGS, PERF_EVENTS_INTERRUPTS };

/* A prime: what a thread does by turns is seldom as long. */
enum { PERF_EVENTS_ONE_OF = 17 };

/* A second: so seldom that the kernel's own tick mostly comes before. */
enum { PERF_EVENTS_TIMER_FEW = 100 };

/*
 * The index of the event with a kernel's id; PERF_EVENTS_WAITS if it is the one that tells of
 * switches, PERF_EVENTS_WAKINGS of wakings by the tasks, PERF_EVENTS_INTERRUPTS of those by
 * interrupts, SIZE_MAX if there is none.
 */
size_t perf_events_index(const struct perf_events *set, uint64_t id);

/* The clock of records: CLOCK_MONOTONIC_RAW. */
uint64_t sampler_clock_ns(void);

#endif
