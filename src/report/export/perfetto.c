/*
 * Event logs as Perfetto's protobuf: a Trace, which is TracePackets one after the other. Each
 * process and thread is a track; calls are slices, names are interned. Nothing else of the format
 * is needed, so its few messages are encoded here (github.com/google/perfetto,
 * protos/perfetto/trace):
 *
 *   Trace            1 packet
 *   TracePacket      8 timestamp  10 trusted_packet_sequence_id  11 track_event
 *                    12 interned_data  13 sequence_flags  60 track_descriptor
 *   TrackEvent       9 type  10 name_iid  11 track_uuid  23 name  4 debug_annotations
 *                    47 flow_ids
 *   InternedData     2 event_names (1 iid, 2 name)
 *   TrackDescriptor  1 uuid  2 name  3 process  4 thread  5 parent_uuid
 *   ProcessDescriptor 1 pid  6 process_name    ThreadDescriptor 1 pid  2 tid  5 thread_name
 *   DebugAnnotation  10 name  2 bool_value  3 uint_value  6 string_value
 */
#include "report/export/perfetto.h"
#include "report/export/timeline.h"

enum {
	EVENT_NAME_IID = 10,
	INTERNED_NAMES = 2,
	NAME_IID = 1,
	NAME_TEXT = 2,
	ANNOTATION_BOOL = 2,
};

struct event_log {
	struct timeline timeline;
	struct perfetto out;
	bool *interned; /* by function */
};

/* Names are sent once, with the first event that has them. */
static void put_interned(struct perfetto *perfetto, uint64_t iid, const char *name)
{
	struct byte_vec *data = &perfetto->message, *entry = &perfetto->inner;

	entry->len = data->len = 0;
	protobuf_number(entry, NAME_IID, iid);
	protobuf_text(entry, NAME_TEXT, name);
	protobuf_message(data, INTERNED_NAMES, entry);
	protobuf_message(&perfetto->packet, PERFETTO_INTERNED, data);
}

static void put_unwound(struct perfetto *perfetto, struct byte_vec *event)
{
	struct byte_vec *annotation = &perfetto->inner;

	annotation->len = 0;
	protobuf_number(annotation, ANNOTATION_BOOL, 1);
	protobuf_text(annotation, PERFETTO_ANNOTATION_NAME, "unwound");
	protobuf_message(event, PERFETTO_EVENT_ANNOTATION, annotation);
}

static void write_event(struct event_log *log, const struct analysis_trace_event *event)
{
	struct perfetto *out = &log->out;
	const char *note = timeline_note(event, &out->scratch);
	const bool begins = event->kind == TRACE_ENTER;
	const size_t functions = out->analysis->functions.len;
	const size_t name = event->function == ANALYSIS_NONE ? functions : event->function;
	struct byte_vec *message = &out->message;

	if (event->kind == TRACE_SWITCHED)
		return;
	perfetto_packet_begin(out);
	protobuf_number(&out->packet, PERFETTO_TIMESTAMP, analysis_ns(out->analysis, event->ticks));
	protobuf_number(&out->packet, PERFETTO_FLAGS, PERFETTO_NEEDS_STATE);
	if (begins && !log->interned[name])
		put_interned(out, name + 1, timeline_name(&log->timeline, event));
	log->interned[name] |= begins;
	message->len = 0;
	if (event->kind == TRACE_UNWOUND && !event->implied)
		put_unwound(out, message);
	protobuf_number(message, PERFETTO_EVENT_TYPE,
			begins ? PERFETTO_SLICE_BEGIN
			: note ? PERFETTO_INSTANT
			       : PERFETTO_SLICE_END);
	if (begins)
		protobuf_number(message, EVENT_NAME_IID, name + 1);
	protobuf_number(message, PERFETTO_EVENT_TRACK, perfetto_thread_track(out, event->thread));
	if (note)
		protobuf_text(message, PERFETTO_EVENT_NAME, note);
	protobuf_message(&out->packet, PERFETTO_PACKET_EVENT, message);
	perfetto_packet_write(out);
}

bool timeline_write_perfetto(const struct analysis *analysis, const struct export_options *options,
			     FILE *stream, struct error *err)
{
	struct event_log log = {.out = {.analysis = analysis, .stream = stream}};
	struct analysis_trace_event event;
	int more;

	if (analysis->method == ANALYSIS_SAMPLE)
		return perfetto_write_samples(analysis, options, stream, err);
	if (!timeline_open(&log.timeline, analysis, options, err))
		return false;
	log.interned = mem_zalloc(analysis->functions.len + 1);
	perfetto_begin(&log.out, NULL);
	while ((more = timeline_next(&log.timeline, &event, err)) > 0 && !ferror(stream))
		write_event(&log, &event);
	const bool ok = more >= 0 && perfetto_write_states(&log.out, options, err);
	timeline_close(&log.timeline);
	free(log.interned);
	perfetto_fini(&log.out);
	return ok;
}
