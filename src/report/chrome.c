/*
 * Event logs in the JSON of Chrome's trace event format: B and E per call, i for what happens at a
 * point of time, M for the names of processes and threads; microseconds with three digits behind
 * the point. Written as it is read. Threads are told apart by process id and thread id; a process
 * that executed another program is one process there.
 */
#include "report/json_string.h"
#include "report/timeline.h"

#include <inttypes.h>

struct chrome {
	struct timeline timeline;
	FILE *stream;
	struct str scratch;
	bool any;
};

static const struct analysis_thread *thread_of(const struct chrome *chrome, uint32_t thread)
{
	return &chrome->timeline.analysis->threads.data[thread];
}

/* {"ph": …, "pid": …, "tid": … */
static void begin_event(struct chrome *chrome, const char *phase, uint32_t thread)
{
	const struct analysis *analysis = chrome->timeline.analysis;
	const struct analysis_thread *row = thread_of(chrome, thread);

	fprintf(chrome->stream, "%s{\"ph\":\"%s\",\"pid\":%lld,\"tid\":%lld",
		chrome->any ? ",\n" : "\n", phase,
		(long long)analysis->processes.data[row->process].row->pid,
		(long long)row->row->tid);
	chrome->any = true;
}

static void write_names(struct chrome *chrome)
{
	const struct analysis *analysis = chrome->timeline.analysis;

	for (uint32_t i = 0; i < analysis->threads.len; i++) {
		const struct analysis_thread *thread = thread_of(chrome, i);
		const struct profile_process *process =
			analysis->processes.data[thread->process].row;

		if (!thread->selected)
			continue;
		begin_event(chrome, "M", i);
		fputs(",\"name\":\"process_name\",\"args\":{\"name\":", chrome->stream);
		json_write_string(chrome->stream, process->name);
		fputs("}}", chrome->stream);
		begin_event(chrome, "M", i);
		fputs(",\"name\":\"thread_name\",\"args\":{\"name\":", chrome->stream);
		json_write_string(chrome->stream, thread->row->name);
		fputs("}}", chrome->stream);
	}
}

static void write_time(struct chrome *chrome, const struct analysis_trace_event *event)
{
	const uint64_t ns = analysis_ns(chrome->timeline.analysis, event->ticks);

	fprintf(chrome->stream, ",\"ts\":%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

static void write_event(struct chrome *chrome, const struct analysis_trace_event *event)
{
	const char *note = timeline_note(event, &chrome->scratch);

	if (event->kind == TRACE_SWITCHED)
		return;
	begin_event(chrome, event->kind == TRACE_ENTER ? "B" : note ? "i" : "E", event->thread);
	write_time(chrome, event);
	if (event->kind == TRACE_ENTER || note) {
		fputs(",\"name\":", chrome->stream);
		json_write_string(chrome->stream,
				  note ? note : timeline_name(&chrome->timeline, event));
	}
	if (note)
		fputs(",\"s\":\"t\"", chrome->stream);
	if (event->kind == TRACE_UNWOUND && !event->implied)
		fputs(",\"args\":{\"unwound\":true}", chrome->stream);
	fputc('}', chrome->stream);
}

static void write_end(struct chrome *chrome)
{
	const struct analysis_trace_totals *totals = analysis_trace_totals(chrome->timeline.trace);
	const struct profile_session *session = profile_session(chrome->timeline.analysis->profile);

	fputs("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"command_line\":",
	      chrome->stream);
	json_write_string(chrome->stream, session->command_line);
	fprintf(chrome->stream,
		",\"tare_version\":\"%s\",\"events_logged\":%" PRIu64 ",\"events_lost\":%" PRIu64
		"}}\n",
		TARE_VERSION, totals->events, totals->lost);
}

bool timeline_write_chrome(const struct analysis *analysis, const struct export_options *options,
			   FILE *stream, struct error *err)
{
	struct chrome chrome = {.stream = stream};
	struct analysis_trace_event event;
	int more;

	if (!timeline_open(&chrome.timeline, analysis, options, err))
		return false;
	fputs("{\"traceEvents\":[", stream);
	write_names(&chrome);
	while ((more = analysis_trace_next(chrome.timeline.trace, &event, err)) > 0 &&
	       !ferror(stream))
		write_event(&chrome, &event);
	write_end(&chrome);
	timeline_close(&chrome.timeline);
	str_fini(&chrome.scratch);
	return more >= 0;
}
