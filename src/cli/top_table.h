/* The rows of tare top: functions of a running recording, and what has happened since the last
 * look. */
#ifndef TARE_CLI_TOP_TABLE_H
#define TARE_CLI_TOP_TABLE_H

#include "base/base.h"
#include "session/session_dir.h"

enum top_sort {
	TOP_BY_INTERVAL,
	TOP_BY_TOTAL,
	TOP_BY_CALLS,
	TOP_BY_ELAPSED,
	TOP_BY_BLOCKED,
	TOP_SORTS
};

/* Of a function by itself, without those that it called: it ran, it waited, it could not run. */
enum top_time { TOP_CPU, TOP_BLOCKED, TOP_PREEMPTED, TOP_TIMES };

struct top_row {
	const char *function, *module; /* in the table's arena */
	uint64_t calls, interval_calls;
	uint64_t time_ns[TOP_TIMES], interval_ns[TOP_TIMES]; /* in all; of the interval */
	uint64_t application_ns, elapsed_ns;		     /* in all */
	uint64_t earlier_cpu_ns; /* of recordings before this one, see top_table_carry */
};

struct top_table {
	struct arena arena;
	struct vec_of(struct top_row) rows;
	/* Of rows until they are sorted, by module and function; of the first one where two agree.
	 */
	struct strmap places;
	bool has_calls; /* else there are samples only */
	bool has_waits; /* blocked and preempted time is known */
	uint64_t processes, threads, calls, interval_calls;
	uint64_t elapsed_ns, cpu_ns, application_ns, off_ns; /* of all threads */
	uint64_t earlier_cpu_ns;
	uint64_t raw_ns;	 /* when it was read */
	double interval_seconds; /* since `before`, or since the begin */
};

/*
 * Reads the recording as it stands. What `before` has is taken off the interval's values; it may be
 * NULL: then the interval is the whole recording. Fails where the recording is gone.
 */
bool top_table_read(const struct session *session, const struct top_table *before,
		    struct top_table *table, struct error *err);
/* Takes over what earlier recordings of the same processes have of CPU time, before the table is
   sorted. The values of this recording stay as they are. */
void top_table_carry(struct top_table *table, const struct top_table *earlier);
void top_table_sort(struct top_table *table, enum top_sort by);
void top_table_fini(struct top_table *table);

/* The row of the same function and module, or NULL. */
struct top_row *top_table_find(struct top_table *table, const struct top_row *like);
/* Lets the last row, which has just been added, be found; returns it. */
struct top_row *top_table_note(struct top_table *table);

#endif
