/*
 * Samples as Perfetto's protobuf: a PerfSample each, with the time when it was taken, in the
 * packets of its thread. Stacks, their frames, names and modules are interned: sent once, with the
 * first sample that needs them. A frame is a function. Written as it is read
 * (github.com/google/perfetto, protos/perfetto/trace/profiling):
 *
 *   TracePacket          66 perf_sample    TracePacketDefaults  12 perf_sample_defaults
 *   PerfSampleDefaults   1 timebase        Timebase  1 period  2 frequency  10 name
 *   PerfSample           2 pid  3 tid  4 callstack_iid
 *   InternedData         5 function_names  6 frames  7 callstacks  16 build_ids
 *                        17 mapping_paths  19 mappings
 *   InternedString       1 iid  2 str
 *   Mapping              1 iid  2 build_id  7 path_string_ids
 *   Frame                1 iid  2 function_name_id  3 mapping_id  4 rel_pc
 *   Callstack            1 iid  2 frame_ids, outermost first
 */
#include "report/export/paths.h"
#include "report/export/perfetto.h"
#include "report/export/timeline.h"

#include "analysis/sample_stream.h"

enum {
	PACKET_SAMPLE = 66,
	DEFAULTS_PERF = 12,
	PERF_TIMEBASE = 1,
	TIMEBASE_PERIOD = 1,
	TIMEBASE_FREQUENCY = 2,
	TIMEBASE_NAME = 10,
	SAMPLE_PID = 2,
	SAMPLE_TID = 3,
	SAMPLE_STACK = 4,
	INTERNED_FUNCTIONS = 5,
	INTERNED_FRAMES = 6,
	INTERNED_STACKS = 7,
	INTERNED_BUILD_IDS = 16,
	INTERNED_PATHS = 17,
	INTERNED_MAPPINGS = 19,
	ENTRY_IID = 1,
	STRING_TEXT = 2,
	MAPPING_BUILD_ID = 2,
	MAPPING_PATH = 7,
	FRAME_NAME = 2,
	FRAME_MAPPING = 3,
	FRAME_ADDRESS = 4,
	STACK_FRAMES = 2,
};

struct perfetto_samples {
	struct perfetto out;
	struct paths paths;
	struct path_chain chain;
	bool *modules, *functions, *nodes; /* which have been sent; the last one of each: none */
};

static void put_string(struct perfetto *out, unsigned field, uint64_t iid,
		       const struct profile_bytes *bytes)
{
	out->inner.len = 0;
	protobuf_number(&out->inner, ENTRY_IID, iid);
	protobuf_bytes(&out->inner, STRING_TEXT, bytes->start, bytes->size);
	protobuf_message(&out->message, field, &out->inner);
}

static void put_text(struct perfetto *out, unsigned field, uint64_t iid, const char *text)
{
	put_string(out, field, iid, &(struct profile_bytes){text, strlen(text)});
}

static unsigned digit_of(char digit)
{
	return digit <= '9' ? (unsigned)(digit - '0') & 15
			    : (unsigned)((digit | 32) - 'a' + 10) & 15;
}

/* Bytes, of what the profile has as hexadecimal digits. */
static void put_build_id(struct perfetto *out, uint64_t iid, const char *digits)
{
	struct byte_vec bytes = {0};

	for (; digits && digits[0] && digits[1]; digits += 2)
		vec_push(&bytes, (uint8_t)(digit_of(digits[0]) << 4 | digit_of(digits[1])));
	put_string(out, INTERNED_BUILD_IDS, iid, &(struct profile_bytes){bytes.data, bytes.len});
	vec_fini(&bytes);
}

/* Paths get a "/" before them by their readers. Module index modules.len is what is in no module.
 */
static void put_module(struct perfetto_samples *writer, uint32_t index)
{
	const struct analysis *analysis = writer->out.analysis;
	const struct analysis_module *module =
		index < analysis->modules.len ? &analysis->modules.data[index] : NULL;
	const char *path = module ? paths_text(&writer->paths, module->path) : "";
	const uint64_t iid = (uint64_t)index + 1;

	if (writer->modules[index])
		return;
	writer->modules[index] = true;
	put_build_id(&writer->out, iid, module ? module->build_id : "");
	put_text(&writer->out, INTERNED_PATHS, iid, path[0] == '/' ? path + 1 : path);
	struct byte_vec *entry = &writer->out.inner;
	entry->len = 0;
	protobuf_number(entry, ENTRY_IID, iid);
	protobuf_number(entry, MAPPING_BUILD_ID, iid);
	protobuf_number(entry, MAPPING_PATH, iid);
	protobuf_message(&writer->out.message, INTERNED_MAPPINGS, entry);
}

