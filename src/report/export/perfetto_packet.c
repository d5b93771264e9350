/* Packets of Perfetto's protobuf, and those that describe the tracks: see perfetto.c. */
#include "report/export/perfetto.h"
#include "report/export/timeline.h"

enum {
	PACKET = 1,
	PACKET_SEQUENCE = 10,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
};

enum { SEQUENCE = 1 };

void perfetto_packet_write(struct perfetto *perfetto)
{
	struct byte_vec *head = &perfetto->head;

	head->len = 0;
	put_uleb(head, protobuf_tag(PACKET, PROTOBUF_BYTES));
	put_uleb(head, perfetto->packet.len);
	fwrite(head->data, 1, head->len, perfetto->stream);
	fwrite(perfetto->packet.data, 1, perfetto->packet.len, perfetto->stream);
}

void perfetto_packet_begin(struct perfetto *perfetto)
{
	perfetto->packet.len = 0;
	protobuf_number(&perfetto->packet, PACKET_SEQUENCE, SEQUENCE);
}

/* ---- tracks ---- */

static uint64_t process_uuid(const struct perfetto *perfetto, uint32_t process)
{
	(void)perfetto;
	return 1 + (uint64_t)process;
}

uint64_t perfetto_thread_track(const struct perfetto *perfetto, uint32_t thread)
{
	return 1 + perfetto->analysis->processes.len + thread;
}

static void write_process(struct perfetto *perfetto, uint32_t index)
{
	const struct profile_process *row = perfetto->analysis->processes.data[index].row;
	struct byte_vec *track = &perfetto->message, *process = &perfetto->inner;

	process->len = track->len = 0;
	protobuf_number(process, PROCESS_PID, (uint64_t)(row->pid));
	timeline_put_name(&perfetto->scratch, row->name);
	protobuf_text(process, PROCESS_NAME, perfetto->scratch.data);
	protobuf_number(track, PERFETTO_TRACK_UUID, process_uuid(perfetto, index));
	protobuf_message(track, TRACK_PROCESS, process);
	perfetto_packet_begin(perfetto);
	protobuf_message(&perfetto->packet, PERFETTO_PACKET_TRACK, track);
	perfetto_packet_write(perfetto);
}

static void write_thread(struct perfetto *perfetto, uint32_t index)
{
	const struct analysis *analysis = perfetto->analysis;
	const struct analysis_thread *row = &analysis->threads.data[index];
	struct byte_vec *track = &perfetto->message, *thread = &perfetto->inner;

	thread->len = track->len = 0;
	protobuf_number(thread, THREAD_PID,
			(uint64_t)(analysis->processes.data[row->process].row->pid));
	protobuf_number(thread, THREAD_TID, (uint64_t)(row->row->tid));
	timeline_put_name(&perfetto->scratch, row->row->name);
	protobuf_text(thread, THREAD_NAME, perfetto->scratch.data);
	protobuf_number(track, PERFETTO_TRACK_UUID, perfetto_thread_track(perfetto, index));
	protobuf_number(track, PERFETTO_TRACK_PARENT, process_uuid(perfetto, row->process));
	protobuf_message(track, TRACK_THREAD, thread);
	perfetto_packet_begin(perfetto);
	protobuf_message(&perfetto->packet, PERFETTO_PACKET_TRACK, track);
	perfetto_packet_write(perfetto);
}

void perfetto_begin(struct perfetto *perfetto, const struct byte_vec *defaults)
{
	const struct analysis *analysis = perfetto->analysis;

	perfetto_packet_begin(perfetto);
	protobuf_number(&perfetto->packet, PERFETTO_FLAGS, PERFETTO_STATE_CLEARED);
	if (defaults)
		protobuf_message(&perfetto->packet, PERFETTO_DEFAULTS, defaults);
	perfetto_packet_write(perfetto);
	for (uint32_t i = 0; i < analysis->processes.len; i++)
		if (analysis->processes.data[i].selected)
			write_process(perfetto, i);
	for (uint32_t i = 0; i < analysis->threads.len; i++)
		if (analysis->threads.data[i].selected)
			write_thread(perfetto, i);
}

void perfetto_fini(struct perfetto *perfetto)
{
	vec_fini(&perfetto->packet);
	vec_fini(&perfetto->message);
	vec_fini(&perfetto->inner);
	vec_fini(&perfetto->head);
	str_fini(&perfetto->scratch);
}
