/*
 * Event logs in the JSON of Chrome's trace event format: B and E per call, i for what happens at a
 * point of time, M for the names of processes and threads; microseconds with three digits behind
 * the point. Written as it is read. Threads are told apart by process id and thread id; a process
 * that executed another program is one process there.
 */
#include "report/export/chrome.h"

#include "report/export/timeline.h"
#include "report/words/json_string.h"

#include <inttypes.h>

struct open_calls vec_of(const char *);

struct event_log {
	struct timeline timeline;
	struct chrome chrome;
	struct str scratch;
	struct open_calls *open; /* by thread: names of the calls in progress */
};

static void write_event(struct event_log *log, const struct analysis_trace_event *event)
{
	const char *note = timeline_note(event, &log->scratch);
	const char *name = event->kind == TRACE_ENTER ? timeline_name(&log->timeline, event) : note;
	struct open_calls *open = &log->open[event->thread];
	FILE *stream = log->chrome.stream;

	if (event->kind == TRACE_SWITCHED)
		return;
	chrome_begin_event(&log->chrome,
			   event->kind == TRACE_ENTER ? "B"
			   : note		      ? "i"
						      : "E",
			   event->thread);
	chrome_write_time(stream, "ts", analysis_ns(log->timeline.analysis, event->ticks));
	/* Ends have the name of their begin: speedscope passes over others. */
	if (!name && open->len)
		name = open->data[--open->len];
	else if (event->kind == TRACE_ENTER)
		vec_push(open, name);
	if (name) {
		fputs(",\"name\":", stream);
		json_write_string(stream, name);
	}
	if (note)
		fputs(",\"s\":\"t\"", stream);
	if (event->kind == TRACE_UNWOUND && !event->implied)
		fputs(",\"args\":{\"unwound\":true}", stream);
	fputc('}', stream);
}

bool timeline_write_chrome(const struct analysis *analysis, const struct export_options *options,
			   FILE *stream, struct error *err)
{
	struct event_log log = {.chrome = {.analysis = analysis, .stream = stream}};
	struct analysis_trace_event event;
	int more;

	if (analysis->method == ANALYSIS_SAMPLE)
		return chrome_write_samples(analysis, options, stream, err);
	if (!timeline_open(&log.timeline, analysis, options, err))
		return false;
	log.open = mem_zalloc((analysis->threads.len + 1) * sizeof(*log.open));
	chrome_begin(&log.chrome);
	while ((more = timeline_next(&log.timeline, &event, err)) > 0 && !ferror(stream))
		write_event(&log, &event);
	const struct analysis_trace_totals totals = timeline_totals(&log.timeline);
	const bool ok = more >= 0 && chrome_write_states(&log.chrome, options, err);
	chrome_end(&log.chrome);
	fprintf(stream, ",\"events_logged\":%" PRIu64 ",\"events_lost\":%" PRIu64 "}}\n",
		totals.events, totals.lost);
	timeline_close(&log.timeline);
	for (size_t i = 0; i < analysis->threads.len; i++)
		vec_fini(&log.open[i]);
	free(log.open);
	str_fini(&log.scratch);
	return ok;
}
