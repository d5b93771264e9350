/*
 * trace: the event logs of a profile as one stream of events in the order of time. Threads are
 * merged while reading; of each only one part of its log is in memory.
 */
#ifndef TARE_ANALYSIS_TRACE_H
#define TARE_ANALYSIS_TRACE_H

#include "analysis/analysis.h"

enum analysis_trace_kind {
	TRACE_ENTER,
	TRACE_LEAVE,
	TRACE_UNWOUND,
	TRACE_OS, /* the interval that ends here has an OS event */
	TRACE_MARK,
	TRACE_OFF, /* the thread is not recorded from here on */
	TRACE_ON,
	TRACE_LOST,	/* `lost` events are missing here */
	TRACE_SWITCHED, /* the thread goes on with other calls in progress */
	TRACE_KINDS
};

const char *analysis_trace_kind_name(enum analysis_trace_kind kind);

struct analysis_trace_event {
	enum analysis_trace_kind kind;
	uint32_t thread;   /* index into analysis.threads */
	uint64_t ticks;	   /* since the session's begin */
	uint32_t node;	   /* index into analysis.nodes; ANALYSIS_NONE: not known */
	uint32_t function; /* ANALYSIS_NONE: not known, or of no call */
	uint32_t depth;	   /* calls in progress outside of this one */
	/* ENTER of a call that began before, or end of one that goes on: only in balanced streams
	 */
	bool implied;
	bool has_duration; /* of an end whose begin is in the stream */
	uint64_t duration_ticks;
	enum tare_os_cause cause;
	int syscall_number; /* -1: none, or not known */
	int64_t mark;
	const char *mark_name; /* NULL: it has none; valid while the trace is open */
	uint64_t lost;
};

struct analysis_trace_options {
	uint64_t from_ticks, to_ticks; /* since the session's begin; to 0: the end */
	uint32_t depth_max;	       /* calls deeper than that are left out; 0: none */
	/* Every ENTER gets an end and every end an ENTER, events of their own where needed. */
	bool balanced;
};

/* What the logs of the selected threads hold. */
struct analysis_trace_totals {
	uint64_t threads, events, lost;
	uint64_t limit_bytes; /* of a ring, else 0 */
};

struct analysis_trace;

/* Fails with ERROR_NOT_FOUND where no selected thread has a log. `analysis` outlives it. */
struct analysis_trace *analysis_trace_open(const struct analysis *analysis, struct profile *profile,
					   const struct analysis_trace_options *options,
					   struct error *err);
const struct analysis_trace_totals *analysis_trace_totals(const struct analysis_trace *trace);
/* 1: an event, 0: the end, -1: err is set. */
int analysis_trace_next(struct analysis_trace *trace, struct analysis_trace_event *event,
			struct error *err);
void analysis_trace_close(struct analysis_trace *trace);

/*
 * A point of time since the session's begin: "12.5" milliseconds, or the name or "#number" of a
 * mark, of several the first or the last one. ERROR_USAGE where it is neither.
 */
bool analysis_time_parse(const struct analysis *analysis, struct profile *profile, const char *text,
			 bool last, uint64_t *ticks, struct error *err);

#endif
