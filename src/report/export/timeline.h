/* What the exports of event logs share. Private to report. */
#ifndef TARE_REPORT_EXPORT_TIMELINE_H
#define TARE_REPORT_EXPORT_TIMELINE_H

#include "analysis/trace.h"
#include "report/export.h"

struct timeline {
	const struct analysis *analysis;
	struct analysis_trace *trace; /* NULL: there is no log, but states of threads are known */
	const char **names;	      /* of functions, valid UTF-8; owned by `arena` */
	struct arena arena;
};

/* The range of the options, in ticks since the session's begin; `to` 0: the end. */
bool timeline_range(const struct analysis *analysis, const struct export_options *options,
		    uint64_t *from_ticks, uint64_t *to_ticks, struct error *err);

/* A balanced stream of the range. Fails where there is neither a log nor states of threads. */
bool timeline_open(struct timeline *timeline, const struct analysis *analysis,
		   const struct export_options *options, struct error *err);
void timeline_close(struct timeline *timeline);
/* As analysis_trace_next and analysis_trace_totals; without a log there are no events. */
int timeline_next(struct timeline *timeline, struct analysis_trace_event *event, struct error *err);
struct analysis_trace_totals timeline_totals(const struct timeline *timeline);

/* The name of the event's function. */
const char *timeline_name(const struct timeline *timeline,
			  const struct analysis_trace_event *event);
/* Sets `out` to the name as valid UTF-8, "" for NULL. */
void timeline_put_name(struct str *out, const char *name);
/* What an event that is neither begin nor end says; NULL for those. */
const char *timeline_note(const struct analysis_trace_event *event, struct str *scratch);

bool timeline_write_chrome(const struct analysis *analysis, const struct export_options *options,
			   FILE *stream, struct error *err);
bool timeline_write_perfetto(const struct analysis *analysis, const struct export_options *options,
			     FILE *stream, struct error *err);

#endif
