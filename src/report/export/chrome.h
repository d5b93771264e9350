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
/* The rest, up to what the caller adds to "otherData", with "}}" behind. */
void chrome_end(struct chrome *chrome);

bool chrome_write_samples(const struct analysis *analysis, const struct export_options *options,
			  FILE *stream, struct error *err);

#endif
