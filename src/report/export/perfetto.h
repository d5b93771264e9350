/* What the files that write Perfetto's protobuf share. Private to report. */
#ifndef TARE_REPORT_EXPORT_PERFETTO_H
#define TARE_REPORT_EXPORT_PERFETTO_H

#include "report/export.h"
#include "report/export/protobuf.h"

/* Fields of TracePacket, and values of its sequence_flags. */
enum {
	PERFETTO_TIMESTAMP = 8,
	PERFETTO_INTERNED = 12,
	PERFETTO_FLAGS = 13,
	PERFETTO_DEFAULTS = 59
};
enum { PERFETTO_STATE_CLEARED = 1, PERFETTO_NEEDS_STATE = 2 };

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

bool perfetto_write_samples(const struct analysis *analysis, const struct export_options *options,
			    FILE *stream, struct error *err);

#endif
