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

void chrome_begin_row_event(struct chrome *chrome, const char *phase, uint32_t thread,
			    int64_t above)
{
	const struct analysis *analysis = chrome->analysis;
	const struct analysis_thread *row = &analysis->threads.data[thread];

	fprintf(chrome->stream, "%s{\"ph\":\"%s\",\"pid\":%lld,\"tid\":%lld",
		chrome->any ? ",\n" : "\n", phase,
		(long long)analysis->processes.data[row->process].row->pid,
		(long long)row->row->tid + above);
	chrome->any = true;
}

void chrome_begin_event(struct chrome *chrome, const char *phase, uint32_t thread)
{
	chrome_begin_row_event(chrome, phase, thread, 0);
}

void chrome_write_time(FILE *stream, const char *key, uint64_t ns)
{
	fprintf(stream, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

/* Readers of samples want a category and a time of each event. */
static void begin_name(struct chrome *chrome, uint32_t thread, const char *what)
{
	chrome_begin_event(chrome, "M", thread);
	fprintf(chrome->stream,
		",\"cat\":\"__metadata\",\"ts\":0,\"name\":\"%s\",\"args\":{\"name\":", what);
}

static void write_names(struct chrome *chrome)
{
	const struct analysis *analysis = chrome->analysis;

	for (uint32_t i = 0; i < analysis->threads.len; i++) {
		const struct analysis_thread *thread = &analysis->threads.data[i];
		const struct profile_process *process =
			analysis->processes.data[thread->process].row;

		if (!thread->selected)
			continue;
		begin_name(chrome, i, "process_name");
		json_write_string(chrome->stream, process->name);
		fputs("}}", chrome->stream);
		begin_name(chrome, i, "thread_name");
		json_write_string(chrome->stream, thread->row->name);
		fputs("}}", chrome->stream);
	}
}

void chrome_begin(struct chrome *chrome)
{
	fputs("{\"traceEvents\":[", chrome->stream);
	write_names(chrome);
}

void chrome_end(struct chrome *chrome)
{
	const struct profile_session *session = profile_session(chrome->analysis->profile);

	fputs("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"command_line\":",
	      chrome->stream);
	json_write_string(chrome->stream, session->command_line);
	fputs(",\"tare_version\":\"" TARE_VERSION "\"", chrome->stream);
}

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
