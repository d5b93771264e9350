/* One thread's event log, read part by part. Private to trace.c and trace_thread.c. */
#ifndef TARE_ANALYSIS_TRACE_THREAD_H
#define TARE_ANALYSIS_TRACE_THREAD_H

#include "analysis/trace.h"
#include "profile/trace_record.h"

/* A call in progress. */
struct trace_call {
	uint32_t node;	 /* index into analysis.nodes; ANALYSIS_NONE: not known */
	uint32_t number; /* as the log has it */
	uint64_t begin_ticks;
	bool begin_known;
	bool folded; /* its path is not that of its node */
};

struct trace_part {
	int64_t id; /* of the chunk in the profile */
	struct profile_trace_chunk row;
};

struct trace_thread {
	const struct analysis *analysis;
	struct profile *profile;
	const struct analysis_trace_options *options;
	uint32_t thread;
	int64_t root_id;      /* of its root node in the profile */
	const int64_t *id_of; /* in the profile, by node of the analysis; borrowed */
	uint64_t to_come;     /* lost events that no part has counted yet */
	struct vec_of(struct trace_part) parts;
	size_t next_part;
	void *data;
	struct trace_cursor cursor;
	uint64_t ticks;
	struct vec_of(struct trace_call) calls; /* outermost first */
	uint64_t steps;				/* of setting calls, in this part */
	struct vec_of(struct analysis_trace_event) events;
	size_t next_event;
	bool started, ended; /* the range of time */
};

/* Chooses the part to begin with. The parts are there. */
void trace_thread_begin(struct trace_thread *thread);
/* The next event without taking it: 1 and *event, 0 at the end, -1 with err. */
int trace_thread_peek(struct trace_thread *thread, const struct analysis_trace_event **event,
		      struct error *err);
void trace_thread_take(struct trace_thread *thread);
void trace_thread_fini(struct trace_thread *thread);

#endif
