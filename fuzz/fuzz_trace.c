/*
 * An event log with any contents: a thread of a few nodes, and a file of chunks from the input.
 * What the recorder makes of it is written into a profile and read back: whatever the recorder
 * accepted, the reader must understand, in balance. Then the input itself as records.
 */
#include "analysis/trace.h"
#include "assemble/trace_log.h"
#include "fuzz/fuzz.h"
#include "profile/trace_record.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NODES = 40, CHUNK_BYTES = 256, CHUNKS_MAX = 8 };

static char path[64];

static void records_read(const uint8_t *data, size_t size)
{
	struct trace_cursor cursor = {.at = data, .end = data + size};
	struct trace_record record, again;

	while (trace_record_read(&cursor, &record) > 0) {
		struct byte_vec bytes = {0};

		trace_record_write(&bytes, &record);
		struct trace_cursor copy = {.at = bytes.data, .end = bytes.data + bytes.len};
		const int more = trace_record_read(&copy, &again);

		assert(more == 1 && copy.at == copy.end);
		assert(again.kind == record.kind && again.delta == record.delta &&
		       again.value == record.value && again.mark == record.mark);
		vec_fini(&bytes);
	}
}

/* Node i is a child of node i / 3; some without children are not in the profile. */
static void nodes_fill(struct thread_file *thread, int64_t *ids)
{
	thread->node_count = NODES;
	thread->number_count = NODES;
	thread->nodes = mem_zalloc(NODES * sizeof(*thread->nodes));
	thread->parents = mem_zalloc(NODES * sizeof(*thread->parents));
	thread->numbers = mem_zalloc(NODES * sizeof(*thread->numbers));
	thread->folded = mem_zalloc(NODES * sizeof(*thread->folded));
	for (uint32_t i = 0; i < NODES; i++) {
		thread->parents[i] = i / 3;
		thread->numbers[i] = i;
		thread->folded[i] = i == 37;
		thread->nodes[i].trace_from = i == 38 ? 15 : 0;
		ids[i] = i > NODES / 3 && i % 7 == 6 ? 0 : 100 + (int64_t)i;
	}
}

static void rows_add(struct profile_writer *writer, const int64_t *ids)
{
	const struct profile_session session = {.ticks_per_second = 1e9};
	const struct profile_process process = {.pid = 1};
	const struct profile_thread thread = {.process = 1, .tid = 1};
	const struct profile_module module = {.name = "m", .path = "/m", .build_id = ""};
	const struct profile_function function = {.module = 1, .name = "f", .link_addr = 1};
	struct error err;

	profile_write_session(writer, &session, &err);
	profile_add_process(writer, &process, &err);
	profile_add_thread(writer, &thread, &err);
	profile_add_module(writer, &module, &err);
	profile_add_function(writer, &function, &err);
	for (int i = 0; i < NODES; i++) {
		const struct profile_node node = {.id = ids[i],
						  .thread = 1,
						  .parent = i ? ids[i / 3] : 0,
						  .function = i ? 1 : 0};
		const bool ok = !ids[i] || profile_add_node(writer, &node, &err);
		assert(ok);
	}
}

static void events_read(struct analysis *analysis, struct profile *profile, bool balanced)
{
	const struct analysis_trace_options options = {.balanced = balanced};
	struct analysis_trace_event event;
	struct error err;
	int64_t depth = 0;
	int more;
	struct analysis_trace *trace = analysis_trace_open(analysis, profile, &options, &err);

	if (!trace)
		return;
	while ((more = analysis_trace_next(trace, &event, &err)) > 0) {
		depth += event.kind == TRACE_ENTER;
		depth -= event.kind == TRACE_LEAVE || event.kind == TRACE_UNWOUND;
		assert(!balanced || depth >= 0);
	}
	if (more)
		fprintf(stderr, "%s\n", err.message);
	assert(more == 0 && (!balanced || !depth));
	analysis_trace_close(trace);
}

static void profile_read(void)
{
	const struct analysis_options selection = {0};
	struct error err;
	struct profile *profile = profile_open(path, &err);

	assert(profile);
	struct analysis *analysis = analysis_open(profile, &selection, &err);
	assert(analysis);
	events_read(analysis, profile, true);
	events_read(analysis, profile, false);
	analysis_close(analysis);
	profile_close(profile);
}

static void log_translate(const uint8_t *data, size_t size)
{
	struct thread_file thread = {
		.header = {.trace_chunk_bytes = CHUNK_BYTES, .trace_events = 1000}};
	int64_t ids[NODES];
	struct error err;
	const int fd = memfd_create("log", MFD_CLOEXEC);

	assert(fd >= 0);
	const ssize_t done = pwrite(fd, data, size, 0);
	assert(done == (ssize_t)size);
	nodes_fill(&thread, ids);
	thread.header.trace_slots = CHUNKS_MAX;
	thread.header.trace_next = size % CHUNK_BYTES;
	struct profile_writer *writer = profile_writer_open(path, false, &err);
	assert(writer);
	rows_add(writer, ids);
	struct trace_log log = {
		.thread = &thread, .fd = fd, .file_bytes = size, .ids = ids, .thread_id = 1};
	bool ok = trace_log_write(&log, writer, &err);

	assert(ok);
	ok = profile_writer_commit(writer, &err);
	assert(ok);
	profile_read();
	thread_file_fini(&thread);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!path[0])
		snprintf(path, sizeof(path), "/dev/shm/tare-fuzz-trace.%d", (int)getpid());
	records_read(data, size);
	log_translate(data, size < CHUNKS_MAX * CHUNK_BYTES ? size : CHUNKS_MAX * CHUNK_BYTES);
	unlink(path);
	return 0;
}
