/*
 * The log of samples of a session, with any records behind its mark. Each number in a record must
 * be that of something before it; what is made of a log is a profile that can be read.
 */
#include "assemble/sample_assemble.h"
#include "fuzz/fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ASSEMBLE_EACH = 8 }; /* writing a profile takes a thousand times as long as reading a log */

static char path[64];

struct seen {
	uint64_t events, images, processes, threads, locations, nodes, samples;
};

static void check_note(const struct sample_log_record *record, const struct seen *seen)
{
	const bool of_thread =
		record->kind == SAMPLE_LOG_NAME_OF_THREAD || record->kind == SAMPLE_LOG_END;

	assert(record->note.of < (of_thread ? seen->threads : seen->processes));
	assert(record->kind == SAMPLE_LOG_END || record->note.text);
}

static void check_record(const struct sample_log_record *record, struct seen *seen)
{
	switch (record->kind) {
	case SAMPLE_LOG_EVENT:
		assert(record->event.name && record->event.unit);
		seen->events++;
		break;
	case SAMPLE_LOG_IMAGE:
		assert(record->image.path);
		seen->images++;
		break;
	case SAMPLE_LOG_PROCESS:
		assert(record->process.name);
		seen->processes++;
		break;
	case SAMPLE_LOG_THREAD:
		assert(record->thread.process < seen->processes && record->thread.name);
		seen->threads++;
		break;
	case SAMPLE_LOG_LOCATION:
		assert(record->location.image < seen->images);
		seen->locations++;
		break;
	case SAMPLE_LOG_NODE:
		assert(record->node.parent <= seen->nodes);
		assert(record->node.location && record->node.location <= seen->locations);
		seen->nodes++;
		break;
	case SAMPLE_LOG_SAMPLE:
		assert(record->sample.thread < seen->threads);
		assert(record->sample.event < seen->events);
		assert(record->sample.node <= seen->nodes);
		seen->samples++;
		break;
	case SAMPLE_LOG_COUNTS:
		break;
	default:
		check_note(record, seen);
		break;
	}
}

static uint64_t read_log(const void *log, size_t size)
{
	struct sample_log_reader reader = {0};
	struct sample_log_record record;
	struct seen seen = {0};
	struct error err;

	if (!sample_log_reader_init(&reader, log, size, &err))
		return 0;
	while (sample_log_next(&reader, &record))
		check_record(&record, &seen);
	sample_log_reader_fini(&reader);
	return seen.samples;
}

static void assemble_log(const void *log, size_t size, uint64_t samples)
{
	const struct clock_point points[] = {{.ticks = 0, .raw_ns = 0},
					     {.ticks = 1000000000, .raw_ns = 1000000000}};
	const struct profile_session session = {.ticks_per_second = 1e9};
	struct recording recording = {.fd = -1, .runtime = "/runtime.so"};
	struct resolver resolver = {0};
	struct sample_output output = {0};
	struct error err;
	struct profile_writer *writer = profile_writer_open(path, false, &err);

	assert(writer);
	vec_append(&recording.clock, points, 2);
	resolver_init(&resolver, NULL, writer);
	resolver.kernel_is_read = true; /* reading its symbols takes too long */
	const struct sample_input input = {.log = log,
					   .log_bytes = size,
					   .recording = &recording,
					   .resolver = &resolver,
					   .writer = writer};
	bool ok = profile_write_session(writer, &session, &err);

	assert(ok);
	ok = sample_assemble(&input, &output, &err);
	assert(ok);
	vec_fini(&output.rows);
	resolver_fini(&resolver);
	recording_fini(&recording);
	ok = profile_writer_commit(writer, &err);
	assert(ok);
	struct profile *profile = profile_open(path, &err);
	assert(profile);
	size_t count;
	const struct profile_sampling *rows = profile_samplings(profile, &count);
	assert(count == 1 && rows[0].samples + rows[0].in_runtime <= samples);
	profile_close(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = SAMPLE_LOG_MAGIC;
	struct byte_vec log = {0};

	if (!path[0])
		snprintf(path, sizeof(path), "/dev/shm/tare-fuzz-samples.%d", (int)getpid());
	put_bytes(&log, mark, sizeof(mark));
	put_uleb(&log, SAMPLE_LOG_VERSION);
	put_bytes(&log, data, size);
	const uint64_t samples = read_log(log.data, log.len);

	read_log(data, size);
	if (samples && hash_bytes(data, size) % ASSEMBLE_EACH == 0)
		assemble_log(log.data, log.len, samples);
	vec_fini(&log);
	unlink(path);
	return 0;
}
