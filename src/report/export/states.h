/*
 * What threads did over time, for the formats that have a place for it: slices of one state each.
 * The states of a span of the profile stand one after the other there. Private to report.
 */
#ifndef TARE_REPORT_EXPORT_STATES_H
#define TARE_REPORT_EXPORT_STATES_H

#include "analysis/thread_states.h"
#include "report/export.h"

enum state_kind {
	STATE_RUNNING,
	STATE_PREEMPTED,
	STATE_BLOCKED, /* + enum analysis_waiting */
	STATE_KINDS = STATE_BLOCKED + WAITINGS
};

struct state_slice {
	uint32_t thread;
	enum state_kind kind;
	uint64_t begin_ns, end_ns; /* since the session's begin */
	uint64_t ticks;		   /* of the state, exact; the slice may be longer */
	uint64_t intervals; /* with a wait that the span stands for, 0: it ran all the time */
	const struct analysis_os *os; /* what was waited for, mostly; NULL: not known */
	uint32_t holder; /* thread that had the lock when this wait began, or ANALYSIS_NONE */
	const struct analysis_ended_wait *ended; /* who ended this wait; NULL: not known */
	uint64_t number;			 /* of the slice, from 1 */
};

/* An arrow to a slice of a wait: from who had the lock when it began, or to its end from who ended
   it. */
struct state_flow {
	const char *category, *name; /* of what the other thread does */
	uint32_t from;		     /* thread */
	uint64_t from_ns, to_ns, number;
};

enum { STATE_FLOWS = 2 };

/* What is said of a slice beside its times; text NULL: it is a number. */
struct state_argument {
	const char *name, *text;
	uint64_t number;
};

enum { STATE_ARGUMENTS = 10, STATE_TEXTS = 8 };

struct states {
	const struct analysis *analysis;
	struct thread_state_range range;
	uint64_t origin, slices;
	struct str texts[STATE_TEXTS]; /* of the arguments */
};

/* "running", "preempted", "blocked: lock", … */
const char *state_name(enum state_kind kind);

/* With the range of the options. False with err where that makes no sense. */
bool states_open(struct states *states, const struct analysis *analysis,
		 const struct export_options *options, struct error *err);
void states_close(struct states *states);

typedef void state_each(const struct state_slice *slice, void *context);

/* Tells the slices of a thread in the order of time; where its states are not known, the longest of
   its waits that somebody ended. */
bool states_of_thread(struct states *states, uint32_t thread, state_each *each, void *context,
		      struct error *err);
/* Of all threads that are selected, one after the other. */
bool states_of_all(struct states *states, state_each *each, void *context, struct error *err);

/* Fills `flows` with those to a slice, and returns how many there are. */
size_t state_flows(const struct states *states, const struct state_slice *slice,
		   struct state_flow flows[STATE_FLOWS]);

/* Fills `arguments` for a slice; they are valid until the next call. Texts are valid UTF-8. */
size_t state_arguments(struct states *states, const struct state_slice *slice,
		       struct state_argument arguments[STATE_ARGUMENTS]);
/* The same as members of an object of JSON. */
void state_write_json(struct states *states, const struct state_slice *slice, FILE *stream);

#endif
