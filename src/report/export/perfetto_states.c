/*
 * States of threads as Perfetto's protobuf: below the track of each thread one of slices, and where
 * another thread had the lock that was waited for, or ended the wait, an instant there with a flow
 * to the wait.
 */
#include "report/export/perfetto.h"
#include "report/export/states.h"

enum { TRACK_NAME = 2, ANNOTATION_NUMBER = 3, ANNOTATION_TEXT = 6, EVENT_FLOW = 47 };

struct perfetto_states {
	struct perfetto *out;
	struct states states;
	bool *described; /* by thread: its track of states */
};

static uint64_t states_track(const struct perfetto_states *writer, uint32_t thread)
{
	return perfetto_thread_track(writer->out, thread) + writer->out->analysis->threads.len;
}

static void describe(struct perfetto_states *writer, uint32_t thread)
{
	struct perfetto *out = writer->out;

	if (writer->described[thread])
		return;
	writer->described[thread] = true;
	out->message.len = 0;
	protobuf_number(&out->message, PERFETTO_TRACK_UUID, states_track(writer, thread));
	protobuf_text(&out->message, TRACK_NAME, "states");
	protobuf_number(&out->message, PERFETTO_TRACK_PARENT, perfetto_thread_track(out, thread));
	perfetto_packet_begin(out);
	protobuf_message(&out->packet, PERFETTO_PACKET_TRACK, &out->message);
	perfetto_packet_write(out);
}

static void put_argument(struct perfetto *out, const struct state_argument *argument)
{
	out->inner.len = 0;
	if (argument->text)
		protobuf_text(&out->inner, ANNOTATION_TEXT, argument->text);
	else
		protobuf_number(&out->inner, ANNOTATION_NUMBER, argument->number);
	protobuf_text(&out->inner, PERFETTO_ANNOTATION_NAME, argument->name);
	protobuf_message(&out->message, PERFETTO_EVENT_ANNOTATION, &out->inner);
}

/* Begins an event of a thread's states in `message`. */
static void begin_event(struct perfetto_states *writer, uint32_t thread, uint64_t type,
			uint64_t time_ns)
{
	struct perfetto *out = writer->out;

	describe(writer, thread);
	perfetto_packet_begin(out);
	protobuf_number(&out->packet, PERFETTO_TIMESTAMP, time_ns);
	protobuf_number(&out->packet, PERFETTO_FLAGS, PERFETTO_NEEDS_STATE);
	out->message.len = 0;
	protobuf_number(&out->message, PERFETTO_EVENT_TYPE, type);
	protobuf_number(&out->message, PERFETTO_EVENT_TRACK, states_track(writer, thread));
}

static void end_event(struct perfetto *out)
{
	protobuf_message(&out->packet, PERFETTO_PACKET_EVENT, &out->message);
	perfetto_packet_write(out);
}

static void write_source(struct perfetto_states *writer, const struct state_flow *flow)
{
	begin_event(writer, flow->from, PERFETTO_INSTANT, flow->from_ns);
	protobuf_text(&writer->out->message, PERFETTO_EVENT_NAME, flow->name);
	protobuf_fixed(&writer->out->message, EVENT_FLOW, flow->number);
	end_event(writer->out);
}

static void write_slice(const struct state_slice *slice, void *context)
{
	struct perfetto_states *writer = context;
	struct state_argument arguments[STATE_ARGUMENTS];
	const size_t count = state_arguments(&writer->states, slice, arguments);
	struct state_flow flows[STATE_FLOWS];
	const size_t flow_count = state_flows(&writer->states, slice, flows);

	for (size_t i = 0; i < flow_count; i++)
		write_source(writer, &flows[i]);
	begin_event(writer, slice->thread, PERFETTO_SLICE_BEGIN, slice->begin_ns);
	for (size_t i = 0; i < count; i++)
		put_argument(writer->out, &arguments[i]);
	protobuf_text(&writer->out->message, PERFETTO_EVENT_NAME, state_name(slice->kind));
	for (size_t i = 0; i < flow_count; i++)
		protobuf_fixed(&writer->out->message, EVENT_FLOW, flows[i].number);
	end_event(writer->out);
	begin_event(writer, slice->thread, PERFETTO_SLICE_END, slice->end_ns);
	end_event(writer->out);
}

bool perfetto_write_states(struct perfetto *perfetto, const struct export_options *options,
			   struct error *err)
{
	struct perfetto_states writer = {.out = perfetto};

	if (!states_open(&writer.states, perfetto->analysis, options, err))
		return false;
	writer.described = mem_zalloc(perfetto->analysis->threads.len + 1);
	const bool ok = states_of_all(&writer.states, write_slice, &writer, err);
	free(writer.described);
	states_close(&writer.states);
	return ok;
}
