/* The rows of tare top: functions of a running recording, and what has happened since the last
 * look. */
#ifndef TARE_CLI_TOP_TABLE_H
#define TARE_CLI_TOP_TABLE_H

#include "base/base.h"
#include "session/session_dir.h"

enum top_sort { TOP_BY_INTERVAL, TOP_BY_TOTAL, TOP_BY_CALLS, TOP_BY_ELAPSED, TOP_SORTS };

struct top_row {
	const char *function, *module; /* in the table's arena */
	uint64_t calls, interval_calls;
	/* ns, exclusive: CPU of the interval; the others in all */
	uint64_t interval_ns, cpu_ns, application_ns, elapsed_ns;
};

struct top_table {
	struct arena arena;
	struct vec_of(struct top_row) rows;
	uint64_t processes, threads, calls, interval_calls;
	uint64_t elapsed_ns, cpu_ns, application_ns, off_ns; /* of all threads */
	uint64_t raw_ns;				     /* when it was read */
	double interval_seconds; /* since `before`, or since the begin */
};

/*
 * Reads the recording as it stands. What `before` has is taken off the interval's values; it may be
 * NULL: then the interval is the whole recording. Fails where the recording is gone.
 */
bool top_table_read(const struct session *session, const struct top_table *before,
		    struct top_table *table, struct error *err);
void top_table_sort(struct top_table *table, enum top_sort by);
void top_table_fini(struct top_table *table);

#endif
