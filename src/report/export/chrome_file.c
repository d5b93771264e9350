/* The begin and the end of files in Chrome's trace event format, and the begin of an event. */
#include "report/export/chrome.h"

#include "report/words/json_string.h"

#include <inttypes.h>

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
