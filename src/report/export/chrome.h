/* What the files that write Chrome's trace event format share. Private to report. */
#ifndef TARE_REPORT_EXPORT_CHROME_H
#define TARE_REPORT_EXPORT_CHROME_H

#include "report/export.h"

struct chrome {
	const struct analysis *analysis;
	FILE *stream;
	bool any; /* events */
};

/* The begin of the file, with the names of processes and threads. */
void chrome_begin(struct chrome *chrome);
/* {"ph": …, "pid": …, "tid": …, without the end of the object. */
void chrome_begin_event(struct chrome *chrome, const char *phase, uint32_t thread);
/* The same in a row whose number is so far above the thread's. */
void chrome_begin_row_event(struct chrome *chrome, const char *phase, uint32_t thread,
			    int64_t above);
/* ,"key": microseconds with three digits behind the point. */
void chrome_write_time(FILE *stream, const char *key, uint64_t ns);
/* The rest, up to what the caller adds to "otherData", with "}}" behind. */
void chrome_end(struct chrome *chrome);

/* A row of states per thread that has them, with flows from who had a lock. */
bool chrome_write_states(struct chrome *chrome, const struct export_options *options,
			 struct error *err);

bool chrome_write_samples(const struct analysis *analysis, const struct export_options *options,
			  FILE *stream, struct error *err);

#endif
