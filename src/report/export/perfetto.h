/* What the files that write Perfetto's protobuf share. Private to report. */
#ifndef TARE_REPORT_EXPORT_PERFETTO_H
#define TARE_REPORT_EXPORT_PERFETTO_H

#include "report/export.h"
#include "report/export/protobuf.h"

/* Fields of TracePacket, of TrackEvent, TrackDescriptor and DebugAnnotation. */
enum {
	PERFETTO_PACKET_EVENT = 11,
	PERFETTO_PACKET_TRACK = 60,
	PERFETTO_EVENT_ANNOTATION = 4,
	PERFETTO_EVENT_TYPE = 9,
	PERFETTO_EVENT_TRACK = 11,
	PERFETTO_EVENT_NAME = 23,
	PERFETTO_TRACK_UUID = 1,
	PERFETTO_TRACK_PARENT = 5,
	PERFETTO_ANNOTATION_NAME = 10,
	PERFETTO_TIMESTAMP = 8,
	PERFETTO_INTERNED = 12,
	PERFETTO_FLAGS = 13,
	PERFETTO_DEFAULTS = 59
};
/* Values of TracePacket's sequence_flags, and of TrackEvent's type. */
enum { PERFETTO_STATE_CLEARED = 1, PERFETTO_NEEDS_STATE = 2 };
enum { PERFETTO_SLICE_BEGIN = 1, PERFETTO_SLICE_END = 2, PERFETTO_INSTANT = 3 };

struct perfetto {
	const struct analysis *analysis;
	FILE *stream;
	struct byte_vec packet, message, inner, head;
	struct str scratch;
};

/* The first packet, with TracePacketDefaults if not NULL; tracks of processes and threads. */
void perfetto_begin(struct perfetto *perfetto, const struct byte_vec *defaults);
void perfetto_fini(struct perfetto *perfetto);

/* A packet is made in `packet`. */
void perfetto_packet_begin(struct perfetto *perfetto);
void perfetto_packet_write(struct perfetto *perfetto);

/* The thread's own track. */
uint64_t perfetto_thread_track(const struct perfetto *perfetto, uint32_t thread);

/* A track of states below that of each thread that has them, with flows from who had a lock. */
bool perfetto_write_states(struct perfetto *perfetto, const struct export_options *options,
			   struct error *err);

bool perfetto_write_samples(const struct analysis *analysis, const struct export_options *options,
			    FILE *stream, struct error *err);

#endif