/* The frame that a node is, by its id. */
static uint64_t put_frame(struct perfetto_samples *writer, uint32_t node)
{
	const struct analysis *analysis = writer->out.analysis;
	const uint32_t function = analysis->nodes.data[node].function;
	const size_t index = function == ANALYSIS_NONE ? analysis->functions.len : function;
	const struct analysis_function *row =
		function == ANALYSIS_NONE ? NULL : &analysis->functions.data[function];
	const uint32_t module = row ? row->module : (uint32_t)analysis->modules.len;

	if (writer->functions[index])
		return index + 1;
	writer->functions[index] = true;
	put_module(writer, module);
	put_text(&writer->out, INTERNED_FUNCTIONS, index + 1, paths_name(&writer->paths, node));
	struct byte_vec *entry = &writer->out.inner;
	entry->len = 0;
	protobuf_number(entry, ENTRY_IID, index + 1);
	protobuf_number(entry, FRAME_NAME, index + 1);
	protobuf_number(entry, FRAME_MAPPING, (uint64_t)module + 1);
	protobuf_number(entry, FRAME_ADDRESS, row ? row->link_addr : 0);
	protobuf_message(&writer->out.message, INTERNED_FRAMES, entry);
	return index + 1;
}

/* What is new of the stack of a node; its id is the node's, from 1. */
static void put_stack(struct perfetto_samples *writer, uint32_t node)
{
	struct perfetto *out = &writer->out;
	struct byte_vec stack = {0};

	if (writer->nodes[node])
		return;
	writer->nodes[node] = true;
	out->message.len = 0;
	paths_chain(&writer->paths, node, &writer->chain);
	protobuf_number(&stack, ENTRY_IID, (uint64_t)node + 1);
	vec_foreach (at, &writer->chain)
		protobuf_number(&stack, STACK_FRAMES, put_frame(writer, *at));
	protobuf_message(&out->message, INTERNED_STACKS, &stack);
	protobuf_message(&out->packet, PERFETTO_INTERNED, &out->message);
	vec_fini(&stack);
}

static bool take_sample(const struct analysis_sample *sample, void *context)
{
	struct perfetto_samples *writer = context;
	struct perfetto *out = &writer->out;
	const struct analysis_thread *thread = &out->analysis->threads.data[sample->thread];
	const struct analysis_process *process = &out->analysis->processes.data[thread->process];

	perfetto_packet_begin(out);
	protobuf_number(&out->packet, PERFETTO_TIMESTAMP,
			analysis_ns(out->analysis, sample->ticks));
	protobuf_number(&out->packet, PERFETTO_FLAGS, PERFETTO_NEEDS_STATE);
	put_stack(writer, sample->node);
	out->message.len = 0;
	protobuf_number(&out->message, SAMPLE_PID, (uint64_t)process->row->pid);
	protobuf_number(&out->message, SAMPLE_TID, (uint64_t)thread->row->tid);
	protobuf_number(&out->message, SAMPLE_STACK, (uint64_t)sample->node + 1);
	protobuf_message(&out->packet, PACKET_SAMPLE, &out->message);
	perfetto_packet_write(out);
	return !ferror(out->stream);
}

static void begin(struct perfetto_samples *writer)
{
	const struct profile_event *event = writer->out.analysis->event;
	struct byte_vec timebase = {0}, perf = {0}, defaults = {0};

	if (event->period)
		protobuf_number(&timebase, TIMEBASE_PERIOD, event->period);
	else if (event->frequency)
		protobuf_number(&timebase, TIMEBASE_FREQUENCY, event->frequency);
	protobuf_text(&timebase, TIMEBASE_NAME, paths_text(&writer->paths, event->name));
	protobuf_message(&perf, PERF_TIMEBASE, &timebase);
	protobuf_message(&defaults, DEFAULTS_PERF, &perf);
	perfetto_begin(&writer->out, &defaults);
	vec_fini(&timebase);
	vec_fini(&perf);
	vec_fini(&defaults);
}

bool perfetto_write_samples(const struct analysis *analysis, const struct export_options *options,
			    FILE *stream, struct error *err)
{
	struct perfetto_samples writer = {.out = {.analysis = analysis, .stream = stream}};
	uint64_t from, to;

	if (!timeline_range(analysis, options, &from, &to, err) ||
	    !paths_open(&writer.paths, analysis, NULL, err))
		return false;
	writer.modules = mem_zalloc(analysis->modules.len + 1);
	writer.functions = mem_zalloc(analysis->functions.len + 1);
	writer.nodes = mem_zalloc(analysis->nodes.len + 1);
	begin(&writer);
	const bool ok = analysis_each_sample(analysis, from, to, take_sample, &writer, err) &&
			perfetto_write_states(&writer.out, options, err);
	free(writer.modules);
	free(writer.functions);
	free(writer.nodes);
	vec_fini(&writer.chain);
	perfetto_fini(&writer.out);
	paths_close(&writer.paths);
	return ok;
}
