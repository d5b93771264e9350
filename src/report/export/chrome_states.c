/*
 * States of threads in Chrome's trace event format: complete events ("X") on a row beside that of
 * the thread's calls, as events of one row have to lie within each other. The row's number is above
 * those of all threads. Where another thread had the lock that was waited for, or ended the wait, a
 * flow comes from there.
 */
#include "report/export/chrome.h"
#include "report/export/states.h"
#include "report/words/json_string.h"

#include <inttypes.h>

enum { STATES_ROW = 4194304 }; /* PID_MAX_LIMIT of Linux: numbers of threads are below it */

struct chrome_states {
	struct chrome *out;
	struct states states;
	bool *named; /* by thread: its row of states */
};

static void name_row(struct chrome_states *writer, uint32_t thread)
{
	const struct profile_thread *row = writer->out->analysis->threads.data[thread].row;
	struct str name = {0};

	if (writer->named[thread])
		return;
	writer->named[thread] = true;
	str_printf(&name, "states of %s (%lld)", row->name ? row->name : "", (long long)row->tid);
	chrome_begin_row_event(writer->out, "M", thread, STATES_ROW);
	fputs(",\"cat\":\"__metadata\",\"ts\":0,\"name\":\"thread_name\",\"args\":{\"name\":",
	      writer->out->stream);
	json_write_string(writer->out->stream, name.data);
	fputs("}}", writer->out->stream);
	str_fini(&name);
}

/* "s": where it comes from, "f": where it leads to. */
static void write_flow_end(struct chrome_states *writer, const char *phase, uint32_t thread,
			   const struct state_flow *flow)
{
	name_row(writer, thread);
	chrome_begin_row_event(writer->out, phase, thread, STATES_ROW);
	fprintf(writer->out->stream,
		",\"id\":%" PRIu64 ",\"bp\":\"e\",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{}",
		flow->number, flow->category, flow->name);
	chrome_write_time(writer->out->stream, "ts", *phase == 's' ? flow->from_ns : flow->to_ns);
	fputc('}', writer->out->stream);
}

static void write_slice(const struct state_slice *slice, void *context)
{
	struct chrome_states *writer = context;
	struct state_flow flows[STATE_FLOWS];
	FILE *stream = writer->out->stream;

	name_row(writer, slice->thread);
	chrome_begin_row_event(writer->out, "X", slice->thread, STATES_ROW);
	fprintf(stream, ",\"cat\":\"state\",\"name\":\"%s\"", state_name(slice->kind));
	chrome_write_time(stream, "ts", slice->begin_ns);
	chrome_write_time(stream, "dur", slice->end_ns - slice->begin_ns);
	fputs(",\"args\":{", stream);
	state_write_json(&writer->states, slice, stream);
	fputs("}}", stream);
	const size_t count = state_flows(&writer->states, slice, flows);

	for (size_t i = 0; i < count; i++) {
		write_flow_end(writer, "s", flows[i].from, &flows[i]);
		write_flow_end(writer, "f", slice->thread, &flows[i]);
	}
}

bool chrome_write_states(struct chrome *chrome, const struct export_options *options,
			 struct error *err)
{
	struct chrome_states writer = {.out = chrome};

	if (!states_open(&writer.states, chrome->analysis, options, err))
		return false;
	writer.named = mem_zalloc(chrome->analysis->threads.len + 1);
	const bool ok = states_of_all(&writer.states, write_slice, &writer, err);
	free(writer.named);
	states_close(&writer.states);
	return ok;
}
